import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clip, clipStart, oneLine, stripControl, utf8Length, escapeInvisible } from './sanitize.ts'

const ESC = '\u001b'

describe('stripControl', () => {
  test.each([
    ['colours', `${ESC}[1;31mred${ESC}[0m`, 'red'],
    ['cursor movement and private modes', `a${ESC}[2J${ESC}[?25lb`, 'ab'],
    ['an 8-bit control sequence', 'a\u009b31mb', 'ab'],
    ['a window title', `${ESC}]0;owned\u0007text`, 'text'],
    ['a hyperlink', `${ESC}]8;;http://x${ESC}\\link${ESC}]8;;${ESC}\\`, 'link'],
    ['a device string', `a${ESC}P1$r0m${ESC}\\b`, 'ab'],
    ['an application command', `a${ESC}_Gf=100;AAAA${ESC}\\b`, 'ab'],
    ['an unended title takes its line, not the reply', `${ESC}]0;title\nnext line`, '\nnext line'],
    ['a short escape', `a${ESC}cb${ESC}(Bc`, 'abc'],
    ['an escape at the very end', `a${ESC}`, 'a'],
    ['bells, backspaces and deletes', 'a\u0007b\u0008c\u007fd\u0000e', 'abcde'],
    ['C1 controls', 'a\u0085b\u0084c', 'abc'],
    ['reordering of text', 'a\u202eb\u2066c\u200fd\u061ce', 'a\\u202eb\\u2066c\\u200fd\\u061ce'],
    ['line ends become one kind', 'a\r\nb\rc\nd', 'a\nb\nc\nd'],
    ['newline and tab stay', 'a\n\tb', 'a\n\tb'],
    ['half a character', 'a\ud800b', 'a\ufffdb'],
    ['whole characters stay', 'añ漢😀', 'añ漢😀'],
  ])('%s', (_what, text, expected) => {
    expect(stripControl(text)).toBe(expected)
  })

  test('no control character survives, and a second time changes nothing', () => {
    const unit = fc.constantFrom(
      ESC,
      '[',
      ']',
      'P',
      '_',
      '\\',
      '\u0007',
      '\u009b',
      '\u009c',
      '3',
      'm',
      ';',
      '\n',
      '\r',
      'é',
      '\ud800',
    )
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit }), fc.string({ unit: 'binary' })), (text) => {
        const stripped = stripControl(text)
        expect(stripped.replaceAll(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u)
        expect(stripControl(stripped)).toBe(stripped)
      }),
    )
  })
})

describe('clip', () => {
  test.each([
    ['short', 10, 'short'],
    ['exactly', 7, 'exactly'],
    ['too long', 5, 'too …'],
    ['😀😀😀', 3, '😀😀😀'],
    ['😀😀😀😀', 3, '😀😀…'],
    ['any', 1, '…'],
    ['any', 0, ''],
  ])('%s to %i', (text, max, expected) => {
    expect(clip(text, max)).toBe(expected)
  })

  test.each([
    ['short', 10, 'short'],
    ['too long', 5, '…long'],
    ['😀😀😀', 3, '😀😀😀'],
    ['😀😀😀😀', 3, '…😀😀'],
    ['a😀b😀c', 4, '…b😀c'],
    ['any', 1, '…'],
    ['any', 0, ''],
  ])('the end of %s to %i', (text, max, expected) => {
    expect(clipStart(text, max)).toBe(expected)
  })

  test('both keep the limit and never split a character', () => {
    // The sign for a broken character may itself be part of a text.
    const text = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((one) => !one.includes('\ufffd'))
    fc.assert(
      fc.property(text, fc.nat(40), (whole, max) => {
        for (const cut of [clip(whole, max), clipStart(whole, max)]) {
          expect(Array.from(cut).length).toBeLessThanOrEqual(max)
          expect(stripControl(cut)).not.toContain('\ufffd')
        }
      }),
    )
  })
})

test('oneLine joins lines, drops sequences and cuts', () => {
  expect(oneLine(`  ${ESC}[1mtwo\r\n\t lines${ESC}[0m  `, 20)).toBe('two lines')
  expect(oneLine('two\nlines', 5)).toBe('two …')
})

test('utf8Bytes counts what the record will hold', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
    }),
  )
})

describe('visible', () => {
  test('what is not even looked at is seen: every sign is left as it is or hidden for a reason', () => {
    const unseen = /\p{C}|(?! )\p{Z}|\p{Default_Ignorable_Code_Point}/u
    const wrong: number[] = []
    for (let point = 0; point <= 0xffff; point += 1) {
      const sign = String.fromCodePoint(point)
      if ((escapeInvisible(sign) === sign) === unseen.test(sign)) wrong.push(point)
    }
    expect(wrong).toEqual([])
  })

  test.each([
    ['plain text stays', 'npm test -- añ漢😀', 'npm test -- añ漢😀'],
    ['a line cannot end', 'true\nrm -rf ~\r\t', String.raw`true\nrm -rf ~\r\t`],
    ['a screen cannot be steered', `${ESC}[2Jx\u009b1m`, String.raw`\u{1b}[2Jx\u{9b}1m`],
    ['text cannot be reordered', 'a\u202eb\u2066c', String.raw`a\u{202e}b\u{2066}c`],
    [
      'nothing is too thin to be seen',
      'a\u200bb\ufeffc\u{e0041}\ufe0f',
      String.raw`a\u{200b}b\u{feff}c\u{e0041}\u{fe0f}`,
    ],
    ['a blank is a plain blank', 'a b\u00a0c\u3000', String.raw`a b\u{a0}c\u{3000}`],
    ['half a character', 'a\ud800b', String.raw`a\u{d800}b`],
  ])('%s', (_what, text, expected) => {
    expect(escapeInvisible(text)).toBe(expected)
  })
})
