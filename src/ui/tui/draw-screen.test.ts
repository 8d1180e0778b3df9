import { expect, test } from 'vitest'
import { toAnsi, clipLine, highlightMatches, truncateToOneLine, plainText, toSpan } from './screen-line.ts'
import { supportsUnicode } from '../../core/text/ascii.ts'
import { createScreenDrawer } from './draw-screen.ts'

const SIZE = { columns: 20, rows: 3 }

function aScreen(colour = false): { draw: (lines: string[], size?: typeof SIZE) => string; forget(): void } {
  let written = ''
  const screen = createScreenDrawer((text) => void (written += text), { colour, unicode: true })
  return {
    draw(lines, size = SIZE) {
      written = ''
      screen.draw(
        lines.map((text) => [toSpan(text, 'good')]),
        size,
      )
      return written.replaceAll('\u001b', '␛')
    },
    forget: () => screen.forget(),
  }
}

test('the first frame is drawn whole', () => {
  expect(aScreen().draw(['one', 'two', 'three'])).toBe('␛[?2026h␛[2J␛[1;1Hone␛[K␛[2;1Htwo␛[K␛[3;1Hthree␛[K␛[?2026l')
})

test('afterwards only lines that changed are written', () => {
  const screen = aScreen()
  screen.draw(['one', 'two', 'three'])
  expect(screen.draw(['one', 'TWO', 'three'])).toBe('␛[?2026h␛[2;1HTWO␛[K␛[?2026l')
})

test('a frame like the one before writes nothing at all', () => {
  const screen = aScreen()
  screen.draw(['one', 'two', 'three'])
  expect(screen.draw(['one', 'two', 'three'])).toBe('')
})

test('after a new size, or when something else was shown meanwhile, all is drawn again', () => {
  const screen = aScreen()
  screen.draw(['one'])
  expect(screen.draw(['one'], { columns: 30, rows: 3 })).toContain('␛[2J')
  screen.forget()
  expect(screen.draw(['one'], { columns: 30, rows: 3 })).toContain('␛[1;1Hone')
})

test('a full line is not cleared behind, where the cursor would take its last character along', () => {
  expect(aScreen().draw(['x'.repeat(20)])).toBe(`␛[?2026h␛[2J␛[1;1H${'x'.repeat(20)}␛[?2026l`)
})

test('colours are there where they are wanted, and nowhere else', () => {
  expect(aScreen(true).draw(['one'])).toContain('␛[32mone␛[0m')
  expect(aScreen(false).draw(['one'])).not.toContain('␛[32m')
})

test('a line is clipped at its cells, and says so', () => {
  expect(plainText(clipLine([toSpan('日本'), toSpan('語の本', 'dim')], 8))).toBe('日本語…')
})

test.each([
  ['日本語のとても長い文章', 11, '日本語のと…'],
  ['🎉🎉🎉🎉', 6, '🎉🎉…'],
  ['\u001b[2Jtwo\nlines', 20, 'two lines'],
])('foreign text on one line: %s in %i cells', (text, width, is) => {
  expect(truncateToOneLine(text, width)).toBe(is)
})

test('where there is ASCII only, our own signs have others and the rest is as wide as it was', () => {
  const line = [toSpan('─▸words · 日本 ✓ “é” …')]
  expect(toAnsi(line, { colour: false, unicode: false })).toBe('->words . ???? + "?" ~')
})

test.each([
  [{}, true],
  [{ LANG: 'de_DE.UTF-8' }, true],
  [{ LC_CTYPE: 'UTF-8', LANG: 'C' }, true],
  [{ LANG: 'C' }, false],
  [{ LC_ALL: 'POSIX', LANG: 'C.utf8' }, false],
  [{ LC_ALL: '', LANG: 'C.utf8' }, true],
])('%j: unicode %s', (env, is) => {
  expect(supportsUnicode(env)).toBe(is)
})

test('what is searched is marked wherever it stands, in any case', () => {
  expect(highlightMatches([toSpan('Test the test', 'dim')], 'test')).toEqual([
    { text: 'Test', tone: 'mark' },
    { text: ' the ', tone: 'dim' },
    { text: 'test', tone: 'mark' },
  ])
})
