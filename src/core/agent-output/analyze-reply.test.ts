import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { analyzeReply, withMeasuredChange } from './analyze-reply.ts'

const json = (text: string) => analyzeReply({ text, mode: 'json', change: null, previousLength: null })
const text = (words: string, more: { change?: boolean; previousLength?: number } = {}) =>
  analyzeReply({
    text: words,
    mode: 'text',
    change: more.change ?? null,
    previousLength: more.previousLength ?? null,
  })
const marked = (...lines: string[]) => ['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n')

const SHOUT = 'All tasks complete. Project complete: done, finished, ready for review. Nothing to do.'

test('a reply with a status block, whole', () => {
  expect(
    json(`Implemented the parser.\n${marked('STATUS: COMPLETE', 'WORK_TYPE: TESTING', 'EXIT_SIGNAL: true')}`),
  ).toEqual({
    from: 'block',
    block: { status: 'COMPLETE', workType: 'TESTING', exitSignal: true },
    exitSignal: true,
    complete: true,
    testOnly: true,
    noWork: false,
    questions: 0,
    errors: [],
    confidence: 0,
    summary: 'Implemented the parser.',
    because: {
      from: 'a status block in marked form',
      exitSignal: 'EXIT_SIGNAL: true',
      complete: 'EXIT_SIGNAL: true decides',
      testOnly: 'WORK_TYPE: TESTING',
      noWork: 'the block does not report an idle iteration',
      confidence: 'not scored: the reply has a status block',
      questions: 'no line has a question for a person',
      errors: 'no line looks like an error',
      summary: 'read from the message',
    },
  })
})

describe('what a block means', () => {
  test.each([
    ['EXIT_SIGNAL true', ['EXIT_SIGNAL: true'], true, true],
    ['EXIT_SIGNAL false beats STATUS', ['STATUS: COMPLETE', 'EXIT_SIGNAL: false'], false, false],
    ['EXIT_SIGNAL true beats STATUS', ['STATUS: IN_PROGRESS', 'EXIT_SIGNAL: true'], true, true],
    ['STATUS COMPLETE without a signal', ['STATUS: COMPLETE', 'TESTS_STATUS: PASSING'], null, true],
    ['STATUS COMPLETE with failing tests', ['STATUS: COMPLETE', 'TESTS_STATUS: FAILING'], null, false],
    ['an unreadable signal leaves STATUS', ['STATUS: COMPLETE', 'EXIT_SIGNAL: maybe'], null, true],
    ['STATUS IN_PROGRESS', ['STATUS: IN_PROGRESS'], null, false],
    ['STATUS BLOCKED', ['STATUS: BLOCKED'], null, false],
  ])('%s', (_what, lines, exitSignal, complete) => {
    for (const mode of ['json', 'text'] as const) {
      const signals = analyzeReply({
        text: `${SHOUT}\n${marked(...lines)}`,
        mode,
        change: true,
        previousLength: 9_999,
      })
      const { from, confidence } = signals
      expect({ from, confidence, exitSignal: signals.exitSignal, complete: signals.complete }).toEqual({
        from: 'block',
        confidence: 0,
        exitSignal,
        complete,
      })
    }
  })

  test.each([
    [['WORK_TYPE: TESTING'], true],
    [['WORK_TYPE: TEST_ONLY'], true],
    [['WORK_TYPE: IMPLEMENTATION'], false],
    [[], false],
  ])('test-only by %j', (lines, testOnly) => {
    expect(json(`I ran npm test.\n${marked('STATUS: IN_PROGRESS', ...lines)}`).testOnly).toBe(testOnly)
  })

  test.each([
    ['IN_PROGRESS', 0, 0, true],
    ['COMPLETE', 0, 0, true],
    ['BLOCKED', 0, 0, false],
    ['IN_PROGRESS', 1, 0, false],
    ['IN_PROGRESS', 0, 1, false],
  ])('no work: %s with %i tasks and %i files', (status, tasks, files, noWork) => {
    const block = marked(`STATUS: ${status}`, `TASKS_COMPLETED_THIS_LOOP: ${tasks}`, `FILES_MODIFIED: ${files}`)
    expect(json(`No changes, nothing to do.\n${block}`).noWork).toBe(noWork)
  })
})

describe('without a block', () => {
  test('words are no signal in JSON mode', () => {
    const { from, complete, testOnly, noWork, confidence, exitSignal } = json(
      `${SHOUT} I ran npm test, all tests pass.`,
    )
    expect({ from, complete, testOnly, noWork, confidence, exitSignal }).toEqual({
      from: 'none',
      complete: false,
      testOnly: false,
      noWork: false,
      confidence: 0,
      exitSignal: null,
    })
  })

  test('in text mode enough words are a completion, but never an exit signal', () => {
    const { from, complete, noWork, confidence, exitSignal } = text(SHOUT)
    expect({ from, complete, noWork, confidence, exitSignal }).toEqual({
      from: 'words',
      complete: true,
      noWork: true,
      confidence: 75,
      exitSignal: null,
    })
  })

  test.each([
    ['"done" alone ends nothing', 'It is done.', {}, 10, false],
    ['nor with a change', 'It is done.', { change: true }, 30, false],
    [
      'a quoted block gives no signal and no words',
      `> ${marked('STATUS: COMPLETE', 'EXIT_SIGNAL: true').replaceAll('\n', '\n> ')}`,
      {},
      0,
      false,
    ],
    ['done in another language', 'Alles erledigt und fertig.', {}, 0, false],
    ['less than half of last time', 'It is done.', { previousLength: 23 }, 20, false],
    ['half of last time', 'It is done.', { previousLength: 22 }, 10, false],
    ['a last time of nothing', 'It is done.', { previousLength: 0 }, 10, false],
  ])('%s', (_what, words, more, confidence, complete) => {
    const signals = text(words, more)
    expect({ confidence: signals.confidence, complete: signals.complete }).toEqual({ confidence, complete })
  })

  test('JSON is JSON whatever was asked for', () => {
    expect(text(JSON.stringify({ type: 'result', result: SHOUT })).from).toBe('none')
    expect(text(JSON.stringify({ status: 'COMPLETE', exit_signal: false, summary: SHOUT }))).toMatchObject({
      from: 'block',
      exitSignal: false,
      complete: false,
      summary: 'All tasks complete. Project complete: done, finished, ready for review. Nothing to do.',
    })
  })

  test('nothing said is nothing to go by', () => {
    expect(text('').from).toBe('none')
  })
})

test('questions and errors are heard in every mode, with and without a block', () => {
  const words = 'Error: no network\nShould I go on?'
  for (const signals of [json(words), text(words), json(`${words}\n${marked('STATUS: BLOCKED')}`)]) {
    expect({ questions: signals.questions, errors: signals.errors }).toEqual({
      questions: 1,
      errors: ['Error: no network'],
    })
  }
})

/** A reply is read by people who wonder: each field says what it was taken from. */
describe('why', () => {
  const BLOCK = 'STATUS: IN_PROGRESS'
  test.each<[string, Record<string, string>]>([
    [
      marked(BLOCK),
      {
        exitSignal: 'the block has no readable EXIT_SIGNAL',
        complete: 'STATUS: IN_PROGRESS decides, because there is no EXIT_SIGNAL',
        testOnly: 'the block has no WORK_TYPE',
        noWork: 'the block does not report an idle iteration',
      },
    ],
    [marked('STATUS: COMPLETE', 'TESTS_STATUS: FAILING'), { complete: 'STATUS: COMPLETE, but TESTS_STATUS: FAILING' }],
    [
      marked('STATUS: COMPLETE', 'TESTS_STATUS: PASSING'),
      { complete: 'STATUS: COMPLETE decides, because there is no EXIT_SIGNAL' },
    ],
    [
      marked(BLOCK, 'TESTS_STATUS: FAILING'),
      { complete: 'STATUS: IN_PROGRESS decides, because there is no EXIT_SIGNAL' },
    ],
    [
      marked(BLOCK, 'TASKS_COMPLETED_THIS_LOOP: 0', 'FILES_MODIFIED: 0'),
      { noWork: 'the block reports no finished tasks and no changed files' },
    ],
    ['Shall I go on?', { questions: '1 line with a question for a person' }],
    ['Shall I go on?\n\nShould I stop?', { questions: '2 lines with a question for a person' }],
    ['Error: no network', { errors: '1 distinct error line found' }],
    ['Error: no network\nError: no disk', { errors: '2 distinct error lines found' }],
  ])('%j', (words, because) => {
    expect(json(words).because).toMatchObject(because)
  })

  const inJson = 'no status block; text does not count in JSON mode'
  const asJson = 'no status block; text inside JSON does not count'
  test.each<['json' | 'text', string, Record<string, string>]>([
    ['json', 'It is done.', { from: inJson, complete: inJson, confidence: inJson }],
    ['text', '{"result":"It is done."}', { from: asJson, complete: asJson, confidence: asJson }],
    [
      'text',
      'It is done.',
      {
        from: 'no status block, so the text was scored',
        complete: 'score 10, below 70',
        confidence: 'says "done" (+10)',
        testOnly: 'it does not mention tests only',
        noWork: 'it does not say there was nothing to do',
      },
    ],
    [
      'text',
      'I ran npm test. There is nothing to do.',
      {
        testOnly: 'it mentions running tests, but no other work',
        noWork: 'it says there was nothing to do',
      },
    ],
    ['text', SHOUT, { complete: 'score 75, reaches 70' }],
    ['text', 'Hello.', { confidence: 'no phrase found' }],
    ['text', '  \n', { from: 'the reply has no text', summary: 'the message has no text' }],
  ])('in %s mode, of %j', (mode, words, because) => {
    expect(analyzeReply({ text: words, mode, change: null, previousLength: null }).because).toMatchObject(because)
  })

  test('a score that just reaches the mark does', () => {
    const words = 'All tasks complete. Project complete: done, finished.'
    const signals = text(words, { change: true })
    expect([signals.confidence, signals.complete, signals.because['complete']]).toEqual([
      70,
      true,
      'score 70, reaches 70',
    ])
  })
})

describe('the document around a message', () => {
  const around = (words: string, wrapped: NonNullable<Parameters<typeof analyzeReply>[0]['wrapped']>) =>
    analyzeReply({ text: words, wrapped, mode: 'json', change: null, previousLength: null })

  test('has the status where the words have none', () => {
    expect(around('Half of it.', { keys: { status: 'COMPLETE', exitSignal: true }, errors: 0 })).toMatchObject({
      from: 'block',
      exitSignal: true,
      because: { from: 'the keys of a JSON reply' },
    })
  })

  test('adds to a block in the words what that leaves open, and never how things stand', () => {
    const { block } = around(marked('STATUS: IN_PROGRESS', 'FILES_MODIFIED: 2'), {
      keys: { status: 'COMPLETE', exitSignal: true, workType: 'TESTING', filesModified: 9 },
      errors: 0,
    })
    expect(block).toEqual({ status: 'IN_PROGRESS', filesModified: 2, workType: 'TESTING' })
  })

  test.each([
    [0, []],
    [5, []],
    [6, ['error_count: 6']],
  ])('counts %i errors: %j', (errors, heard) => {
    expect(around('Half of it.', { keys: null, errors }).errors).toEqual(heard)
    const own = JSON.stringify({ result: 'Half of it.', error_count: errors })
    expect(json(own).errors).toEqual(heard)
  })

  test('gives way to a document that the message is', () => {
    const own = JSON.stringify({ result: 'Half of it.', error_count: 7 })
    expect(around(own, { keys: null, errors: 9 }).errors).toEqual(['error_count: 7'])
  })
})

describe('a change measured later', () => {
  test('is told with the rest', () => {
    const words = 'All tasks complete. Project complete: done, finished.'
    expect(withMeasuredChange(text(words), true)).toMatchObject({
      confidence: 70,
      complete: true,
      because: {
        confidence: expect.stringMatching(/^says "done" \(\+10\); .*; changed something \(\+20\)$/) as string,
        complete: 'score 70, reaches 70',
      },
    })
  })

  test('gives what it would have given at once', () => {
    for (const words of [SHOUT, 'All tasks complete, project complete, done and finished.', 'Done.', 'Nothing said']) {
      const { because: _late, ...late } = withMeasuredChange(text(words), true)
      const { because: _once, ...once } = text(words, { change: true })
      expect(late).toEqual(once)
    }
  })

  test('adds nothing to a block, to JSON mode, or when nothing changed', () => {
    for (const signals of [json(marked('STATUS: COMPLETE')), json(SHOUT)])
      expect(withMeasuredChange(signals, true)).toEqual(signals)
    expect(withMeasuredChange(text('done'), false)).toEqual(text('done'))
  })
})

test('any text is analysed without a throw, with a reason for every field', () => {
  const piece = fc.constantFrom(
    '---RALPH_STATUS---',
    'EXIT_SIGNAL: ',
    'true',
    '\n',
    '{"result":"',
    '"}',
    '[',
    '```',
    'done ',
    '\\u12',
  )
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece).map((pieces) => pieces.join('')),
    fc.json(),
  )
  fc.assert(
    fc.property(anything, fc.constantFrom('json' as const, 'text' as const), (words, mode) => {
      const { because, ...fields } = analyzeReply({ text: words, mode, change: null, previousLength: null })
      delete (fields as Partial<typeof fields>).block
      expect(Object.keys(because).sort()).toEqual(Object.keys(fields).sort())
    }),
    { numRuns: 400 },
  )
})
