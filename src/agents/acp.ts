/** The driver of an agent that the settings name by its command line: `acp:claude-agent-acp`, `acp:gemini --acp`, `acp:opencode acp`. */
import type { AgentEvent, AgentRequest } from '../core/calls/agent-io.ts'
import { RalphError } from '../core/error.ts'
import { splitCommand } from '../core/text/shell.ts'
import { describeTools } from '../core/calls/tool-list.ts'
import { suggestAllowedTools } from './suggest-allowed-tools.ts'
import { createUpdateReader } from './transport/acp-update.ts'
import {
  createDriver,
  listAllowance,
  restrictedAccess,
  unrestrictedAccess,
  FULL_USER_ACCESS_TEXT,
  type OutputChannel,
  type Driver,
  type AgentAccess,
  type ToolPermissions,
} from './driver.ts'
import { objectAt, parseObject } from '../core/text/json.ts'
import { remarkEvent } from './transport/normalize.ts'
import { usesToolList, resolvePermissionMode } from './tool-permission.ts'

export const ACP_PREFIX = 'acp:'

/** `known`: the vendors' drivers, whose keys, prices and models apply with either protocol. */
export function createAcpDriver(name: string, known: readonly Driver[] = []): Driver {
  const line = name.slice(ACP_PREFIX.length)
  // An unclosed quote is an ordinary character.
  const argv = splitCommand(line) ?? line.split(/\s+/).filter((word) => word !== '')
  const [program] = argv
  const isNamed = (word: string) => argv.join(' ').includes(word)
  const vendors = known.filter((driver) => isNamed(driver.name))
  if (program === undefined) {
    throw new RalphError('agent-unusable', `agent "${name}" has no command`, {
      hint: 'Add the command after the colon, for example: acp:gemini --acp',
    })
  }
  return createDriver({
    protocol: 'acp',
    name,
    title: `${argv.join(' ')} (ACP)`,
    program,
    install: `See the documentation of ${program}.`,
    capabilities: {
      tools: 'partly',
      resume: 'partly',
      tokens: 'partly',
      cost: 'partly',
      readOnly: 'partly',
      model: 'partly',
      effort: 'partly',
      mcp: 'partly',
    },
    // The protocol has a message for it, which agents send at the end of a turn, if at all.
    liveUsage: 'nothing',
    prices: vendors[0]?.prices ?? null,
    ...(vendors[0]?.models === undefined ? {} : { models: vendors[0].models }),
    keys: [...vendors.flatMap(({ keys }) => keys), ...OTHERS.flatMap(([other, keys]) => (isNamed(other) ? keys : []))],
    onDenied: (denials, wishes) =>
      usesToolList(wishes)
        ? suggestAllowedTools(denials, wishes.tools ?? [])
        : { say: `Allow it in the settings of ${program}.`, args: [] },
    login: { env: [], files: [], complete: false },
    ...(/claude/.test(name) ? { whenRoot: { IS_SANDBOX: '1' } } : {}),
    command: (request: AgentRequest) => ({ argv: request.program ?? argv, env: environmentOf(request), stdin: '' }),
    access,
    read,
  })
}

/** The protocol has no sandbox: an agent asks, or does not ask. */
function access(wishes: ToolPermissions): AgentAccess {
  const how = resolvePermissionMode(wishes, 'any')
  const mode = typeof how === 'string' ? '' : `mode ${how.own}, if the agent has such a mode; `
  if (!usesToolList(wishes)) return unrestrictedAccess(`${mode}every request is allowed: it ${FULL_USER_ACCESS_TEXT}`)
  const list = describeTools(wishes.tools ?? [])
  const unasked = 'its own settings decide what needs permission'
  const allowance = listAllowance(how, wishes.tools, how === 'ask' ? 'asks-person' : 'own-settings')
  if (how === 'ask')
    return restrictedAccess(`allowed when it asks: ${list}; you are asked about everything else; ${unasked}`, allowance)
  const edits = how === 'edits' ? 'edits in the project; ' : ''
  return restrictedAccess(
    `${mode}allowed when it asks: ${edits}${list}; everything else is denied; ${unasked}`,
    allowance,
  )
}

/** For a log that is read later: the agent's updates. The end of a turn is the answer to our request and has no line of its own, so
 *  such a log cannot settle an interrupted iteration. */
function read(line: string, from: OutputChannel): AgentEvent[] {
  if (line.trim() === '') return []
  if (from === 'stderr') return NOISE.test(line) ? [] : [remarkEvent(line)]
  const message = parseObject(line)
  if (message?.['method'] !== 'session/update') return []
  const events: AgentEvent[] = []
  createUpdateReader((event) => void events.push(event)).take(objectAt(objectAt(message, 'params'), 'update'))
  return events
}

/** Timings: Claude's adapter prints them a dozen times in every iteration, Qwen Code whenever a machine is slow. */
const NOISE = /^\[session\/\w+\] sessionId=|^\[perf\] /

/** Some agents take their model from the environment only. */
function environmentOf(request: AgentRequest): Record<string, string> {
  return request.model === undefined ? {} : { RALPH_MODEL: request.model }
}

/** Agents of this protocol of which Ralph knows only the names of their keys. */
const OTHERS: [name: string, keys: string[]][] = [['qwen', ['QWEN_*', 'OPENAI_*', 'DASHSCOPE_*', 'BAILIAN_*']]]
