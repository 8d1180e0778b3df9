/** The three ways in which a file of the work is changed in the clean room: it fails, it is wrong, it may not look away. */
import { Script } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { insertLoadFailure } from './mutation/fail-on-load.ts'
import { revertInlineTests } from './mutation/inline-tests.ts'
import { splitSourceText } from './mutation/split-source-text.ts'
import { removeNewSuppressions } from './mutation/strip-suppressions.ts'
import { mutateLines } from './mutation/mutate-lines.ts'

const LOADED = { isProgram: false }

describe('made to fail', () => {
  test('a shebang stays first', () => {
    expect(insertLoadFailure('bin/x.mjs', '#!/usr/bin/env node\nrun()\n', LOADED)).toBe(
      "#!/usr/bin/env node\nthrow new Error('broken on purpose by Ralph to test the gates');\nrun()\n",
    )
  })

  test.each(['a.css', 'README.md', 'data.json', 'Makefile'])('%s cannot be', (path) => {
    expect(insertLoadFailure(path, 'x', LOADED)).toBe(null)
  })

  test('php fails inside its tag', () => {
    expect(insertLoadFailure('a.php', '<?php\necho 1;\n', LOADED)).toMatch(/^<\?php\nthrow new/)
    expect(insertLoadFailure('a.php', 'no tag', LOADED)).toBe(null)
  })

  test('JavaScript really throws', () => {
    const text = insertLoadFailure('a.cjs', 'exports.x = 1', LOADED) ?? ''
    expect(() => new Script(text).runInNewContext({ exports: {} })).toThrow('broken on purpose')
  })
})

describe('made wrong', () => {
  const all = (text: string) => [{ from: 1, to: text.split('\n').length }]
  test.each([
    ['a.js', 'return a + b', 'return void a - b'],
    ['a.js', 'if (x === 3 && y) {}', 'if (x !== 4 || y) {}'],
    ['a.js', 'const f = (x) => x * 2', 'const f = (x) => void x + 3'],
    ['a.js', 'return (x) => x', 'return (x) => void x'],
    ['a.js', "const s = 'hello'", "const s = '~hello'"],
    ['a.ts', 'const ok: boolean = true', 'const ok: boolean = false'],
    ['a.py', 'return x if a and not b else 0', 'return None and x if a or  b else 1'],
    ['a.go', 'return a <= b', 'return a > b'],
    ['a.rs', 'x >= 10', 'x < 11'],
    ['a.c', 'return a - 1;', 'return a + 2;'],
  ])('%s: %s', (path, text, expected) => {
    expect(mutateLines(path, text, all(text))?.text).toBe(expected)
  })

  test.each([
    ['a.js', "import { a } from './b1.js'"],
    ['a.js', "const a = require('./b')"],
    ['a.py', 'from a import b'],
    ['a.c', '#include <stdio.h>'],
    ['a.js', '// returns 3 when true'],
    ['a.md', 'x = 1'],
    ['a.js', 'run(x)'],
  ])('%s: %s cannot be', (path, text) => {
    expect(mutateLines(path, text, all(text))).toBe(null)
  })

  test('only the lines that changed', () => {
    expect(mutateLines('a.js', 'a = 1\nb = 1\nc = 1\n', [{ from: 2, to: 2 }])).toEqual({
      text: 'a = 1\nb = 2\nc = 1\n',
      changes: 1,
    })
  })

  test('what comes out of plain JavaScript still parses', () => {
    const body =
      'const n = 3\nfunction f(a, b) {\n  if (a > b && n !== 2) return [a, b].map((x) => x + 1)\n  return `is ${a} and ${b}`\n}\nreturn f(1, 2)\n'
    const changed = mutateLines('a.js', body, [{ from: 1, to: 6 }])?.text ?? ''
    expect(() => new Script(`(function () {${changed}})`)).not.toThrow()
  })
})

test('pieces cover every text without gaps', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from('a"\'`/*#\n\\ {}-[]')) }), (text) => {
      for (const family of ['js', 'python', 'rust', 'lua'] as const) {
        expect(
          splitSourceText(text, family)
            .map(({ from, to }) => text.slice(from, to))
            .join(''),
        ).toBe(text)
      }
    }),
  )
})

describe('suppressions', () => {
  test.each([
    ['a.ts', '// @ts-nocheck\nlet x: number = "a"\n'],
    ['a.js', 'x = 1 // eslint-disable-line no-undef\n'],
    ['a.js', '/* eslint-disable */\n'],
    ['a.py', 'import x  # type: ignore\n'],
    ['a.py', 'x = 1  # noqa: E501\n'],
    ['a.rs', '#[allow(dead_code)]\nfn a() {}\n'],
    ['A.java', '@SuppressWarnings("unchecked")\n'],
    ['a.go', 'x() //nolint:errcheck\n'],
    ['a.js', '/* istanbul ignore next */\n'],
  ])('%s: %j that was added goes', (path, text) => {
    expect(removeNewSuppressions(path, '', text).removed).toBe(1)
  })

  test('one that was there stays, a second of its kind does not', () => {
    const line = '// eslint-disable-next-line no-console\n'
    expect(removeNewSuppressions('a.ts', line, line + line)).toEqual({ text: `${line}\n`, removed: 1 })
  })

  test('code stays as it is, also code about such comments', () => {
    const text = "const url = 'http://a' // see eslint\nif (type === 'ignore') run('// @ts-nocheck')\n"
    expect(removeNewSuppressions('a.ts', '', text)).toEqual({ text, removed: 0 })
  })
})

describe('inner tests', () => {
  const TESTS = '#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() { assert_eq!(super::add(1, 2), 3); }\n}'
  test('the base’s module comes back', () => {
    const weak = TESTS.replace('3', '2')
    expect(revertInlineTests('src/lib.rs', `fn add() {}\n\n${TESTS}\n`, `fn add() { new() }\n\n${weak}\n`)).toEqual({
      is: 'revert',
      text: `fn add() { new() }\n\n${TESTS}\n`,
    })
  })

  test('a module that was taken away comes back', () => {
    expect(revertInlineTests('src/lib.rs', `fn a() {}\n${TESTS}\n`, 'fn a() {}\n')).toEqual({
      is: 'revert',
      text: `fn a() {}\n\n${TESTS}\n`,
    })
  })

  test('the same tests are the same', () => {
    expect(revertInlineTests('src/lib.rs', TESTS, `fn b() {}\n${TESTS}`)).toEqual({ is: 'same' })
  })

  test('a brace in a text is no brace', () => {
    const odd = TESTS.replace('3)', '3, "{")')
    expect(revertInlineTests('src/lib.rs', odd, 'fn a() {}\n')).toMatchObject({ is: 'revert' })
  })

  test('tests outside a module cannot be taken apart', () => {
    expect(revertInlineTests('src/lib.rs', '#[test]\nfn a() {}\n', 'fn a() {}\n')).toEqual({
      is: 'unclear',
    })
  })

  test('a doctest that changed is told', () => {
    const doc = (n: number) => `def f():\n    """\n    >>> f()\n    ${n}\n    """\n`
    expect(revertInlineTests('a.py', doc(1), doc(2))).toEqual({ is: 'unclear' })
    expect(revertInlineTests('a.py', doc(1), `${doc(1)}\n${doc(2)}`)).toEqual({ is: 'same' })
  })

  test('foreign text never throws', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (base, final) => {
        revertInlineTests('a.rs', base, final)
        removeNewSuppressions('a.ts', base, final)
        mutateLines('a.py', final, [{ from: 1, to: 3 }])
        insertLoadFailure('a.php', final, LOADED)
      }),
    )
  })
})
