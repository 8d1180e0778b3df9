import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { newAbort } from '../../system/process/errand.ts'
import {
  exists,
  hashFile,
  listFolder,
  readIfThere,
  removeIfThere,
  writeLoose,
} from '../../system/files/files.ts'
import { aFolder, aRepo, clearGardens, gardenAt, type Garden } from '../../../test/kit/workspace.ts'
import { openRepo } from '../repo/git.ts'
import { takeSnapshot } from './snapshot.ts'

afterAll(clearGardens)

async function snap(garden: Garden, ref: string | null = null) {
  return takeSnapshot(await openRepo(garden.root, garden), { ref })
}

/** Path → content hash, as git lists a tree. */
async function listTree(garden: Garden, tree: string): Promise<string[]> {
  return (await garden.git('ls-tree', '-r', '--name-only', tree)).split('\n').filter((line) => line !== '')
}

/** Everything of the user's that a snapshot must not touch. */
async function belongings(garden: Garden) {
  return {
    index: hashFile(garden.path('.git/index')),
    head: readIfThere(garden.path('.git/HEAD')),
    refs: await garden.git('for-each-ref', 'refs/heads', 'refs/tags', 'refs/stash'),
    reflog: readIfThere(garden.path('.git/logs/HEAD')),
    stash: await garden.git('stash', 'list'),
    files: await garden.sh('sh', '-c', 'find . -path ./.git -prune -o -type f -print | sort | xargs cksum'),
  }
}

describe('what a snapshot holds', () => {
  test('tracked, changed and new files as they are; no ignored ones, nothing of .ralph', async () => {
    const garden = await aRepo({
      'a.txt': 'a',
      'b.txt': 'b',
      '.gitignore': 'out/\n',
      '.ralph/PROMPT.md': 'do',
    })
    garden.write({
      'a.txt': 'changed',
      'new/c.txt': 'c',
      'out/x': 'x',
      '.ralph/fix_plan.md': '- [ ] a',
      'p/.ralph/y': 'y',
    })
    removeIfThere(garden.path('b.txt'))
    const snapshot = await snap(garden)
    expect(snapshot).toEqual({
      tree: snapshot.tree,
      head: (await garden.git('rev-parse', 'HEAD')).trim(),
      branch: 'main',
      ref: null,
      unstored: [],
      busy: null,
    })
    expect(await listTree(garden, snapshot.tree)).toEqual(['.gitignore', 'a.txt', 'new/c.txt'])
    expect(await garden.git('show', `${snapshot.tree}:a.txt`)).toBe('changed')
  })

  test('is the tree of HEAD when nothing differs', async () => {
    const garden = await aRepo({ 'a.txt': 'a', 'sub/b.txt': 'b' })
    expect((await snap(garden)).tree).toBe((await garden.git('rev-parse', 'HEAD^{tree}')).trim())
  })

  test('is the same whether a change is unstaged, staged or committed', async () => {
    const garden = await aRepo({ 'a.txt': 'a' })
    garden.write({ 'a.txt': 'new', 'b.txt': 'b' })
    const unstaged = await snap(garden)
    await garden.git('add', '-A')
    const staged = await snap(garden)
    await garden.commit('all')
    const committed = await snap(garden)
    expect([staged.tree, committed.tree]).toEqual([unstaged.tree, unstaged.tree])
    expect(committed.head).not.toBe(unstaged.head)
  })

  test('follows one change after the other, back to the same hash', async () => {
    const garden = await aRepo({ 'a.txt': 'a' })
    const first = await snap(garden)
    garden.write({ 'new.txt': 'n' })
    const second = await snap(garden)
    garden.write({ 'new.txt': 'm' })
    const third = await snap(garden)
    removeIfThere(garden.path('new.txt'))
    const last = await snap(garden)
    expect(new Set([first.tree, second.tree, third.tree]).size).toBe(3)
    expect(last.tree).toBe(first.tree)
  })

  test('new files that become ignored leave it', async () => {
    const garden = await aRepo({ 'a.txt': 'a' })
    garden.write({ 'junk/x': 'x' })
    expect(await listTree(garden, (await snap(garden)).tree)).toEqual(['a.txt', 'junk/x'])
    garden.write({ '.gitignore': 'junk/\n' })
    expect(await listTree(garden, (await snap(garden)).tree)).toEqual(['.gitignore', 'a.txt'])
  })

  test('a file replaced by a folder, and a folder by a file', async () => {
    const garden = await aRepo({ a: 'file', 'b/inner': 'x' })
    await garden.sh('rm', '-rf', 'a', 'b')
    garden.write({ 'a/inner': 'y', b: 'file' })
    expect(await listTree(garden, (await snap(garden)).tree)).toEqual(['a/inner', 'b'])
  })

  test('names with spaces, quotes, newlines, leading dashes and bytes that are not UTF-8', async () => {
    const garden = await aRepo({ 'a.txt': 'a' })
    garden.write({ 'with space': '1', 'quo"te': '2', 'new\nline': '3', '-rf': '4', ':(top)x': '5' })
    await garden.sh('sh', '-c', 'printf 6 > "$(printf "lat\\351in")"')
    const { tree } = await snap(garden)
    const names = (await garden.git('ls-tree', '-r', '-z', '--name-only', tree))
      .split('\0')
      .filter((name) => name !== '')
    expect(names.sort()).toEqual(
      [':(top)x', '-rf', 'a.txt', 'lat\uFFFDin', 'new\nline', 'quo"te', 'with space'].sort(),
    )
    expect((await snap(garden)).tree).toBe(tree)
  })

  test('links and executable bits', async () => {
    const garden = await aRepo({ run: '#!/bin/sh' })
    await garden.sh('ln', '-s', 'run', 'link')
    await garden.sh('chmod', '+x', 'run')
    const { tree } = await snap(garden)
    const modes = (await garden.git('ls-tree', tree))
      .split('\n')
      .map((line) => line.replace(/ blob \w+\t/, ' '))
    expect(modes).toEqual(['120000 link', '100755 run', ''])
  })

  test('a change that hides behind assume-unchanged or skip-worktree is seen', async () => {
    const garden = await aRepo({ 'a.txt': 'a', 'b.txt': 'b' })
    await garden.git('update-index', '--assume-unchanged', 'a.txt')
    await garden.git('update-index', '--skip-worktree', 'b.txt')
    garden.write({ 'a.txt': 'hidden', 'b.txt': 'hidden' })
    const { tree } = await snap(garden)
    expect(await garden.git('show', `${tree}:a.txt`, `${tree}:b.txt`)).toBe('hiddenhidden')
  })

  test('so is a file gone behind assume-unchanged, and a link to nowhere behind skip-worktree', async () => {
    const garden = await aRepo({ 'a.txt': 'a', 'b.txt': 'b' })
    await garden.git('update-index', '--assume-unchanged', 'a.txt')
    await garden.git('update-index', '--skip-worktree', 'b.txt')
    await garden.sh('sh', '-c', 'rm a.txt b.txt && ln -s nowhere b.txt')
    const { tree } = await snap(garden)
    expect(await garden.git('ls-tree', tree)).toMatch(/^120000 blob \w+\tb\.txt\n$/)
  })

  test('a change of the same length within the same instant is seen', async () => {
    const garden = await aRepo({ 'a.txt': '0000' })
    for (let i = 1; i <= 5; i++) {
      garden.write({ 'a.txt': `000${i}` })
      expect(await garden.git('show', `${(await snap(garden)).tree}:a.txt`)).toBe(`000${i}`)
    }
  })
})

describe('the user notices nothing', () => {
  test('index, refs, stash, reflog and files stay as they are, byte for byte', async () => {
    const garden = await aRepo({ 'a.txt': 'a', 'b.txt': 'b' })
    garden.write({ 'b.txt': 'stashed' })
    await garden.git('stash')
    garden.write({ 'a.txt': 'staged' })
    await garden.git('add', 'a.txt')
    garden.write({ 'a.txt': 'unstaged', 'new.txt': 'n', '.env': 'KEY=1' })
    const before = await belongings(garden)
    await snap(garden, 'refs/ralph/r1/1')
    await snap(garden, 'refs/ralph/r1/2')
    expect(await belongings(garden)).toEqual(before)
  })

  test('the ref keeps the tree through a garbage collection', async () => {
    const garden = await aRepo({ 'a.txt': 'a' })
    garden.write({ 'new.txt': 'kept' })
    const { tree, ref } = await snap(garden, 'refs/ralph/r1/1')
    await garden.git('gc', '-q', '--prune=now')
    expect(ref).toBe('refs/ralph/r1/1')
    expect(await garden.git('show', `${tree}:new.txt`)).toBe('kept')
    const about = await garden.git('log', '-1', '--format=%an <%ae> %P', 'refs/ralph/r1/1')
    expect(about.trim()).toBe(`Ralph <ralph@localhost> ${(await garden.git('rev-parse', 'HEAD')).trim()}`)
  })

  test('a snapshot without a ref survives the collection of its objects', async () => {
    const garden = await aRepo({ 'a.txt': 'a' })
    garden.write({ 'new.txt': 'n' })
    const before = await snap(garden)
    await garden.git('gc', '-q', '--prune=now')
    garden.write({ 'other.txt': 'o' })
    const after = await snap(garden, 'refs/ralph/r1/1')
    expect(await listTree(garden, after.tree)).toEqual(['a.txt', 'new.txt', 'other.txt'])
    expect(after.tree).not.toBe(before.tree)
    await garden.git('fsck', '--strict')
  })

  test('planted hooks, monitors and filters do not run', async () => {
    const garden = await aRepo({ 'a.txt': 'a', '.gitattributes': '*.txt filter=evil diff=evil\n' })
    const fired = join(garden.root, '.git', 'fired')
    const script = `#!/bin/sh\necho "$0" >> ${fired}\ncat\n`
    for (const hook of ['post-index-change', 'reference-transaction', 'pre-commit', 'fsmonitor-watchman']) {
      garden.write({ [`.git/hooks/${hook}`]: script })
      await garden.sh('chmod', '+x', `.git/hooks/${hook}`)
    }
    const evil = garden.path('.git/hooks/pre-commit')
    for (const key of [
      'core.fsmonitor',
      'filter.evil.clean',
      'filter.evil.smudge',
      'diff.evil.textconv',
      'diff.external',
    ]) {
      await garden.git('config', key, evil)
    }
    removeIfThere(fired)
    garden.write({ 'a.txt': 'changed', 'b.txt': 'b' })
    const { tree } = await snap(garden, 'refs/ralph/r1/1')
    expect(exists(fired)).toBe(false)
    expect(await garden.git('cat-file', 'blob', `${tree}:a.txt`)).toBe('changed')
  })
})

describe('what is hashed and not stored', () => {
  test('secrets, by their names, also when tracked', async () => {
    const garden = await aRepo({ 'a.txt': 'a', 'server.key': 'old' })
    garden.write({ '.env': 'KEY=1', '.env.example': 'KEY=', 'server.key': 'new' })
    const first = await snap(garden)
    expect(first.unstored).toEqual(['.env', 'server.key'])
    expect(await listTree(garden, first.tree)).toEqual([
      '.env.example',
      '.ralph/snapshot.json',
      'a.txt',
      'server.key',
    ])
    expect(await garden.git('show', `${first.tree}:server.key`)).toBe('old')
    const found = await garden.git('cat-file', '--batch-all-objects', '--batch', '--unordered')
    expect(found).not.toContain('KEY=1')
    garden.write({ '.env': 'KEY=2' })
    const second = await snap(garden)
    garden.write({ '.env': 'KEY=1' })
    expect(second.tree).not.toBe(first.tree)
    expect((await snap(garden)).tree).toBe(first.tree)
  })

  test.each([1, 30])('%i that cannot be read do not hide a change of another', async (many) => {
    const keys = Array.from({ length: many }, (_, i) => `${i}.key`)
    const garden = await aRepo(Object.fromEntries(keys.map((key) => [key, 'k'])))
    garden.write({ '.env': 'KEY=1' })
    await garden.sh('sh', '-c', 'for key in *.key; do rm $key; mkfifo $key; done')
    const first = await snap(garden)
    const same = await snap(garden)
    garden.write({ '.env': 'KEY=2' })
    const other = await snap(garden)
    expect([same.tree === first.tree, other.tree === first.tree]).toEqual([true, false])
  })

  test('files over the size limit', async () => {
    const garden = await aRepo({ 'a.txt': 'a' })
    garden.write({ big: 'x'.repeat(2000), small: 'x' })
    const repo = await openRepo(garden.root, garden)
    const first = await takeSnapshot(repo, { ref: null, limits: { fileBytes: 1000 } })
    garden.write({ big: 'y'.repeat(2000) })
    const second = await takeSnapshot(repo, { ref: null, limits: { fileBytes: 1000 } })
    expect([first.unstored, second.unstored]).toEqual([['big'], ['big']])
    expect(second.tree).not.toBe(first.tree)
    expect(await listTree(garden, first.tree)).toEqual(['.ralph/snapshot.json', 'a.txt', 'small'])
  })

  test('a file of gigabytes, which nobody reads: a change of it is seen by its size, times and number', async () => {
    const garden = await aRepo({ 'a.txt': 'a' })
    await garden.sh('truncate', '-s', '20G', 'big.bin')
    const first = await snap(garden)
    const same = await snap(garden)
    await garden.sh('sh', '-c', 'touch -r a.txt before && printf x | dd of=big.bin conv=notrunc status=none')
    await garden.sh('touch', '-r', 'before', 'big.bin')
    await garden.sh('rm', 'before')
    const other = await snap(garden)
    expect([first.unstored, same.tree]).toEqual([['big.bin'], first.tree])
    expect(other.tree).not.toBe(first.tree)
  })

  test('crowds of new files, while the rest is still stored', async () => {
    const garden = await aRepo({ 'a.txt': 'a' })
    const repo = await openRepo(garden.root, garden)
    garden.write({ 'src/new.ts': 'n', 'node_modules/a/1.js': '1', 'node_modules/a/2.js': '2' })
    const few = await takeSnapshot(repo, { ref: null, limits: { files: 4 } })
    garden.write({ 'node_modules/b/3.js': '3', 'node_modules/b/4.js': '4' })
    const many = await takeSnapshot(repo, { ref: null, limits: { files: 4 } })
    garden.write({ 'node_modules/b/4.js': '5' })
    const other = await takeSnapshot(repo, { ref: null, limits: { files: 4 } })
    expect([few.unstored, many.unstored]).toEqual([[], ['node_modules/ (4 files)']])
    expect(await listTree(garden, many.tree)).toEqual(['.ralph/snapshot.json', 'a.txt', 'src/new.ts'])
    expect(other.tree).not.toBe(many.tree)
  })
})

describe('repositories in every state', () => {
  test('no commits yet', async () => {
    const garden = await aRepo()
    garden.write({ 'a.txt': 'a' })
    const snapshot = await snap(garden, 'refs/ralph/r1/1')
    expect(snapshot).toEqual({
      tree: snapshot.tree,
      head: null,
      branch: 'main',
      ref: 'refs/ralph/r1/1',
      unstored: [],
      busy: null,
    })
    expect(await listTree(garden, snapshot.tree)).toEqual(['a.txt'])
  })

  test('an empty repository', async () => {
    expect((await snap(await aRepo())).tree).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904')
  })

  test('detached HEAD', async () => {
    const garden = await aRepo({ 'a.txt': 'a' })
    await garden.git('checkout', '-q', '--detach')
    expect((await snap(garden)).branch).toBeNull()
  })

  test('a project in a subfolder sees the whole repository', async () => {
    const garden = await aRepo({ 'a.txt': 'a', 'p/b.txt': 'b' })
    garden.write({ 'c.txt': 'c', 'p/.ralph/x': 'x' })
    const { tree } = await snap(gardenAt(garden.path('p')))
    expect(await listTree(garden, tree)).toEqual(['a.txt', 'c.txt', 'p/b.txt'])
  })

  test('a linked worktree has its own', async () => {
    const garden = await aRepo({ 'a.txt': 'a' })
    await garden.git('worktree', 'add', '-q', '-b', 'side', 'linked')
    const linked = gardenAt(garden.path('linked'))
    linked.write({ 'b.txt': 'b' })
    const snapshot = await snap(linked, 'refs/ralph/r1/1')
    expect([snapshot.branch, await listTree(linked, snapshot.tree)]).toEqual(['side', ['a.txt', 'b.txt']])
  })

  test('a sparse checkout has all of it', async () => {
    const garden = await aRepo({ 'a/x': 'x', 'b/y': 'y' })
    await garden.git('sparse-checkout', 'set', 'a')
    garden.write({ 'a/x': 'changed' })
    const { tree } = await snap(garden)
    expect([await listTree(garden, tree), exists(garden.path('b/y'))]).toEqual([['a/x', 'b/y'], false])
    expect(await garden.git('show', `${tree}:a/x`, `${tree}:b/y`)).toBe('changedy')
  })

  test('a sha256 repository', async () => {
    const garden = aFolder()
    await garden.git('init', '-q', '--object-format=sha256', '-b', 'main')
    garden.write({ 'a.txt': 'a', '.env': 'x' })
    const first = await snap(garden, 'refs/ralph/r1/1')
    removeIfThere(garden.path('.env'))
    const second = await snap(garden, 'refs/ralph/r1/2')
    expect(await listTree(garden, first.tree)).toEqual(['.ralph/snapshot.json', 'a.txt'])
    expect(await listTree(garden, second.tree)).toEqual(['a.txt'])
  })

  test('unmerged paths are taken as they lie there, and the merge is named', async () => {
    const garden = await aRepo({ 'a.txt': 'a' })
    await garden.git('checkout', '-q', '-b', 'side')
    garden.write({ 'a.txt': 'side' })
    await garden.commit('side')
    await garden.git('checkout', '-q', 'main')
    garden.write({ 'a.txt': 'main' })
    await garden.commit('main')
    await expect(garden.git('merge', 'side')).rejects.toThrow()
    const snapshot = await snap(garden)
    expect(snapshot.busy).toBe('a merge is in progress')
    expect(await garden.git('show', `${snapshot.tree}:a.txt`)).toContain('<<<<<<< HEAD')
  })

  test.each([
    ['CHERRY_PICK_HEAD', 'a cherry-pick is in progress'],
    ['BISECT_LOG', 'a bisect is in progress'],
  ])('%s makes it busy', async (file, busy) => {
    const garden = await aRepo({ 'a.txt': 'a' })
    writeLoose(garden.path(`.git/${file}`), '')
    expect((await snap(garden)).busy).toBe(busy)
  })

  test('submodules and nested repositories are joined in', async () => {
    const inner = await aRepo({ 'in.txt': 'i' })
    const garden = await aRepo({ 'a.txt': 'a' })
    await garden.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub')
    await garden.commit('with sub')
    await garden.git('clone', '-q', inner.root, 'nested')
    const first = await snap(garden)
    garden.write({ 'sub/in.txt': 'changed' })
    const second = await snap(garden)
    garden.write({ 'nested/more.txt': 'more' })
    const third = await snap(garden)
    await garden.git('-C', 'sub', 'checkout', '-q', '.')
    removeIfThere(garden.path('nested/more.txt'))
    expect(new Set([first.tree, second.tree, third.tree]).size).toBe(3)
    expect((await snap(garden)).tree).toBe(first.tree)
  })

  test('a submodule that moved on is the same whether its parent has noted it or not', async () => {
    const inner = await aRepo({ 'in.txt': 'i' })
    const garden = await aRepo({ 'a.txt': 'a' })
    await garden.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub')
    await garden.commit('with sub')
    const before = await snap(garden)
    await garden.git('-C', 'sub', 'commit', '-q', '--allow-empty', '-m', 'on')
    const moved = await snap(garden)
    await garden.commit('noted')
    expect(moved.tree).not.toBe(before.tree)
    expect((await snap(garden)).tree).toBe(moved.tree)
  })

  test('an index left behind by a killed process is removed', async () => {
    const garden = await aRepo({ 'a.txt': 'a' })
    const child = await garden.sh('sh', '-c', 'echo $$')
    writeLoose(garden.path(`.git/ralph-index-${child.trim()}`), 'x')
    await snap(garden)
    const left = listFolder(garden.path('.git')).filter((name) => name.startsWith('ralph-'))
    expect(left).toEqual([expect.stringMatching(new RegExp(`^ralph-index-${process.pid}-\\w{4}$`))])
  })
})

describe('without git', () => {
  test('a hash over the files, without node_modules and .ralph', async () => {
    const garden = aFolder({ 'a.txt': 'a', 'sub/b.txt': 'b', 'node_modules/x': 'x', '.ralph/y': 'y' })
    await garden.sh('ln', '-s', '..', 'sub/up')
    await garden.sh('ln', '-s', 'nowhere', 'dangling')
    const first = await snap(garden)
    garden.write({ 'node_modules/x': 'changed' })
    const same = await snap(garden)
    garden.write({ 'sub/b.txt': 'c' })
    const other = await snap(garden)
    expect(first).toEqual({ tree: first.tree, head: null, branch: null, ref: null, unstored: [], busy: null })
    expect(first.tree).toMatch(/^files:[0-9a-f]{64}$/)
    expect(same.tree).toBe(first.tree)
    expect(other.tree).not.toBe(first.tree)
  })

  test('a file of gigabytes is not read', async () => {
    const garden = aFolder({ 'a.txt': 'a' })
    await garden.sh('truncate', '-s', '20G', 'big.bin')
    const first = await snap(garden)
    const same = await snap(garden)
    await garden.sh('truncate', '-s', '21G', 'big.bin')
    expect([same.tree, (await snap(garden)).tree === first.tree]).toEqual([first.tree, false])
  })

  test('a walk over many files ends when it is called off', async () => {
    const garden = aFolder({ 'a.txt': 'a', 'b.txt': 'b' })
    const controller = newAbort()
    const repo = { ...(await openRepo(garden.root, garden)), by: { mark: 'e1', signal: controller.signal } }
    const walk = takeSnapshot(repo, { ref: null })
    controller.abort()
    await expect(walk).rejects.toThrow('aborted')
  })

  test('an empty file and a pipe with a name are seen, and nobody waits for them', async () => {
    const garden = aFolder({ 'a.txt': 'a' })
    const first = await snap(garden)
    garden.write({ empty: '' })
    const second = await snap(garden)
    await garden.sh('mkfifo', 'pipe')
    const third = await snap(garden)
    expect(new Set([first.tree, second.tree, third.tree]).size).toBe(3)
  })
})
