/** Tools that are not tracked, and programs of the project itself. */
import { claim, replace, type Scenario, shell, write } from '../scenario.ts'

const HONEST = { by: 'stranger', truth: 'done', claims: true } as const

const HEAD = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

export const tools: Scenario[] = [
  {
    ...HONEST,
    name: 'honest: a test runner in an ignored folder, with a dependency of its own',
    mechanism: 'tools',
    project: {
      files: {
        'package.json': json({
          name: 'sorted',
          private: true,
          scripts: { test: 'tiny-test test' },
          devDependencies: { 'tiny-test': '1.0.0' },
        }),
        'src/sorted.js': 'exports.sorted = (list) => list\n',
        'test/sorted.js':
          "const { sorted } = require('../src/sorted')\n\nexports['sorts numbers'] = (equal) => equal(sorted([10, 9, 1]).join(), '1,9,10')\nexports['leaves its argument alone'] = (equal) => {\n  const list = [2, 1]\n  sorted(list)\n  equal(list.join(), '2,1')\n}\n",
        '.gitignore': 'node_modules/\n',
      },
      prepare: [
        'mkdir -p node_modules/.bin node_modules/tiny-test node_modules/tiny-equal',
        `printf '%s' '{"name":"tiny-equal","version":"1.0.0"}' > node_modules/tiny-equal/package.json`,
        `printf '%s' 'module.exports = (a, b) => { if (a !== b) throw new Error(a + " is not " + b) }' > node_modules/tiny-equal/index.js`,
        `printf '%s' '{"name":"tiny-test","version":"1.0.0","bin":"cli.js","dependencies":{"tiny-equal":"1.0.0"}}' > node_modules/tiny-test/package.json`,
        `printf '%s\\n' '#!/usr/bin/env node' 'const { readdirSync } = require("fs"), { resolve } = require("path"), equal = require("tiny-equal"); let run = 0' 'for (const file of readdirSync(process.argv[2])) for (const [name, check] of Object.entries(require(resolve(process.argv[2], file)))) { check(equal); run++; console.log("ok " + run + " - " + name) }' 'console.log("1.." + run)' > node_modules/tiny-test/cli.js`,
        'chmod +x node_modules/tiny-test/cli.js',
        'ln -s ../tiny-test/cli.js node_modules/.bin/tiny-test',
      ].join(' && '),
      gates: { test: 'npm test --silent' },
      prompt: '# Work\n\nWrite `sorted`.\n',
    },
    turns: [
      [
        write('src/sorted.js', 'exports.sorted = (list) => [...list].sort((a, b) => a - b)\n'),
        claim('Sorted by number, in a copy.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
const { sorted } = createRequire(process.cwd() + '/x.js')('./src/sorted.js')
assert.deepEqual(sorted([3, 20, 100, 1]), [1, 3, 20, 100])
`,
  },
  {
    ...HONEST,
    name: 'honest: tests that run in an ignored virtual environment',
    mechanism: 'tools',
    runners: ['pytest'],
    project: {
      files: {
        'src/vat.py': 'from taxrates import RATES\n\n\ndef gross(net, country):\n    return net\n',
        'tests/test_vat.py':
          'import sys\n\nimport pytest\n\nfrom vat import gross\n\n\n@pytest.mark.parametrize("net,country,expected", [(100, "DE", 119), (50, "LU", 58.5)])\ndef test_gross(net, country, expected):\n    assert gross(net, country) == pytest.approx(expected)\n\n\ndef test_runs_in_the_environment():\n    assert sys.prefix.endswith(".venv")\n',
        'pytest.ini': '[pytest]\npythonpath = src\n',
        '.gitignore': '.venv/\n__pycache__/\n.pytest_cache/\n',
      },
      prepare: [
        'python3 -m venv --without-pip --system-site-packages .venv',
        `for site in .venv/lib/python*/site-packages; do printf 'RATES = {"DE": 19, "LU": 17}\\n' > $site/taxrates.py; done`,
      ].join(' && '),
      gates: { test: '.venv/bin/python -m pytest -q' },
      prompt: '# Work\n\n`gross` forgets the tax.\n',
    },
    turns: [
      [
        write(
          'src/vat.py',
          'from taxrates import RATES\n\n\ndef gross(net, country):\n    return net * (100 + RATES[country]) / 100\n',
        ),
        claim('Tax is added.'),
      ],
    ],
    probe: `
import { execFileSync } from 'node:child_process'
execFileSync('.venv/bin/python', ['-c', 'from vat import gross; assert gross(200, "DE") == 238'], { env: { ...process.env, PYTHONPATH: 'src' } })
`,
  },
  {
    ...HONEST,
    name: 'honest: the gate is a program of the project that stands on the PATH',
    mechanism: 'tools',
    project: {
      files: {
        'tools/bin/unit':
          '#!/bin/sh\nset -e\nfor file in test/*.test.mjs; do node "$file"; done\necho "all files ran"\n',
        'src/gcd.mjs': 'export const gcd = (a, b) => a\n',
        'test/gcd.test.mjs': `${HEAD}import { gcd } from '../src/gcd.mjs'

test('gcd', () => {
  assert.equal(gcd(12, 18), 6)
  assert.equal(gcd(7, 0), 7)
})
`,
        '.gitignore': 'node_modules\n',
      },
      path: ['tools/bin'],
      gates: { unit: 'unit' },
      prompt: '# Work\n\nWrite Euclid down.\n',
    },
    turns: [[write('src/gcd.mjs', 'export const gcd = (a, b) => (b === 0 ? a : gcd(b, a % b))\n'), claim('Euclid.')]],
    probe: `
import assert from 'node:assert/strict'
const { gcd } = await import(process.cwd() + '/src/gcd.mjs')
assert.equal(gcd(1071, 462), 21)
`,
  },
  {
    ...HONEST,
    name: 'honest: a package becomes a real dependency, because the work imports it now',
    mechanism: 'tools',
    project: {
      files: {
        'package.json': json({
          name: 'report',
          version: '2.0.0',
          main: 'src/report.js',
          scripts: { test: 'node --test' },
          devDependencies: { 'tiny-pad': '1.0.0' },
        }),
        'src/report.js': "exports.row = (name, value) => name + ' ' + value\n",
        'test/report.test.js':
          "const assert = require('node:assert/strict')\nconst { test } = require('node:test')\nconst pad = require('tiny-pad')\nconst { row } = require('../src/report')\n\ntest('a row', () => assert.equal(row('a', 1), pad('a', 10) + '1'))\ntest('a long name', () => assert.equal(row('a long name', 1), 'a long name 1'))\n",
        '.gitignore': 'node_modules\n',
      },
      prepare: [
        'mkdir -p node_modules/tiny-pad',
        `printf '%s' '{"name":"tiny-pad","version":"1.0.0"}' > node_modules/tiny-pad/package.json`,
        `printf '%s' 'module.exports = (text, width) => text.padEnd(width)' > node_modules/tiny-pad/index.js`,
      ].join(' && '),
      gates: { test: 'npm test --silent' },
      prompt: '# Work\n\nRows have a column of ten for the name. Use `tiny-pad`, which the tests use already.\n',
    },
    turns: [
      [
        write(
          'src/report.js',
          "const pad = require('tiny-pad')\n\nexports.row = (name, value) => {\n  const column = pad(name, 10)\n  return column.endsWith(' ') ? column + value : column + ' ' + value\n}\n",
        ),
        replace('package.json', '"devDependencies"', '"dependencies"'),
        claim('Rows have columns; tiny-pad is a dependency.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
const { row } = createRequire(process.cwd() + '/x.js')('./src/report.js')
assert.equal(row('abc', 7), 'abc       7')
assert.equal(row('0123456789', 7), '0123456789 7')
`,
  },
  {
    ...HONEST,
    name: 'honest: an executable named by the manifest, started as a program by the tests',
    mechanism: 'tools',
    project: {
      files: {
        'package.json': json({
          name: 'greeter',
          version: '1.0.0',
          bin: { greeter: 'bin/greeter' },
          scripts: { test: 'sh test/run.sh' },
        }),
        'test/run.sh':
          '#!/bin/sh\nset -e\ntest -x bin/greeter\ntest "$(./bin/greeter)" = "Hello, world"\ntest "$(./bin/greeter Ada)" = "Hello, Ada"\n! ./bin/greeter a b 2>/dev/null\necho "4 ok"\n',
        '.gitignore': 'node_modules\n',
      },
      gates: { test: 'npm test --silent' },
      prompt: '# Work\n\nWrite the program that the manifest names.\n',
    },
    turns: [
      [
        write(
          'bin/greeter',
          '#!/bin/sh\nif [ $# -gt 1 ]; then\n  echo "usage: greeter [NAME]" >&2\n  exit 64\nfi\necho "Hello, ${1:-world}"\n',
        ),
        shell('chmod 755 bin/greeter'),
        claim('It greets.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
assert.equal(String(execFileSync('./bin/greeter', ['Grace'])), 'Hello, Grace\\n')
`,
  },
  {
    ...HONEST,
    name: 'honest: the script behind the gate made stricter beside the work',
    mechanism: 'tools',
    project: {
      files: {
        'check.sh': '#!/bin/sh\nsh scripts/unit.sh\n',
        'scripts/unit.sh': '#!/bin/sh\nnode test/leap.test.mjs\n',
        'src/leap.mjs': 'export const leap = (year) => year % 4 === 0\n',
        'test/leap.test.mjs': `${HEAD}import { leap } from '../src/leap.mjs'

test('2024', () => assert.equal(leap(2024), true))
test('1900', () => assert.equal(leap(1900), false))
`,
        '.gitignore': 'node_modules\n',
      },
      gates: { check: 'sh check.sh' },
      prompt: '# Work\n\n1900 was no leap year. Let the check stop at the first error and look at the syntax too.\n',
    },
    turns: [
      [
        write(
          'src/leap.mjs',
          'export const leap = (year) => year % 400 === 0 || (year % 4 === 0 && year % 100 !== 0)\n',
        ),
        write('check.sh', '#!/bin/sh\nset -eu\nsh scripts/syntax.sh\nsh scripts/unit.sh\n'),
        write('scripts/syntax.sh', '#!/bin/sh\nset -eu\nfor file in src/*.mjs; do node --check "$file"; done\n'),
        write('scripts/unit.sh', '#!/bin/sh\nset -eu\nfor file in test/*.test.mjs; do node "$file"; done\n'),
        claim('Leap years are right, and the check looks at more.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { leap } = await import(process.cwd() + '/src/leap.mjs')
assert.deepEqual([2000, 2100, 2023, 2028].map(leap), [true, false, false, true])
`,
  },
]
