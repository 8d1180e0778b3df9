import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Gate } from '../domain/proof/evidence.ts'
import type { GuardBase, GuardReport } from '../domain/proof/guard.ts'
import { buildEnv } from '../system/environment.ts'
import { openRepo } from './git.ts'
import type { Repo } from './place.ts'
import { checkGuard, takeGuard } from './guard.ts'
import { takeSnapshot } from './snapshot.ts'
import { aFolder, aRepo, clearGardens, type Garden } from './test-kit.ts'

afterAll(clearGardens)

const TEST = `import { expect, test } from 'vitest'
import { add } from './add.js'
test('adds', () => {
  expect(add(1, 2)).toBe(3)
  expect(add(0, 0)).toBe(0)
})
`
const PYTEST = 'from app import add\n\ndef test_add():\n    assert add(1, 2) == 3\n'
const PACKAGE = {
  scripts: {
    test: 'npm run unit && sh scripts/check.sh',
    unit: 'vitest run',
    build: 'tsc',
    start: 'node src/add.js',
  },
  dependencies: { lodash: '1.0.0' },
  devDependencies: { vitest: '4.0.0' },
}
const START = {
  'package.json': JSON.stringify(PACKAGE, null, 2),
  '.gitignore': 'node_modules\n.venv\ndist\n.ralphrc\n',
  '.ralph.toml': 'agent = "claude"\n',
  '.ralph/config.json': '{}\n',
  '.github/workflows/ci.yml': 'on: push\n',
  'scripts/check.sh': '#!/bin/sh\nnode scripts/deep.js || exit 1\ngrep -q add src/add.js\n',
  'scripts/deep.js': 'process.exit(1)\n',
  'src/add.js': 'export const add = (a, b) => a + b\n',
  'src/add.test.js': TEST,
  'src/deep/more.test.js': TEST,
  'tests/test_app.py': PYTEST,
  'tests/data.bin': 'a\0b',
  'vitest.config.js': 'export default {}\n',
  'vite.config.js': 'export default { base: "/", test: { include: ["src/**"] } }\n',
  'pyproject.toml': '[project]\nname = "a"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
  Makefile:
    'PY = python3\nFLAGS = -q\nall: build\n\nbuild:\n\techo build\n\ntest: lint\n\t@$(PY) -m pytest $(FLAGS)\n\nlint:\n\techo lint\n\nclean:\n\trm -rf dist\n',
  'Cargo.toml': '[package]\nname = "a"\nversion = "0.1.0"\n\n[lib]\npath = "src/lib.rs"\n',
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "target": "es2020" } } // ours\n',
  'hello.sh': 'echo hello\n',
  'src/lib.rs':
    'pub fn one() -> u8 { 1 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn is_one() {\n        assert_eq!(super::one(), 1);\n    }\n}\n',
  'round.test.js': TEST,
  'expected.txt': 'hello\n',
  'guarded/notes.txt': 'one\ntwo\n',
}

const GATES: Gate[] = [
  'npm test',
  'make test',
  'npm run build',
  'test "$(sh hello.sh)" = hello',
  'sh hello.sh | diff expected.txt -',
].map((run, i) => ({ name: `g${i}`, run, timeoutMs: 1000, when: 'completion', cwd: '.', env: {} }))
const PROTECT = ['guarded/**']
const PLAN = '- [ ] round half up, `round.test.js` changes\n'

type Work = (garden: Garden) => void | Promise<void>

/** As a user has it, without what the test runner itself added. */
const USUAL = (process.env['PATH'] ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .join(':')

function environment(first: string): Record<string, string> {
  return buildEnv({ pass: [], add: { PATH: first === '' ? USUAL : `${first}:${USUAL}` } })
}

/** One repository and one base for a whole table: each case works on it, is judged, and everything is put back. */
function aTable(files: Record<string, string>): (work: Work) => Promise<GuardReport> {
  let ready: Promise<{ garden: Garden; base: GuardBase; repo: Repo }> | null = null
  const shared = { gates: GATES, protect: PROTECT, env: environment('') }
  const prepare = async () => {
    const garden = await aRepo(files)
    const repo = await openRepo(garden.root)
    const { tree } = await takeSnapshot(repo, { ref: null })
    return {
      garden,
      repo,
      base: (await takeGuard({ ...shared, repo, root: garden.root, tree, plan: PLAN })).base,
    }
  }
  return async (work) => {
    const { garden, repo, base } = await (ready ??= prepare())
    await work(garden)
    const now = await takeSnapshot(repo, { ref: null })
    const report = await checkGuard({ ...shared, repo, root: garden.root, base, now })
    for (const name of readdirSync(garden.root))
      if (name !== '.git') rmSync(garden.path(name), { recursive: true })
    garden.write(files)
    return report
  }
}

async function judged(
  garden: Garden,
  work: Work,
  { gates = GATES, protect = PROTECT, plan = PLAN as string | null, path = '' } = {},
): Promise<GuardReport> {
  const repo = await openRepo(garden.root)
  const env = environment(path)
  const before = await takeSnapshot(repo, { ref: null })
  const { base } = await takeGuard({ repo, root: garden.root, tree: before.tree, gates, protect, plan, env })
  await work(garden)
  const now = await takeSnapshot(repo, { ref: null })
  return checkGuard({ repo, root: garden.root, base, now, gates, protect, env })
}

const edit =
  (name: string, from: string, to: string): Work =>
  (garden) => {
    const old = START[name as keyof typeof START]
    if (!old.includes(from)) throw new Error(`${name} does not hold ${from}`)
    garden.write({ [name]: old.replace(from, () => to) })
  }
const write =
  (name: string, text: string): Work =>
  (garden) =>
    garden.write({ [name]: text })
const remove =
  (name: string): Work =>
  (garden) =>
    rmSync(garden.path(name))
const move =
  (from: string, to: string): Work =>
  (garden) => {
    mkdirSync(dirname(garden.path(to)), { recursive: true })
    renameSync(garden.path(from), garden.path(to))
  }
const scripts =
  (more: Record<string, string>): Work =>
  (garden) =>
    garden.write({
      'package.json': JSON.stringify({ ...PACKAGE, scripts: { ...PACKAGE.scripts, ...more } }, null, 2),
    })

const table = aTable({ ...START, 'tests/large.py': `# ${'x'.repeat(1_100_000)}\nassert 1\n` })

describe('tampering', () => {
  test.each<[string, Work, string[]]>([
    ['a test is deleted', remove('src/add.test.js'), ['src/add.test.js was deleted']],
    [
      'a test is skipped',
      edit('src/add.test.js', 'test(', 'test.skip('),
      ['src/add.test.js: a skipped test was added'],
    ],
    [
      'a test is focused',
      edit('src/add.test.js', 'test(', 'test.only('),
      ['src/add.test.js: a focused test was added'],
    ],
    [
      'a check is removed',
      edit('src/add.test.js', '  expect(add(0, 0)).toBe(0)\n', ''),
      ['src/add.test.js: 1 of 2 checks were removed'],
    ],
    ['a test is emptied', write('src/add.test.js', ''), ['src/add.test.js: 2 of 2 checks were removed']],
    [
      'a test becomes a link',
      (garden) => {
        rmSync(garden.path('src/add.test.js'))
        symlinkSync('add.js', garden.path('src/add.test.js'))
      },
      ['src/add.test.js was replaced by a link'],
    ],
    [
      'a test is moved out of reach',
      move('src/add.test.js', 'old/add.test.js'),
      ["src/add.test.js was moved to old/add.test.js, out of the gate's reach"],
    ],
    [
      'a test is renamed to something else',
      move('src/add.test.js', 'src/add.js.bak'),
      ["src/add.test.js was moved to src/add.js.bak, out of the gate's reach"],
    ],
    [
      'a Python test is skipped',
      edit('tests/test_app.py', 'def test', '@pytest.mark.skip\ndef test'),
      ['tests/test_app.py: a skipped test was added'],
    ],
    [
      'a protected file of the settings is deleted',
      remove('guarded/notes.txt'),
      ['guarded/notes.txt was deleted'],
    ],
    [
      'the test script is changed',
      scripts({ test: 'exit 0' }),
      ['package.json: the script "test" was changed', 'package.json: the script "unit" was removed'],
    ],
    [
      'a script that the test script runs is changed',
      scripts({ unit: 'true' }),
      ['package.json: the script "unit" was changed'],
    ],
    [
      'a script is put before the tests',
      scripts({ pretest: 'cp good.js src/add.js' }),
      ['package.json: the script "pretest" was added'],
    ],
    [
      'a runner is configured in package.json',
      (garden) =>
        garden.write({
          'package.json': JSON.stringify({ ...PACKAGE, jest: { testPathIgnorePatterns: ['.*'] } }),
        }),
      ['package.json: the key "jest" was added'],
    ],
    [
      'package.json is deleted',
      remove('package.json'),
      [
        'package.json: the script "test" was removed',
        'package.json: the script "unit" was removed',
        'package.json: the script "build" was removed',
      ],
    ],
    [
      'package.json is no JSON any more',
      write('package.json', '{'),
      [
        'package.json: the script "test" was removed',
        'package.json: the script "unit" was removed',
        'package.json: the script "build" was removed',
      ],
    ],
    [
      'the script of a gate is emptied',
      write('scripts/check.sh', 'exit 0\n'),
      ['scripts/check.sh was changed'],
    ],
    [
      'the script of a gate’s script is changed',
      write('scripts/deep.js', ''),
      ['scripts/deep.js was changed'],
    ],
    ['the script of a gate is deleted', remove('scripts/check.sh'), ['scripts/check.sh was deleted']],
    [
      'the runner’s configuration is changed',
      write('vitest.config.js', 'export default { exclude: ["**"] }\n'),
      ['vitest.config.js was changed'],
    ],
    [
      'the test part of vite.config is changed',
      edit('vite.config.js', 'src/**', 'none/**'),
      ['vite.config.js: "test" was changed'],
    ],
    [
      'a configuration of another runner is added',
      write('jest.config.js', 'module.exports = {}\n'),
      ['jest.config.js was added and changes how the tests run'],
    ],
    [
      'pytest is configured anew',
      write('tests/pytest.ini', '[pytest]\naddopts = --co\n'),
      ['tests/pytest.ini was added and changes how the tests run'],
    ],
    [
      'pytest is configured otherwise',
      edit('pyproject.toml', '"tests"', '"none"'),
      ['pyproject.toml: [tool.pytest.ini_options] was changed'],
    ],
    [
      'a conftest decides what runs',
      write('tests/conftest.py', 'collect_ignore = ["test_app.py"]\n'),
      ['tests/conftest.py: a new file that decides which tests run or how they count'],
    ],
    [
      'a new Python test ends the run',
      write('tests/test_zz.py', 'import os\nos._exit(0)\n'),
      ['tests/test_zz.py: an early end of the whole run with success was added'],
    ],
    [
      'a make target is changed',
      edit('Makefile', '$(FLAGS)', '$(FLAGS) || true'),
      ['Makefile: the target "test" was changed'],
    ],
    [
      'what a make target needs is changed',
      edit('Makefile', 'echo lint', 'exit 0'),
      ['Makefile: the target "lint" was changed'],
    ],
    [
      'a variable of a make target is changed',
      edit('Makefile', 'PY = python3', 'PY = true'),
      ['Makefile: the target "test" was changed'],
    ],
    [
      'make is told to ignore errors',
      edit('Makefile', 'all: build', '.IGNORE:\nall: build'),
      ['Makefile: the general part was added'],
    ],
    [
      'the Rust library is not tested any more',
      edit('Cargo.toml', '[lib]', '[lib]\ntest = false'),
      ['Cargo.toml: [lib] was added'],
    ],
    [
      'the type checker is made lenient',
      edit('tsconfig.json', '"strict": true', '"strict": false'),
      ['tsconfig.json: "strict" was changed'],
    ],
    [
      'a test inside a Rust file is removed',
      edit('src/lib.rs', '        assert_eq!(super::one(), 1);\n', ''),
      ['src/lib.rs: 1 of 1 checks were removed'],
    ],
    [
      'a test inside a Rust file is ignored',
      edit('src/lib.rs', '#[test]', '#[test]\n    #[ignore]'),
      ['src/lib.rs: an ignored test was added'],
    ],
    [
      'CI is changed',
      write('.github/workflows/ci.yml', 'on: []\n'),
      ['.github/workflows/ci.yml was changed'],
    ],
    ['Ralph’s settings are changed', write('.ralph.toml', 'gates = []\n'), ['.ralph.toml was changed']],
    [
      'Ralph’s settings that no snapshot holds are changed',
      write('.ralph/config.json', '{"a":1}\n'),
      ['.ralph/config.json was changed'],
    ],
    ['settings appear that git ignores', write('.ralphrc', 'MAX=1\n'), ['.ralphrc was added']],
    [
      'npm gets another shell',
      write('.npmrc', 'script-shell=/bin/true\n'),
      ['.npmrc was added and changes how the tests run'],
    ],
    [
      'Python gets code that runs first',
      write('sitecustomize.py', ''),
      ['sitecustomize.py was added and changes how the tests run'],
    ],
  ])('%s', async (_, work, why) => {
    const report = await table(work)
    expect(report.tampered.map((one) => one.why)).toEqual(why)
  })
})

describe('innocent', () => {
  test.each<[string, Work]>([
    ['nothing', () => {}],
    ['the work itself', write('src/add.js', 'export const add = (a, b) => b + a\n')],
    ['a script whose output a gate looks at', write('hello.sh', 'echo hello\n# greets\n')],
    ['the work in a Rust file with tests in it', edit('src/lib.rs', '{ 1 }', '{ return 1 }')],
    ['a new test file', write('src/new.test.js', TEST)],
    [
      'a new test in an old file',
      (garden) =>
        garden.write({ 'src/add.test.js': `${TEST}test('more', () => { expect(add(2, 2)).toBe(4) })\n` }),
    ],
    ['a test moved within its folder', move('src/deep/more.test.js', 'src/lib/more.test.js')],
    [
      'a test moved, with its imports',
      (garden) => {
        rmSync(garden.path('src/deep/more.test.js'))
        garden.write({ 'src/lib/more.test.js': TEST.replace('./add.js', '../add.js') })
      },
    ],
    ['a script no gate uses', scripts({ start: 'node .', deploy: 'exit 0' })],
    [
      'a dependency',
      (garden) =>
        garden.write({ 'package.json': JSON.stringify({ ...PACKAGE, dependencies: { lodash: '2.0.0' } }) }),
    ],
    ['package.json in another layout', (garden) => garden.write({ 'package.json': JSON.stringify(PACKAGE) })],
    ['a make target no gate uses', edit('Makefile', 'rm -rf dist', 'rm -rf dist out')],
    ['another part of pyproject', edit('pyproject.toml', 'name = "a"', 'name = "b"')],
    ['another part of vite.config', edit('vite.config.js', 'base: "/"', 'base: "/a"')],
    ['another part of tsconfig', edit('tsconfig.json', 'es2020', 'es2022')],
    ['another part of Cargo.toml', edit('Cargo.toml', '0.1.0', '0.2.0')],
    [
      'a conftest with a fixture',
      write('tests/conftest.py', 'import pytest\n\n@pytest.fixture\ndef one():\n    return 1\n'),
    ],
    ['a new workflow', write('.github/workflows/release.yml', 'on: push\n')],
    ['a configuration where no test was', write('packages/new/vitest.config.js', 'export default {}\n')],
    ['Ralph’s own files', write('.ralph/fix_plan.md', '- [x] done\n')],
    ['what git ignores', write('dist/add.test.js', 'compiled')],
  ])('%s', async (_, work) => {
    const report = await table(work)
    expect({ ...report, hash: '' }).toEqual({ hash: '', tampered: [], edited: [], permitted: [] })
  })
})

describe('edits of old tests', () => {
  test.each<[string, Work, string[]]>([
    ['another expectation', edit('src/add.test.js', 'toBe(3)', 'toBe(4)'), ['src/add.test.js']],
    ['a file that is not text', write('tests/data.bin', 'a\0c'), ['tests/data.bin']],
    ['what the gate expects', write('expected.txt', 'hallo\n'), ['expected.txt']],
    ['a file protected by the settings', write('guarded/notes.txt', 'one\n2\n'), ['guarded/notes.txt']],
    ['a large test', write('tests/large.py', `# ${'x'.repeat(1_100_000)}\nassert 2\n`), ['tests/large.py']],
  ])('%s', async (_, work, edited) => {
    const report = await table(work)
    expect({ ...report, hash: '' }).toEqual({ hash: '', tampered: [], edited, permitted: [] })
  })

  test('a test that the plan names may change, be weakened and be deleted', async () => {
    for (const work of [
      edit('round.test.js', 'toBe(3)', 'toBe(4)'),
      write('round.test.js', ''),
      remove('round.test.js'),
    ]) {
      const report = await table(work)
      expect({ ...report, hash: '' }).toEqual({
        hash: '',
        tampered: [],
        edited: [],
        permitted: ['round.test.js'],
      })
    }
  })

  test('a glob in the plan lets tests change, but not vanish', async () => {
    const plan = '- [ ] rework [tests: src/**]\n'
    const changed = await judged(await aRepo(START), edit('src/add.test.js', 'toBe(3)', 'toBe(4)'), { plan })
    expect(changed.permitted).toEqual(['src/add.test.js'])
    const gone = await judged(await aRepo(START), remove('src/add.test.js'), { plan })
    expect(gone.tampered).toEqual([{ path: 'src/add.test.js', why: 'src/add.test.js was deleted' }])
  })

  test('a test hidden from git is still read', async () => {
    const garden = await aRepo(START)
    garden.write({ 'src/hidden.test.js': TEST })
    const report = await judged(garden, () =>
      garden.write({ '.gitignore': `${START['.gitignore']}hidden*\n`, 'src/hidden.test.js': '' }),
    )
    expect(report.tampered).toEqual([
      { path: 'src/hidden.test.js', why: 'src/hidden.test.js: 2 of 2 checks were removed' },
    ])
  })
})

describe('a gate that could not run', () => {
  test('is set up by the work without tampering', async () => {
    const report = await judged(await aRepo({ 'README.md': 'empty\n' }), (garden) =>
      garden.write({
        'package.json': JSON.stringify(PACKAGE),
        'vitest.config.js': 'export default {}\n',
        'a.test.js': TEST,
        Makefile: START.Makefile,
      }),
    )
    expect(report.tampered).toEqual([])
  })
})

describe('programs', () => {
  const shim =
    (name: string, text: string): Work =>
    (garden) => {
      garden.write({ [name]: `#!/bin/sh\n${text}\n` })
      chmodSync(garden.path(name), 0o755)
    }
  const withVitest = async (): Promise<Garden> => {
    const garden = await aRepo(START)
    await shim('node_modules/vitest/vitest.mjs', 'echo real')(garden)
    mkdirSync(garden.path('node_modules/.bin'), { recursive: true })
    symlinkSync('../vitest/vitest.mjs', garden.path('node_modules/.bin/vitest'))
    return garden
  }

  test('a program put in front of another is tampering', async () => {
    const report = await judged(await withVitest(), shim('node_modules/.bin/node', 'exit 0'))
    expect(report.tampered.map(({ path }) => path)).toEqual(['node_modules/.bin/node'])
    expect(report.tampered[0]?.why).toMatch(
      /^node now resolves to node_modules\/\.bin\/node \(it was \/.*\)$/,
    )
  })

  test('a changed program in an ignored folder is tampering', async () => {
    const report = await judged(await withVitest(), shim('node_modules/vitest/vitest.mjs', 'exit 0'))
    const path = 'node_modules/vitest/vitest.mjs'
    expect(report.tampered).toEqual([{ path, why: `${path}, the program behind vitest, was changed` }])
  })

  test('an upgrade of its package is not', async () => {
    const report = await judged(await withVitest(), async (garden) => {
      await shim('node_modules/vitest/vitest.mjs', 'echo newer')(garden)
      garden.write({ 'package.json': JSON.stringify({ ...PACKAGE, devDependencies: { vitest: '4.1.0' } }) })
    })
    expect(report.tampered).toEqual([])
  })

  test('an upgrade of another package is no excuse', async () => {
    const report = await judged(await withVitest(), async (garden) => {
      await shim('node_modules/vitest/vitest.mjs', 'exit 0')(garden)
      garden.write({ 'package.json': JSON.stringify({ ...PACKAGE, dependencies: { lodash: '2.0.0' } }) })
    })
    expect(report.tampered).toHaveLength(1)
  })

  const LIB = 'node_modules/vitest/dist/lib.mjs'
  const withLib = async (): Promise<Garden> => {
    const garden = await withVitest()
    garden.write({ [LIB]: 'run()\n' })
    return garden
  }

  test('a changed file in the package of a program is tampering', async () => {
    const report = await judged(await withLib(), write(LIB, 'skip()\n'))
    const path = 'node_modules/vitest/vitest.mjs'
    const why = `the package of ${path}, the program behind vitest, was changed`
    expect(report.tampered).toEqual([{ path, why }])
  })

  test('an upgrade of that package is not', async () => {
    const report = await judged(await withLib(), (garden) =>
      garden.write({
        [LIB]: 'newer()\n',
        'package.json': JSON.stringify({ ...PACKAGE, devDependencies: { vitest: '4.1.0' } }),
      }),
    )
    expect(report.tampered).toEqual([])
  })

  test('a program that was missing may be installed', async () => {
    const report = await judged(await aRepo(START), shim('node_modules/.bin/vitest', 'echo real'))
    expect(report.tampered).toEqual([])
  })

  test('a program that is gone is tampering', async () => {
    const report = await judged(await withVitest(), (garden) =>
      rmSync(garden.path('node_modules'), { recursive: true }),
    )
    expect(report.tampered).toEqual([
      {
        path: 'node_modules/vitest/vitest.mjs',
        why: 'vitest is no longer found (it was node_modules/vitest/vitest.mjs)',
      },
    ])
  })

  test('a folder of the project in PATH is watched', async () => {
    const garden = await aRepo(START)
    mkdirSync(garden.path('dist'))
    const report = await judged(garden, shim('dist/make', 'exit 0'), { path: garden.path('dist') })
    expect(report.tampered.map(({ path }) => path)).toEqual(['dist/make'])
  })
})

describe('without git', () => {
  test('tests and definitions are compared with kept copies', async () => {
    const garden = aFolder(START)
    const report = await judged(garden, async (inside) => {
      await edit('src/add.test.js', 'test(', 'test.skip(')(inside)
      await edit('tests/test_app.py', '== 3', '== 4')(inside)
      await scripts({ unit: 'true' })(inside)
      inside.write({ 'src/more.test.js': TEST })
    })
    expect({ ...report, hash: '' }).toEqual({
      hash: '',
      tampered: [
        { path: 'package.json', why: 'package.json: the script "unit" was changed' },
        { path: 'src/add.test.js', why: 'src/add.test.js: a skipped test was added' },
      ],
      edited: ['tests/test_app.py'],
      permitted: [],
    })
  })
})

test('a project inside a larger repository guards its own files and what lies above it', async () => {
  const garden = await aRepo({
    'app/a.test.js': TEST,
    'other/b.test.js': TEST,
    'vitest.config.js': 'export default {}\n',
    'package.json': '{"scripts":{"test":"vitest run"}}',
  })
  const repo = await openRepo(garden.path('app'))
  const before = await takeSnapshot(repo, { ref: null })
  const gates = GATES.slice(0, 1)
  const shared = { repo, root: garden.path('app'), gates, protect: [], env: environment('') }
  const { base } = await takeGuard({ ...shared, tree: before.tree, plan: null })
  garden.write({
    'app/a.test.js': '',
    'other/b.test.js': '',
    'vitest.config.js': '',
    'package.json': '{"scripts":{"test":"true"}}',
  })
  const report = await checkGuard({ ...shared, base, now: await takeSnapshot(repo, { ref: null }) })
  expect(report.tampered.map(({ why }) => why)).toEqual([
    '../package.json: the script "test" was changed',
    '../vitest.config.js was changed',
    'a.test.js: 2 of 2 checks were removed',
  ])
})

test('tests in a repository inside the repository are guarded', async () => {
  const garden = await aRepo({ 'README.md': 'x\n' })
  garden.write({ 'inner/a.test.js': TEST })
  await garden.sh('git', 'init', '-q', 'inner')
  const report = await judged(garden, (outer) => outer.write({ 'inner/a.test.js': '' }))
  expect(report.tampered).toEqual([
    { path: 'inner/a.test.js', why: 'inner/a.test.js: 2 of 2 checks were removed' },
  ])
})

test('a glob that matches nothing is warned of', async () => {
  const garden = await aRepo(START)
  const repo = await openRepo(garden.root)
  const { tree } = await takeSnapshot(repo, { ref: null })
  const { warnings } = await takeGuard({
    repo,
    root: garden.root,
    tree,
    gates: [],
    protect: ['guarded/**', 'nowhere/**'],
    plan: null,
    env: {},
  })
  expect(warnings).toEqual(['protect: no file matches nowhere/**, so it protects nothing'])
})

test('the hash speaks for the judge: it stays with the work and changes with a test', async () => {
  const same = await table(() => {})
  const worked = await table(write('src/add.js', ''))
  const tested = await table(write('src/new.test.js', TEST))
  expect([worked.hash === same.hash, tested.hash === same.hash]).toEqual([true, false])
})
