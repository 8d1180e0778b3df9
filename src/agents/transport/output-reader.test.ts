import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import { createReplyFold } from '../../core/agent-output/reply-fold.ts'
import type { Reply } from '../../core/agent-output/reply.ts'
import { claude } from '../claude.ts'
import { openAgentStreams, reportExit } from './agent-streams.ts'
import type { OutputShape } from './output-reader.ts'

const BLOCK = '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---'
const SAID = `All good.\n${BLOCK}`
/** What a tool showed and a user typed: never the agent's word. */
const SHOWN = `shown: ${BLOCK}`
const ID = '0b6e7c1a-session'

interface Heard {
  shape: OutputShape | null
  reply: Reply
  events: AgentEvent[]
}

/** What is heard of a program's output, in chunks of this many bytes. */
function hear(output: string, { code = 0, chunk = 1 << 16 } = {}): Heard {
  const fold = createReplyFold({})
  const events: AgentEvent[] = []
  const heard = openAgentStreams({
    driver: claude,
    clock: null,
    onEvent(event) {
      events.push(event)
      fold.take(event)
    },
  })
  const bytes = Buffer.from(output)
  for (let at = 0; at < bytes.length; at += chunk) heard.stdout.push(bytes.subarray(at, at + chunk))
  heard.stdout.end()
  const exit = { code, signal: null, problem: null, missing: false, stderrTail: '' }
  reportExit(heard.listener, claude, { ...exit, byItself: true, lastLines: heard.stdout.lastLines() })
  const reply = fold.finish({
    ...exit,
    by: 'itself',
    sawEnd: heard.listener.sawEnd,
    finalEvent: heard.finalEvent(),
    durationMs: 0,
    log: { path: 'agent.log', bytes: bytes.length },
  })
  return { shape: heard.stdout.shape(), reply, events }
}

const lines = (...documents: object[]) => documents.map((each) => JSON.stringify(each)).join('\n')
const cutAt = (text: string, word: string) => text.slice(0, text.indexOf(word))

const stream = [
  { type: 'system', subtype: 'init', session_id: ID },
  {
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text: 'I will look.' }] },
    parent_tool_use_id: null,
  },
  { type: 'assistant', message: { content: [{ type: 'tool_use', id: 't', name: 'Read', input: {} }] } },
  { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', content: SHOWN }] } },
  { type: 'assistant', message: { content: [{ type: 'text', text: SHOWN }] }, parent_tool_use_id: 'toolu_1' },
  { type: 'assistant', message: { content: [{ type: 'text', text: SAID }] }, parent_tool_use_id: null },
]
const result = { type: 'result', subtype: 'success', is_error: false, result: SAID, session_id: ID }
const pretty = (value: unknown) => JSON.stringify(value, null, 2)

describe('the last words, the end and the conversation in each shape', () => {
  test.each<[string, string, OutputShape | null, string, Reply['end'], string | null]>([
    ['plain text', SAID, 'text', SAID, 'success', null],
    ['text without a block', 'I did a little.', 'text', 'I did a little.', 'success', null],
    ['text that begins like a list', '[x] one\n[ ] two', 'text', '[x] one\n[ ] two', 'success', null],
    ['text with JSON at its end', 'So:\n{"a": true}', 'text', 'So:\n{"a": true}', 'success', null],
    [
      'text that shows an event',
      'It prints\n{"type":"result","result":"x"}',
      'text',
      'It prints\n{"type":"result","result":"x"}',
      'success',
      null,
    ],
    [
      'text that shows a stream',
      `See:\n\`\`\`\n${lines(result)}\n\`\`\`\nand so on`,
      'text',
      `See:\n\`\`\`\n${lines(result)}\n\`\`\`\nand so on`,
      'success',
      null,
    ],
    ['nothing', '', null, '', 'failed', null],
    ['a flat answer', '{"status":"COMPLETE","summary":"All of it"}', 'json', 'All of it', 'success', null],
    [
      'a flat answer over many lines',
      pretty({ status: 'BLOCKED', summary: 'x', metadata: { session_id: ID } }),
      'json',
      'x',
      'success',
      ID,
    ],
    ['some other object', '{"a":1}', 'json', '{"a":1}', 'success', null],
    ['several flat answers', lines({ status: 'COMPLETE', summary: 'y' }, { a: 1 }), 'json', 'y', 'success', null],
    ['a result object', JSON.stringify(result), 'cli-object', SAID, 'success', ID],
    ['a result object over many lines', pretty(result), 'cli-object', SAID, 'success', ID],
    ['a result object without a type', lines({ result: SAID, sessionId: ID }), 'json', SAID, 'success', ID],
    ['a mark and blank lines before it', `\ufeff\n\n${lines(result)}\n`, 'cli-object', SAID, 'success', ID],
    ['a line of text before it', `Starting …\n${lines(result)}\n`, 'cli-object', SAID, 'success', ID],
    ['an array', JSON.stringify([...stream, result]), 'cli-array', SAID, 'success', ID],
    ['an array over many lines', pretty([...stream, result]), 'cli-array', SAID, 'success', ID],
    ['an array without a result', JSON.stringify(stream), 'cli-array', SAID, 'failed', ID],
    ['an empty array', '[]', 'json', '', 'success', null],
    ['stream-json', lines(...stream, result), 'stream-json', SAID, 'success', ID],
    ['stream-json without a result', lines(...stream), 'stream-json', SAID, 'failed', ID],
    ['stream-json with CRLF', lines(...stream, result).replaceAll('\n', '\r\n'), 'stream-json', SAID, 'success', ID],
    [
      'stream-json with stray lines between',
      `warning: slow\n${lines(...stream)}\noops\n${lines(result)}`,
      'stream-json',
      SAID,
      'success',
      ID,
    ],
    ['a cut result object', cutAt(lines(result), 'RALPH'), 'cli-object', 'All good.\n---', 'failed', null],
    ['a cut flat answer', '{"status":"COMPLETE","exit_sig', null, '', 'failed', null],
    ['bytes', '\u0000\u0001\u0002\ufffd\n', null, '', 'failed', null],
    ['lines of somebody else', lines({ type: 'a' }, { type: 'b' }), 'stream-json', '', 'failed', null],
  ])('%s', (_what, output, shape, words, end, conversation) => {
    for (const chunk of [1 << 16, 3]) {
      const heard = hear(output, { chunk })
      const { reply } = heard
      expect([heard.shape, reply.lastMessage, reply.end, reply.conversation]).toEqual([shape, words, end, conversation])
    }
  })

  test('a stream is told as it comes', () => {
    const told: AgentEvent[] = []
    const { stdout } = openAgentStreams({
      driver: claude,
      clock: null,
      onEvent: (event) => void told.push(event),
    })
    const counts = stream.map((event) => {
      stdout.push(Buffer.from(`${JSON.stringify(event)}\n`))
      return told.length
    })
    expect(counts).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('a stream that is cut anywhere never gives what a tool showed', () => {
    const whole = lines(...stream, result)
    for (let at = 1; at < whole.length; at += 7) {
      const { shape, reply } = hear(whole.slice(0, at))
      if (shape !== 'text') expect(reply.lastMessage).not.toContain('shown')
    }
  })
})

describe('what a flat answer says', () => {
  const reply = (...documents: object[]) => hear(lines(...documents)).reply

  test('its status, denials and usage', () => {
    const { signals, denials, usage, end } = reply({
      status: 'IN_PROGRESS',
      exit_signal: false,
      work_type: 'TEST_ONLY',
      files_modified: 2.7,
      confidence: 0.5,
      error_count: 6.5,
      summary: 'Ran them.',
      usage: { input_tokens: 7, output_tokens: 3 },
      total_cost_usd: 0.01,
      permission_denials: [{ tool_name: 'Bash', tool_input: { command: 'npm publish' } }],
    })
    expect([end, denials, usage]).toEqual([
      'success',
      [{ tool: 'Bash', command: 'npm publish' }],
      { input: 7, output: 3, usd: 0.01 },
    ])
    expect(signals).toMatchObject({
      from: 'block',
      exitSignal: false,
      complete: false,
      testOnly: true,
      errors: ['error_count: 6'],
      summary: 'Ran them.',
    })
  })

  test.each([
    [{ metadata: { completion_status: 'complete' } }, { complete: true, exitSignal: null }],
    [{ metadata: { completion_status: 'COMPLETE' } }, { complete: true, exitSignal: null }],
    [{ metadata: { completion_status: 'complete' }, exit_signal: false }, { complete: false }],
    [
      { result: `x\n${BLOCK}`, exit_signal: false },
      { complete: true, exitSignal: true },
    ],
    [
      { result: `x\n${BLOCK}`, work_type: 'TEST_ONLY' },
      { complete: true, testOnly: true },
    ],
    [
      { work_type: 'TEST_ONLY', result: 'ran' },
      { complete: false, testOnly: true },
    ],
    [{ ...result, result: 'ran', work_type: 'TEST_ONLY' }, { testOnly: true }],
    [
      { ...result, result: 'all of it', exit_signal: true },
      { complete: true, exitSignal: true },
    ],
    [{ result: 'All tasks complete, project complete, done, finished.' }, { complete: false, from: 'none' }],
  ])('%j', (document, signals) => {
    expect(reply(document).signals).toMatchObject(signals)
  })

  test('usage may stand in the metadata', () => {
    expect(reply({ result: 'x', metadata: { usage: { input_tokens: 1, output_tokens: 2 } } }).usage).toEqual({
      input: 1,
      output: 2,
    })
  })

  test('an error is one', () => {
    const { end, failure } = reply({ is_error: true, result: 'API Error: 529 Overloaded.' })
    expect([end, failure?.kind]).toEqual(['failed', 'server'])
  })
})

describe('a limit in plain words', () => {
  const LIMIT = 'You’ve hit your limit · resets 5pm'
  const SHAPES: [string, (words: string) => string][] = [
    ['text', (words) => `${words}\n`],
    ['a result object', (words) => lines({ ...result, result: words })],
    ['a flat answer', (words) => lines({ result: words })],
    ['an array', (words) => JSON.stringify([stream[0], { ...result, result: words }])],
    ['a stream', (words) => lines(...stream.slice(0, 4), { ...result, result: words })],
    ['a line after a stream', (words) => `${lines(...stream.slice(0, 4))}\n${words}\n`],
  ]

  test.each(SHAPES)('in %s, with exit code 1 and 0', (what, wrap) => {
    for (const code of what === 'a line after a stream' ? [1] : [0, 1]) {
      const { end, failure, limit } = hear(wrap(LIMIT), { code }).reply
      expect([end, failure?.kind, limit]).toEqual(['failed', 'usage-limit', 'usage-limit'])
    }
  })

  test.each(SHAPES.slice(0, 5))('that the agent works on is none, in %s', (_what, wrap) => {
    for (const words of [
      `The banner now says "${LIMIT}".`,
      `I tested this:\n\n    ${LIMIT}\n`,
      `${LIMIT}\n\nThat is what the test expects, and it is green.`,
      `${LIMIT}\n${BLOCK}`,
    ]) {
      const { end, limit } = hear(wrap(words)).reply
      expect([end, limit], words).toEqual(['success', null])
    }
  })

  test('with exit code 1 the last thirty lines are looked at, and other errors on stdout too', () => {
    const noise = 'bye\n'.repeat(10)
    expect(hear(`${LIMIT}\n${noise}`, { code: 1 }).reply.failure?.kind).toBe('usage-limit')
    expect(hear(`${LIMIT}\n${noise}`, { code: 0 }).reply.end).toBe('success')
    const login = 'Invalid API key · Please run /login\n'
    expect(hear(login, { code: 1 }).reply.failure?.kind).toBe('authentication')
    expect(hear('I looked at the limit.\n', { code: 1 }).reply.failure?.kind).toBe('unknown')
  })
})

describe('in bounded memory', () => {
  test('a single object of many megabytes is read to its end', () => {
    const words = `${'word '.repeat(2_000_000)}\n${BLOCK}`
    const { reply } = hear(JSON.stringify({ ...result, result: words }))
    expect([reply.end, reply.signals.exitSignal, reply.conversation]).toEqual(['success', true, ID])
  })

  test('so are an array on one line and a text without line ends', () => {
    const many = Array.from({ length: 20_000 }, () => stream[3])
    const array = hear(JSON.stringify([...stream, ...many, result])).reply
    expect([array.end, array.signals.exitSignal]).toEqual(['success', true])
    const text = hear('x'.repeat(5_000_000)).reply
    expect([text.end, text.textLength]).toEqual(['success', 256 * 1024])
  })
})
