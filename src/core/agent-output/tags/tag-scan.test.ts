import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTagScan, scanTags, type TagScanResult } from './tag-scan.ts'

/** What makes trouble: halves of tags, signs of code and quotations, ends of lines. */
const PIECES = [
  '<task-done>',
  '</task-done>',
  '<journal>',
  '</journal>',
  '<knowledge title="T" tags=\'x\'>',
  '<knowledge title="',
  '</knowledge>',
  '<tasks-created/>',
  '<verify-pass/>',
  '<verify-fail>',
  '</',
  '<',
  '>',
  '/>',
  '"',
  '“',
  '<code>',
  '</code>',
  '<!--',
  '-->',
  '\\',
  '`',
  '``',
  '```',
  '~~~',
  '> ',
  '- ',
  '    ',
  '\t',
  '\n',
  '\n\n',
  '\r\n',
  '\r',
  'a',
  't-1',
  ' ',
  '😀',
  '\ud83d',
  '\u001b[1m',
  '\0',
] as const

const problem = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(''))

function inPieces(text: string, cuts: number[]): TagScanResult {
  const scan = createTagScan()
  const at = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].toSorted((one, other) => one - other)
  let from = 0
  for (const to of [...at, text.length]) {
    scan.push(text.slice(from, to))
    from = to
  }
  return scan.end()
}

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.oneof(problem, fc.string({ unit: 'binary', maxLength: 200 })), (text) => {
      expect(Array.isArray(scanTags(text).tags)).toBe(true)
    }),
    { numRuns: 700 },
  )
})

test('what is found is the same however the text is cut', () => {
  fc.assert(
    fc.property(problem, fc.array(fc.nat(300), { maxLength: 40 }), (text, cuts) => {
      expect(inPieces(text, cuts)).toEqual(scanTags(text))
    }),
    { numRuns: 700 },
  )
})

test('of a long text too, letter by letter', () => {
  const text = `${'x'.repeat(300_000)}\n<journal>a</journal>\n\n<journal>${'y'.repeat(20_000)}</journal>`
  const scan = createTagScan()
  for (const sign of text) scan.push(sign)
  expect(scan.end()).toEqual(scanTags(text))
  expect(scanTags(text).tags.map(({ body, cut }) => [body.length, cut])).toEqual([[8_000, true]])
})

describe('code and quotations', () => {
  const tag = fc.constantFrom(
    '<task-done>a</task-done>',
    '<journal>b</journal>',
    '<knowledge title="T" tags="x">c</knowledge>',
    '<tasks-created/>',
    '<verify-pass/>',
    '<promise>COMPLETE</promise>',
  )
  const words = fc.constantFrom('Well.', 'I read it', 'It says: ', '`npm test` is green', '**bold**', '')
  const lines = fc.array(fc.oneof(tag, words), { minLength: 1, maxLength: 4 })
  const mark = fc.constantFrom('```', '~~~', '````', '~~~~~')
  const shown = fc.oneof(
    fc
      .record({ mark, info: fc.constantFrom('', 'xml', ' ts x'), lines })
      .map(
        ({ mark: sign, info, lines: code }) =>
          `${sign}${info}\n${code.filter((line) => !line.startsWith('`')).join('\n')}\n${sign}`,
      ),
    lines.map((quoted) => quoted.map((line) => `> ${line}`).join('\n')),
    lines.map((quoted) => `> You wrote:\n${quoted.filter((line) => line !== '').join('\n')}`),
    lines.map((code) => code.map((line) => `    ${line}`).join('\n')),
    fc
      .record({ tag, ticks: fc.constantFrom('`', '``', '```') })
      .map(({ tag: quoted, ticks }) => `I write ${ticks}${quoted}${ticks} at the end.`),
    tag.map((quoted) => `I write "${quoted}" at the end.`),
  )
  const said = fc.record({ before: words, tag }).map(({ before, tag: own }) => ({ before, own }))

  test('never count, whatever stands around them', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(shown, words), { maxLength: 8 }), (parts) => {
        expect(scanTags(parts.join('\n\n'))).toMatchObject({ tags: [], tagErrors: [] })
      }),
      { numRuns: 1_000 },
    )
  })

  test('hide nothing that is said between them', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ shown, said }), { minLength: 1, maxLength: 6 }), (parts) => {
        const text = parts.map((part) => `${part.shown}\n\n${part.said.before} ${part.said.own}`).join('\n\n')
        const own = parts.flatMap((part) => scanTags(part.said.own).tags)
        expect(scanTags(text)).toMatchObject({ tags: own, tagErrors: [] })
      }),
      { numRuns: 1_000 },
    )
  })
})

test('a message that is hostile to those who search it is read in no time', () => {
  const began = process.cpuUsage()
  for (const text of [
    '`'.repeat(200_000),
    Array.from({ length: 600 }, (_, n) => '`'.repeat(n)).join(' '),
    '<knowledge '.repeat(20_000),
    `<knowledge ${'a="b" '.repeat(40_000)}`,
    '<journal>'.repeat(25_000),
    '</journal>'.repeat(25_000),
    `<knowledge title=${'"'.repeat(200_000)}`,
    `${'- '.repeat(100_000)}<journal>`,
    `${' '.repeat(200_000)}<journal ${' '.repeat(40_000)}`,
    '\\'.repeat(200_000) + '<journal>',
    '"<journal>'.repeat(20_000),
    '"'.repeat(262_000),
    '<code><journal>'.repeat(20_000),
    '<!-- --> '.repeat(20_000),
    '> <journal>\n'.repeat(20_000),
  ])
    scanTags(`${text}<task-done>a</task-done>`)
  const { user, system } = process.cpuUsage(began)
  // Anything that grows with the square of its length takes minutes.
  expect((user + system) / 1_000).toBeLessThan(20_000)
})
