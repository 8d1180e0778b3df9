import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { RalphError } from '../../core/error.ts'
import { exists, writeWithoutSync } from '../../system/files/files.ts'
import { untrustedFilters } from './untrusted-filters.ts'
import { aFolder, aRepo, removeTestProjects, testProjectAt } from '../../../test/kit/workspace.ts'
import { git, gitOrThrow, openRepo } from './git.ts'
import { storeFolder } from './find-repo.ts'

afterAll(removeTestProjects)

describe('opening a repository', () => {
  test('at its top', async () => {
    const testProject = await aRepo({ a: 'a' })
    const gitDir = testProject.path('.git')
    expect(await openRepo(testProject.root)).toMatchObject({
      root: testProject.root,
      git: { commonDir: gitDir, gitDir, top: testProject.root, prefix: '' },
    })
  })

  test('from a subfolder', async () => {
    const testProject = await aRepo({ 'p/q/a': 'a' })
    const gitDir = testProject.path('.git')
    expect(await openRepo(testProject.path('p/q'))).toMatchObject({
      root: testProject.path('p/q'),
      git: { commonDir: gitDir, gitDir, top: testProject.root, prefix: 'p/q/' },
    })
  })

  test('in a linked worktree', async () => {
    const testProject = await aRepo({ a: 'a' })
    await testProject.git('worktree', 'add', '-q', '-b', 'side', 'linked')
    expect(await openRepo(testProject.path('linked'))).toMatchObject({
      root: testProject.path('linked'),
      git: {
        commonDir: testProject.path('.git'),
        gitDir: testProject.path('.git/worktrees/linked'),
        top: testProject.path('linked'),
        prefix: '',
      },
    })
  })

  test('no repository is no error', async () => {
    const testProject = aFolder({ a: 'a' })
    expect(await openRepo(testProject.root)).toMatchObject({ root: testProject.root, git: null })
  })

  test('a bare one is refused with what to do', async () => {
    const testProject = aFolder()
    await testProject.git('init', '-q', '--bare')
    await expect(openRepo(testProject.root)).rejects.toMatchObject({
      code: 'git-failed',
      message: `${testProject.root} is a bare repository: it has no files to work on`,
      hint: `Clone it first: git clone ${testProject.root} work`,
    })
  })

  test('a damaged one is named', async () => {
    const testProject = await aRepo({ a: 'a' })
    writeWithoutSync(testProject.path('.git/config'), '[core\n')
    await expect(openRepo(testProject.root)).rejects.toBeInstanceOf(RalphError)
  })

  test.runIf(process.getuid?.() === 0)("another user's is explained", async () => {
    const testProject = await aRepo({ a: 'a' })
    await testProject.sh('chown', '-R', '12345', '.')
    await expect(openRepo(testProject.root)).rejects.toMatchObject({
      message: `git refuses ${testProject.root} because another user owns it`,
      hint: `If you trust it: git config --global --add safe.directory ${testProject.root}`,
    })
  })
})

describe('the store of a project', () => {
  const place = { commonDir: '/r/.git', gitDir: '/r/.git', top: '/r' }
  test.each([
    ['', '/r', '/r/.git/ralph/root'],
    ['p/q/', '/r/p/q', '/r/.git/ralph/p%2Fq'],
    ['root/', '/r/root', '/r/.git/ralph/%72oot'],
    ['a%2Fb/', '/r/a%2Fb', '/r/.git/ralph/a%252Fb'],
  ])('prefix %j', (prefix, root, folder) => {
    expect(storeFolder({ root, git: { ...place, prefix } })).toBe(folder)
  })
  test('of a project below the opened folder', () => {
    expect(storeFolder({ root: '/r', git: { ...place, prefix: '' } }, '/r/p/q')).toBe('/r/.git/ralph/p%2Fq')
  })
  test('without git', () => {
    expect(storeFolder({ root: '/r', git: null })).toBe('/r/.ralph/state')
  })
})

describe('the one door to git', () => {
  test('a failing git is a result with what it said', async () => {
    const testProject = await aRepo({ a: 'a' })
    const repo = await openRepo(testProject.root)
    const { code, stdout, stderr } = await git(repo, ['rev-parse', '--verify', '--quiet', 'nothing'])
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: '' })
    await expect(gitOrThrow(repo, ['cat-file', '-p', 'nothing'], { activity: 'read it' })).rejects.toThrow(
      'could not read it: Not a valid object name nothing',
    )
  })

  test('GIT_DIR and its like do not leak in', async () => {
    const testProject = await aRepo({ a: 'a' })
    const other = await aRepo({ b: 'b' })
    process.env['GIT_DIR'] = other.path('.git')
    process.env['GIT_INDEX_FILE'] = other.path('.git/index')
    try {
      const repo = await openRepo(testProject.root)
      expect(await gitOrThrow(repo, ['ls-files'], { activity: 'list' })).toBe('a\n')
    } finally {
      delete process.env['GIT_DIR']
      delete process.env['GIT_INDEX_FILE']
    }
  })

  test('a planted core.worktree does not lead elsewhere', async () => {
    const testProject = await aRepo({ a: 'a' })
    const other = aFolder({ a: 'other' })
    const repo = await openRepo(testProject.root)
    await testProject.git('config', 'core.worktree', other.root)
    expect(await gitOrThrow(repo, ['status', '--porcelain'], { activity: 'look' })).toBe('')
  })

  test('remote helpers do not run', async () => {
    const testProject = await aRepo({ a: 'a' })
    const fired = join(testProject.root, 'fired')
    const { code } = await git(await openRepo(testProject.root), ['fetch', `ext::sh -c "touch ${fired}"`])
    expect([code === 0, exists(fired)]).toEqual([false, false])
  })
})

describe('filters of the repository itself', () => {
  async function untrusted(config: Record<string, string>): Promise<string[]> {
    const testProject = await aRepo({ a: 'a' })
    for (const [key, value] of Object.entries(config)) await testProject.git('config', key, value)
    const repo = await openRepo(testProject.root)
    if (repo.git === null) throw new Error('no repository')
    return untrustedFilters(repo.git, (args) => git({ root: testProject.root }, args))
  }

  test('what git-lfs and git-crypt write is known', async () => {
    const lfs = { 'filter.lfs.clean': 'git-lfs clean -- %f', 'filter.lfs.process': 'git-lfs filter-process' }
    const crypt = {
      'filter.git-crypt.clean': '"git-crypt" clean',
      'filter.git-crypt.smudge': '/usr/bin/git-crypt smudge',
    }
    expect(await untrusted({ ...lfs, ...crypt })).toEqual([])
  })
  test('anything else is not', async () => {
    const planted = {
      'filter.lfs.clean': 'git-lfs clean -- %f; touch /tmp/x',
      'filter.ok.required': 'true',
      'filter.my.odd.process': './run',
    }
    expect(await untrusted(planted)).toEqual(['lfs', 'my.odd'])
  })
  test('an included file is seen too', async () => {
    const testProject = await aRepo({ a: 'a' })
    writeWithoutSync(testProject.path('.git/more'), '[filter "x"]\n\tclean = ./run\n')
    await testProject.git('config', 'include.path', 'more')
    const repo = await openRepo(testProjectAt(testProject.root).root)
    if (repo.git === null) throw new Error('no repository')
    expect(await untrustedFilters(repo.git, (args) => git({ root: testProject.root }, args))).toEqual(['x'])
  })
})
