import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findStatusBlock } from './status-block.ts'

const BLOCK = ['---RALPH_STATUS---', 'STATUS: COMPLETE', 'EXIT_SIGNAL: true', '---END_RALPH_STATUS---'].join('\n')
const GOING_ON = ['---RALPH_STATUS---', 'STATUS: IN_PROGRESS', 'EXIT_SIGNAL: false', '---END_RALPH_STATUS---'].join(
  '\n',
)
const COMPLETE = { status: 'COMPLETE', exitSignal: true }

/** A marked block with these lines between its markers. */
const marked = (...lines: string[]) => ['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n')
const blockOf = (text: string) => findStatusBlock(text)?.block ?? null

test('all keys of the block are read', () => {
  const text = marked(
    'STATUS: BLOCKED',
    'TASKS_COMPLETED_THIS_LOOP: 2',
    'FILES_MODIFIED: 14',
    'TESTS_STATUS: FAILING',
    'WORK_TYPE: REFACTORING',
    'EXIT_SIGNAL: false',
    'RECOMMENDATION: ask for the key of the API',
  )
  expect(findStatusBlock(`I did what I could.\n\n${text}\n`)).toEqual({
    block: {
      status: 'BLOCKED',
      tasksCompleted: 2,
      filesModified: 14,
      tests: 'FAILING',
      workType: 'REFACTORING',
      exitSignal: false,
      recommendation: 'ask for the key of the API',
    },
    because: 'a status block in marked form',
  })
})

describe('forms that count', () => {
  test.each([
    ['CRLF', BLOCK.replaceAll('\n', '\r\n')],
    ['lower case', BLOCK.toLowerCase()],
    ['keys in any order', marked('EXIT_SIGNAL: true', 'STATUS: COMPLETE')],
    ['bold keys', marked('**STATUS:** COMPLETE', '**EXIT_SIGNAL**: true')],
    ['bold values', marked('STATUS: **COMPLETE**', 'EXIT_SIGNAL: `True`')],
    ['bold markers', BLOCK.replaceAll(/^(---.*---)$/gm, '**$1**')],
    ['a heading as marker', BLOCK.replace('---RALPH', '### ---RALPH')],
    ['blanks in the markers', BLOCK.replace('---RALPH_STATUS---', '--- RALPH_STATUS ---')],
    ['keys as a list', marked('- STATUS: COMPLETE', '* EXIT_SIGNAL: true')],
    ['Markdown escapes', BLOCK.replaceAll('_', '\\_')],
    ['blank lines between keys', BLOCK.replaceAll('\n', '\n\n')],
    ['a little indented', BLOCK.replaceAll(/^/gm, '  ')],
    ['remarks after the values', marked('STATUS: COMPLETE (all of it)', 'EXIT_SIGNAL: true # finished')],
    ['quoted values', marked('STATUS: "COMPLETE"', "EXIT_SIGNAL: 'true'")],
    ['prose after it', `${BLOCK}\n\nThank you.`],
    [
      'a mention of the marker before it',
      `I end with \`---RALPH_STATUS---\` and EXIT_SIGNAL: false is no key here.\n${BLOCK}`,
    ],
    ['a start that was never ended before it', `---RALPH_STATUS---\nSTATUS: BLOCKED\n\nNo, again:\n${BLOCK}`],
    ['fenced, the last thing', `Done.\n\n\`\`\`\n${BLOCK}\n\`\`\`\n`],
    ['fenced with a language, the last thing', `Done.\n\n~~~text\n\n${BLOCK}\n~~~`],
    ['fenced, the fence not closed', `Done.\n\`\`\`\n${BLOCK}`],
    ['after a fence that nobody closed', `\`\`\`\nnpm test\n\`\`\`\n\`\`\`\nAll is well.\n${BLOCK}`],
    ['indented as code, the last thing', `Done.\n\n${BLOCK.replaceAll(/^/gm, '    ')}`],
    ['YAML', 'Done.\n\nRALPH_STATUS:\n  STATUS: COMPLETE\n  EXIT_SIGNAL: true\n\nBye.'],
    ['YAML without indentation', 'RALPH_STATUS:\nstatus: complete\nexit_signal: true'],
    ['fenced YAML, the last thing', '```yaml\nRALPH_STATUS:\n  status: COMPLETE\n  exit_signal: true\n```'],
    ['JSON', '{"RALPH_STATUS": {"STATUS": "COMPLETE", "EXIT_SIGNAL": true}}'],
    ['JSON with flat keys', '{"status": "COMPLETE", "exit_signal": true, "confidence": 0.95}'],
    ['JSON at the end of prose', 'All done.\n\n{\n  "status": "complete",\n  "exitSignal": true\n}'],
    ['fenced JSON at the end of prose', 'All done.\n\n```json\n{"exit_signal": "true", "status": "COMPLETE"}\n```'],
    ['inside a JSON string', JSON.stringify({ type: 'result', result: `All good.\n${BLOCK}` })],
    ['without the end marker, the last thing', BLOCK.replace(/\n---END.*$/, '')],
    ['fenced without the end marker', `\`\`\`\n${BLOCK.replace(/\n---END.*$/, '')}\n\`\`\``],
  ])('%s', (_what, text) => {
    expect(blockOf(text)).toEqual(COMPLETE)
  })
})

describe('a block that is shown does not count', () => {
  test.each([
    ['a quotation', BLOCK.replaceAll(/^/gm, '> ')],
    [
      'line numbers',
      BLOCK.split('\n')
        .map((line, index) => `${index + 12}\t${line}`)
        .join('\n'),
    ],
    [
      'line numbers with an arrow',
      BLOCK.split('\n')
        .map((line, index) => `  ${index}→${line}`)
        .join('\n'),
    ],
    ['added lines of a diff', BLOCK.replaceAll(/^/gm, '+')],
    ['removed lines of a diff', BLOCK.replaceAll(/^/gm, '-')],
    ['search results', BLOCK.replaceAll(/^/gm, 'PROMPT.md:12:')],
    ['a fence with text after it', `The prompt says:\n\`\`\`\n${BLOCK}\n\`\`\`\nSo I went on.`],
    ['a fence that holds more than the block', `\`\`\`\n# PROMPT.md\n${BLOCK}\n\`\`\``],
    ['a fence inside a longer fence', `\`\`\`\`md\n\`\`\`\n${BLOCK}\n\`\`\`\n\`\`\`\`\nThat is the file.`],
    ['an open fence with text after the block', `\`\`\`\n${BLOCK}\nand so on`],
    ['indented code with text after it', `${BLOCK.replaceAll(/^/gm, '    ')}\n\nThat is the file.`],
    [
      'fenced JSON with text after it',
      '```json\n{"exit_signal": true, "status": "COMPLETE"}\n```\nis what I should say.',
    ],
    ['JSON in the middle of prose', 'It answers\n{"exit_signal": true}\nwhen ready.'],
    ['JSON of something else', 'The endpoint returns:\n{"status": "complete", "id": 3}'],
    [
      'markers inside a sentence',
      'I write ---RALPH_STATUS--- STATUS: COMPLETE EXIT_SIGNAL: true ---END_RALPH_STATUS--- now',
    ],
    ['a template with placeholders', marked('STATUS: IN_PROGRESS | COMPLETE | BLOCKED', 'EXIT_SIGNAL: false | true')],
    ['another template', marked('STATUS: <status>', 'EXIT_SIGNAL: true/false', 'FILES_MODIFIED: <number>')],
    ['a block without status and signal', marked('FILES_MODIFIED: 3')],
    ['an empty block', marked('')],
    ['keys without a block', 'STATUS: COMPLETE\nEXIT_SIGNAL: true'],
    ['no end marker, and prose after it', `${BLOCK.replace(/\n---END.*$/, '')}\n\nand then I went on`],
    [
      'cut after STATUS: COMPLETE, where EXIT_SIGNAL: false may have followed',
      '---RALPH_STATUS---\nSTATUS: COMPLETE\n',
    ],
    ['nothing', ''],
  ])('%s', (_what, text) => {
    expect(findStatusBlock(text)).toBeNull()
  })
})

describe('which of several', () => {
  test('the last complete block wins', () => {
    expect(findStatusBlock(`${BLOCK}\nNo, wait.\n${GOING_ON}`)).toEqual({
      block: { status: 'IN_PROGRESS', exitSignal: false },
      because: 'a status block in marked form, the last of 2',
    })
    expect(blockOf(`${GOING_ON}\n${BLOCK}`)).toEqual(COMPLETE)
  })

  test('a later block without its end, of another kind, or shown, leaves the last complete one', () => {
    expect(blockOf(`${GOING_ON}\n---RALPH_STATUS---\nEXIT_SIGNAL: true`)).toEqual(blockOf(GOING_ON))
    expect(blockOf(`${GOING_ON}\n${BLOCK.replaceAll(/^/gm, '> ')}`)).toEqual(blockOf(GOING_ON))
    expect(blockOf(`${GOING_ON}\n${marked('STATUS: COMPLETE | BLOCKED')}`)).toEqual(blockOf(GOING_ON))
  })

  test('a block cut while the work goes on counts: it cannot be mistaken for done', () => {
    expect(blockOf('Half way.\n---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nTASKS_COMP')).toBeNull()
    expect(blockOf('Half way.\n---RALPH_STATUS---\nSTATUS: IN_PROGRESS\n')).toEqual({ status: 'IN_PROGRESS' })
  })
})

describe('values', () => {
  test.each([
    ['true', true],
    ['True', true],
    ['TRUE.', true],
    ['yes', true],
    ['✅ true', true],
    ['true (all boxes ticked)', true],
    ['true, because all tests pass', true],
    ['false', false],
    ['**false**', false],
    ['no', false],
    ['false # true once the tests pass', false],
    ['false until the tests pass', false],
    ['false | true', undefined],
    ['true/false', undefined],
    ['true or false', undefined],
    ['true if the tests pass', undefined],
    ['true (once reviewed)', undefined],
    ['not true', undefined],
    ['truely', undefined],
    ['1', undefined],
    ['<true>', undefined],
    ['wahr', undefined],
    ['', undefined],
  ])('EXIT_SIGNAL: %s', (value, expected) => {
    expect(blockOf(marked('STATUS: BLOCKED', `EXIT_SIGNAL: ${value}`))?.exitSignal).toBe(expected)
  })

  test.each([
    ['IN_PROGRESS', 'IN_PROGRESS'],
    ['in progress', 'IN_PROGRESS'],
    ['In-Progress, half of it', 'IN_PROGRESS'],
    ['COMPLETED', 'COMPLETE'],
    ['complete - at last', 'COMPLETE'],
    ['blocked by the network', 'BLOCKED'],
    ['INCOMPLETE', undefined],
    ['NOT COMPLETE', undefined],
    ['COMPLETE | BLOCKED', undefined],
    ['constructor', undefined],
    ['fertig', undefined],
  ])('STATUS: %s', (value, expected) => {
    expect(blockOf(marked('EXIT_SIGNAL: false', `STATUS: ${value}`))?.status).toBe(expected)
  })

  test.each([
    ['7', 7],
    ['3 files', 3],
    ['~4', 4],
    ['2.5', 2],
    ['2/5', 2],
    ['three', undefined],
    ['-1', undefined],
    ['99999999999', undefined],
    ['<number>', undefined],
  ])('FILES_MODIFIED: %s', (value, expected) => {
    expect(blockOf(marked('STATUS: BLOCKED', `FILES_MODIFIED: ${value}`))?.filesModified).toBe(expected)
  })

  test.each([
    ['PASSING', 'PASSING'],
    ['passed (12 of 12)', 'PASSING'],
    ['FAIL', 'FAILING'],
    ['not run', 'NOT_RUN'],
    ['PASSING | FAILING | NOT_RUN', undefined],
    ['12', undefined],
  ])('TESTS_STATUS: %s', (value, expected) => {
    expect(blockOf(marked('STATUS: BLOCKED', `TESTS_STATUS: ${value}`))?.tests).toBe(expected)
  })

  test.each([
    ['IMPLEMENTATION', 'IMPLEMENTATION'],
    ['test only', 'TEST_ONLY'],
    ['testing, then writing', 'TESTING'],
    ['IMPLEMENTATION | TESTING', undefined],
    ['<type>', undefined],
  ])('WORK_TYPE: %s', (value, expected) => {
    expect(blockOf(marked('STATUS: BLOCKED', `WORK_TYPE: ${value}`))?.workType).toBe(expected)
  })

  test('a recommendation is one safe line, and may begin below its key', () => {
    const read = (...lines: string[]) => blockOf(marked('STATUS: BLOCKED', ...lines))?.recommendation
    expect(read('RECOMMENDATION: go on: with \u001b[31mparsing')).toBe('go on: with parsing')
    expect(read('RECOMMENDATION:', '  go on')).toBe('go on')
    expect(read('RECOMMENDATION: <one line>')).toBeUndefined()
    expect(read(`RECOMMENDATION: ${'x'.repeat(500)}`)).toBe(`${'x'.repeat(199)}…`)
  })

  test('EXIT_SIGNAL twice with two values is not done', () => {
    expect(blockOf(marked('EXIT_SIGNAL: true', 'EXIT_SIGNAL: false'))).toEqual({ exitSignal: false })
    expect(blockOf(marked('EXIT_SIGNAL: false', 'EXIT_SIGNAL: true'))).toEqual({ exitSignal: false })
  })
})

describe('any text', () => {
  const line = fc.oneof(
    fc.constantFrom(
      ...BLOCK.split('\n'),
      ...GOING_ON.split('\n'),
      'RALPH_STATUS:',
      '```',
      '````md',
      '~~~',
      '{',
      '}',
      '"a": 1',
    ),
    fc.string({ unit: 'binary', maxLength: 30 }),
  )

  test('never throws', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.constantFrom('\n', '\r\n', '\r', ' '), (lines, glue) => {
        findStatusBlock(lines.join(glue))
      }),
      { numRuns: 500 },
    )
  })

  test('lines that are all quoted hold no block', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.constantFrom('> ', '12\t', '+', 'a.md:3:'), (lines, lead) => {
        const text = [...lines, ...BLOCK.split('\n')].join('\n')
        expect(findStatusBlock(text.replaceAll(/\r\n|\r|\n|^/g, (end) => `${end}${lead}`))).toBeNull()
      }),
    )
  })

  test('prose before it never hides a block at the end', () => {
    const prose = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '-', '*', '#', '`', '~', '|', '{', ':') })
    fc.assert(
      fc.property(prose, (before) => {
        expect(blockOf(`${before}\n\n${BLOCK}`)).toEqual(COMPLETE)
      }),
      { numRuns: 500 },
    )
  })

  test('300 KB of hostile lines before it do not hide a block, nor take for ever', () => {
    const hostile = `\`\`\`\n${GOING_ON}\n\`\`\`\n`.repeat(3_000) + '-'.repeat(50_000) + ' '.repeat(50_000)
    expect(blockOf(`${hostile}\n${BLOCK}`)).toEqual(COMPLETE)
  })
})
