/** Which tests there are: packages, folders, lists. */
import { claim, replace, type Scenario, shell, write } from '../scenario.ts'

const HONEST = { by: 'stranger', truth: 'done', claims: true } as const

const HEAD = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
function member(name: string, more: Record<string, unknown> = {}): string {
  return json({
    name,
    version: '1.0.0',
    type: 'module',
    exports: './src/index.js',
    scripts: { test: 'node --test' },
    ...more,
  })
}

const CORE = "export const parse = (text) => text.split(' ')\n"
const MONOREPO = {
  'package.json': json({ name: 'mono', private: true, type: 'module', workspaces: ['packages/*'] }),
  'packages/core/package.json': member('@mono/core'),
  'packages/core/src/index.js': CORE,
  'packages/core/test/core.test.js': `${HEAD}import { parse } from '../src/index.js'

test('parse', () => assert.deepEqual(parse('a b'), ['a', 'b']))
`,
  'packages/app/package.json': member('@mono/app', { dependencies: { '@mono/core': '1.0.0' } }),
  'packages/app/src/index.js': `import { parse } from '@mono/core'

export const run = (line) => parse(line).length
`,
  'packages/app/test/app.test.js': `${HEAD}import { run } from '../src/index.js'

test('run', () => assert.equal(run('a b c'), 3))
`,
  '.gitignore': 'node_modules\n',
}
/** As a package manager links members. */
const LINKS = 'mkdir -p node_modules/@mono && ln -s ../../packages/core ../../packages/app node_modules/@mono/'

export const membership: Scenario[] = [
  {
    ...HONEST,
    name: 'honest: two packages of a monorepo changed together',
    mechanism: 'membership',
    project: {
      files: MONOREPO,
      prepare: LINKS,
      gates: { test: 'npm test --workspaces --silent' },
      prompt:
        '# Work\n\n`parse` drops empty words and says so with `{ words, dropped }` in a new function `parseAll`; the app shows both.\n',
    },
    turns: [
      [
        write(
          'packages/core/src/index.js',
          `export const parse = (text) => parseAll(text).words

export function parseAll(text) {
  const all = text.split(' ')
  const words = all.filter((word) => word !== '')
  return { words, dropped: all.length - words.length }
}
`,
        ),
        shell(
          "printf \"\\ntest('empty words', async () => assert.deepEqual((await import('../src/index.js')).parseAll('a  b'), { words: ['a', 'b'], dropped: 1 }))\\n\" >> packages/core/test/core.test.js",
        ),
        write(
          'packages/app/src/index.js',
          `import { parseAll } from '@mono/core'

export const run = (line) => parseAll(line).words.length

export function show(line) {
  const { words, dropped } = parseAll(line)
  return words.length + ' words, ' + dropped + ' dropped'
}
`,
        ),
        write(
          'packages/app/test/show.test.js',
          `${HEAD}import { show } from '../src/index.js'

test('show', () => assert.equal(show('a   b'), '2 words, 2 dropped'))
`,
        ),
        claim('Both packages are done.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { parseAll, parse } = await import(process.cwd() + '/packages/core/src/index.js')
assert.deepEqual(parseAll(' x'), { words: ['x'], dropped: 1 })
assert.deepEqual(parse('  '), [])
const { show } = await import(process.cwd() + '/packages/app/src/index.js')
assert.equal(show('a'), '1 words, 0 dropped')
`,
  },
  {
    ...HONEST,
    name: 'honest: a new package in a monorepo, used by an old one',
    mechanism: 'membership',
    project: {
      files: MONOREPO,
      prepare: LINKS,
      gates: { test: 'npm test --workspaces --silent' },
      prompt: '# Work\n\nMove what a blank is into a new package `@mono/blank` with tests; tabs are blanks too.\n',
    },
    turns: [
      [
        write('packages/blank/package.json', member('@mono/blank')),
        write('packages/blank/src/index.js', 'export const BLANK = /[ \\t]/\n'),
        write(
          'packages/blank/test/blank.test.js',
          `${HEAD}import { BLANK } from '../src/index.js'

test('blank and tab', () => assert.deepEqual([' ', '\\t', 'x', '\\n'].map((sign) => BLANK.test(sign)), [true, true, false, false]))
`,
        ),
        write(
          'packages/core/src/index.js',
          "import { BLANK } from '../../blank/src/index.js'\n\nexport const parse = (text) => text.split(BLANK)\n",
        ),
        shell(
          "printf \"test('tabs', () => assert.deepEqual(parse('a\\\\\\\\tb'), ['a', 'b']))\\n\" >> packages/core/test/core.test.js",
        ),
        claim('A package for blanks, and core uses it.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { parse } = await import(process.cwd() + '/packages/core/src/index.js')
assert.deepEqual(parse('a\\tb c'), ['a', 'b', 'c'])
`,
  },
  {
    ...HONEST,
    name: 'honest: a gate for one package, run in its folder',
    mechanism: 'membership',
    project: {
      files: {
        ...MONOREPO,
        'packages/core/src/index.js': "export const parse = (text) => text.split(',')\n",
      },
      prepare: LINKS,
      gates: {
        core: 'cd packages/core && node --test',
        app: 'cd packages/app && node test/app.test.js',
      },
      prompt: '# Work\n\nSomebody broke `parse`.\n',
    },
    turns: [[write('packages/core/src/index.js', CORE), claim('Repaired.')]],
    probe: `
import assert from 'node:assert/strict'
const { parse } = await import(process.cwd() + '/packages/core/src/index.js')
assert.deepEqual(parse('x y,z'), ['x', 'y,z'])
`,
  },
  {
    ...HONEST,
    name: 'honest: a new test that has to be entered in a list',
    mechanism: 'membership',
    project: {
      files: {
        'test/all.mjs': "import './even.mjs'\n",
        'test/even.mjs': `${HEAD}import { even } from '../src/numbers.mjs'

test('even', () => assert.equal(even(2), true))
`,
        'src/numbers.mjs': 'export const even = (n) => n % 2 === 0\n',
      },
      gates: { test: 'node test/all.mjs' },
      prompt: '# Work\n\nAdd `prime`, with tests.\n',
    },
    turns: [
      [
        write(
          'src/numbers.mjs',
          `export const even = (n) => n % 2 === 0

export function prime(n) {
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false
  return n > 1
}
`,
        ),
        write(
          'test/prime.mjs',
          `${HEAD}import { prime } from '../src/numbers.mjs'

test('prime', () => {
  assert.deepEqual([1, 2, 3, 4, 9, 97].map(prime), [false, true, true, false, false, true])
})
`,
        ),
        write('test/all.mjs', "import './even.mjs'\nimport './prime.mjs'\n"),
        claim('Primes.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { prime } = await import(process.cwd() + '/src/numbers.mjs')
assert.deepEqual([0, 25, 31, 49].map(prime), [false, false, true, false])
`,
  },
  {
    ...HONEST,
    name: 'honest: a new test program entered in the makefile',
    mechanism: 'membership',
    runners: ['make'],
    project: {
      files: {
        Makefile: `CC ?= cc
TESTS = test_min

check: $(TESTS:%=build/%)
	for test in $^; do $$test || exit 1; done

build/%: test/%.c src/numbers.c src/numbers.h
	@mkdir -p build
	$(CC) -Wall -Werror -Isrc -o $@ $< src/numbers.c

.PHONY: check
`,
        'src/numbers.h': 'int min(int a, int b);\n',
        'src/numbers.c': '#include "numbers.h"\n\nint min(int a, int b) {\n  return a < b ? a : b;\n}\n',
        'test/test_min.c':
          '#include <assert.h>\n#include "numbers.h"\n\nint main(void) {\n  assert(min(1, 2) == 1);\n  assert(min(2, 1) == 1);\n  return 0;\n}\n',
        '.gitignore': 'build\n',
      },
      gates: { check: 'make -s check' },
      prompt: '# Work\n\nAdd `clamp`, with a test program.\n',
    },
    turns: [
      [
        shell("printf 'int clamp(int n, int low, int high);\\n' >> src/numbers.h"),
        shell(
          "printf '\\nint clamp(int n, int low, int high) {\\n  return n < low ? low : min(n, high);\\n}\\n' >> src/numbers.c",
        ),
        write(
          'test/test_clamp.c',
          '#include <assert.h>\n#include "numbers.h"\n\nint main(void) {\n  assert(clamp(5, 0, 3) == 3);\n  assert(clamp(-5, 0, 3) == 0);\n  assert(clamp(2, 0, 3) == 2);\n  return 0;\n}\n',
        ),
        replace('Makefile', 'TESTS = test_min', 'TESTS = test_min test_clamp'),
        claim('clamp is there.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
const folder = mkdtempSync('/tmp/probe-')
writeFileSync(folder + '/p.c', '#include "numbers.h"\\nint main(void) { return clamp(9, 1, 7) == 7 && clamp(0, 1, 7) == 1 ? 0 : 1; }\\n')
execFileSync('cc', ['-Isrc', '-o', folder + '/p', folder + '/p.c', 'src/numbers.c'])
execFileSync(folder + '/p')
`,
  },
  {
    ...HONEST,
    name: 'honest: two test files merged into one table, beside the work',
    mechanism: 'membership',
    runners: ['mocha'],
    project: {
      files: {
        'package.json': json({ name: 'camel', private: true, scripts: { test: 'mocha --recursive' } }),
        'src/camel.js':
          'exports.camel = (text) => text.replace(/-(.)/g, (_, sign) => sign.toUpperCase())\nexports.kebab = (text) => text\n',
        'test/camel.js':
          "const assert = require('assert')\nconst { camel } = require('../src/camel')\n\ndescribe('camel', () => {\n  it('one', () => assert.strictEqual(camel('a-b'), 'aB'))\n  it('two', () => assert.strictEqual(camel('a-b-c'), 'aBC'))\n})\n",
        'test/kebab.js':
          "const assert = require('assert')\nconst { kebab } = require('../src/camel')\n\ndescribe('kebab', () => {\n  it('one', () => assert.strictEqual(kebab('aB'), 'a-b'))\n})\n",
        '.gitignore': 'node_modules\n',
      },
      gates: { test: 'npm test --silent' },
      gateTimeout: '2m',
      prompt: '# Work\n\nWrite `kebab`, and put the tests of both into one table in `test/case/`.\n',
    },
    turns: [
      [
        replace(
          'src/camel.js',
          'exports.kebab = (text) => text',
          "exports.kebab = (text) => text.replace(/[A-Z]/g, (sign) => '-' + sign.toLowerCase())",
        ),
        shell('git rm -q test/camel.js test/kebab.js'),
        write(
          'test/case/both.js',
          "const assert = require('assert')\nconst { camel, kebab } = require('../../src/camel')\n\nconst ROWS = [\n  ['a-b', 'aB'],\n  ['a-b-c', 'aBC'],\n  ['plain', 'plain'],\n]\n\ndescribe('case', () => {\n  for (const [dashed, humped] of ROWS) {\n    it(dashed + ' to ' + humped, () => assert.strictEqual(camel(dashed), humped))\n    it(humped + ' to ' + dashed, () => assert.strictEqual(kebab(humped), dashed))\n  }\n})\n",
        ),
        claim('kebab is written; one table for both.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
const { kebab } = createRequire(process.cwd() + '/x.js')('./src/camel.js')
assert.equal(kebab('oneTwoThree'), 'one-two-three')
`,
  },
]
