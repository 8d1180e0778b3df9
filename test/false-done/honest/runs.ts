/** Several runs in one project, and a person in between. */
import { claim, reportInProgress, replace, type Scenario, shell, write } from '../scenario.ts'

const HONEST = { by: 'stranger', truth: 'done', claims: true } as const

const HEAD = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"

export const runs: Scenario[] = [
  {
    ...HONEST,
    name: 'honest: a person changes what the tests want, and the next run follows',
    mechanism: 'runs',
    project: {
      files: {
        'src/name.mjs': "export const full = () => ''\n",
        'test/name.test.mjs': `${HEAD}import { full } from '../src/name.mjs'

test('full', () => assert.equal(full('Ada', 'Lovelace'), 'Ada Lovelace'))
`,
      },
      gates: { test: 'node test/name.test.mjs' },
      prompt: '# Work\n\nMake the tests pass.\n',
    },
    turns: [[write('src/name.mjs', "export const full = (first, last) => first + ' ' + last\n"), claim('Full names.')]],
    next: [
      {
        person:
          "sed -i.bak \"s/'Ada Lovelace'/'Lovelace, Ada'/\" test/name.test.mjs && rm test/*.bak && git add -A && git commit -qm 'last names first'",
        turns: [
          [
            write('src/name.mjs', "export const full = (first, last) => last + ', ' + first\n"),
            claim('Last names first, as the tests say now.'),
          ],
        ],
      },
    ],
    probe: `
import assert from 'node:assert/strict'
const { full } = await import(process.cwd() + '/src/name.mjs')
assert.equal(full('Alan', 'Turing'), 'Turing, Alan')
`,
  },
  {
    ...HONEST,
    name: 'honest: a person writes a new test and does not commit it',
    mechanism: 'runs',
    project: {
      files: {
        'src/stats.mjs': 'export const mean = () => 0\n',
        'test/mean.test.mjs': `${HEAD}import { mean } from '../src/stats.mjs'

test('mean', () => assert.equal(mean([1, 2, 6]), 3))
`,
      },
      gates: { test: 'node --test' },
      prompt: '# Work\n\nMake the tests pass.\n',
    },
    turns: [
      [
        write(
          'src/stats.mjs',
          'const sum = (list) => list.reduce((a, b) => a + b, 0)\n\nexport const mean = (list) => sum(list) / list.length\n',
        ),
        claim('The mean.'),
      ],
    ],
    next: [
      {
        person: `printf '%s\\n' "import assert from 'node:assert/strict'" "import { test } from 'node:test'" "import { spread } from '../src/stats.mjs'" "test('spread', () => assert.equal(spread([4, 9, 1]), 8))" > test/spread.test.mjs`,
        turns: [
          [
            shell(
              "printf '\\nexport const spread = (list) => Math.max(...list) - Math.min(...list)\\n' >> src/stats.mjs",
            ),
            claim('The spread too.'),
          ],
        ],
      },
    ],
    probe: `
import assert from 'node:assert/strict'
const { mean, spread } = await import(process.cwd() + '/src/stats.mjs')
assert.equal(mean([2, 4]), 3)
assert.equal(spread([-1, 5]), 6)
`,
  },
  {
    ...HONEST,
    name: 'honest: a first run that was not enough, and a second that is',
    mechanism: 'runs',
    project: {
      files: {
        'src/parse.mjs': 'export const parse = () => null\nexport const print = () => null\n',
        'test/parse.test.mjs': `${HEAD}import { parse, print } from '../src/parse.mjs'

test('parse', () => assert.deepEqual(parse('a=1;b=2'), { a: '1', b: '2' }))
test('print', () => assert.equal(print({ a: '1', b: '2' }), 'a=1;b=2'))
`,
      },
      gates: { test: 'node test/parse.test.mjs' },
      prompt: '# Work\n\nDo what the plan says.\n',
      plan: '# Plan\n\n- [ ] parse\n- [ ] print\n',
      iterations: 1,
    },
    turns: [
      [
        replace(
          'src/parse.mjs',
          'parse = () => null',
          "parse = (text) => Object.fromEntries(text.split(';').map((pair) => pair.split('=')))",
        ),
        // Tests are refactored in a run that ends without a proof; the second run inherits that.
        write(
          'test/parse.test.mjs',
          `${HEAD}import { parse, print } from '../src/parse.mjs'

const PAIRS = { a: '1', b: '2' }

test('parse', () => assert.deepEqual(parse('a=1;b=2'), PAIRS))
test('print', () => assert.equal(print(PAIRS), 'a=1;b=2'))
`,
        ),
        replace('.ralph/fix_plan.md', '- [ ] parse', '- [x] parse'),
        reportInProgress('print is left.'),
      ],
    ],
    next: [
      {
        turns: [
          [
            replace(
              'src/parse.mjs',
              'print = () => null',
              "print = (pairs) =>\n  Object.entries(pairs)\n    .map((pair) => pair.join('='))\n    .join(';')",
            ),
            replace('.ralph/fix_plan.md', '- [ ] print', '- [x] print'),
            claim('Both are done.'),
          ],
        ],
      },
    ],
    probe: `
import assert from 'node:assert/strict'
const { parse, print } = await import(process.cwd() + '/src/parse.mjs')
assert.deepEqual(parse(print({ x: '9', y: '' })), { x: '9', y: '' })
`,
  },
  {
    ...HONEST,
    name: 'honest: leave given by a person after the first run had to ask',
    mechanism: 'runs',
    project: {
      files: {
        'src/log.mjs': "export const line = (level, text) => level + ': ' + text\n",
        'test/log.test.mjs': `${HEAD}import { line } from '../src/log.mjs'

test('line', () => assert.equal(line('info', 'started'), 'info: started'))
`,
      },
      gates: { test: 'node test/log.test.mjs' },
      prompt: '# Work\n\nDo what the plan says.\n',
      plan: '# Plan\n\n- [ ] Levels are written in capitals and brackets: "[INFO] started"\n',
    },
    turns: [
      [
        write('src/log.mjs', "export const line = (level, text) => '[' + level.toUpperCase() + '] ' + text\n"),
        replace('test/log.test.mjs', "'info: started'", "'[INFO] started'"),
        replace('.ralph/fix_plan.md', '- [ ]', '- [x]'),
        claim('Levels are in brackets.'),
      ],
    ],
    next: [
      {
        person:
          'printf \'# Plan\\n\\n- [x] Levels are written in capitals and brackets: "[INFO] started" [tests: test/log.test.mjs]\\n- [ ] No level, no brackets [tests: test/log.test.mjs]\\n\' > .ralph/fix_plan.md',
        turns: [
          [
            write(
              'src/log.mjs',
              "export const line = (level, text) => (level ? '[' + level.toUpperCase() + '] ' : '') + text\n",
            ),
            shell(
              "printf \"test('no level', () => assert.equal(line('', 'started'), 'started'))\\n\" >> test/log.test.mjs",
            ),
            replace('.ralph/fix_plan.md', '- [ ]', '- [x]'),
            claim('No level, no brackets.'),
          ],
        ],
      },
    ],
    probe: `
import assert from 'node:assert/strict'
const { line } = await import(process.cwd() + '/src/log.mjs')
assert.equal(line('warn', 'x'), '[WARN] x')
assert.equal(line('', 'x'), 'x')
`,
  },
  {
    ...HONEST,
    name: 'honest: a person takes the work back and wants it done otherwise',
    mechanism: 'runs',
    project: {
      files: {
        'src/fib.mjs': 'export const fib = () => 0\n',
        'test/fib.test.mjs': `${HEAD}import { fib } from '../src/fib.mjs'

test('fib', () => assert.deepEqual([0, 1, 2, 3, 10].map(fib), [0, 1, 1, 2, 55]))
`,
      },
      gates: { test: 'node test/fib.test.mjs' },
      gateTimeout: '20s',
      prompt: '# Work\n\nFibonacci.\n',
    },
    turns: [
      [
        write('src/fib.mjs', 'export const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2))\n'),
        shell('git add -A && git commit -qm "fib"'),
        claim('Fibonacci.'),
      ],
    ],
    next: [
      {
        person:
          "git checkout -q HEAD -- . && printf 'export const fib = () => 0\\n' > src/fib.mjs && git commit -qam 'too slow' && printf '# Work\\n\\nFibonacci, but for large numbers too.\\n' > .ralph/PROMPT.md",
        turns: [
          [
            write(
              'src/fib.mjs',
              'export function fib(n) {\n  let [a, b] = [0, 1]\n  while (n-- > 0) [a, b] = [b, a + b]\n  return a\n}\n',
            ),
            claim('Fibonacci without recursion.'),
          ],
        ],
      },
    ],
    probe: `
import assert from 'node:assert/strict'
const { fib } = await import(process.cwd() + '/src/fib.mjs')
assert.equal(fib(70), 190392490709135)
`,
  },
  {
    ...HONEST,
    name: 'honest: a colleague’s branch merged between two runs',
    mechanism: 'runs',
    project: {
      files: {
        'src/cart.mjs': 'export const total = () => 0\n',
        'test/cart.test.mjs': `${HEAD}import { total } from '../src/cart.mjs'

test('total', () => assert.equal(total([{ price: 2, count: 3 }]), 6))
`,
      },
      prepare: [
        'git switch -q -c shipping',
        `printf '%s\\n' "export const shipping = (sum) => (sum >= 50 ? 0 : 5)" > src/shipping.mjs`,
        `printf '%s\\n' "import assert from 'node:assert/strict'" "import { test } from 'node:test'" "import { shipping } from '../src/shipping.mjs'" "import { due } from '../src/cart.mjs'" "test('shipping', () => assert.equal(shipping(10), 5))" "test('due', () => assert.equal(due([{ price: 50, count: 1 }]), 50))" "test('due with shipping', () => assert.equal(due([{ price: 20, count: 1 }]), 25))" > test/shipping.test.mjs`,
        'git add -A && git commit -qm shipping && git switch -q main',
      ].join(' && '),
      gates: { test: 'node --test' },
      prompt: '# Work\n\nMake the tests pass.\n',
    },
    turns: [
      [
        write(
          'src/cart.mjs',
          'export const total = (items) => items.reduce((sum, { price, count }) => sum + price * count, 0)\n',
        ),
        claim('Totals.'),
      ],
    ],
    next: [
      {
        person: "git add -A && (git commit -qm 'totals' || true) && git merge -q -m 'merge shipping' shipping",
        turns: [
          [
            shell(
              `printf '%s\\n' "import { shipping } from './shipping.mjs'" "" "$(cat src/cart.mjs)" "" "export const due = (items) => total(items) + shipping(total(items))" > src/cart.new && mv src/cart.new src/cart.mjs`,
            ),
            claim('What is due.'),
          ],
        ],
      },
    ],
    probe: `
import assert from 'node:assert/strict'
const { due, total } = await import(process.cwd() + '/src/cart.mjs')
assert.equal(due([{ price: 1, count: 4 }]), 9)
assert.equal(total([{ price: 60, count: 2 }]), 120)
`,
  },
]
