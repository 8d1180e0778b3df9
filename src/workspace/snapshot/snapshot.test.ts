import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { newAbortController } from '../../system/process/git-context.ts'
import {
  exists,
  hashFile,
  listFolder,
  readIfExists,
  removeIfExists,
  writeWithoutSync,
} from '../../system/files/files.ts'
import { aFolder, aRepo, removeTestProjects, testProjectAt, type TestProject } from '../../../test/kit/workspace.ts'
import { openRepo } from '../repo/git.ts'
import { takeSnapshot } from './snapshot.ts'

afterAll(removeTestProjects)

async function snap(testProject: TestProject, ref: string | null = null) {
  return takeSnapshot(await openRepo(testProject.root, testProject), { ref })
}

/** Path → content hash, as git lists a tree. */
async function listTree(testProject: TestProject, tree: string): Promise<string[]> {
  return (await testProject.git('ls-tree', '-r', '--name-only', tree)).split('\n').filter((line) => line !== '')
}

/** Everything of the user's that a snapshot must not touch. */
async function belongings(testProject: TestProject) {
  return {
    index: hashFile(testProject.path('.git/index')),
    head: readIfExists(testProject.path('.git/HEAD')),
    refs: await testProject.git('for-each-ref', 'refs/heads', 'refs/tags', 'refs/stash'),
    reflog: readIfExists(testProject.path('.git/logs/HEAD')),
    stash: await testProject.git('stash', 'list'),
    files: await testProject.sh('sh', '-c', 'find . -path ./.git -prune -o -type f -print | sort | xargs cksum'),
  }
}

describe('what a snapshot holds', () => {
  test('tracked, changed and new files as they are; no ignored ones, nothing of .ralph', async () => {
    const testProject = await aRepo({
      'a.txt': 'a',
      'b.txt': 'b',
      '.gitignore': 'out/\n',
      '.ralph/PROMPT.md': 'do',
    })
    testProject.write({
      'a.txt': 'changed',
      'new/c.txt': 'c',
      'out/x': 'x',
      '.ralph/fix_plan.md': '- [ ] a',
      'p/.ralph/y': 'y',
    })
    removeIfExists(testProject.path('b.txt'))
    const snapshot = await snap(testProject)
    expect(snapshot).toEqual({
      tree: snapshot.tree,
      head: (await testProject.git('rev-parse', 'HEAD')).trim(),
      branch: 'main',
      ref: null,
      unstored: [],
      busy: null,
    })
    expect(await listTree(testProject, snapshot.tree)).toEqual(['.gitignore', 'a.txt', 'new/c.txt'])
    expect(await testProject.git('show', `${snapshot.tree}:a.txt`)).toBe('changed')
  })

  test('is the tree of HEAD when nothing differs', async () => {
    const testProject = await aRepo({ 'a.txt': 'a', 'sub/b.txt': 'b' })
    expect((await snap(testProject)).tree).toBe((await testProject.git('rev-parse', 'HEAD^{tree}')).trim())
  })

  test('is the same whether a change is unstaged, staged or committed', async () => {
    const testProject = await aRepo({ 'a.txt': 'a' })
    testProject.write({ 'a.txt': 'new', 'b.txt': 'b' })
    const unstaged = await snap(testProject)
    await testProject.git('add', '-A')
    const staged = await snap(testProject)
    await testProject.commit('all')
    const committed = await snap(testProject)
    expect([staged.tree, committed.tree]).toEqual([unstaged.tree, unstaged.tree])
    expect(committed.head).not.toBe(unstaged.head)
  })

  test('follows one change after the other, back to the same hash', async () => {
    const testProject = await aRepo({ 'a.txt': 'a' })
    const first = await snap(testProject)
    testProject.write({ 'new.txt': 'n' })
    const second = await snap(testProject)
    testProject.write({ 'new.txt': 'm' })
    const third = await snap(testProject)
    removeIfExists(testProject.path('new.txt'))
    const last = await snap(testProject)
    expect(new Set([first.tree, second.tree, third.tree]).size).toBe(3)
    expect(last.tree).toBe(first.tree)
  })

  test('new files that become ignored leave it', async () => {
    const testProject = await aRepo({ 'a.txt': 'a' })
    testProject.write({ 'junk/x': 'x' })
    expect(await listTree(testProject, (await snap(testProject)).tree)).toEqual(['a.txt', 'junk/x'])
    testProject.write({ '.gitignore': 'junk/\n' })
    expect(await listTree(testProject, (await snap(testProject)).tree)).toEqual(['.gitignore', 'a.txt'])
  })

  test('a file replaced by a folder, and a folder by a file', async () => {
    const testProject = await aRepo({ a: 'file', 'b/inner': 'x' })
    await testProject.sh('rm', '-rf', 'a', 'b')
    testProject.write({ 'a/inner': 'y', b: 'file' })
    expect(await listTree(testProject, (await snap(testProject)).tree)).toEqual(['a/inner', 'b'])
  })

  test('names with spaces, quotes, newlines, leading dashes and bytes that are not UTF-8', async () => {
    const testProject = await aRepo({ 'a.txt': 'a' })
    testProject.write({ 'with space': '1', 'quo"te': '2', 'new\nline': '3', '-rf': '4', ':(top)x': '5' })
    await testProject.sh('sh', '-c', 'printf 6 > "$(printf "lat\\351in")"')
    const { tree } = await snap(testProject)
    const names = (await testProject.git('ls-tree', '-r', '-z', '--name-only', tree))
      .split('\0')
      .filter((name) => name !== '')
    expect(names.sort()).toEqual([':(top)x', '-rf', 'a.txt', 'lat\uFFFDin', 'new\nline', 'quo"te', 'with space'].sort())
    expect((await snap(testProject)).tree).toBe(tree)
  })

  test('links and executable bits', async () => {
    const testProject = await aRepo({ run: '#!/bin/sh' })
    await testProject.sh('ln', '-s', 'run', 'link')
    await testProject.sh('chmod', '+x', 'run')
    const { tree } = await snap(testProject)
    const modes = (await testProject.git('ls-tree', tree)).split('\n').map((line) => line.replace(/ blob \w+\t/, ' '))
    expect(modes).toEqual(['120000 link', '100755 run', ''])
  })

  test('a change that hides behind assume-unchanged or skip-worktree is seen', async () => {
    const testProject = await aRepo({ 'a.txt': 'a', 'b.txt': 'b' })
    await testProject.git('update-index', '--assume-unchanged', 'a.txt')
    await testProject.git('update-index', '--skip-worktree', 'b.txt')
    testProject.write({ 'a.txt': 'hidden', 'b.txt': 'hidden' })
    const { tree } = await snap(testProject)
    expect(await testProject.git('show', `${tree}:a.txt`, `${tree}:b.txt`)).toBe('hiddenhidden')
  })

  test('so is a file gone behind assume-unchanged, and a link to nowhere behind skip-worktree', async () => {
    const testProject = await aRepo({ 'a.txt': 'a', 'b.txt': 'b' })
    await testProject.git('update-index', '--assume-unchanged', 'a.txt')
    await testProject.git('update-index', '--skip-worktree', 'b.txt')
    await testProject.sh('sh', '-c', 'rm a.txt b.txt && ln -s nowhere b.txt')
    const { tree } = await snap(testProject)
    expect(await testProject.git('ls-tree', tree)).toMatch(/^120000 blob \w+\tb\.txt\n$/)
  })

  test('a change of the same length within the same instant is seen', async () => {
    const testProject = await aRepo({ 'a.txt': '0000' })
    for (let i = 1; i <= 5; i++) {
      testProject.write({ 'a.txt': `000${i}` })
      expect(await testProject.git('show', `${(await snap(testProject)).tree}:a.txt`)).toBe(`000${i}`)
    }
  })
})

describe('the user notices nothing', () => {
  test('index, refs, stash, reflog and files stay as they are, byte for byte', async () => {
    const testProject = await aRepo({ 'a.txt': 'a', 'b.txt': 'b' })
    testProject.write({ 'b.txt': 'stashed' })
    await testProject.git('stash')
    testProject.write({ 'a.txt': 'staged' })
    await testProject.git('add', 'a.txt')
    testProject.write({ 'a.txt': 'unstaged', 'new.txt': 'n', '.env': 'KEY=1' })
    const before = await belongings(testProject)
    await snap(testProject, 'refs/ralph/r1/1')
    await snap(testProject, 'refs/ralph/r1/2')
    expect(await belongings(testProject)).toEqual(before)
  })

  test('the ref keeps the tree through a garbage collection', async () => {
    const testProject = await aRepo({ 'a.txt': 'a' })
    testProject.write({ 'new.txt': 'kept' })
    const { tree, ref } = await snap(testProject, 'refs/ralph/r1/1')
    await testProject.git('gc', '-q', '--prune=now')
    expect(ref).toBe('refs/ralph/r1/1')
    expect(await testProject.git('show', `${tree}:new.txt`)).toBe('kept')
    const about = await testProject.git('log', '-1', '--format=%an <%ae> %P', 'refs/ralph/r1/1')
    expect(about.trim()).toBe(`Ralph <ralph@localhost> ${(await testProject.git('rev-parse', 'HEAD')).trim()}`)
  })

  test('a snapshot without a ref survives the collection of its objects', async () => {
    const testProject = await aRepo({ 'a.txt': 'a' })
    testProject.write({ 'new.txt': 'n' })
    const before = await snap(testProject)
    await testProject.git('gc', '-q', '--prune=now')
    testProject.write({ 'other.txt': 'o' })
    const after = await snap(testProject, 'refs/ralph/r1/1')
    expect(await listTree(testProject, after.tree)).toEqual(['a.txt', 'new.txt', 'other.txt'])
    expect(after.tree).not.toBe(before.tree)
    await testProject.git('fsck', '--strict')
  })

  test('planted hooks, monitors and filters do not run', async () => {
    const testProject = await aRepo({ 'a.txt': 'a', '.gitattributes': '*.txt filter=evil diff=evil\n' })
    const fired = join(testProject.root, '.git', 'fired')
    const script = `#!/bin/sh\necho "$0" >> ${fired}\ncat\n`
    for (const hook of ['post-index-change', 'reference-transaction', 'pre-commit', 'fsmonitor-watchman']) {
      testProject.write({ [`.git/hooks/${hook}`]: script })
      await testProject.sh('chmod', '+x', `.git/hooks/${hook}`)
    }
    const evil = testProject.path('.git/hooks/pre-commit')
    for (const key of [
      'core.fsmonitor',
      'filter.evil.clean',
      'filter.evil.smudge',
      'diff.evil.textconv',
      'diff.external',
    ]) {
      await testProject.git('config', key, evil)
    }
    removeIfExists(fired)
    testProject.write({ 'a.txt': 'changed', 'b.txt': 'b' })
    const { tree } = await snap(testProject, 'refs/ralph/r1/1')
    expect(exists(fired)).toBe(false)
    expect(await testProject.git('cat-file', 'blob', `${tree}:a.txt`)).toBe('changed')
  })
})

describe('what is hashed and not stored', () => {
  test('secrets, by their names, also when tracked', async () => {
    const testProject = await aRepo({ 'a.txt': 'a', 'server.key': 'old' })
    testProject.write({ '.env': 'KEY=1', '.env.example': 'KEY=', 'server.key': 'new' })
    const first = await snap(testProject)
    expect(first.unstored).toEqual(['.env', 'server.key'])
    expect(await listTree(testProject, first.tree)).toEqual([
      '.env.example',
      '.ralph/snapshot.json',
      'a.txt',
      'server.key',
    ])
    expect(await testProject.git('show', `${first.tree}:server.key`)).toBe('old')
    const found = await testProject.git('cat-file', '--batch-all-objects', '--batch', '--unordered')
    expect(found).not.toContain('KEY=1')
    testProject.write({ '.env': 'KEY=2' })
    const second = await snap(testProject)
    testProject.write({ '.env': 'KEY=1' })
    expect(second.tree).not.toBe(first.tree)
    expect((await snap(testProject)).tree).toBe(first.tree)
  })

  test.each([1, 30])('%i that cannot be read do not hide a change of another', async (many) => {
    const keys = Array.from({ length: many }, (_, i) => `${i}.key`)
    const testProject = await aRepo(Object.fromEntries(keys.map((key) => [key, 'k'])))
    testProject.write({ '.env': 'KEY=1' })
    await testProject.sh('sh', '-c', 'for key in *.key; do rm $key; mkfifo $key; done')
    const first = await snap(testProject)
    const same = await snap(testProject)
    testProject.write({ '.env': 'KEY=2' })
    const other = await snap(testProject)
    expect([same.tree === first.tree, other.tree === first.tree]).toEqual([true, false])
  })

  test('files over the size limit', async () => {
    const testProject = await aRepo({ 'a.txt': 'a' })
    testProject.write({ big: 'x'.repeat(2000), small: 'x' })
    const repo = await openRepo(testProject.root, testProject)
    const first = await takeSnapshot(repo, { ref: null, limits: { fileBytes: 1000 } })
    testProject.write({ big: 'y'.repeat(2000) })
    const second = await takeSnapshot(repo, { ref: null, limits: { fileBytes: 1000 } })
    expect([first.unstored, second.unstored]).toEqual([['big'], ['big']])
    expect(second.tree).not.toBe(first.tree)
    expect(await listTree(testProject, first.tree)).toEqual(['.ralph/snapshot.json', 'a.txt', 'small'])
  })

  test('a file of gigabytes, which nobody reads: a change of it is seen by its size, times and number', async () => {
    const testProject = await aRepo({ 'a.txt': 'a' })
    await testProject.sh('truncate', '-s', '20G', 'big.bin')
    const first = await snap(testProject)
    const same = await snap(testProject)
    await testProject.sh('sh', '-c', 'touch -r a.txt before && printf x | dd of=big.bin conv=notrunc status=none')
    await testProject.sh('touch', '-r', 'before', 'big.bin')
    await testProject.sh('rm', 'before')
    const other = await snap(testProject)
    expect([first.unstored, same.tree]).toEqual([['big.bin'], first.tree])
    expect(other.tree).not.toBe(first.tree)
  })

  test('crowds of new files, while the rest is still stored', async () => {
    const testProject = await aRepo({ 'a.txt': 'a' })
    const repo = await openRepo(testProject.root, testProject)
    testProject.write({ 'src/new.ts': 'n', 'node_modules/a/1.js': '1', 'node_modules/a/2.js': '2' })
    const few = await takeSnapshot(repo, { ref: null, limits: { files: 4 } })
    testProject.write({ 'node_modules/b/3.js': '3', 'node_modules/b/4.js': '4' })
    const many = await takeSnapshot(repo, { ref: null, limits: { files: 4 } })
    testProject.write({ 'node_modules/b/4.js': '5' })
    const other = await takeSnapshot(repo, { ref: null, limits: { files: 4 } })
    expect([few.unstored, many.unstored]).toEqual([[], ['node_modules/ (4 files)']])
    expect(await listTree(testProject, many.tree)).toEqual(['.ralph/snapshot.json', 'a.txt', 'src/new.ts'])
    expect(other.tree).not.toBe(many.tree)
  })
})

describe('repositories in every state', () => {
  test('no commits yet', async () => {
    const testProject = await aRepo()
    testProject.write({ 'a.txt': 'a' })
    const snapshot = await snap(testProject, 'refs/ralph/r1/1')
    expect(snapshot).toEqual({
      tree: snapshot.tree,
      head: null,
      branch: 'main',
      ref: 'refs/ralph/r1/1',
      unstored: [],
      busy: null,
    })
    expect(await listTree(testProject, snapshot.tree)).toEqual(['a.txt'])
  })

  test('an empty repository', async () => {
    expect((await snap(await aRepo())).tree).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904')
  })

  test('detached HEAD', async () => {
    const testProject = await aRepo({ 'a.txt': 'a' })
    await testProject.git('checkout', '-q', '--detach')
    expect((await snap(testProject)).branch).toBeNull()
  })

  test('a project in a subfolder sees the whole repository', async () => {
    const testProject = await aRepo({ 'a.txt': 'a', 'p/b.txt': 'b' })
    testProject.write({ 'c.txt': 'c', 'p/.ralph/x': 'x' })
    const { tree } = await snap(testProjectAt(testProject.path('p')))
    expect(await listTree(testProject, tree)).toEqual(['a.txt', 'c.txt', 'p/b.txt'])
  })

  test('a linked worktree has its own', async () => {
    const testProject = await aRepo({ 'a.txt': 'a' })
    await testProject.git('worktree', 'add', '-q', '-b', 'side', 'linked')
    const linked = testProjectAt(testProject.path('linked'))
    linked.write({ 'b.txt': 'b' })
    const snapshot = await snap(linked, 'refs/ralph/r1/1')
    expect([snapshot.branch, await listTree(linked, snapshot.tree)]).toEqual(['side', ['a.txt', 'b.txt']])
  })

  test('a sparse checkout has all of it', async () => {
    const testProject = await aRepo({ 'a/x': 'x', 'b/y': 'y' })
    await testProject.git('sparse-checkout', 'set', 'a')
    testProject.write({ 'a/x': 'changed' })
    const { tree } = await snap(testProject)
    expect([await listTree(testProject, tree), exists(testProject.path('b/y'))]).toEqual([['a/x', 'b/y'], false])
    expect(await testProject.git('show', `${tree}:a/x`, `${tree}:b/y`)).toBe('changedy')
  })

  test('a sha256 repository', async () => {
    const testProject = aFolder()
    await testProject.git('init', '-q', '--object-format=sha256', '-b', 'main')
    testProject.write({ 'a.txt': 'a', '.env': 'x' })
    const first = await snap(testProject, 'refs/ralph/r1/1')
    removeIfExists(testProject.path('.env'))
    const second = await snap(testProject, 'refs/ralph/r1/2')
    expect(await listTree(testProject, first.tree)).toEqual(['.ralph/snapshot.json', 'a.txt'])
    expect(await listTree(testProject, second.tree)).toEqual(['a.txt'])
  })

  test('unmerged paths are taken as they lie there, and the merge is named', async () => {
    const testProject = await aRepo({ 'a.txt': 'a' })
    await testProject.git('checkout', '-q', '-b', 'side')
    testProject.write({ 'a.txt': 'side' })
    await testProject.commit('side')
    await testProject.git('checkout', '-q', 'main')
    testProject.write({ 'a.txt': 'main' })
    await testProject.commit('main')
    await expect(testProject.git('merge', 'side')).rejects.toThrow()
    const snapshot = await snap(testProject)
    expect(snapshot.busy).toBe('a merge is in progress')
    expect(await testProject.git('show', `${snapshot.tree}:a.txt`)).toContain('<<<<<<< HEAD')
  })

  test.each([
    ['CHERRY_PICK_HEAD', 'a cherry-pick is in progress'],
    ['BISECT_LOG', 'a bisect is in progress'],
  ])('%s makes it busy', async (file, busy) => {
    const testProject = await aRepo({ 'a.txt': 'a' })
    writeWithoutSync(testProject.path(`.git/${file}`), '')
    expect((await snap(testProject)).busy).toBe(busy)
  })

  test('submodules and nested repositories are joined in', async () => {
    const inner = await aRepo({ 'in.txt': 'i' })
    const testProject = await aRepo({ 'a.txt': 'a' })
    await testProject.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub')
    await testProject.commit('with sub')
    await testProject.git('clone', '-q', inner.root, 'nested')
    const first = await snap(testProject)
    testProject.write({ 'sub/in.txt': 'changed' })
    const second = await snap(testProject)
    testProject.write({ 'nested/more.txt': 'more' })
    const third = await snap(testProject)
    await testProject.git('-C', 'sub', 'checkout', '-q', '.')
    removeIfExists(testProject.path('nested/more.txt'))
    expect(new Set([first.tree, second.tree, third.tree]).size).toBe(3)
    expect((await snap(testProject)).tree).toBe(first.tree)
  })

  test('a submodule that moved on is the same whether its parent has noted it or not', async () => {
    const inner = await aRepo({ 'in.txt': 'i' })
    const testProject = await aRepo({ 'a.txt': 'a' })
    await testProject.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub')
    await testProject.commit('with sub')
    const before = await snap(testProject)
    await testProject.git('-C', 'sub', 'commit', '-q', '--allow-empty', '-m', 'on')
    const moved = await snap(testProject)
    await testProject.commit('noted')
    expect(moved.tree).not.toBe(before.tree)
    expect((await snap(testProject)).tree).toBe(moved.tree)
  })

  test('an index left behind by a killed process is removed', async () => {
    const testProject = await aRepo({ 'a.txt': 'a' })
    const child = await testProject.sh('sh', '-c', 'echo $$')
    writeWithoutSync(testProject.path(`.git/ralph-index-${child.trim()}`), 'x')
    await snap(testProject)
    const left = listFolder(testProject.path('.git')).filter((name) => name.startsWith('ralph-'))
    expect(left).toEqual([expect.stringMatching(new RegExp(`^ralph-index-${process.pid}-\\w{4}$`))])
  })
})

describe('without git', () => {
  test('a hash over the files, without node_modules and .ralph', async () => {
    const testProject = aFolder({ 'a.txt': 'a', 'sub/b.txt': 'b', 'node_modules/x': 'x', '.ralph/y': 'y' })
    await testProject.sh('ln', '-s', '..', 'sub/up')
    await testProject.sh('ln', '-s', 'nowhere', 'dangling')
    const first = await snap(testProject)
    testProject.write({ 'node_modules/x': 'changed' })
    const same = await snap(testProject)
    testProject.write({ 'sub/b.txt': 'c' })
    const other = await snap(testProject)
    expect(first).toEqual({ tree: first.tree, head: null, branch: null, ref: null, unstored: [], busy: null })
    expect(first.tree).toMatch(/^files:[0-9a-f]{64}$/)
    expect(same.tree).toBe(first.tree)
    expect(other.tree).not.toBe(first.tree)
  })

  test('a file of gigabytes is not read', async () => {
    const testProject = aFolder({ 'a.txt': 'a' })
    await testProject.sh('truncate', '-s', '20G', 'big.bin')
    const first = await snap(testProject)
    const same = await snap(testProject)
    await testProject.sh('truncate', '-s', '21G', 'big.bin')
    expect([same.tree, (await snap(testProject)).tree === first.tree]).toEqual([first.tree, false])
  })

  test('a walk over many files ends when it is called off', async () => {
    const testProject = aFolder({ 'a.txt': 'a', 'b.txt': 'b' })
    const controller = newAbortController()
    const repo = {
      ...(await openRepo(testProject.root, testProject)),
      by: { mark: 'e1', signal: controller.signal },
    }
    const walk = takeSnapshot(repo, { ref: null })
    controller.abort()
    await expect(walk).rejects.toThrow('aborted')
  })

  test('an empty file and a pipe with a name are seen, and nobody waits for them', async () => {
    const testProject = aFolder({ 'a.txt': 'a' })
    const first = await snap(testProject)
    testProject.write({ empty: '' })
    const second = await snap(testProject)
    await testProject.sh('mkfifo', 'pipe')
    const third = await snap(testProject)
    expect(new Set([first.tree, second.tree, third.tree]).size).toBe(3)
  })
})
