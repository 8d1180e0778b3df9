import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../src/core/calls/agent-io.ts'
import { claude } from '../src/agents/claude.ts'
import { codex } from '../src/agents/codex.ts'
import { copilot } from '../src/agents/copilot.ts'
import { cursor } from '../src/agents/cursor.ts'
import type { Driver } from '../src/agents/driver.ts'
import { gemini } from '../src/agents/gemini.ts'
import { opencode } from '../src/agents/opencode.ts'
import { plain } from '../src/agents/plain.ts'
import { copilotUsage } from './copilot.ts'
import type { ToolCall, Dialect, TurnState, ToolAction } from './dialect.ts'
import { DIALECT, type DialectName } from './dialects.ts'
import type { Limit } from './scenario.ts'

const CONVERSATION = '11111111-2222-4333-8444-555555555555'
const USAGE = { input: 100, output: 20, cacheRead: 10, cacheWrite: 5, reasoning: 4, usd: 0.01 }
const MESSAGE_USAGE = { input: 30, output: 5, cacheRead: 3, cacheWrite: 1, reasoning: 1, usd: 0.002 }
const CONVERSATION_USAGE = { input: 300, output: 60, cacheRead: 30, cacheWrite: 15, reasoning: 12, usd: 0.03 }

const DRIVERS: Record<DialectName, Driver> = {
  claude,
  codex,
  opencode,
  gemini,
  copilot,
  cursor,
  text: plain,
}

describe('our driver reads what the dialect writes', () => {
  const written = (name: DialectName): AgentEvent[] => heard(name, anIteration(DIALECT[name]))

  test('claude, which tells with each block what its message used so far', () => {
    const so = (message: number): AgentEvent => ({
      type: 'usage',
      counts: 'message',
      message: `msg_11111111_${message}`,
      usage: { input: 30, output: 1, cacheRead: 3, cacheWrite: 1 },
      model: 'claude-opus-4-8',
    })
    expect(written('claude')).toEqual([
      { type: 'started', conversation: CONVERSATION, model: 'claude-opus-4-8', version: '2.1.197' },
      { type: 'thought', text: 'Hm.' },
      so(1),
      { type: 'text', text: 'I will write.', delta: false, message: 'msg_11111111_1' },
      so(1),
      { type: 'tool', id: 'toolu_1', name: 'Write', input: '/P/a.txt', paths: ['/P/a.txt'] },
      so(1),
      { type: 'tool-ended', id: 'toolu_1', ok: true, output: 'written' },
      { type: 'tool', id: 'toolu_2', name: 'Bash', input: 'npm test', paths: [] },
      so(2),
      { type: 'tool-ended', id: 'toolu_2', ok: false, output: 'Exit code 3\noops' },
      { type: 'text', text: 'Done.', delta: false, message: 'msg_11111111_3' },
      so(3),
      {
        type: 'usage',
        counts: 'total',
        usage: { input: 100, output: 20, cacheRead: 10, cacheWrite: 5, usd: 0.01 },
      },
      { type: 'ended', ok: true, reason: 'success', text: 'Done.' },
    ])
  })

  test('codex, which counts the whole conversation', () => {
    expect(written('codex')).toEqual([
      { type: 'started', conversation: CONVERSATION },
      { type: 'thought', text: 'Hm.' },
      { type: 'text', text: 'I will write.', delta: false, message: 'item_m00000000' },
      { type: 'tool', id: 'item_1', name: 'edit', input: '/P/a.txt', paths: ['/P/a.txt'] },
      { type: 'tool-ended', id: 'item_1', ok: true, output: '' },
      { type: 'tool', id: 'item_2', name: 'shell', input: 'npm test', paths: [] },
      { type: 'tool-ended', id: 'item_2', ok: false, output: 'oops' },
      { type: 'text', text: 'Done.', delta: false, message: 'item_m00000000' },
      {
        type: 'usage',
        counts: 'conversation',
        usage: { input: 300, output: 60, cacheRead: 30, cacheWrite: 15, reasoning: 12 },
      },
      { type: 'ended', ok: true, reason: 'completed' },
    ])
  })

  test('opencode, which writes a step around each call', () => {
    const stepOver: AgentEvent[] = [
      {
        type: 'usage',
        counts: 'add',
        usage: MESSAGE_USAGE,
      },
      { type: 'started', conversation: CONVERSATION },
    ]
    expect(written('opencode')).toEqual([
      { type: 'started', conversation: CONVERSATION },
      { type: 'thought', text: 'Hm.' },
      { type: 'text', text: 'I will write.', delta: false, message: 'msg_1' },
      { type: 'tool', id: 'call_1', name: 'write', input: '/P/a.txt', paths: ['/P/a.txt'] },
      { type: 'tool-ended', id: 'call_1', ok: true, output: 'written' },
      ...stepOver,
      { type: 'tool', id: 'call_2', name: 'bash', input: 'npm test', paths: [] },
      { type: 'tool-ended', id: 'call_2', ok: false, output: 'oops' },
      ...stepOver,
      { type: 'text', text: 'Done.', delta: false, message: 'msg_3' },
      {
        type: 'usage',
        counts: 'add',
        usage: { input: 40, output: 10, cacheRead: 4, cacheWrite: 3, reasoning: 2, usd: 0.006 },
      },
      { type: 'ended', ok: true, reason: 'stop' },
    ])
  })

  test('gemini, which tells neither thoughts nor exit codes', () => {
    const [write, shell] = ['write_file__write_file_1', 'run_shell_command__run_shell_command_2']
    expect(written('gemini')).toEqual([
      { type: 'started', conversation: CONVERSATION, model: 'gemini-2.5-pro' },
      { type: 'text', text: 'I will write.', delta: true },
      { type: 'tool', id: write, name: 'write_file', input: '/P/a.txt', paths: ['/P/a.txt'] },
      { type: 'tool-ended', id: write, ok: true, output: 'written' },
      { type: 'tool', id: shell, name: 'run_shell_command', input: 'npm test', paths: [] },
      { type: 'tool-ended', id: shell, ok: true, output: 'oops' },
      { type: 'text', text: 'Done.', delta: true },
      {
        type: 'usage',
        counts: 'add',
        usage: { input: 100, output: 20, cacheRead: 10 },
        model: 'gemini-2.5-pro',
      },
      { type: 'ended', ok: true, reason: 'success' },
    ])
  })

  test('copilot, which names its conversation last', () => {
    expect(written('copilot')).toEqual([
      { type: 'thought', text: 'Hm.' },
      { type: 'text', text: 'I will write.', delta: false, message: '00000000-0000-4000-8000-000000000007' },
      { type: 'tool', id: 'call_1', name: 'create', input: '/P/a.txt', paths: ['/P/a.txt'] },
      { type: 'tool-ended', id: 'call_1', ok: true, output: 'written' },
      { type: 'tool', id: 'call_2', name: 'bash', input: 'npm test', paths: [] },
      { type: 'tool-ended', id: 'call_2', ok: false, output: 'oops' },
      { type: 'text', text: 'Done.', delta: false, message: '00000000-0000-4000-8000-000000000023' },
      { type: 'started', conversation: CONVERSATION },
      { type: 'ended', ok: true, reason: 'success' },
    ])
  })

  test("copilot's usage file", () => {
    expect(copilot.readUsageFile?.(copilotUsage(aTalk()))).toEqual([
      {
        type: 'usage',
        counts: 'add',
        usage: { input: 100, output: 20, cacheRead: 10, cacheWrite: 5, reasoning: 4 },
        model: 'gpt-4.1',
      },
    ])
  })

  test('cursor, which tells neither thoughts nor tokens', () => {
    expect(written('cursor')).toEqual([
      { type: 'started', conversation: CONVERSATION, model: 'Auto' },
      { type: 'text', text: 'I will write.', delta: false },
      { type: 'tool', id: 'toolu_1', name: 'write', input: '/P/a.txt', paths: ['/P/a.txt'] },
      { type: 'tool-ended', id: 'toolu_1', ok: true, output: 'written' },
      { type: 'tool', id: 'toolu_2', name: 'shell', input: 'npm test', paths: [] },
      { type: 'tool-ended', id: 'toolu_2', ok: false, output: 'oops' },
      { type: 'text', text: 'Done.', delta: false },
      { type: 'ended', ok: true, reason: 'success', text: 'Done.' },
    ])
  })

  test('text, where tools speak behind a bar', () => {
    expect(anIteration(DIALECT.text)).toBe('I will write.\n> write /P/a.txt\n│ written\n> $ npm test\n│ oops\nDone.\n')
  })
})

describe('a limit is read as the limit it is', () => {
  const KINDS: Record<Limit['kind'], string> = {
    'usage-limit': 'usage-limit',
    'rate-limit': 'rate-limit',
    balance: 'balance',
    auth: 'authentication',
    model: 'model',
    overload: 'server',
    network: 'network',
    tls: 'network',
  }
  for (const name of Object.keys(DRIVERS) as DialectName[]) {
    test.for(Object.keys(KINDS) as Limit['kind'][])(`${name}: %s`, (kind) => {
      // A rate limit that lasts for an hour is a usage limit, whatever it is called.
      const resetsAt = kind === 'rate-limit' ? 61_000 : 3_601_000
      const last = DIALECT[name].fail(aTalk(), { kind, message: null, resetsAt })
      const events = [
        ...heard(name, last.stdout),
        DRIVERS[name].exited?.({ code: last.exit, signal: null, stderrTail: last.stderr }) ?? null,
      ]
      const kinds = events.flatMap((event) => (event?.type === 'limited' || event?.type === 'failed' ? event.kind : []))
      expect(new Set(kinds)).toEqual(new Set([KINDS[kind]]))
      expect(last.exit).not.toBe(0)
    })
  }

  test('claude names the reset as an instant', () => {
    const { stdout } = DIALECT.claude.fail(aTalk(), {
      kind: 'usage-limit',
      message: null,
      resetsAt: 3_600_500,
    })
    expect(heard('claude', stdout)[0]).toEqual({
      type: 'limited',
      kind: 'usage-limit',
      message: 'usage limit reached (five hour)',
      resetsAt: 3_601_000,
    })
  })

  test('codex names it in words', () => {
    const { stdout } = DIALECT.codex.fail(aTalk(), {
      kind: 'usage-limit',
      message: null,
      resetsAt: 7_261_000,
    })
    expect(heard('codex', stdout)[0]).toMatchObject({
      message: 'You’ve hit your usage limit. Try again in 2 hours 1 minute.',
    })
  })

  test("the scenario's own words win", () => {
    const { stdout } = DIALECT.codex.fail(aTalk(), { kind: 'balance', message: 'No more.', resetsAt: 1 })
    expect(stdout).toBe(
      '{"type":"error","message":"No more."}\n{"type":"turn.failed","error":{"message":"No more."}}\n',
    )
  })
})

describe('a refused tool is read as denied', () => {
  const work: ToolAction = { is: 'other', name: 'Bash', input: { command: 'rm -rf /' } }
  const TOOLS: [DialectName, Partial<AgentEvent>][] = [
    ['claude', { tool: 'Bash', command: 'rm -rf /' }],
    ['codex', { tool: 'shell', command: 'rm -rf /' }],
    ['opencode', { tool: 'Bash', command: 'rm -rf /' }],
    ['copilot', {}],
    ['cursor', { tool: 'Bash', command: 'rm -rf /' }],
  ]
  test.for(TOOLS)('%s', ([name, denied]) => {
    const call = { id: '1', work }
    const turnState = { ...aTalk(), denied: [call] }
    const events = heard(name, DIALECT[name].deny(turnState, call) + DIALECT[name].end(turnState))
    expect(events.filter((event) => event.type === 'denied')).toMatchObject([{ type: 'denied', ...denied }])
  })
})

/** The captured lines of the real programs are the measure: a field that no real line of its kind has is an invention. */
describe('no field that the real program does not write', () => {
  for (const name of ['claude', 'codex', 'opencode', 'gemini', 'copilot'] as const) {
    test(name, () => {
      const known = new Map<string, Set<string>>()
      for (const json of captured(name)) {
        const paths = known.get(kindOf(json)) ?? new Set()
        pathsOf(json).forEach((path) => paths.add(path))
        known.set(kindOf(json), paths)
      }
      const dialect = DIALECT[name]
      const limit = dialect.fail(aTalk(), { kind: 'rate-limit', message: null, resetsAt: 60_000 })
      const ours = linesOf(anIteration(dialect) + limit.stdout)
      const invented = ours.flatMap((json) =>
        pathsOf(json)
          .filter((path) => known.get(kindOf(json))?.has(path) !== true)
          .map((path) => `${kindOf(json)}: ${path}`)
          .filter((place) => !DOCUMENTED.includes(place)),
      )
      expect(ours.length).toBeGreaterThan(6)
      expect(invented).toEqual([])
    })
  }
})

/** Known from the vendor's description; no captured run had a tool call that failed. */
const DOCUMENTED = ['user/tool_result: message.content[].is_error']

type Json = Record<string, unknown>

function captured(name: string): Json[] {
  const folder = new URL(`../test/agents/samples/${name}/`, import.meta.url)
  const files = readdirSync(folder).filter((file) => file.endsWith('.stdout'))
  return files.flatMap((file) => linesOf(readFileSync(new URL(file, folder), 'utf8')))
}

function linesOf(text: string): Json[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Json)
}

/** Two lines are of a kind if all their tags agree. */
function kindOf(json: Json): string {
  const inner = ['item', 'part'].map((key) => (json[key] as Json | undefined)?.['type'])
  const content = (json['message'] as Json | undefined)?.['content']
  const block = Array.isArray(content) ? (content[0] as Json)['type'] : undefined
  const tags = [json['type'], json['subtype'], ...inner, block]
  return tags.filter((tag) => typeof tag === 'string').join('/')
}

/** What stands under these keys is named by tools and models, not by the vendor. */
const OPEN = new Set(['input', 'arguments', 'parameters', 'modelUsage', 'models', 'tool_use_result'])

function pathsOf(value: unknown, above = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => pathsOf(each, `${above}[]`))
  if (typeof value !== 'object' || value === null) return [above]
  return Object.entries(value).flatMap(([key, each]) => {
    const path = above === '' ? key : `${above}.${key}`
    return OPEN.has(key) ? [path] : [path, ...pathsOf(each, path)]
  })
}

function aTalk(): TurnState {
  let ids = 0
  return {
    conversation: CONVERSATION,
    model: null,
    cwd: '/P',
    prompt: 'go',
    usage: USAGE,
    messageUsage: MESSAGE_USAGE,
    conversationUsage: CONVERSATION_USAGE,
    lastText: 'Done.',
    calls: 2,
    denied: [],
    startedAt: 0,
    now: () => 1000,
    uuid: () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`,
  }
}

/** A thought, a word, a file, a command that fails, and the end. */
function anIteration(dialect: Dialect): string {
  const turnState: TurnState = { ...aTalk(), calls: 0 }
  // The player counts a call before it is written.
  const call = (made: ToolCall): string => {
    turnState.calls += 1
    return dialect.call(turnState, made)
  }
  const write: ToolCall = {
    id: '1',
    work: { is: 'write', path: '/P/a.txt', content: 'one\n', existed: false },
  }
  const shell: ToolCall = { id: '2', work: { is: 'shell', command: 'npm test' } }
  return [
    dialect.begin(turnState),
    dialect.think(turnState, 'Hm.'),
    dialect.say(turnState, 'I will write.'),
    call(write),
    dialect.answer(turnState, write, { ok: true, output: 'written', exit: null }),
    call(shell),
    dialect.answer(turnState, shell, { ok: false, output: 'oops', exit: 3 }),
    dialect.say(turnState, 'Done.'),
    dialect.end(turnState),
  ].join('')
}

function heard(name: DialectName, output: string): AgentEvent[] {
  return output.split('\n').flatMap((line) => DRIVERS[name].read(line, 'stdout'))
}
