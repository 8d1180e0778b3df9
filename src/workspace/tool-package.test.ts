import { chmodSync, cpSync, renameSync, rmSync, symlinkSync, truncateSync, utimesSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { aFolder, clearGardens, type Garden } from './test-kit.ts'
import { hashOfPackage, packageBehind } from './tool-package.ts'
import { compareTools, findTools, isUpgradeOf } from './tools.ts'

afterAll(clearGardens)

type Work = (garden: Garden) => void

const write =
  (path: string, text: string): Work =>
  (garden) =>
    garden.write({ [path]: text })

describe('of Node', () => {
  const LIB = 'node_modules/runner/lib/run.mjs'
  const FILES = {
    'node_modules/runner/runner.mjs': "import './lib/run.mjs'\n",
    'node_modules/runner/package.json': '{"version":"1.0.0"}',
    [LIB]: 'run()\n',
  }

  /** Whether the package is still the same after the work. */
  function staysSame(work: Work): boolean {
    const garden = aFolder(FILES)
    utimesSync(garden.path(LIB), 1, 1)
    const hash = () => {
      const behind = packageBehind(garden.path('node_modules/runner/runner.mjs'))
      return behind === null ? null : hashOfPackage(behind)
    }
    const before = hash()
    work(garden)
    return before !== null && before === hash()
  }

  test.each<[string, Work]>([
    ['a file is changed', write(LIB, 'end()\n')],
    [
      'a file is changed and has the size and time of before',
      (garden) => {
        garden.write({ [LIB]: 'end()\n' })
        utimesSync(garden.path(LIB), 1, 1)
      },
    ],
    ['a file is added', write('node_modules/runner/lib/index.mjs', '')],
    ['a file is deleted', (garden) => rmSync(garden.path(LIB))],
    ['a file has another name', (garden) => renameSync(garden.path(LIB), garden.path(`${LIB}.old`))],
    [
      'a file becomes a link to its like',
      (garden) => {
        renameSync(garden.path(LIB), garden.path('own.mjs'))
        symlinkSync(garden.path('own.mjs'), garden.path(LIB))
      },
    ],
    [
      'a large file is added',
      (garden) => {
        garden.write({ 'node_modules/runner/large': '' })
        truncateSync(garden.path('node_modules/runner/large'), 40 * 1024 * 1024)
      },
    ],
  ])('%s: another package', (_, work) => {
    expect(staysSame(work)).toBe(false)
  })

  test.each<[string, Work]>([
    ['nothing happened', () => {}],
    [
      'the same version is installed again',
      (garden) => {
        renameSync(garden.path('node_modules'), garden.path('old'))
        cpSync(garden.path('old'), garden.path('node_modules'), { recursive: true })
      },
    ],
    ['another package lies in it', write('node_modules/runner/node_modules/x/index.js', 'x')],
    ['another package lies beside it', write('node_modules/other/index.js', 'x')],
  ])('%s: the same package', (_, work) => {
    expect(staysSame(work)).toBe(true)
  })

  test.each([
    ['node_modules/runner/bin/run.js', 'runner', 'node_modules/runner'],
    ['node_modules/@a/runner/run.js', '@a/runner', 'node_modules/@a/runner'],
    ['node_modules/a/node_modules/b/b.js', 'b', 'node_modules/a/node_modules/b'],
    ['node_modules/.pnpm/a@1/node_modules/a/a.js', 'a', 'node_modules/.pnpm/a@1/node_modules/a'],
  ])('%s belongs to %s', (program, name, folder) => {
    expect(packageBehind(`/p/${program}`)).toEqual({ of: 'node', name, places: [`/p/${folder}`] })
  })

  test('a script in place of a link leads to its package', () => {
    const garden = aFolder({
      'node_modules/.bin/a':
        'if [ -x "$basedir/node" ]; then\n  exec "$basedir/node"  "$basedir/../a/a.mjs" "$@"\nfi\n',
      'node_modules/.pnpm/a@1/node_modules/a/a.mjs': 'run()\n',
    })
    symlinkSync('.pnpm/a@1/node_modules/a', garden.path('node_modules/a'))
    const places = [garden.path('node_modules/.pnpm/a@1/node_modules/a')]
    expect(packageBehind(garden.path('node_modules/.bin/a'))).toEqual({ of: 'node', name: 'a', places })
  })

  test('a program of the machine has none', () => {
    expect(packageBehind('/bin/sh')).toBeNull()
  })
})

describe('of Python', () => {
  const SITE = '.venv/lib/python3.12/site-packages'
  const SCRIPT = '#!/usr/bin/env python3\nimport sys\nfrom pytest import main\nsys.exit(main())\n'

  function changesAfter(work: Work, { isUpgraded = false } = {}): string[] {
    const garden = aFolder({
      '.venv/pyvenv.cfg': 'home = /usr/bin\n',
      '.venv/bin/pytest': SCRIPT,
      [`${SITE}/pytest/__init__.py`]: 'from _pytest.main import main\n',
      [`${SITE}/_pytest/main.py`]: 'def main(): ...\n',
    })
    chmodSync(garden.path('.venv/bin/pytest'), 0o755)
    const { root } = garden
    const program = { word: '.venv/bin/pytest', folder: '.', via: 'shell' as const, path: null }
    const tools = () => findTools([program], { root, top: root, env: {} }, () => false)
    const before = tools()
    work(garden)
    const rules = { root, isDeclared: () => false, isUpgraded: () => isUpgraded }
    return compareTools(before, tools(), rules).map(({ why }) => why)
  }

  const change = write(`${SITE}/_pytest/main.py`, 'def main(): return 0\n')
  const PROGRAM = '.venv/bin/pytest, the program behind .venv/bin/pytest,'

  test('a program leads to what it imports', () => {
    expect(changesAfter(change)).toEqual([`the package of ${PROGRAM} was changed`])
  })

  test('an upgrade is no tampering, but its script stays the same', () => {
    expect(changesAfter(change, { isUpgraded: true })).toEqual([])
    const script = write('.venv/bin/pytest', `${SCRIPT}# another\n`)
    expect(changesAfter(script, { isUpgraded: true })).toEqual([`${PROGRAM} was changed`])
  })

  test('what Python compiles is no change', () => {
    expect(changesAfter(write(`${SITE}/pytest/__pycache__/main.pyc`, 'x'))).toEqual([])
  })

  test.each([
    ['requirements.txt', 'pytest==8.0\n', 'pytest==8.1\n', true],
    ['requirements.txt', 'pytest==8.0\nblack==24\n', 'pytest==8.0\nblack==25\n', false],
    ['pyproject.toml', 'dev = ["pytest>=8.0"]\n', 'dev = ["pytest>=8.1"]\n', true],
    ['pyproject.toml', '[tool.pytest.ini_options]\na = 1\n', '[tool.pytest.ini_options]\na = 2\n', false],
    ['uv.lock', 'name = "pytest"\nversion = "8.0"\n', 'name = "pytest"\nversion = "8.1"\n', true],
    ['requirements.txt', 'pytest-cov==5\n', 'pytest-cov==6\n', false],
  ])('%s: %j to %j upgrades pytest: %s', (path, before, now, isUpgrade) => {
    expect(isUpgradeOf('pytest', { path, before, now })).toBe(isUpgrade)
  })
})
