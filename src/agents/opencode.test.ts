import { describe, expect, test } from 'vitest'
import type { AgentRequest } from '../core/calls/agent-io.ts'
import { sampleRequest, eventsIn, sample } from '../../test/agents/samples/samples.ts'
import { opencode } from './opencode.ts'

/** Some id of the vendor's. */
const ANY = expect.any(String) as string

const STEP = {
  type: 'usage',
  counts: 'add',
  usage: { input: 90, output: 20, cacheRead: 10, cacheWrite: 0, reasoning: 5, usd: 0.000131 },
} as const

describe('what is started', () => {
  const before = ['opencode', 'run', '--format', 'json', '--thinking', '--title', 'Ralph']
  const logs = ['--print-logs', '--log-level', 'ERROR']
  const table: [rule: string, wishes: Partial<AgentRequest>, argv: string[], env: Record<string, string>][] = [
    ['everything is allowed', {}, [...before, ...logs, '--auto'], {}],
    [
      'read-only denies editing and the shell',
      { readOnly: true },
      [...before, ...logs],
      { OPENCODE_PERMISSION: '{"edit":"deny","bash":"deny"}' },
    ],
    [
      'model, effort and conversation have flags',
      { model: 'openai/gpt-5', effort: 'high', resume: 'ses_1' },
      [...before, ...logs, '--auto', '-m', 'openai/gpt-5', '--variant', 'high', '--session', 'ses_1'],
      {},
    ],
  ]
  test.each(table)('%s', (_rule, wishes, argv, env) => {
    expect(opencode.command(sampleRequest(wishes))).toEqual({ argv, env, stdin: 'do it' })
  })
})

describe('what it says', () => {
  test('a file is written; each step adds its usage', () => {
    expect(eventsIn(opencode, 'opencode/ok.stdout')).toEqual([
      { type: 'started', conversation: 'ses_e1f3e5d4dffetnQ1vE3p9obVgG' },
      { type: 'text', text: 'I will write the file.', delta: false, message: ANY },
      { type: 'tool', id: 'call_2', name: 'write', input: '/P/hello.txt', paths: ['/P/hello.txt'] },
      { type: 'tool-ended', id: 'call_2', ok: true, output: 'Wrote file successfully.' },
      STEP,
      { type: 'started', conversation: 'ses_e1f3e5d4dffetnQ1vE3p9obVgG' },
      {
        type: 'text',
        text: 'All good.\n---RALPH_STATUS---\nSTATUS: COMPLETE\nTASKS_COMPLETED_THIS_LOOP: 1\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---',
        delta: false,
        message: ANY,
      },
      STEP,
      { type: 'ended', ok: true, reason: 'stop' },
    ])
  })

  test('a command that exits 3 is completed to it and failed to us', () => {
    expect(eventsIn(opencode, 'opencode/shellfail.stdout').slice(2, 4)).toEqual([
      { type: 'tool', id: 'call_2', name: 'bash', input: 'echo oops >&2; exit 3', paths: [] },
      { type: 'tool-ended', id: 'call_2', ok: false, output: 'oops\n' },
    ])
  })

  test.each(['perm', 'read-only'])('a tool refused by a rule or for want of a human is denied (%s)', (name) => {
    expect(eventsIn(opencode, `opencode/${name}.stdout`).filter((event) => event.type === 'denied')).toEqual([
      { type: 'denied', tool: 'write' },
    ])
  })

  test('thoughts are apart from words, and a tool may be told before the text that announced it', () => {
    const types = eventsIn(opencode, 'opencode/think-todo.stdout').map((event) => event.type)
    expect(types.slice(0, 5)).toEqual(['started', 'thought', 'tool', 'tool-ended', 'text'])
  })

  test.each([
    ['e400', 'bad-request'],
    ['e401', 'authentication'],
    ['e429', 'rate-limit'],
    ['badmodel', 'server'],
  ])('%s ends as %s', (name, reason) => {
    expect(eventsIn(opencode, `opencode/${name}.stdout`).at(-1)).toEqual({ type: 'ended', ok: false, reason })
  })

  test('a limit carries the time the provider asks to wait', () => {
    expect(eventsIn(opencode, 'opencode/e429.stdout')[0]).toEqual({
      type: 'limited',
      kind: 'rate-limit',
      message: 'scripted rate limit reached, try again later (retry-after: 1)',
    })
  })

  test('errors that it retries in silence are read from its log', () => {
    expect(eventsIn(opencode, 'opencode/e500-logs.stderr')[0]).toEqual({
      type: 'failed',
      kind: 'server',
      message: 'scripted server failure',
    })
    expect(eventsIn(opencode, 'opencode/quota-logs.stderr')[0]).toEqual({
      type: 'failed',
      kind: 'balance',
      message: 'You exceeded your current quota, please check your plan and billing details.',
    })
  })

  test('a cost of nothing is an unknown price', () => {
    const line = JSON.stringify({
      type: 'step_finish',
      part: { reason: 'tool-calls', tokens: { input: 1 }, cost: 0 },
    })
    expect(opencode.read(line, 'stdout')).toEqual([{ type: 'usage', counts: 'add', usage: { input: 1 } }])
  })

  test('a step that ends for another reason than stop ends badly', () => {
    const line = JSON.stringify({ type: 'step_finish', part: { reason: 'length', tokens: {} } })
    expect(opencode.read(line, 'stdout').at(-1)).toEqual({ type: 'ended', ok: false, reason: 'length' })
  })

  test('colours on stderr do not reach a remark', () => {
    expect(eventsIn(opencode, 'opencode/perm.stderr')).toEqual([
      { type: 'remark', text: '! permission requested: external_directory (/X/outside/*); auto-rejecting' },
    ])
  })
})

test('an unknown conversation is told by its exit', () => {
  const stderrTail = sample('opencode/res4.stderr')
  expect(opencode.exited?.({ code: 1, signal: null, stderrTail })).toEqual({
    type: 'failed',
    kind: 'bad-conversation',
    message: 'Error: Session not found',
  })
})
