import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentEvent, Usage } from '../calls/agent-io.ts'
import { utf8Length } from '../text/sanitize.ts'
import type { ProcessEnd } from './reply-end.ts'
import { type ReplyFoldOptions, createReplyFold } from './reply-fold.ts'
import type { Reply } from './reply.ts'
import { emptyAgentReport, type AgentReport } from './agent-report.ts'

const BLOCK = '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---'

const TAGS = ['<task-done>', '</task-done>', '<journal>', '</journal>', '```\n', '> ']

const ITSELF: ProcessEnd = {
  by: 'itself',
  code: 0,
  signal: null,
  problem: null,
  missing: false,
  sawEnd: false,
  finalEvent: true,
  durationMs: 1_200,
  log: { path: 'logs/1.jsonl', bytes: 10 },
  stderrTail: '',
}

const say = (text: string): AgentEvent => ({ type: 'text', text, delta: false })
const delta = (text: string): AgentEvent => ({ type: 'text', text, delta: true })
const tool = (name = 'Bash'): AgentEvent => ({ type: 'tool', id: null, name, input: '', paths: [] })
const toolEnded = (ok: boolean, output = ''): AgentEvent => ({ type: 'tool-ended', id: null, ok, output })
const ended = (ok = true, text?: string): AgentEvent => ({
  type: 'ended',
  ok,
  reason: ok ? 'success' : 'max turns',
  ...(text === undefined ? {} : { text }),
})
const used = (counts: 'add' | 'total' | 'conversation', usage: Usage): AgentEvent => ({
  type: 'usage',
  usage,
  counts,
})
const limited = (resetsAt?: number): AgentEvent => ({
  type: 'limited',
  kind: 'usage-limit',
  message: 'limit reached',
  ...(resetsAt === undefined ? {} : { resetsAt }),
})
const failed = (kind: 'unknown' | 'server' | 'usage-limit', message = 'it broke'): AgentEvent => ({
  type: 'failed',
  kind,
  message,
})

function fold(events: AgentEvent[], options: Partial<ReplyFoldOptions & { end: Partial<ProcessEnd> }> = {}): Reply {
  const { end, ...more } = options
  const folding = createReplyFold(more)
  for (const event of events) folding.take(event)
  return folding.finish({ ...ITSELF, sawEnd: events.some((event) => event.type === 'ended'), ...end })
}

test('a whole iteration', () => {
  const reply = fold([
    { type: 'started', conversation: 'c1', model: 'opus' },
    say('I will look.'),
    { type: 'thought', text: BLOCK },
    tool(),
    toolEnded(true, BLOCK),
    used('add', { input: 10, output: 2 }),
    { type: 'remark', text: 'odd line' },
    say(`Implemented it.\n${BLOCK}`),
    used('total', { input: 20, output: 5, usd: 0.01 }),
    ended(),
  ])
  const { signals, ...rest } = reply
  expect(rest).toEqual({
    end: 'success',
    failure: null,
    limit: null,
    told: emptyAgentReport(),
    denials: [],
    usage: { input: 20, output: 5, usd: 0.01 },
    conversationUsage: null,
    conversation: 'c1',
    model: 'opus',
    tools: 1,
    textLength: 12 + 16 + BLOCK.length,
    lastMessage: `Implemented it.\n${BLOCK}`,
    remarks: 1,
    durationMs: 1_200,
    log: { path: 'logs/1.jsonl', bytes: 10 },
  })
  expect({ exitSignal: signals.exitSignal, summary: signals.summary }).toEqual({
    exitSignal: true,
    summary: 'Implemented it.',
  })
})

describe('the final message', () => {
  test.each([
    ['what the final event repeats', [say('before'), tool(), ended(true, 'final')], 'final'],
    ['an empty repeat is none', [say('said'), ended(true, ' ')], 'said'],
    ['all since the last tool call', [say('one'), tool(), say('two'), say('three'), ended()], 'two\nthree'],
    ['deltas are one text', [delta('on'), delta('e '), delta('two')], 'one two'],
    ['a message after deltas stands on its own line', [delta('one'), say('two')], 'one\ntwo'],
    ['deltas repeated as a message count once', [delta('all '), delta('good'), say('all good')], 'all good'],
    ['a tool call after the last words leaves them', [say('words'), tool(), toolEnded(true, 'output')], 'words'],
    ['thoughts and tool output are no words', [{ type: 'thought', text: 'hm' }, toolEnded(true, 'x')], ''],
    ['the block in a part that the vendor left out', [say(BLOCK), say('Bye.'), ended(true, 'Bye.')], `${BLOCK}\nBye.`],
    [
      'a block before the last tool call is not the final word',
      [say(BLOCK), tool(), say('One test fails.'), ended()],
      'One test fails.',
    ],
    ['the last of several final events', [ended(true, 'one'), ended(true, 'two')], 'two'],
  ] satisfies [string, AgentEvent[], string][])('%s', (_what, events, lastMessage) => {
    expect(fold(events).lastMessage).toBe(lastMessage)
  })

  test('a block that a tool shows is no signal', () => {
    const { signals } = fold([tool(), toolEnded(true, BLOCK), say('I read the prompt.'), ended()])
    expect({ from: signals.from, exitSignal: signals.exitSignal }).toEqual({ from: 'none', exitSignal: null })
  })

  test('the block at the end of a message of 500 KB is found', () => {
    const long = `${'word '.repeat(100_000)}\n${BLOCK}`
    for (const events of [[say(long)], [ended(true, long)], (long.match(/[^]{1,999}/g) ?? []).map(delta)]) {
      const reply = fold(events)
      expect({ exit: reply.signals.exitSignal, length: reply.textLength }).toEqual({
        exit: true,
        length: long.length,
      })
    }
  })

  test('how deltas are cut makes no difference', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '😀', '-', '`', 'Error: x\n', `${BLOCK}\n`, ...TAGS),
    })
    fc.assert(
      fc.property(text, fc.array(fc.nat(200)), (whole, cuts) => {
        const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length].toSorted(
          (one, other) => one - other,
        )
        const pieces = at.slice(1).map((to, index) => delta(whole.slice(at[index], to)))
        expect(fold([...pieces, ended()])).toEqual(fold([delta(whole), ended()]))
      }),
    )
  })

  test('long streams are cut to the same end however they come', () => {
    const whole = `${'0123456789'.repeat(70_000)}${BLOCK}`
    const inPieces = (size: number) => {
      const events: AgentEvent[] = []
      for (let at = 0; at < whole.length; at += size) events.push(delta(whole.slice(at, at + size)))
      return fold(events)
    }
    expect(inPieces(7)).toEqual(inPieces(whole.length))
    expect(inPieces(100_001)).toEqual(inPieces(whole.length))
  })
})

describe('what it told by tags', () => {
  const DONE = '<task-done>a</task-done>'
  const note = (text: string) => `<journal>${text}</journal>`
  const SHOWN = 'A tag in code or quotes does not count; write it as plain text.'
  const EARLY = '<task-done> counts only in your last message; you wrote it earlier.'
  const thought = (text: string): AgentEvent => ({ type: 'thought', text })
  const part = (message: string, text: string): AgentEvent => ({ type: 'text', text, delta: false, message })

  test.each<[what: string, events: AgentEvent[], told: Partial<AgentReport>]>([
    [
      'notes of every message, verdicts of the last',
      [say(note('1')), tool(), say(`${note('2')}${DONE}`), ended()],
      { notes: ['1', '2'], done: ['a'] },
    ],
    ['a verdict before the last tool call', [say(DONE), tool(), say('Committed.'), ended()], { problems: [EARLY] }],
    ['a verdict before a tool call that ends it', [say(DONE), tool(), toolEnded(true), ended()], { done: ['a'] }],
    [
      'also where the vendor says what it said last',
      [say(DONE), tool(), ended(true, 'Committed.')],
      { problems: [EARLY] },
    ],
    [
      'what the vendor repeats counts once',
      [say(`${note('1')}${note('')}${DONE}`), ended(true, `${note('1')}${note('')}${DONE}`)],
      { notes: ['1'], done: ['a'], problems: ['An empty <journal> does not count.'] },
    ],
    [
      'what was streamed and is repeated counts once',
      [delta('<journal>o'), delta('ne</journal>'), say(note('one'))],
      { notes: ['one'] },
    ],
    [
      'a part that the vendor left out',
      [say(`${note('1')}${DONE}`), say('Bye.'), ended(true, 'Bye.')],
      { notes: ['1'], done: ['a'] },
    ],
    [
      'the vendor’s last message before the part it left out',
      [say(DONE), say('<task-failed>a</task-failed>'), ended(true, '<task-failed>a</task-failed>')],
      { failed: ['a'] },
    ],
    ['an answer that was never streamed', [ended(true, `${note('1')}${DONE}`)], { notes: ['1'], done: ['a'] }],
    ['a note over two messages', [say('<journal>one'), say('two</journal>')], { notes: ['one\n\ntwo'] }],
    ['code that goes on in the next message', [say('```\none'), say(DONE)], { problems: [SHOWN] }],
    [
      'a verdict in the message before, by the vendor’s count',
      [part('a', `${note('1')}${DONE}`), part('b', 'No, it is red.')],
      { notes: ['1'], problems: [EARLY] },
    ],
    [
      'also where the vendor repeats the last one',
      [part('a', DONE), part('b', 'No, it is red.'), ended(true, 'No, it is red.')],
      { problems: [EARLY] },
    ],
    [
      'a verdict in the last of several parts of a message, or in the first',
      [say('One.'), ...[DONE, 'Bye.'].map((text) => part('b', text)), ended(true, 'Bye.')],
      { done: ['a'] },
    ],
    ['code of the message before', [part('a', '```\none'), part('b', DONE)], { done: ['a'] }],
    [
      'words in JSON in the last of two messages',
      [part('a', 'One.'), part('b', JSON.stringify({ result: `Done.\n\n${DONE}` }))],
      { done: ['a'] },
    ],
    ['a quotation ends with its message', [say('> one'), say(DONE)], { done: ['a'] }],
    ['a thought', [thought(`${note('1')}${DONE}`), say('Well.')], {}],
    ['a tool’s result', [tool(), toolEnded(true, `${note('1')}${DONE}`), say('Well.')], {}],
    ['a remark', [{ type: 'remark', text: DONE }, say('Well.')], {}],
    ['a failure’s message', [failed('server', DONE)], {}],
    ['words in JSON', [ended(true, JSON.stringify({ result: `Done.\n\n${DONE}` }))], { done: ['a'] }],
    [
      'code in JSON',
      [ended(true, JSON.stringify({ result: `Not yet:\n\n\`\`\`\n${DONE}\n\`\`\`` }))],
      { problems: [SHOWN] },
    ],
    [
      'code in JSON that is said',
      [say(JSON.stringify({ result: `Not yet:\n\n\`\`\`\n${DONE}\n\`\`\`` }))],
      { problems: [SHOWN] },
    ],
  ])('%s', (_what, events, told) => {
    expect(fold(events).told).toEqual({ ...emptyAgentReport(), ...told })
  })

  test('at the beginning of a message of 2 MB, and at its end', () => {
    const long = `${note('first')}\n\n${'word '.repeat(400_000)}\n\n${note('last')}\n${DONE}`
    const told = { ...emptyAgentReport(), notes: ['first', 'last'], done: ['a'] }
    for (const events of [[say(long)], [ended(true, long)], (long.match(/[^]{1,999}/g) ?? []).map(delta)])
      expect(fold(events).told).toEqual(told)
  })

  test('code that began more than a message is kept ago', () => {
    const long = `\`\`\`\n${`${'x'.repeat(99)}\n`.repeat(4_000)}${DONE}`
    expect(fold([say(long), ended(true, long)]).told).toEqual({ ...emptyAgentReport(), problems: [SHOWN] })
  })
})

describe('how it ended', () => {
  const failure = (kind: string, message: string) => ({ kind, message })
  const timeout = (message: string) => failure('timeout', message)

  test.each([
    ['the final event says ok', [ended()], {}, 'success', null],
    ['whatever the exit code', [ended()], { code: 1 }, 'success', null],
    ['and whatever ended the process then', [ended()], { by: 'grace', code: null, signal: 'SIGKILL' }, 'success', null],
    ['a stop after it', [ended()], { by: 'stopped' }, 'success', null],
    ['the final event says no', [ended(false)], {}, 'failed', failure('unknown', 'max turns')],
    ['with a reason given before', [failed('server'), ended(false)], {}, 'failed', failure('server', 'it broke')],
    ['exit 0 without a final event', [say('hi')], {}, 'failed', failure('crash', 'it ended without its final event')],
    [
      'a final event nobody could read',
      [],
      { sawEnd: true },
      'failed',
      failure('crash', 'its final event is unreadable'),
    ],
    [
      'exit 1 without a final event',
      [],
      { code: 1, stderrTail: 'a\nbad key\n' },
      'failed',
      failure('crash', 'ended with exit code 1: bad key'),
    ],
    ['a plain agent with exit 0', [say('hi')], { finalEvent: false }, 'success', null],
    [
      'a plain agent with exit 3',
      [],
      { finalEvent: false, code: 3 },
      'failed',
      failure('crash', 'ended with exit code 3'),
    ],
    [
      'a plain agent whose failure was seen',
      [failed('server')],
      { finalEvent: false, code: 1 },
      'failed',
      failure('server', 'it broke'),
    ],
    [
      'the wall limit',
      [say('hi')],
      { by: 'wall', code: null, signal: 'SIGTERM' },
      'timed-out',
      timeout('it reached its time limit'),
    ],
    [
      'a failed final event because of our own signal',
      [ended(false)],
      { by: 'wall', code: 143 },
      'timed-out',
      timeout('it reached its time limit'),
    ],
    ['silence', [say('hi')], { by: 'idle', signal: 'SIGTERM' }, 'silent', timeout('it printed nothing for too long')],
    ['silence after a failure', [failed('server')], { by: 'idle' }, 'silent', failure('server', 'it broke')],
    ['a stop', [failed('server')], { by: 'stopped', signal: 'SIGTERM' }, 'stopped', null],
    ['the budget', [], { by: 'over-budget', signal: 'SIGTERM' }, 'over-budget', null],
    [
      'no such program',
      [],
      { missing: true, code: null, problem: 'no claude here' },
      'failed',
      failure('missing', 'no claude here'),
    ],
    ['a program that cannot start', [], { code: null, problem: 'EACCES' }, 'failed', failure('crash', 'EACCES')],
    [
      'a signal that is not ours',
      [],
      { code: null, signal: 'SIGKILL' },
      'failed',
      failure('killed', 'ended by SIGKILL, which Ralph did not send'),
    ],
    [
      'the same behind a shell',
      [],
      { code: 137 },
      'failed',
      failure('killed', 'ended by SIGKILL, which Ralph did not send'),
    ],
    ['an exit code of a vendor above 128', [], { code: 145 }, 'failed', failure('crash', 'ended with exit code 145')],
  ] satisfies [string, AgentEvent[], Partial<ProcessEnd>, Reply['end'], object | null][])(
    '%s',
    (_what, events, end, how, why) => {
      const reply = fold(events, { end })
      expect({ end: reply.end, failure: reply.failure }).toEqual({ end: how, failure: why })
    },
  )
})

describe('limits and failures on the way', () => {
  const seen = (events: AgentEvent[], end: Partial<ProcessEnd> = {}) => {
    const { end: how, failure, limit } = fold(events, { end })
    return { how, failure, limit }
  }
  const LIMIT = { kind: 'usage-limit', message: 'limit reached' }

  test('a limit that ends the reply is its failure, with the reset it announced', () => {
    expect(seen([limited(99), ended(false)])).toEqual({
      how: 'failed',
      failure: { ...LIMIT, resetsAt: 99 },
      limit: 'usage-limit',
    })
  })

  test('a limit the agent got over is remembered but is no failure', () => {
    expect(seen([limited(99), tool(), say('done'), ended()])).toEqual({
      how: 'success',
      failure: null,
      limit: 'usage-limit',
    })
  })

  test('a limit the agent got over is not the reason of a later end', () => {
    expect(seen([limited(), tool(), ended(false)])).toEqual({
      how: 'failed',
      failure: { kind: 'unknown', message: 'max turns' },
      limit: 'usage-limit',
    })
  })

  test('the vendor’s own words about the limit are no recovery', () => {
    expect(seen([limited(99), say('API Error: 429'), ended(false)]).failure).toEqual({
      ...LIMIT,
      resetsAt: 99,
    })
  })

  test('a vague failure does not hide the limit; a clear one keeps its reset', () => {
    expect(seen([limited(99), failed('unknown'), ended(false)]).failure).toEqual({ ...LIMIT, resetsAt: 99 })
    expect(seen([limited(99), failed('usage-limit', 'limit'), ended(false)]).failure).toEqual({
      ...LIMIT,
      message: 'limit',
      resetsAt: 99,
    })
    expect(seen([limited(99), failed('server'), ended(false)]).failure).toEqual({
      kind: 'server',
      message: 'it broke',
    })
  })

  test('silence after a limit is that limit', () => {
    expect(seen([limited(99)], { by: 'idle' })).toEqual({
      how: 'silent',
      failure: { ...LIMIT, resetsAt: 99 },
      limit: 'usage-limit',
    })
  })
})

describe('usage', () => {
  test.each([
    ['nothing told is not zero', [], null, null, null],
    [
      'additions add up',
      [used('add', { input: 1 }), used('add', { input: 2, output: 3 })],
      null,
      { input: 3, output: 3 },
      null,
    ],
    [
      'a total replaces',
      [used('add', { input: 1, output: 9 }), used('total', { input: 7 })],
      null,
      { input: 7, output: 9 },
      null,
    ],
    ['additions after a total', [used('total', { input: 7 }), used('add', { input: 1 })], null, { input: 8 }, null],
    ['a first conversation counts whole', [used('conversation', { input: 50 })], null, { input: 50 }, { input: 50 }],
    [
      'a resumed conversation counts what is new',
      [used('conversation', { input: 60 }), used('conversation', { input: 90, output: 5, usd: 2 })],
      { input: 50, output: 5 },
      { input: 40, output: 0, usd: 2 },
      { input: 90, output: 5, usd: 2 },
    ],
    [
      'a count that began anew counts whole',
      [used('conversation', { input: 10, output: 9 })],
      { input: 50, output: 5 },
      { input: 10, output: 9 },
      { input: 10, output: 9 },
    ],
    ['totals survive an iteration that tells none', [], { input: 50 }, null, { input: 50 }],
    ['impossible numbers are no word', [used('add', { input: -1, output: NaN, usd: 1 })], null, { usd: 1 }, null],
  ] satisfies [string, AgentEvent[], Usage | null, Usage | null, Usage | null][])(
    '%s',
    (_what, events, previous, usage, conversation) => {
      const reply = fold(events, { previousConversationUsage: previous })
      expect({ usage: reply.usage, conversation: reply.conversationUsage }).toEqual({ usage, conversation })
    },
  )

  test('usage and conversation are known while it runs', () => {
    const folding = createReplyFold({})
    expect([folding.usage(), folding.conversation()]).toEqual([null, null])
    folding.take({ type: 'started', conversation: 'c1' })
    folding.take({ type: 'started', conversation: null })
    folding.take(used('add', { input: 1 }))
    expect([folding.usage(), folding.conversation()]).toEqual([{ input: 1 }, 'c1'])
  })
})

describe('errors, denials, decline', () => {
  test('errors come from the agent’s words, and from a last tool call that failed', () => {
    const errors = (...events: AgentEvent[]) => fold(events).signals.errors
    expect(errors(say('Error: early'), tool(), say('Error: late'))).toEqual(['Error: late', 'Error: early'])
    expect(errors(toolEnded(true, 'Error: shown'))).toEqual([])
    expect(errors(toolEnded(false, 'Error: red'), toolEnded(true, 'green'))).toEqual([])
    expect(errors(toolEnded(true), toolEnded(false, 'Error: red'), say('Error: mine'))).toEqual([
      'Error: mine',
      'Error: red',
    ])
  })

  test('denials are kept once each, at most twenty, with their commands', () => {
    const denied = (command: string): AgentEvent => ({ type: 'denied', tool: 'Bash', command })
    expect(fold([denied('npm publish'), denied('npm publish'), { type: 'denied', tool: 'Write' }]).denials).toEqual([
      { tool: 'Bash', command: 'npm publish' },
      { tool: 'Write' },
    ])
    expect(fold(Array.from({ length: 50 }, (_each, index) => denied(`c${index}`))).denials).toHaveLength(20)
  })

  test('decline is measured on all the words of both replies', () => {
    const confidence = (previousLength: number) =>
      fold([say('x'.repeat(60)), tool(), say('x'.repeat(40))], { words: true, previousLength }).signals.confidence
    expect([confidence(200), confidence(201)]).toEqual([0, 10])
  })
})

test('a reply never takes more than 16 KB, and never carries control characters', () => {
  const unit = fc.constantFrom('漢', '"', '\\', '\u0000', '\u001b[31m', '\ud800', '\n', 'x')
  const string = fc.string({ unit, minLength: 3_000, maxLength: 5_000, size: 'max' })
  fc.assert(
    fc.property(string, (text) => {
      const errors = Array.from({ length: 12 }, (_each, index) => `Error: ${index}${text.replaceAll('\n', ' ')}`)
      const denials = Array.from({ length: 30 }, (_each, index): AgentEvent => ({
        type: 'denied',
        tool: text,
        command: `${index}${text}`,
      }))
      const block = `---RALPH_STATUS---\nSTATUS: BLOCKED\nRECOMMENDATION: ${text.replaceAll('\n', ' ')}\n---END_RALPH_STATUS---`
      const said = text.replaceAll('"', '”')
      const tags = Array.from(
        { length: 3 },
        (_each, index) =>
          `<journal>${index}${text}</journal>\n\n<knowledge title="${index}${said}" tags="${said},x">${text}</knowledge>`,
      )
      const reply = fold(
        [
          { type: 'started', conversation: text, model: text },
          ...denials,
          { type: 'failed', kind: 'server', message: text },
          say(`${errors.join('\n')}\n${text}\n${block}\n\n${tags.join('\n\n')}`),
          ended(false),
        ],
        { end: { stderrTail: text } },
      )
      expect(utf8Length(JSON.stringify(reply))).toBeLessThanOrEqual(16 * 1024)
      expect(JSON.stringify(reply)).not.toMatch(/\\u00|\\ud8|\\r/)
    }),
    { numRuns: 30 },
  )
})
