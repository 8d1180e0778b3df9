import { expect, test } from 'vitest'
import { cellWidth } from '../tui/text-width.ts'
import { createPaint } from './colours.ts'
import { wrapIndented, wrapOutputLine, wrapPainted } from './wrap.ts'

test('what is broken off stands under the words', () => {
  expect(wrapIndented('✓ one two three four five six seven', 24)).toEqual(['✓ one two three four', '  five six seven'])
  expect(wrapIndented('    deeper and deeper still, much deeper', 24)).toEqual([
    '    deeper and deeper',
    '    still, much deeper',
  ])
  expect(wrapIndented('short', 24)).toEqual(['short'])
  expect(wrapIndented('', 24)).toEqual([''])
})

test('wide characters count as two, and nothing is lost', () => {
  const lines = wrapIndented(`✗ ${'漢字 '.repeat(20)}`, 30)
  expect(lines.every((line) => cellWidth(line) <= 30)).toBe(true)
  expect(lines.join('').replaceAll(' ', '')).toBe(`✗${'漢字'.repeat(20)}`)
})

test('colours take no room', () => {
  const p = createPaint(true)
  const text = `${p.good('✓')} ${p.bold('1')}  ${p.dim('one two three four five six seven eight')}`
  const plain = wrapPainted(text, { columns: 30, indent: 5 }).map((line) =>
    // oxlint-disable-next-line no-control-regex -- our own colours
    line.replace(/\u001b\[\d+m/g, ''),
  )
  expect(plain).toEqual(['✓ 1  one two three four five', '     six seven eight'])
})

test('what a run tells is broken below its words', () => {
  const p = createPaint(true)
  const plain = (text: string) =>
    // oxlint-disable-next-line no-control-regex -- our own colours
    wrapOutputLine(text, 30).map((line) => line.replace(/\u001b\[\d+m/g, ''))
  expect(plain(`${p.good('✓')} ${p.bold('12')}  0:01  one file, one commit and more`)).toEqual([
    '✓ 12  0:01  one file, one',
    '      commit and more',
  ])
  expect(plain(`  ${p.dim('·')} clean room: green, it took a second`)).toEqual([
    '  · clean room: green, it took',
    '    a second',
  ])
  expect(wrapOutputLine('  as it is, in a pipe', Number.POSITIVE_INFINITY)).toEqual(['  as it is, in a pipe'])
})

test('a word that is longer than the line is broken by the terminal', () => {
  expect(wrapPainted(`a ${'x'.repeat(40)} b`, { columns: 30, indent: 2 })).toEqual([`a ${'x'.repeat(40)}`, '  b'])
})
