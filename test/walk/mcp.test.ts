/** `ralph mcp` as an agent's program starts it, and what becomes of its calls: after the agent, after a crash, and when they are forged. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Event } from '../../src/core/state/event.ts'
import { emptyAgentReport, type AgentReport } from '../../src/core/agent-output/agent-report.ts'
import { runAgentHandler } from '../../src/engine/handlers/run-agent.ts'
import type { AbortListener } from '../../src/engine/runtime/handler.ts'
import { readSignedLines } from '../../src/system/files/signed-lines.ts'
import { iterationLogFolder } from '../../src/workspace/log-folders.ts'
import { makeTestWorld, removeTestWorlds, RUN_AGENT } from './handler-world.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const RALPH = join(ROOT, 'bin', 'ralph.cjs')
const AGENT = join(ROOT, 'bin', 'ralph-scripted-agent.mjs')
const NOBODY: AbortListener = { signal: new AbortController().signal, told: null, onAbort: () => {} }
afterAll(removeTestWorlds)

interface Answer {
  id: number | string | null
  result?: { isError?: boolean; content?: { text: string }[]; tools?: unknown[] }
  error?: { code: number }
}

const request = (id: number, method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const call = (id: number, name: string, args: object): string => request(id, 'tools/call', { name, arguments: args })

/** Whatever is written to the server, and all that it answered until its pipe was closed. */
function talk(
  input: string,
  env: Record<string, string> = {},
  [program = '', ...args]: string[] = [process.execPath, RALPH, 'mcp'],
): Promise<{ code: number | null; answers: Answer[] }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.once('error', reject)
    child.once('close', (code) =>
      resolve({
        code,
        answers: said
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Answer),
      }),
    )
    child.stdin.on('error', () => {}).end(input)
  })
}

function fenced(): { folder: string; env: Record<string, string> } {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-mcp-'))
  writeFileSync(join(folder, 'mcp-token'), 'secret')
  return { folder, env: { RALPH_MCP_FOLDER: folder, RALPH_MCP_TOKEN: 'secret' } }
}

describe('the server', () => {
  test('survives garbage, half lines, huge lines and a flood, and ends with its pipe', async () => {
    const { folder, env } = fenced()
    const lines = [
      request(1, 'initialize', { protocolVersion: '2025-06-18' }),
      'rubbish \u0000 \ud800',
      'x'.repeat(10_000_000),
      request(2, 'tools/list'),
      ...Array.from({ length: 20_000 }, (_, at) => request(100 + at, 'ping')),
      call(3, 'task_done', { task: 't1' }),
      call(5, 'note', { text: 'y'.repeat(1_000_000) }),
      '{"jsonrpc":"2.0","id":4,"method":"pi',
    ]
    const { code, answers } = await talk(lines.join('\n'), env)
    expect(code).toBe(0)
    expect(answers).toHaveLength(lines.length)
    expect(answers.map(({ id }) => id).slice(0, 4)).toEqual([1, null, null, 2])
    expect(answers[3]?.result?.tools).toHaveLength(7)
    expect(answers.at(-3)?.result?.isError).toBe(false)
    // By its id: an agent that is not answered waits for hours.
    expect(answers.at(-2)).toMatchObject({ id: 5, result: { isError: true } })
    expect(answers.at(-1)?.error?.code).toBe(-32_700)
    expect(readFileSync(join(folder, 'agent-reports.jsonl'), 'utf8')).toMatch(/^[0-9a-f]{64} .*"t1".*\n$/)
    expect(statSync(join(folder, 'agent-reports.jsonl')).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['without folder and token', (): Record<string, string> => ({})],
    ['with a wrong token', (env: Record<string, string>) => ({ ...env, RALPH_MCP_TOKEN: 'guessed' })],
  ])('%s it tells its tools, refuses every call in words, and writes nothing', async (_name, given) => {
    const { folder, env } = fenced()
    const input = [request(1, 'initialize'), request(2, 'tools/list'), call(3, 'note', { text: 'a' }), '']
    const { code, answers } = await talk(input.join('\n'), given(env))
    expect([code, answers.length, answers[1]?.result?.tools?.length]).toEqual([0, 3, 7])
    expect(answers[2]?.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^Not saved: this server/) as string }],
    })
    expect(existsSync(join(folder, 'agent-reports.jsonl'))).toBe(false)
  })

  test('acknowledges no line of which only a part came to the disk', async () => {
    const { folder, env } = fenced()
    // A file may have so many blocks and no more: as on a full disk, the last write is a short one before it is an error.
    const limited = ['sh', '-c', `ulimit -f 8; exec '${process.execPath}' '${RALPH}' mcp`]
    const notes = Array.from({ length: 20 }, (_, at) => call(at, 'note', { text: `${at} `.repeat(300) }))
    const { answers } = await talk(`${notes.join('\n')}\n`, env, limited)
    const noted = answers.filter(({ result }) => result?.isError === false)
    expect(answers.at(-1)?.result?.isError).toBe(true)
    expect(readSignedLines(join(folder, 'agent-reports.jsonl'), { token: 'secret', fileMax: 1e6 }).texts).toHaveLength(
      noted.length,
    )
  })

  test('ends when nobody reads any more', async () => {
    const child = spawn(process.execPath, [RALPH, 'mcp'], { stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    child.stdin.on('error', () => {})
    child.stdout.destroy()
    child.stdin.write(`${request(1, 'tools/list')}\n`.repeat(2_000))
    expect(await ended).toBe(0)
  })
})

describe('what an agent calls', () => {
  const MESSAGES = [
    call(1, 'note', { text: 'Half of it.' }),
    call(2, 'ask', { question: 'Which one?' }),
    call(3, 'task_done', { task: 't1' }),
  ]
  const TOLD: AgentReport = {
    ...emptyAgentReport(),
    done: ['t1'],
    notes: ['Half of it.'],
    asks: [{ id: expect.stringMatching(/^q/) as string, text: 'Which one?' }],
  }

  async function anAgent(script: string) {
    const { world, folder } = await makeTestWorld()
    const scenario = join(folder, 'scenario.json')
    const steps = [
      { do: 'shell', command: script },
      { do: 'say', text: 'Done.' },
    ]
    writeFileSync(scenario, JSON.stringify({ turns: [{ steps }] }))
    world.programs['claude'] = [process.execPath, AGENT, '--scenario', scenario, '--dialect', 'claude']
    const handler = runAgentHandler(world, { words: () => {} })
    const events: Event[] = []
    await handler.perform(RUN_AGENT, (event) => void events.push(event), NOBODY)
    return { world, handler, told: toldIn(events.at(-1)), folder: iterationLogFolder(world, '1', 1) }
  }

  const toldIn = (event: Event | undefined): AgentReport | undefined =>
    event?.type === 'agent-ended' ? event.reply.told : undefined

  const telling = `printf '%s\\n' ${MESSAGES.map((message) => `'${message}'`).join(' ')} | '${process.execPath}' '${RALPH}' mcp`

  test('arrives with its end, and again from its folder after a crash', async () => {
    const { told, handler, folder } = await anAgent(telling)
    expect(told).toEqual(TOLD)
    expect(statSync(join(folder, 'mcp-token')).mode & 0o777).toBe(0o600)
    const again = await handler.recoverAnswer(RUN_AGENT)
    expect(again.is === 'answered' ? toldIn(again.event) : null).toEqual(TOLD)
  })

  test('does not count where it was written past the server', async () => {
    const { told } = await anAgent(
      `echo '${'0'.repeat(64)} {"tool":"task_done","args":{"task":"t1"}}' >> "$RALPH_MCP_FOLDER/agent-reports.jsonl"`,
    )
    expect(told).toEqual({
      ...emptyAgentReport(),
      problems: [
        'Report only with the tools: Ralph ignores lines in agent-reports.jsonl that ralph mcp did not write (1).',
      ],
    })
  })

  test('is stored with its secrets masked, and reported the same way after a crash', async () => {
    const key = `sk-ant-api03-${'Zq8'.repeat(30)}`
    const note = call(1, 'note', { text: `The key is ${key}.` })
    const { told, handler, folder } = await anAgent(`echo '${note}' | '${process.execPath}' '${RALPH}' mcp`)
    expect(told?.notes).toEqual([expect.stringMatching(/^The key is sk-ant-\*+\.$/)])
    expect(readFileSync(join(folder, 'agent-reports.jsonl'), 'utf8')).not.toContain('Zq8')
    const again = await handler.recoverAnswer(RUN_AGENT)
    expect(again.is === 'answered' ? toldIn(again.event) : null).toEqual(told)
  })

  test('a server that is left over reaches neither its own iteration, which is over, nor the next start', async () => {
    const { handler, folder } = await anAgent(`${telling}; env > "$RALPH_MCP_FOLDER/env"`)
    const [, token = ''] = /^RALPH_MCP_TOKEN=(.*)$/m.exec(readFileSync(join(folder, 'env'), 'utf8')) ?? []
    const stale = { RALPH_MCP_FOLDER: folder, RALPH_MCP_TOKEN: token }
    const kept = readFileSync(join(folder, 'agent-reports.jsonl'), 'utf8')
    const refused = {
      isError: true,
      content: [{ text: expect.stringMatching(/^Not saved: this server/) as string }],
    }
    expect((await talk(`${MESSAGES[0]}\n`, stale)).answers[0]?.result).toMatchObject(refused)
    expect(readFileSync(join(folder, 'agent-reports.jsonl'), 'utf8')).toBe(kept)
    await handler.perform(RUN_AGENT, () => {}, NOBODY)
    expect((await talk(`${MESSAGES[0]}\n`, stale)).answers[0]?.result).toMatchObject(refused)
  })
})
