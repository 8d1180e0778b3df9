import { afterAll, describe, expect, test } from 'vitest'
import { exists, removeIfThere, writeLoose } from '../../system/files/files.ts'
import { commitAll } from './commit.ts'
import { aFolder, aRepo, clearGardens, type Garden } from '../../../test/kit/workspace.ts'
import { openRepo } from './git.ts'

afterAll(clearGardens)

const WHO = { name: 'Somebody', email: 'some@example.com' }

async function commit(garden: Garden, message = 'work') {
  return commitAll(await openRepo(garden.root), { message, author: WHO })
}

async function head(garden: Garden): Promise<string> {
  return (await garden.git('rev-parse', 'HEAD')).trim()
}

describe('what is committed', () => {
  test('everything but ignored files and .ralph', async () => {
    const garden = await aRepo({ a: 'a', b: 'b', '.gitignore': 'out\n', '.ralph/PROMPT.md': 'do' })
    garden.write({ a: 'new', c: 'c', out: 'x', '.ralph/PROMPT.md': 'edited', '.ralph/status.json': '{}' })
    removeIfThere(garden.path('b'))
    const done = await commit(garden, 'loop: first\n\nWhy.\n')
    expect(done).toEqual({ sha: await head(garden), files: 3, problem: null })
    expect((await garden.git('show', '--name-status', '--format=%an <%ae>%n%B', 'HEAD')).trim()).toBe(
      'Somebody <some@example.com>\nloop: first\n\nWhy.\n\n\nM\ta\nD\tb\nA\tc',
    )
    expect(await garden.git('status', '--porcelain')).toBe(' M .ralph/PROMPT.md\n?? .ralph/status.json\n')
  })

  test('what was staged under .ralph stays staged and uncommitted', async () => {
    const garden = await aRepo({ a: 'a' })
    garden.write({ a: 'new', '.ralph/x': 'x' })
    await garden.git('add', '-A')
    await commit(garden)
    expect(await garden.git('status', '--porcelain')).toBe('A  .ralph/x\n')
  })

  test('staged, renamed, added and deleted again', async () => {
    const garden = await aRepo({ a: 'a', b: 'b' })
    garden.write({ a: 'staged', gone: 'g', 'with space\n': 's' })
    await garden.git('mv', 'b', 'moved')
    await garden.git('add', '-A')
    removeIfThere(garden.path('gone'))
    expect(await commit(garden)).toEqual({ sha: await head(garden), files: 4, problem: null })
    expect(await garden.git('status', '--porcelain')).toBe('')
  })

  test('nothing, when nothing differs', async () => {
    const garden = await aRepo({ a: 'a', '.ralph/x': 'x' })
    garden.write({ '.ralph/x': 'y' })
    const before = await head(garden)
    expect(await commit(garden)).toEqual({ sha: null, files: 0, problem: null })
    expect(await head(garden)).toBe(before)
  })

  test('nothing, when a staged change was taken back', async () => {
    const garden = await aRepo({ a: 'a' })
    garden.write({ a: 'b' })
    await garden.git('add', 'a')
    garden.write({ a: 'a' })
    expect(await commit(garden)).toEqual({ sha: null, files: 0, problem: null })
  })

  test('no secret and no repository of its own, and it says so', async () => {
    const garden = await aRepo({ a: 'a' })
    garden.write({ a: 'new', '.env': 'KEY=1' })
    await garden.git('init', '-q', 'inner')
    garden.write({ 'inner/x': 'x' })
    expect(await commit(garden)).toEqual({
      sha: await head(garden),
      files: 1,
      problem: 'not committed: .env (looks like a secret), inner/ (a repository of its own)',
    })
  })

  test('a submodule that has moved on', async () => {
    const inner = await aRepo({ x: 'x' })
    const garden = await aRepo({ a: 'a' })
    await garden.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub')
    await garden.commit('with sub')
    await garden.git('-C', 'sub', 'commit', '-q', '--allow-empty', '-m', 'on')
    expect(await commit(garden)).toEqual({ sha: await head(garden), files: 1, problem: null })
  })

  test('from a project in a subfolder, the whole repository', async () => {
    const garden = await aRepo({ 'p/a': 'a', b: 'b' })
    garden.write({ 'p/a': 'new', b: 'new' })
    const repo = await openRepo(garden.path('p'))
    expect(await commitAll(repo, { message: 'both', author: WHO })).toEqual({
      sha: await head(garden),
      files: 2,
      problem: null,
    })
  })
})

describe('where it is committed', () => {
  test('as the first commit', async () => {
    const garden = await aRepo()
    garden.write({ a: 'a', 'd/b': 'b' })
    expect(await commit(garden)).toEqual({ sha: await head(garden), files: 2, problem: null })
    expect((await garden.git('symbolic-ref', '--short', 'HEAD')).trim()).toBe('main')
  })

  test('on a detached HEAD', async () => {
    const garden = await aRepo({ a: 'a' })
    await garden.git('checkout', '-q', '--detach')
    garden.write({ a: 'b' })
    const { sha } = await commit(garden)
    expect(sha).toBe(await head(garden))
    expect(await garden.git('rev-parse', 'main')).not.toContain(sha)
  })

  test('nowhere while a merge is in progress', async () => {
    const garden = await aRepo({ a: 'a' })
    writeLoose(garden.path('.git/MERGE_HEAD'), await head(garden))
    garden.write({ a: 'b' })
    expect(await commit(garden)).toEqual({ sha: null, files: 0, problem: 'a merge is in progress' })
  })

  test('nowhere without git', async () => {
    const garden = aFolder({ a: 'a' })
    expect(await commit(garden)).toEqual({
      sha: null,
      files: 0,
      problem: 'there is no git repository to commit to',
    })
  })
})

describe('by whom', () => {
  async function authorOf(garden: Garden): Promise<string> {
    garden.write({ a: 'b' })
    await commitAll(await openRepo(garden.root), { message: 'x' })
    return (await garden.git('log', '-1', '--format=%an <%ae> %cn <%ce>')).trim()
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
    const garden = await aRepo({ a: 'a' })
    await garden.git('config', 'user.name', 'Ada')
    await garden.git('config', 'user.email', 'ada@example.com')
    const who = await anonymously(() => authorOf(garden))
    expect(who).toBe('Ada <ada@example.com> Ada <ada@example.com>')
  })

  test('Ralph, where git knows nobody', async () => {
    const garden = await aRepo({ a: 'a' })
    const who = await anonymously(() => authorOf(garden))
    expect(who).toBe('Ralph <ralph@localhost> Ralph <ralph@localhost>')
  })
})

describe('what does not run', () => {
  test('hooks and signing', async () => {
    const garden = await aRepo({ a: 'a' })
    for (const hook of [
      'pre-commit',
      'commit-msg',
      'prepare-commit-msg',
      'post-commit',
      'reference-transaction',
    ]) {
      garden.write({
        [`.git/hooks/${hook}`]: `#!/bin/sh\necho ${hook} >> ${garden.path('.git/fired')}\nexit 1\n`,
      })
      await garden.sh('chmod', '+x', `.git/hooks/${hook}`)
    }
    await garden.git('config', 'commit.gpgSign', 'true')
    await garden.git('config', 'gpg.program', garden.path('.git/hooks/pre-commit'))
    garden.write({ a: 'b' })
    const { sha, problem } = await commit(garden)
    expect([sha, problem, exists(garden.path('.git/fired'))]).toEqual([await head(garden), null, false])
  })

  test('a filter of the repository itself: its files are refused rather than committed raw', async () => {
    const garden = await aRepo({ a: 'a', '.gitattributes': '*.enc filter=mine\n' })
    await garden.git('config', 'filter.mine.clean', `touch ${garden.path('.git/fired')}; cat`)
    garden.write({ 'x.enc': 'plain' })
    const done = await commit(garden)
    expect(done).toEqual({
      sha: null,
      files: 0,
      problem: 'x.enc wants the filter "mine" of .git/config, which Ralph does not start: commit it yourself',
    })
    expect(exists(garden.path('.git/fired'))).toBe(false)
    removeIfThere(garden.path('x.enc'))
    garden.write({ a: 'b' })
    expect((await commit(garden)).problem).toBeNull()
  })
})
