import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Gate } from '../domain/proof/evidence.ts'
import { definitionsOf } from './scripts.ts'
import { commandsIn } from './shell-commands.ts'

describe('a shell line', () => {
  test.each<[string, string[][]]>([
    ['npm test', [['npm', 'test']]],
    ['CI=true npm run "my test" -- --x', [['npm', 'run', 'my test', '--', '--x']]],
    ['a && b || c; d & e', [['a'], ['b'], ['c'], ['d'], ['e']]],
    ['cmd > out 2>&1 < in', [['cmd']]],
    ['(cd pkg && make)', [['('], ['cd', 'pkg'], ['make'], [')']]],
    ['sh -c "a; b c"', [['sh'], ['a'], ['b', 'c']]],
    ['env A=1 timeout 30s node x.js', [['env'], ['timeout'], ['node', 'x.js']]],
    ['if ! a; then b; fi', [['a'], ['b']]],
    ['a \\\n  b # comment\nc', [['a', 'b'], ['c']]],
    ['cat <<EOF | b\nnot a command\nEOF\nd', [['cat'], ['b'], ['d']]],
    [
      'diff <(a x) b',
      [
        ['a', 'x'],
        ['diff', 'b'],
      ],
    ],
  ])('%s', (line, words) => {
    expect(commandsIn(line).map((command) => command.words)).toEqual(words)
  })

  test('tells what judges from what is looked at', () => {
    expect(commandsIn('a | b && test "$(c)" = 1')).toEqual([
      { words: ['a'], isExamined: true },
      { words: ['b'], isExamined: false },
      { words: ['c'], isExamined: true },
      { words: ['test', '$()', '=', '1'], isExamined: false },
    ])
  })

  test('never throws and always ends', () => {
    const piece = fc.constantFrom(
      '"',
      "'",
      '`',
      '$(',
      ')',
      '(',
      '|',
      '&&',
      '\\',
      '<<E',
      '\n',
      'a',
      ' ',
      '${',
      '}',
      '>',
      'sh -c ',
      'eval ',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => Array.isArray(commandsIn(pieces.join('')))),
    )
  })
})

function follow(run: string, files: Record<string, string>) {
  const gate: Gate = { name: 'g', run, timeoutMs: 0, when: 'completion', cwd: '.', env: {} }
  const { parts, programs, judges, samples } = definitionsOf([gate], {
    has: (path) => Object.hasOwn(files, path),
    text: (path) => files[path] ?? null,
    named: (pattern) =>
      Object.keys(files).filter((path) => pattern.test(path.slice(path.lastIndexOf('/') + 1))),
  })
  return {
    parts: Object.keys(parts),
    programs: programs.map(({ word, folder, via }) => `${via} ${folder} ${word}`),
    judges,
    samples,
  }
}

const pkg = (scripts: Record<string, string>) => JSON.stringify({ scripts })

describe('a gate leads to', () => {
  test.each<[string, Record<string, string>, Partial<ReturnType<typeof follow>>]>([
    [
      'npm t',
      { 'package.json': pkg({ pretest: 'tsc', test: 'mocha', posttest: 'nyc report', lint: 'x' }) },
      {
        parts: [
          'package.json: the script "pretest"',
          'package.json: the script "test"',
          'package.json: the script "posttest"',
        ],
      },
    ],
    [
      'npm run a',
      { 'package.json': pkg({ a: 'npm run b', b: 'npm run a' }) },
      { parts: ['package.json: the script "a"', 'package.json: the script "b"'] },
    ],
    [
      'pnpm check',
      { 'package.json': pkg({ check: 'run-s check:*', 'check:a': 'x', 'check:b': 'y' }) },
      {
        parts: [
          'package.json: the script "check"',
          'package.json: the script "check:a"',
          'package.json: the script "check:b"',
        ],
      },
    ],
    ['yarn vitest run', { 'package.json': pkg({}) }, { programs: ['shell . yarn', 'package . vitest'] }],
    ['npx --yes vitest@4 run', {}, { programs: ['shell . npx', 'package . vitest'] }],
    [
      'npm --prefix web test',
      { 'web/package.json': pkg({ test: 'jest' }) },
      { parts: ['web/package.json: the script "test"'], programs: ['shell . npm', 'package web jest'] },
    ],
    [
      'cd web && npm test',
      { 'web/package.json': pkg({ test: 'jest' }) },
      { parts: ['web/package.json: the script "test"'] },
    ],
    [
      'npm test --workspaces',
      { 'package.json': pkg({}), 'p/a/package.json': pkg({ test: 'jest' }) },
      { parts: ['p/a/package.json: the script "test"'] },
    ],
    ['uv run pytest -q', {}, { programs: ['shell . uv', 'venv . pytest'] }],
    [
      'make -C sub check',
      { 'sub/Makefile': 'check: a\n\tgo test\na:\n\techo a\n' },
      {
        parts: ['sub/Makefile: the target "check"', 'sub/Makefile: the target "a"'],
        programs: ['shell . make', 'shell sub go'],
      },
    ],
    [
      'make',
      { Makefile: '.PHONY: all\nall:\n\tgcc a.c\nother:\n\tx\n' },
      { parts: ['Makefile: the target "all"'] },
    ],
    [
      'just test',
      { justfile: 'test: build\n  cargo test\nbuild:\n  cargo build\nother:\n  x\n' },
      { parts: ['justfile: the target "test"', 'justfile: the target "build"'] },
    ],
    [
      'composer test',
      { 'composer.json': JSON.stringify({ scripts: { test: ['@lint', 'phpunit'], lint: 'phpcs', x: 'y' } }) },
      { parts: ['composer.json: the script "test"', 'composer.json: the script "lint"'] },
    ],
    ['rake test', { Rakefile: 'task :test' }, { judges: ['Rakefile'] }],
    [
      'sh check.sh',
      { 'check.sh': './tools/run.sh\n', 'tools/run.sh': 'pytest\n' },
      {
        judges: ['check.sh', 'tools/run.sh'],
        programs: ['shell . sh', 'shell . ./tools/run.sh', 'shell . pytest'],
      },
    ],
    ['sh run.sh', { 'run.sh': 'x\n' }, { judges: ['run.sh'] }],
    ['sh run.sh | grep x', { 'run.sh': 'x\n' }, { judges: [] }],
    ['sh check.sh | tee log', { 'check.sh': 'x\n' }, { judges: ['check.sh'] }],
    ['node app.js', { 'app.js': 'x' }, { judges: [] }],
    ['node scripts/verify.js', { 'scripts/verify.js': 'x' }, { judges: ['scripts/verify.js'] }],
    ['vitest -c ci.config.ts', { 'ci.config.ts': 'x' }, { judges: ['ci.config.ts'] }],
    ['test -f hello.txt', { 'hello.txt': 'x' }, { judges: [], samples: [], programs: [] }],
    ['./a.out < in | diff - test.expected', { 'test.expected': 'x' }, { samples: ['test.expected'] }],
    [
      'python -m mypy .',
      { 'pyproject.toml': '[tool.mypy]\nstrict = true\n' },
      { parts: ['pyproject.toml: [tool.mypy]'] },
    ],
  ])('%s', (run, files, expected) => {
    expect(follow(run, files)).toMatchObject(expected)
  })
})
