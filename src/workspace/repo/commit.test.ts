import { afterAll, describe, expect, test } from 'vitest'
import { exists, removeIfExists, writeWithoutSync } from '../../system/files/files.ts'
import { commitChanges } from './commit.ts'
import { aFolder, aRepo, removeTestProjects, type TestProject } from '../../../test/kit/workspace.ts'
import { openRepo } from './git.ts'

afterAll(removeTestProjects)

const WHO = { name: 'Somebody', email: 'some@example.com' }

async function commit(testProject: TestProject, message = 'work') {
  return commitChanges(await openRepo(testProject.root), { message, author: WHO })
}

async function head(testProject: TestProject): Promise<string> {
  return (await testProject.git('rev-parse', 'HEAD')).trim()
}

describe('what is committed', () => {
  test('everything but ignored files and .ralph', async () => {
    const testProject = await aRepo({ a: 'a', b: 'b', '.gitignore': 'out\n', '.ralph/PROMPT.md': 'do' })
    testProject.write({
      a: 'new',
      c: 'c',
      out: 'x',
      '.ralph/PROMPT.md': 'edited',
      '.ralph/status.json': '{}',
    })
    removeIfExists(testProject.path('b'))
    const done = await commit(testProject, 'loop: first\n\nWhy.\n')
    expect(done).toEqual({ sha: await head(testProject), files: 3, problem: null })
    expect((await testProject.git('show', '--name-status', '--format=%an <%ae>%n%B', 'HEAD')).trim()).toBe(
      'Somebody <some@example.com>\nloop: first\n\nWhy.\n\n\nM\ta\nD\tb\nA\tc',
    )
    expect(await testProject.git('status', '--porcelain')).toBe(' M .ralph/PROMPT.md\n?? .ralph/status.json\n')
  })

  test('what was staged under .ralph stays staged and uncommitted', async () => {
    const testProject = await aRepo({ a: 'a' })
    testProject.write({ a: 'new', '.ralph/x': 'x' })
    await testProject.git('add', '-A')
    await commit(testProject)
    expect(await testProject.git('status', '--porcelain')).toBe('A  .ralph/x\n')
  })

  test('staged, renamed, added and deleted again', async () => {
    const testProject = await aRepo({ a: 'a', b: 'b' })
    testProject.write({ a: 'staged', gone: 'g', 'with space\n': 's' })
    await testProject.git('mv', 'b', 'moved')
    await testProject.git('add', '-A')
    removeIfExists(testProject.path('gone'))
    expect(await commit(testProject)).toEqual({ sha: await head(testProject), files: 4, problem: null })
    expect(await testProject.git('status', '--porcelain')).toBe('')
  })

  test('nothing, when nothing differs', async () => {
    const testProject = await aRepo({ a: 'a', '.ralph/x': 'x' })
    testProject.write({ '.ralph/x': 'y' })
    const before = await head(testProject)
    expect(await commit(testProject)).toEqual({ sha: null, files: 0, problem: null })
    expect(await head(testProject)).toBe(before)
  })

  test('nothing, when a staged change was taken back', async () => {
    const testProject = await aRepo({ a: 'a' })
    testProject.write({ a: 'b' })
    await testProject.git('add', 'a')
    testProject.write({ a: 'a' })
    expect(await commit(testProject)).toEqual({ sha: null, files: 0, problem: null })
  })

  test('no secret and no repository of its own, and it says so', async () => {
    const testProject = await aRepo({ a: 'a' })
    testProject.write({ a: 'new', '.env': 'KEY=1' })
    await testProject.git('init', '-q', 'inner')
    testProject.write({ 'inner/x': 'x' })
    expect(await commit(testProject)).toEqual({
      sha: await head(testProject),
      files: 1,
      problem: 'not committed: .env (looks like a secret), inner/ (a repository of its own)',
    })
  })

  test('a submodule that has moved on', async () => {
    const inner = await aRepo({ x: 'x' })
    const testProject = await aRepo({ a: 'a' })
    await testProject.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub')
    await testProject.commit('with sub')
    await testProject.git('-C', 'sub', 'commit', '-q', '--allow-empty', '-m', 'on')
    expect(await commit(testProject)).toEqual({ sha: await head(testProject), files: 1, problem: null })
  })

  test('from a project in a subfolder, the whole repository', async () => {
    const testProject = await aRepo({ 'p/a': 'a', b: 'b' })
    testProject.write({ 'p/a': 'new', b: 'new' })
    const repo = await openRepo(testProject.path('p'))
    expect(await commitChanges(repo, { message: 'both', author: WHO })).toEqual({
      sha: await head(testProject),
      files: 2,
      problem: null,
    })
  })
})

describe('where it is committed', () => {
  test('as the first commit', async () => {
    const testProject = await aRepo()
    testProject.write({ a: 'a', 'd/b': 'b' })
    expect(await commit(testProject)).toEqual({ sha: await head(testProject), files: 2, problem: null })
    expect((await testProject.git('symbolic-ref', '--short', 'HEAD')).trim()).toBe('main')
  })

  test('on a detached HEAD', async () => {
    const testProject = await aRepo({ a: 'a' })
    await testProject.git('checkout', '-q', '--detach')
    testProject.write({ a: 'b' })
    const { sha } = await commit(testProject)
    expect(sha).toBe(await head(testProject))
    expect(await testProject.git('rev-parse', 'main')).not.toContain(sha)
  })

  test('nowhere while a merge is in progress', async () => {
    const testProject = await aRepo({ a: 'a' })
    writeWithoutSync(testProject.path('.git/MERGE_HEAD'), await head(testProject))
    testProject.write({ a: 'b' })
    expect(await commit(testProject)).toEqual({ sha: null, files: 0, problem: 'a merge is in progress' })
  })

  test('nowhere without git', async () => {
    const testProject = aFolder({ a: 'a' })
    expect(await commit(testProject)).toEqual({
      sha: null,
      files: 0,
      problem: 'there is no git repository here',
    })
  })
})

describe('by whom', () => {
  async function authorOf(testProject: TestProject): Promise<string> {
    testProject.write({ a: 'b' })
    await commitChanges(await openRepo(testProject.root), { message: 'x' })
    return (await testProject.git('log', '-1', '--format=%an <%ae> %cn <%ce>')).trim()
  }

  /** As on a machine where git knows nobody. */
  async function anonymously<T>(work: () => Promise<T>): Promise<T> {
    const old = process.env['GIT_CONFIG_GLOBAL']
    process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
    process.env['GIT_CONFIG_NOSYSTEM'] = '1'
    try {
      return await work()
    } finally {
      delete process.env['GIT_CONFIG_NOSYSTEM']
      if (old === undefined) delete process.env['GIT_CONFIG_GLOBAL']
      else process.env['GIT_CONFIG_GLOBAL'] = old
    }
  }

  test('the user, as git knows them', async () => {
    const testProject = await aRepo({ a: 'a' })
    await testProject.git('config', 'user.name', 'Ada')
    await testProject.git('config', 'user.email', 'ada@example.com')
    const who = await anonymously(() => authorOf(testProject))
    expect(who).toBe('Ada <ada@example.com> Ada <ada@example.com>')
  })

  test('Ralph, where git knows nobody', async () => {
    const testProject = await aRepo({ a: 'a' })
    const who = await anonymously(() => authorOf(testProject))
    expect(who).toBe('Ralph <ralph@localhost> Ralph <ralph@localhost>')
  })
})

describe('what does not run', () => {
  test('hooks and signing', async () => {
    const testProject = await aRepo({ a: 'a' })
    for (const hook of ['pre-commit', 'commit-msg', 'prepare-commit-msg', 'post-commit', 'reference-transaction']) {
      testProject.write({
        [`.git/hooks/${hook}`]: `#!/bin/sh\necho ${hook} >> ${testProject.path('.git/fired')}\nexit 1\n`,
      })
      await testProject.sh('chmod', '+x', `.git/hooks/${hook}`)
    }
    await testProject.git('config', 'commit.gpgSign', 'true')
    await testProject.git('config', 'gpg.program', testProject.path('.git/hooks/pre-commit'))
    testProject.write({ a: 'b' })
    const { sha, problem } = await commit(testProject)
    expect([sha, problem, exists(testProject.path('.git/fired'))]).toEqual([await head(testProject), null, false])
  })

  test('a filter of the repository itself: its files are refused rather than committed raw', async () => {
    const testProject = await aRepo({ a: 'a', '.gitattributes': '*.enc filter=mine\n' })
    await testProject.git('config', 'filter.mine.clean', `touch ${testProject.path('.git/fired')}; cat`)
    testProject.write({ 'x.enc': 'plain' })
    const done = await commit(testProject)
    expect(done).toEqual({
      sha: null,
      files: 0,
      problem: 'x.enc needs the filter "mine" of .git/config, which Ralph never runs: commit it yourself',
    })
    expect(exists(testProject.path('.git/fired'))).toBe(false)
    removeIfExists(testProject.path('x.enc'))
    testProject.write({ a: 'b' })
    expect((await commit(testProject)).problem).toBeNull()
  })
})
