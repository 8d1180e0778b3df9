import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openRepo } from './git.ts'
import { takeGuard } from './guard.ts'
import { restoreGuarded } from './guard-restore.ts'
import { makeScratch } from './scratch.ts'
import { takeSnapshot } from './snapshot.ts'
import { aFolder, aRepo, clearGardens, type Garden } from './test-kit.ts'

afterAll(clearGardens)

const START = {
  '.gitignore': 'node_modules\ndist\n__pycache__\n*.local\n',
  'src/add.js': 'old work\n',
  'a.test.js': 'old test\n',
  'b.test.js': 'other test\n',
}

async function then(garden: Garden, work: () => void | Promise<void>) {
  const repo = await openRepo(garden.root)
  const { tree: base } = await takeSnapshot(repo, { ref: null })
  await takeGuard({ repo, root: garden.root, tree: base, gates: [], protect: [], plan: null, env: {} })
  await work()
  const { tree: now } = await takeSnapshot(repo, { ref: null })
  return { repo, root: garden.root, base, now }
}

/** Every file below a folder with its content; of a link, where it leads. */
function contents(folder: string, under = ''): Record<string, string> {
  return Object.assign(
    {},
    ...readdirSync(join(folder, under), { withFileTypes: true }).map((entry) => {
      const path = under === '' ? entry.name : `${under}/${entry.name}`
      if (entry.isSymbolicLink()) return { [path]: `-> ${readlinkSync(join(folder, path))}` }
      return entry.isDirectory()
        ? contents(folder, path)
        : { [path]: readFileSync(join(folder, path), 'utf8') }
    }),
  ) as Record<string, string>
}

describe('a scratch copy', () => {
  test('is the present tree with the old tests, and with what git ignores', async () => {
    const garden = await aRepo(START)
    const state = await then(garden, () => {
      garden.write({
        'src/add.js': 'new work\n',
        'a.test.js': 'new test\n',
        'new.test.js': 'added\n',
        'conftest.py': 'added\n',
        'node_modules/x/index.js': 'x',
        'dist/out.js': 'out',
        'a.local': 'mine',
        '__pycache__/a.pyc': 'stale',
        '.ralph/notes.md': 'ours',
      })
      rmSync(garden.path('b.test.js'))
    })
    const scratch = await makeScratch({ ...state, old: ['a.test.js', 'b.test.js', 'conftest.py'] })
    expect(contents(scratch.root)).toEqual({
      '.gitignore': START['.gitignore'],
      'src/add.js': 'new work\n',
      'a.test.js': 'old test\n',
      'b.test.js': 'other test\n',
      'new.test.js': 'added\n',
      node_modules: `-> ${garden.path('node_modules')}`,
      'dist/out.js': 'out',
      'a.local': 'mine',
    })
    expect(statSync(dirname(scratch.root)).mode & 0o777).toBe(0o700)
    await scratch.remove()
    expect(existsSync(dirname(scratch.root))).toBe(false)
    expect(existsSync(garden.path('node_modules/x/index.js'))).toBe(true)
  })

  test('keeps modes and links, and leaves no index behind', async () => {
    const garden = await aRepo(START)
    const state = await then(garden, () => {
      garden.write({ 'run.sh': 'echo\n' })
      chmodSync(garden.path('run.sh'), 0o755)
      symlinkSync('src/add.js', garden.path('link'))
    })
    const scratch = await makeScratch({ ...state, old: [] })
    expect(lstatSync(join(scratch.root, 'run.sh')).mode & 0o100).toBe(0o100)
    expect(readlinkSync(join(scratch.root, 'link'))).toBe('src/add.js')
    expect(readdirSync(garden.path('.git')).filter((name) => name.startsWith('ralph-restore'))).toEqual([])
    await scratch.remove()
  })

  test('holds what snapshots do not store, and repositories inside the repository', async () => {
    const garden = await aRepo(START)
    garden.write({ 'inner/c.test.js': 'old inner\n', '.env': 'KEY=1\n' })
    await garden.sh('git', 'init', '-q', 'inner')
    const state = await then(garden, () =>
      garden.write({ 'inner/c.test.js': 'new inner\n', 'inner/d.js': 'd\n' }),
    )
    const scratch = await makeScratch({ ...state, old: ['inner/c.test.js'] })
    const { '.env': env, 'inner/c.test.js': inner, 'inner/d.js': added } = contents(scratch.root)
    expect([env, inner, added]).toEqual(['KEY=1\n', 'old inner\n', 'd\n'])
    await scratch.remove()
  })

  test('of a project inside a repository has the whole repository around it', async () => {
    const garden = await aRepo({ 'app/a.test.js': 'old\n', 'lib/x.js': 'x\n' })
    const repo = await openRepo(garden.path('app'))
    const { tree: base } = await takeSnapshot(repo, { ref: null })
    garden.write({ 'app/a.test.js': 'new\n' })
    const { tree: now } = await takeSnapshot(repo, { ref: null })
    const scratch = await makeScratch({ repo, root: garden.path('app'), now, base, old: ['a.test.js'] })
    expect(contents(scratch.root)).toEqual({ 'a.test.js': 'old\n' })
    expect(contents(join(scratch.root, '..'))['lib/x.js']).toBe('x\n')
    await scratch.remove()
  })

  test('without git is the folder with the kept copies', async () => {
    const garden = aFolder(START)
    const state = await then(garden, () => {
      garden.write({ 'a.test.js': 'new test\n', 'new.test.js': 'added\n', 'node_modules/x.js': 'x' })
      rmSync(garden.path('b.test.js'))
    })
    const scratch = await makeScratch({ ...state, old: ['a.test.js', 'b.test.js', 'new.test.js'] })
    expect(contents(scratch.root)).toEqual({ ...START, node_modules: `-> ${garden.path('node_modules')}` })
    await scratch.remove()
  })

  test('that cannot be made is not left behind', async () => {
    const garden = await aRepo(START)
    const state = await then(garden, () => {})
    const before = readdirSync(dirname(garden.root)).filter((name) => name.startsWith('ralph-scratch-'))
    await expect(makeScratch({ ...state, now: '1'.repeat(40), old: [] })).rejects.toThrow(
      'could not make a scratch copy',
    )
    const after = readdirSync(dirname(garden.root)).filter((name) => name.startsWith('ralph-scratch-'))
    expect(after.filter((name) => !before.includes(name))).toEqual([])
  })
})

describe('putting back', () => {
  test('brings changed and deleted files back and removes added ones', async () => {
    const garden = await aRepo(START)
    const state = await then(garden, () => {
      garden.write({
        'a.test.js': '',
        'pytest.ini': 'added',
        'src/add.js': 'new work\n',
        'node_modules/.bin/node': 'shim',
        '.ralph/config.json': '{}',
      })
      rmSync(garden.path('b.test.js'))
    })
    const paths = [
      'a.test.js',
      'b.test.js',
      'pytest.ini',
      'node_modules/.bin/node',
      '.ralph/config.json',
      '../outside',
    ]
    expect(await restoreGuarded(state.repo, { tree: state.base, paths })).toEqual({
      restored: ['a.test.js', 'b.test.js'],
      removed: ['pytest.ini'],
      kept: ['../outside', '.ralph/config.json', 'node_modules/.bin/node'],
    })
    const {
      '.ralph/config.json': _settings,
      'node_modules/.bin/node': _shim,
      ...rest
    } = contents(garden.root)
    const files = Object.fromEntries(Object.entries(rest).filter(([path]) => !path.startsWith('.git/')))
    expect(files).toEqual({ ...START, 'src/add.js': 'new work\n' })
  })

  test('does not write through a link that was put there', async () => {
    const garden = await aRepo(START)
    const outside = aFolder({ 'mine.txt': 'mine' })
    const state = await then(garden, () => {
      rmSync(garden.path('a.test.js'))
      symlinkSync(outside.path('mine.txt'), garden.path('a.test.js'))
    })
    await restoreGuarded(state.repo, { tree: state.base, paths: ['a.test.js'] })
    expect([
      readFileSync(outside.path('mine.txt'), 'utf8'),
      readFileSync(garden.path('a.test.js'), 'utf8'),
    ]).toEqual(['mine', START['a.test.js']])
  })

  test('works without git from the kept copies', async () => {
    const garden = aFolder(START)
    const state = await then(garden, () => {
      writeFileSync(garden.path('a.test.js'), '')
      garden.write({ 'pytest.ini': 'added' })
    })
    expect(
      await restoreGuarded(state.repo, {
        tree: state.base,
        paths: ['a.test.js', 'pytest.ini', 'src/add.js'],
      }),
    ).toEqual({
      restored: ['a.test.js'],
      removed: ['pytest.ini'],
      kept: ['src/add.js'],
    })
    expect(readFileSync(garden.path('a.test.js'), 'utf8')).toBe(START['a.test.js'])
  })
})
