import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textOf } from './shapes.ts'

const BLOCK = '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---'
const SAID = `All good.\n${BLOCK}`
/** What a tool showed and a user typed: never the agent's word. */
const SHOWN = `shown: ${BLOCK}`

const lines = (...documents: object[]) => documents.map((each) => JSON.stringify(each)).join('\n')
const cutAt = (text: string, word: string) => text.slice(0, text.indexOf(word))
const read = (raw: string) => {
  const { text, shape } = textOf(raw)
  return { text, shape }
}

const claude = [
  { type: 'system', subtype: 'init', session_id: 's1' },
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
const result = { type: 'result', subtype: 'success', is_error: false, result: SAID, session_id: 's1' }

describe('the agent’s last words in each shape', () => {
  test.each([
    ['plain text', SAID, 'text', SAID],
    ['text that begins like a list', '[x] done\n[ ] open', 'text', '[x] done\n[ ] open'],
    ['text that begins with a number in brackets', '[1] a note', 'text', '[1] a note'],
    ['text that begins with a brace', '{oops} is a name', 'text', '{oops} is a name'],
    ['text with JSON at its end', 'Done:\n{"exit_signal": true}', 'text', 'Done:\n{"exit_signal": true}'],
    [
      'text that shows an event',
      'It prints\n{"type":"result","result":"x"}',
      'text',
      'It prints\n{"type":"result","result":"x"}',
    ],
    ['nothing', '', 'text', ''],
    ['a flat answer', '{"status":"COMPLETE","summary":"All of it"}', 'json', 'All of it'],
    [
      'a flat answer over many lines',
      JSON.stringify({ status: 'BLOCKED', summary: 'x' }, null, 2),
      'json',
      'x',
    ],
    ['some other object', '{"a":1}', 'json', '{"a":1}'],
    ['a result object', JSON.stringify(result), 'cli-object', SAID],
    ['a result object without a type', JSON.stringify({ result: SAID, sessionId: 's' }), 'cli-object', SAID],
    [
      'a byte order mark and blank lines before it',
      `\ufeff\n\n${JSON.stringify(result)}\n`,
      'cli-object',
      SAID,
    ],
    ['an array', JSON.stringify([...claude, result]), 'cli-array', SAID],
    ['an array without a result', JSON.stringify(claude), 'cli-array', SAID],
    ['an empty array', '[]', 'json', ''],
    ['stream-json', lines(...claude, result), 'stream-json', SAID],
    ['stream-json without a result', lines(...claude), 'stream-json', SAID],
    ['stream-json with CRLF', lines(...claude, result).replaceAll('\n', '\r\n'), 'stream-json', SAID],
    [
      'stream-json with stray lines between',
      `warning: slow\n${lines(...claude)}\noops\n${lines(result)}`,
      'stream-json',
      SAID,
    ],
    [
      'stream-json whose last line is cut in the words',
      `${lines(...claude)}
${cutAt(lines(result), 'EXIT_SIGNAL')}`,
      'stream-json',
      cutAt(SAID, 'EXIT_SIGNAL'),
    ],
    ['two results: the last', lines({ ...result, result: 'first' }, result), 'jsonl', SAID],
    [
      'an empty result leaves what was said',
      lines(...claude, { ...result, result: '' }),
      'stream-json',
      SAID,
    ],
    [
      'codex',
      lines(
        { type: 'thread.started', thread_id: 't1' },
        { type: 'item.completed', item: { type: 'agent_message', text: 'I will look.' } },
        { type: 'item.completed', item: { type: 'command_execution', aggregated_output: SHOWN } },
        { type: 'item.completed', item: { type: 'reasoning', text: SHOWN } },
        { type: 'item.completed', item: { type: 'agent_message', text: SAID } },
        { type: 'turn.completed', usage: {} },
      ),
      'jsonl',
      SAID,
    ],
    [
      'opencode',
      lines(
        { type: 'text', sessionID: 's', part: { type: 'text', text: 'I will look.' } },
        { type: 'tool_use', part: { type: 'tool', state: { output: SHOWN } } },
        { type: 'text', part: { type: 'text', text: 'All good.' } },
        { type: 'text', part: { type: 'text', text: BLOCK } },
        { type: 'step_finish', part: { reason: 'stop' } },
      ),
      'jsonl',
      SAID,
    ],
    [
      'gemini',
      lines(
        { type: 'init', session_id: 's' },
        { type: 'message', role: 'user', content: SHOWN },
        { type: 'message', role: 'assistant', content: 'I will look.', delta: true },
        { type: 'tool_use', tool_name: 'read' },
        { type: 'tool_result', status: 'success', output: SHOWN },
        { type: 'message', role: 'assistant', content: 'All ', delta: true },
        { type: 'message', role: 'assistant', content: `good.\n${BLOCK}`, delta: true },
        { type: 'result', status: 'success', stats: {} },
      ),
      'jsonl',
      SAID,
    ],
    [
      'copilot',
      lines(
        { type: 'user.message', data: { content: SHOWN } },
        { type: 'assistant.message', data: { content: 'I will look.' } },
        { type: 'tool.execution_complete', data: { result: { content: SHOWN } } },
        { type: 'assistant.message_delta', data: { deltaContent: SAID } },
        { type: 'assistant.message', data: { content: SAID } },
        { type: 'result', sessionId: 's', exitCode: 0 },
      ),
      'jsonl',
      SAID,
    ],
    ['gemini in one object', JSON.stringify({ response: SAID, stats: {} }), 'json', SAID],
    [
      'two documents over many lines',
      `${JSON.stringify({ a: 1 }, null, 2)}\n${JSON.stringify({ status: 'BLOCKED', summary: 'x' }, null, 2)}`,
      'json',
      'x',
    ],
    ['a cut result object', cutAt(JSON.stringify(result), 'RALPH'), 'cli-object', 'All good.\n---'],
    [
      'a result cut inside an escape',
      cutAt(JSON.stringify({ result: 'a\u0007b' }), '07b'),
      'cli-object',
      'a',
    ],
    ['a cut flat answer says nothing', '{"status":"COMPLETE","exit_sig', 'json', ''],
  ])('%s', (_what, raw, shape, text) => {
    expect(read(raw)).toEqual({ text, shape })
  })
})

describe('hints', () => {
  const hints = (document: object) => textOf(JSON.stringify(document)).hints
  const NONE = {
    block: null,
    summary: null,
    errorCount: null,
    failed: false,
    denials: [],
    conversation: null,
  }

  test.each([
    ['nothing known', { a: 1 }, {}],
    [
      'a flat answer with decimals',
      {
        status: 'IN_PROGRESS',
        exit_signal: false,
        work_type: 'TEST_ONLY',
        files_modified: 2.7,
        error_count: 7.5,
        confidence: 0.5,
        summary: 's',
      },
      {
        block: { status: 'IN_PROGRESS', exitSignal: false, workType: 'TEST_ONLY', filesModified: 2 },
        errorCount: 7,
        summary: 's',
      },
    ],
    [
      'metadata of older tools',
      {
        status: 'x',
        metadata: { completion_status: 'complete', files_changed: 3, has_errors: true, session_id: 'm' },
      },
      { block: { status: 'COMPLETE', filesModified: 3 }, errorCount: 1, conversation: 'm' },
    ],
    [
      'a failed result',
      { type: 'result', is_error: true, session_id: 's', result: 'API Error' },
      { failed: true, conversation: 's' },
    ],
    [
      'denials, each once',
      {
        result: 'x',
        permission_denials: [
          { tool_name: 'Bash', tool_input: { command: 'npm publish' } },
          { tool_name: 'Bash', tool_input: { command: 'npm publish' } },
          { tool_name: 'Write' },
          {},
        ],
      },
      { denials: [{ tool: 'Bash', command: 'npm publish' }, { tool: 'Write' }, { tool: 'unknown' }] },
    ],
  ])('%s', (_what, document, expected) => {
    expect(hints(document)).toEqual({ ...NONE, ...expected })
  })
})

test('any text is read without a throw', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    '\n',
    '"type"',
    ':',
    '"result"',
    ',',
    'x',
    '\\u12',
    ' ',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(piece).map((pieces) => pieces.join('')),
        fc.json(),
      ),
      (raw) => {
        textOf(raw)
      },
    ),
    { numRuns: 1_000 },
  )
})

test('a stream cut anywhere is read without a throw and never gives what a tool showed', () => {
  const whole = lines(...claude, result)
  for (let at = 0; at <= whole.length; at += 3) {
    const { text, shape } = textOf(whole.slice(0, at))
    if (shape !== 'text') expect(text).not.toContain('shown')
  }
})
