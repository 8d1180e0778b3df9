import { describe, expect, test } from 'vitest'
import type { AgentEvent, AgentRequest } from '../core/calls/agent-io.ts'
import { sampleRequest, eventsIn, sample } from '../../test/agents/samples/samples.ts'
import { claude } from './claude.ts'

/** Some id of the vendor's. */
const ANY = expect.any(String) as string

const DONE =
  'All good.\n---RALPH_STATUS---\nSTATUS: COMPLETE\nTASKS_COMPLETED_THIS_LOOP: 1\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---'

describe('what is started', () => {
  const before = ['claude', '-p', '--output-format', 'stream-json', '--verbose']
  const all = ['--permission-mode', 'bypassPermissions']
  const table: [rule: string, wishes: Partial<AgentRequest>, argv: string[]][] = [
    ['everything is allowed when no tools are named', {}, [...before, ...all]],
    ['json is asked for', { format: 'json' }, ['claude', '-p', '--output-format', 'json', ...all]],
    ['text is what it writes unasked', { format: 'text' }, ['claude', '-p', ...all]],
    [
      'with a tool list what is not on it is denied, and each tool is an argument of its own',
      { tools: ['Write', 'Bash(git add *, git commit *)'] },
      [...before, '--permission-mode', 'default', '--allowedTools', 'Write', 'Bash(git add *, git commit *)'],
    ],
    [
      'a tool list restricts nothing under bypassPermissions, so it is not given',
      { tools: ['Write'], permission: 'bypassPermissions' },
      [...before, ...all],
    ],
    [
      'a mode of its own is passed on',
      { tools: ['Read'], permission: 'acceptEdits' },
      [...before, '--permission-mode', 'acceptEdits', '--allowedTools', 'Read'],
    ],
    [
      'the mode of another vendor is not, and opens nothing',
      { permission: 'yolo' },
      [...before, '--permission-mode', 'default'],
    ],
    [
      'read-only takes the writing tools away, whatever mode was asked for',
      { readOnly: true, permission: 'bypassPermissions', tools: ['Write'] },
      [...before, '--permission-mode', 'default', '--strict-mcp-config', '--tools', 'Read,Glob,Grep'],
    ],
    [
      'model, effort, turns, conversation, folders outside the project and system text have flags',
      {
        model: 'opus',
        effort: 'high',
        maxTurns: 7,
        resume: 'c1',
        extraDirs: ['/P/.git', '/M/.git/worktrees/p', '/elsewhere'],
        system: 'Be brief.',
      },
      [
        ...before,
        ...all,
        ...'--model opus --effort high --max-turns 7 --resume c1 --add-dir /elsewhere'.split(' '),
        '--append-system-prompt',
        'Be brief.',
      ],
    ],
    [
      'a program of the user comes with its leading arguments',
      { program: ['npx', 'claude'] },
      ['npx', ...before, ...all],
    ],
  ]
  test.each(table)('%s', (_rule, wishes, argv) => {
    expect(claude.command(sampleRequest(wishes))).toEqual({ argv, env: {}, stdin: 'do it' })
  })

  test('system text too long for one argument goes in front of the prompt', () => {
    const system = 'x'.repeat(150_000)
    const { argv, stdin } = claude.command(sampleRequest({ system }))
    expect(argv).not.toContain('--append-system-prompt')
    expect(stdin).toBe(`${system}\n\ndo it`)
  })
})

/** What a line of this message says that it used: its input, and the first token of its output. */
function begun(message: string): AgentEvent {
  const usage = { input: 100, output: 1, cacheRead: 10, cacheWrite: 0 }
  return { type: 'usage', counts: 'message', message, usage, model: 'claude-opus-4-8' }
}

describe('what it says', () => {
  test('a file is written and the work reported', () => {
    expect(eventsIn(claude, 'claude/ok.stdout')).toEqual([
      {
        type: 'started',
        conversation: '2b0c6c55-b2ed-466c-849a-b16070ad3d34',
        model: 'claude-opus-4-8[1m]',
        version: '2.1.197',
      },
      { type: 'text', text: 'I will write the file.', delta: false, message: ANY },
      begun('msg_2'),
      { type: 'tool', id: 'toolu_2', name: 'Write', input: '/P/hello.txt', paths: ['/P/hello.txt'] },
      begun('msg_2'),
      {
        type: 'tool-ended',
        id: 'toolu_2',
        ok: true,
        output:
          'File created successfully at: /P/hello.txt (file state is current in your context — no need to Read it back)',
      },
      { type: 'text', text: DONE, delta: false, message: ANY },
      begun('msg_3'),
      {
        type: 'usage',
        counts: 'total',
        usage: { input: 200, output: 40, cacheRead: 20, cacheWrite: 0, usd: 0.00201 },
      },
      { type: 'ended', ok: true, reason: 'success', text: DONE },
    ])
  })

  test('thoughts are apart from words', () => {
    expect(eventsIn(claude, 'claude/think-todo.stdout').slice(1, 8)).toEqual([
      { type: 'thought', text: 'I should plan first.' },
      begun('msg_2'),
      { type: 'text', text: 'Planning.', delta: false, message: ANY },
      begun('msg_2'),
      { type: 'tool', id: 'toolu_2', name: 'TaskCreate', input: 'do it', paths: [] },
      begun('msg_2'),
      { type: 'tool-ended', id: 'toolu_2', ok: true, output: 'Task #1 created successfully: First thing' },
    ])
  })

  test('denied tools come with their commands', () => {
    expect(eventsIn(claude, 'claude/denied.stdout').slice(0, 2)).toEqual([
      { type: 'denied', tool: 'Write' },
      {
        type: 'denied',
        tool: 'Bash',
        command: 'cat a.txt && git add -A && git commit -qm scripted && echo committed',
      },
    ])
  })

  test('the turn limit that we set is an end in order, not a failure', () => {
    expect(eventsIn(claude, 'claude/maxturns.stdout').at(-1)).toEqual({
      type: 'ended',
      ok: true,
      reason: 'max-turns',
    })
  })

  test('an API error says success and means failure; its words are not the agent’s', () => {
    expect(eventsIn(claude, 'claude/e400.stdout').slice(1)).toEqual([
      { type: 'remark', text: 'API Error: 400 scripted bad request' },
      { type: 'usage', counts: 'total', usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, usd: 0 } },
      {
        type: 'failed',
        kind: 'bad-request',
        message: 'API Error: 400 scripted bad request',
      },
      { type: 'ended', ok: false, reason: 'bad-request' },
    ])
  })

  test.each([
    ['r-e401', 'authentication'],
    ['r-e429', 'rate-limit'],
    ['r-e500', 'server'],
    ['r-drop', 'network'],
  ])('%s ends as %s', (name, reason) => {
    expect(eventsIn(claude, `claude/${name}.stdout`).at(-1)).toEqual({ type: 'ended', ok: false, reason })
  })

  test('a retry is told while it happens and forgotten at a good end', () => {
    expect(eventsIn(claude, 'claude/e429-then-ok.stdout').slice(1, 3)).toEqual([
      { type: 'limited', kind: 'rate-limit', message: 'rate_limit (429), retry 1 of 10' },
      { type: 'text', text: 'Recovered after one refusal.', delta: false, message: ANY },
    ])
    expect(eventsIn(claude, 'claude/e401.stdout').at(-1)).toEqual({
      type: 'failed',
      kind: 'authentication',
      message: 'authentication_failed (401), retry 7 of 10',
    })
  })

  test('a retry without a status is for a connection that was lost', () => {
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 10, retry_delay_ms: 580 }
    const line = JSON.stringify({ ...retry, error_status: null, error: 'unknown' })
    expect(claude.read(line, 'stdout')).toEqual([
      { type: 'failed', kind: 'network', message: 'connection lost, retry 1 of 10' },
    ])
  })

  test('only a rejected rate limit event is a limit, with its reset', () => {
    const line = (status: string) =>
      JSON.stringify({
        type: 'rate_limit_event',
        rate_limit_info: { status, resetsAt: 1_794_800_000, rateLimitType: 'five_hour' },
        session_id: 's',
      })
    expect(claude.read(line('allowed'), 'stdout')).toEqual([])
    expect(claude.read(line('allowed_warning'), 'stdout')).toEqual([])
    expect(claude.read(line('rejected'), 'stdout')).toEqual([
      {
        type: 'limited',
        kind: 'usage-limit',
        message: 'usage limit reached (five hour)',
        resetsAt: 1_794_800_000_000,
      },
    ])
  })

  test('a limit quoted in a tool result, an echoed prompt or the agent’s own words is no limit', () => {
    const words = "You've hit your limit · resets 5pm. API Error: 429 rate_limit_event rejected"
    const lines = [
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 't', content: words, is_error: true }] },
      },
      { type: 'user', message: { content: [{ type: 'text', text: words }] } },
      { type: 'user', message: { content: words } },
      { type: 'assistant', message: { content: [{ type: 'text', text: words }] } },
    ]
    const events = lines.flatMap((line) => claude.read(JSON.stringify(line), 'stdout'))
    expect(events).toEqual([
      { type: 'tool-ended', id: 't', ok: false, output: words },
      { type: 'text', text: words, delta: false },
    ])
  })

  test('what a sub-agent says is a thought; what it does is a tool; what it uses counts', () => {
    const content = [
      { type: 'text', text: 'EXIT_SIGNAL: true' },
      { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } },
    ]
    const message = { id: 'm1', content, usage: { input_tokens: 7 } }
    const line = JSON.stringify({ type: 'assistant', message, parent_tool_use_id: 'toolu_1' })
    expect(claude.read(line, 'stdout')).toEqual([
      { type: 'thought', text: 'EXIT_SIGNAL: true' },
      { type: 'tool', id: 't1', name: 'Bash', input: 'ls', paths: [] },
      { type: 'usage', counts: 'message', message: 'm1', usage: { input: 7 } },
    ])
  })

  test('the tokens of sub-agents are in the sums per model only', () => {
    const line = JSON.stringify({
      type: 'result',
      subtype: 'success',
      usage: { input_tokens: 40_000, output_tokens: 4_000, cache_read_input_tokens: 9 },
      modelUsage: {
        'claude-opus-4-8': { inputTokens: 40_000, outputTokens: 4_000, cacheReadInputTokens: 9 },
        'claude-haiku-4-5': { inputTokens: 20_000, outputTokens: 2_000 },
      },
      total_cost_usd: 0.45,
    })
    expect(claude.read(line, 'stdout')[0]).toEqual({
      type: 'usage',
      counts: 'total',
      usage: { input: 60_000, output: 6_000, cacheRead: 9, usd: 0.45 },
    })
  })

  test('a tool result in blocks is joined', () => {
    const block = {
      type: 'tool_result',
      tool_use_id: 't',
      content: [{ type: 'text', text: 'a' }, { type: 'image' }],
    }
    const line = JSON.stringify({ type: 'user', message: { content: [block] } })
    expect(claude.read(line, 'stdout')).toEqual([{ type: 'tool-ended', id: 't', ok: true, output: 'a\n' }])
  })

  test.each(['not json', '{"type":"assist', '[1]', '{"type":"news"}', '42', 'null'])('%s is a remark', (line) => {
    expect(claude.read(line, 'stdout')).toEqual([{ type: 'remark', text: line }])
  })

  test.each(['{"type":"result"}', '{"type":"assistant"}', '{"type":"user","message":7}', '{"type":"system"}'])(
    '%s, with nothing in it, is survived',
    (line) => {
      expect(() => claude.read(line, 'stdout')).not.toThrow()
    },
  )
})

test.each([
  ['res3', 'bad-conversation'],
  ['root', 'bad-request'],
])('an exit with the words of %s is %s', (name, kind) => {
  const stderrTail = sample(`claude/${name}.stderr`)
  expect(claude.exited?.({ code: 1, signal: null, stderrTail })).toMatchObject({ type: 'failed', kind })
})

test('a missing login is reported without the command of its own prompt', () => {
  const line = JSON.stringify({
    type: 'result',
    subtype: 'success',
    is_error: true,
    result: 'Not logged in · Please run /login',
  })
  expect(claude.read(line, 'stdout')).toContainEqual({
    type: 'failed',
    kind: 'authentication',
    message: 'Not logged in',
  })
})
