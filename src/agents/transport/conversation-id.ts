/**
 * Finds the conversation of an agent whose driver did not see it: first any id at the top level of one of its JSON lines, whatever the
 * vendor calls it; then the agent's own list of conversations, if its program has one.
 */
import { runProgram } from '../../system/process/process.ts'
import type { Driver } from '../driver.ts'
import { parseObject } from '../../core/text/json.ts'

const NAMES = 'session_id sessionId sessionID thread_id threadId conversation_id conversationId'.split(' ')

/** Only at the top level: a nested id may be quoted from a file. */
export function findConversationId(line: string): string | null {
  if (!line.startsWith('{') || !NAMES.some((name) => line.includes(`"${name}"`))) return null
  const object = parseObject(line)
  const found = NAMES.map((name) => object?.[name]).find(
    (value) => typeof value === 'string' && isConversationId(value),
  )
  return typeof found === 'string' ? found : null
}

export function isConversationId(value: string): boolean {
  return /^[A-Za-z0-9][\w-]{5,127}$/.test(value)
}

/** The list is a convenience; a slow program is not waited for. */
const PATIENCE_MS = 5_000

export async function lookUpConversation(
  driver: Driver,
  at: { program: string; cwd: string; env: Record<string, string> },
): Promise<string | null> {
  const { lookUp } = driver
  if (lookUp === undefined) return null
  const said = await runProgram([at.program, ...lookUp.args], { cwd: at.cwd, env: at.env, timeoutMs: PATIENCE_MS })
  return said.code === 0 ? lookUp.read(said.stdout, at.cwd) : null
}
