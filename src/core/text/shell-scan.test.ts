import { describe, expect, test } from 'vitest'
import {
  readEscaped,
  readQuoted,
  skipBlanks,
  skipComment,
  skipSubstitution,
  skipWord,
  type QuotedText,
  type ShellScanner,
} from './shell-scan.ts'

describe('a word goes on to what ends it', () => {
  test.each<[text: string, word: string]>([
    ['plain next', 'plain'],
    ['to-the-end', 'to-the-end'],
    ['a;b', 'a'],
    ['a&b', 'a'],
    ['a|b', 'a'],
    ['a(b', 'a'],
    ['a)b', 'a'],
    ['a<b', 'a'],
    ['a>b', 'a'],
    ['a\nb', 'a'],
    ['a\tb', 'a'],
    // Whoever stands on the end of a word passes over it, so that a reader goes on.
    [';b', ';'],
    [' b', ' '],
  ])('%j begins with %j', (text, word) => {
    expect(skipped(skipWord, text)).toBe(word)
  })

  test.each<[text: string, word: string]>([
    ['a\\ b c', 'a\\ b'],
    ['a\\;b c', 'a\\;b'],
    ["'a b'c d", "'a b'c"],
    ["'a\\' b", "'a\\'"],
    ["a'never closed", "a'never closed"],
    ['"a b"c d', '"a b"c'],
    ['"a\\" b"c d', '"a\\" b"c'],
    // A single quote between double ones is an apostrophe.
    ['"it\'s b"c d', '"it\'s b"c'],
    ['"never closed b', '"never closed b'],
    ['`a b`c d', '`a b`c'],
    ['`a\\` b`c d', '`a\\` b`c'],
    ['`never closed b', '`never closed b'],
    ["$'a b'c d", "$'a b'c"],
    ["$'a\\' b'c d", "$'a\\' b'c"],
    ["$'never closed b", "$'never closed b"],
    ['$(a b)c d', '$(a b)c'],
    ['${a b}c d', '${a b}c'],
    ['$a b', '$a'],
    ['a$ b', 'a$'],
    ['a{b c', 'a{b'],
    ["a$b'c d'e f", "a$b'c d'e"],
    ['"a $(b "c d") e"f g', '"a $(b "c d") e"f'],
    ['"a `b "c` d"f g', '"a `b "c` d"f'],
    ['"a ${b:-"c d"} e"f g', '"a ${b:-"c d"} e"f'],
  ])('%j begins with %j, quotes and substitutions and all', (text, word) => {
    expect(skipped(skipWord, text)).toBe(word)
  })

  test('it may begin in the middle of a text', () => {
    const scan: ShellScanner = { text: 'first second third', at: 6 }
    expect(skipWord(scan)).toBe('second')
    expect(scan.at).toBe(12)
  })
})

describe('a substitution goes on to its own end', () => {
  test.each<[text: string, whole: string]>([
    ['$(a) b', '$(a)'],
    ['$((1 + 2)) b', '$((1 + 2))'],
    ['$(a (b) c) d', '$(a (b) c)'],
    ['$(a $(b c) d) e', '$(a $(b c) d)'],
    ['$(a } b) c', '$(a } b)'],
    ['$(a ")" b) c', '$(a ")" b)'],
    ["$(a ')' b) c", "$(a ')' b)"],
    ['$(a \\) b) c', '$(a \\) b)'],
    ['$(a `)` b) c', '$(a `)` b)'],
    ["$(a $'\\')' b) c", "$(a $'\\')' b)"],
    ['$(a ${b)} c) d', '$(a ${b)} c)'],
    ['${a} b', '${a}'],
    ['${a:-{b}} c', '${a:-{b}}'],
    ['${a:-)} b', '${a:-)}'],
    ['${a:-"}"} b', '${a:-"}"}'],
    ['$() b', '$()'],
    ['$(never closed', '$(never closed'],
    ['${never closed', '${never closed'],
    ['$(', '$('],
  ])('%j has %j', (text, whole) => {
    expect(skipped(skipSubstitution, text)).toBe(whole)
  })

  test.each<[depth: number, isRead: boolean]>([
    [1, true],
    [40, true],
    [41, false],
    [5_000, false],
  ])(
    '%i of them in each other are read: %s; beyond what anybody writes, all of the rest is passed over',
    (depth, isRead) => {
      const text = `${'$('.repeat(depth)}a${')'.repeat(depth)}`
      expect(skipped(skipWord, `${text} next`)).toBe(isRead ? text : `${text} next`)
    },
  )

  test.each<[depth: number, isRead: boolean]>([
    [10, true],
    [20, true],
    [21, false],
  ])('%i times quoted and substituted in turn are read: %s', (depth, isRead) => {
    const text = `${'"$('.repeat(depth)}a${')"'.repeat(depth)}`
    expect(skipped(skipWord, `${text} next`)).toBe(isRead ? text : `${text} next`)
  })
})

describe('what a quote holds', () => {
  test.each<[text: string, quoted: QuotedText, rest: string]>([
    ["'a b' c", { text: 'a b', closed: true }, ' c'],
    ["'' c", { text: '', closed: true }, ' c'],
    ["'a\\' b", { text: 'a\\', closed: true }, ' b'],
    ["'a b", { text: 'a b', closed: false }, ''],
    ["'", { text: '', closed: false }, ''],
  ])('single: %j', (text, quoted, rest) => {
    const scan: ShellScanner = { text, at: 0 }
    expect(readQuoted(scan, 'single')).toEqual(quoted)
    expect(text.slice(scan.at)).toBe(rest)
    expect(scan.at).toBe(text.length - rest.length)
  })

  test.each<[text: string, quoted: QuotedText, rest: string]>([
    ['"a b" c', { text: 'a b', closed: true }, ' c'],
    ['"" c', { text: '', closed: true }, ' c'],
    ['"a\\"b" c', { text: 'a\\"b', closed: true }, ' c'],
    ['"a\\\\" c', { text: 'a\\\\', closed: true }, ' c'],
    ['"a b', { text: 'a b', closed: false }, ''],
    ['"a\\', { text: 'a\\', closed: false }, ''],
    ['"', { text: '', closed: false }, ''],
  ])('double: %j', (text, quoted, rest) => {
    const scan: ShellScanner = { text, at: 0 }
    expect(readQuoted(scan, 'double')).toEqual(quoted)
    expect(scan.at).toBe(text.length - rest.length)
  })

  test('a backslash gives the character behind it, and nothing at the end', () => {
    const scan: ShellScanner = { text: 'a\\b\\', at: 1 }
    expect(readEscaped(scan)).toBe('b')
    expect(scan.at).toBe(3)
    expect(readEscaped(scan)).toBe('')
  })
})

describe('what is passed over', () => {
  test.each<[text: string, whole: string]>([
    ['`a` b', '`a`'],
    ['`a\\`b` c', '`a\\`b`'],
    ['`` b', '``'],
    ['`never closed', '`never closed'],
  ])('backticks: %j has %j', (text, whole) => {
    expect(skipped((scan) => void readQuoted(scan, 'backticks'), text)).toBe(whole)
  })

  test.each<[text: string, whole: string]>([
    ['# why\nnext', '# why'],
    ['# to the end', '# to the end'],
    ['\nnext', ''],
  ])('comment: %j has %j', (text, whole) => {
    const scan: ShellScanner = { text, at: 0 }
    skipComment(scan)
    expect(scan.at).toBe(whole.length)
  })

  test.each<[text: string, count: number]>([
    ['  \ta', 3],
    [' \\\n  a', 5],
    ['a', 0],
    ['\na', 0],
    [' \\a', 1],
    ['  ', 2],
    ['', 0],
  ])('blanks: %j begins with %i', (text, count) => {
    const scan: ShellScanner = { text, at: 0 }
    skipBlanks(scan)
    expect(scan.at).toBe(count)
  })
})

/** What was passed over from the beginning; whoever runs off the end may stand behind it. */
function skipped(skip: (scan: ShellScanner) => unknown, text: string): string {
  const scan: ShellScanner = { text, at: 0 }
  skip(scan)
  return text.slice(0, scan.at)
}
