import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { newAbortController } from '../../system/process/git-context.ts'
import { fileFingerprint } from '../../system/files/links.ts'
import { openRepo } from '../repo/git.ts'
import { type TestProject, aFolder, aRepo, removeTestProjects, testProjectAt } from '../../../test/kit/workspace.ts'
import { treeWithPathsFrom, diffTrees } from './tree-listing.ts'
import { type TreeArchive, openTreeArchive } from './tree-archive.ts'

afterAll(removeTestProjects)

function sha(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex')
}

interface Scene {
  testProject: TestProject
  folder: string
  archive: TreeArchive
  take: () => ReturnType<TreeArchive['take']>
}

async function watch(testProject: TestProject): Promise<Scene> {
  const { root: folder } = aFolder()
  const archive = openTreeArchive(folder)
  return { testProject, folder, archive, take: async () => archive.take(await openRepo(testProject.root)) }
}

const isRoot = process.getuid?.() === 0

describe('a look at the working tree', () => {
  test('has tracked and new files byte for byte, without ignored ones and ours', async () => {
    const testProject = await aRepo({ '.gitignore': 'out\n', 'a.txt': 'one', '.ralph/PROMPT.md': 'x' })
    testProject.write({ 'src/b.txt': 'two', 'out/c.txt': 'three', 'sub/.ralph/x': 'y' })
    chmodSync(testProject.path('src/b.txt'), 0o755)
    symlinkSync('a.txt', testProject.path('link'))
    const { archive, take } = await watch(testProject)
    const { id, tree } = await take()
    expect([...tree]).toEqual([
      ['.gitignore', { hash: sha('out\n'), size: 4, mode: 'file', kept: true }],
      ['a.txt', { hash: sha('one'), size: 3, mode: 'file', kept: true }],
      ['link', { hash: sha('a.txt'), size: 5, mode: 'link', kept: true }],
      ['src/b.txt', { hash: sha('two'), size: 3, mode: 'exec', kept: true }],
    ])
    expect(archive.tree(id)).toEqual(tree)
    expect(archive.bytes(sha('two')).toString()).toBe('two')
    expect(await take()).toEqual({ id, tree })
  })

  test('knows nothing of line ends, filters and LFS', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12\n`
    const testProject = await aRepo({
      '.gitattributes': '*.txt text eol=lf\n*.dat filter=shout\n*.bin filter=lfs\n*.u16 working-tree-encoding=UTF-16\n',
      'x.txt': 'x',
    })
    await testProject.git('config', 'filter.shout.clean', 'tr a-z A-Z')
    await testProject.git('config', 'filter.shout.required', 'true')
    testProject.write({
      'a.txt': 'one\r\ntwo\r\n',
      'a.dat': 'quiet',
      'a.bin': pointer,
      'b.bin': 'the real bytes',
    })
    await testProject.git('add', '-A')
    const { tree } = await (await watch(testProject)).take()
    const hashes = Object.fromEntries([...tree].map(([path, { hash }]) => [path, hash]))
    expect(hashes).toMatchObject({
      'a.txt': sha('one\r\ntwo\r\n'),
      'a.dat': sha('quiet'),
      'a.bin': sha(pointer),
      'b.bin': sha('the real bytes'),
    })
  })

  test('is not told by index flags that a file is unchanged', async () => {
    const testProject = await aRepo({ a: 'a', b: 'b', c: 'c' })
    const { take } = await watch(testProject)
    const before = (await take()).tree
    await testProject.git('update-index', '--assume-unchanged', 'a')
    await testProject.git('update-index', '--skip-worktree', 'b', 'c')
    testProject.write({ a: 'A', b: 'B' })
    rmSync(testProject.path('c'))
    expect(diffTrees(before, (await take()).tree)).toEqual([
      { path: 'a', kind: 'changed' },
      { path: 'b', kind: 'changed' },
      { path: 'c', kind: 'deleted' },
    ])
  })

  test('takes any name', async () => {
    const names = ['-rf', 'a b', 'line\nbreak', '"quoted"', "it's", 'tab\tx', 'ünï/😀', ':(glob)*', 'back\\slash']
    const testProject = await aRepo({ x: 'x' })
    testProject.write(Object.fromEntries(names.map((name) => [name, name])))
    const { take } = await watch(testProject)
    const { tree } = await take()
    expect([...tree.keys()]).toEqual([...names, 'x'].sort())
    await testProject.commit('all')
    expect((await take()).tree).toEqual(tree)
  })

  test('sees a file replaced within a moment, of the same size and with its time set back', async () => {
    const testProject = await aRepo({ a: 'one' })
    const { take } = await watch(testProject)
    for (const word of ['two', 'six', 'ten', 'odd', 'new']) {
      const { atime, mtime } = lstatSync(testProject.path('a'))
      writeFileSync(testProject.path('a'), word)
      utimesSync(testProject.path('a'), atime, mtime)
      expect((await take()).tree.get('a')?.hash).toBe(sha(word))
    }
    utimesSync(testProject.path('a'), 1, 1)
    await take()
    writeFileSync(testProject.path('b'), 'red')
    utimesSync(testProject.path('b'), 1, 1)
    renameSync(testProject.path('b'), testProject.path('a'))
    expect((await take()).tree.get('a')?.hash).toBe(sha('red'))
  })

  test('does not follow links, neither out of the tree nor in place of a folder', async () => {
    const outside = aFolder({ 'secret.txt': 'theirs', 'in.txt': 'theirs' })
    const testProject = await aRepo({ 'src/in.txt': 'mine', 'z/in.txt': 'mine' })
    symlinkSync(outside.path('secret.txt'), testProject.path('out'))
    symlinkSync('/nowhere', testProject.path('dead'))
    symlinkSync('..', testProject.path('z/up'))
    rmSync(testProject.path('src'), { recursive: true })
    symlinkSync(outside.root, testProject.path('src'))
    const { archive, take } = await watch(testProject)
    const { tree } = await take()
    expect([...tree].map(([path, { mode }]) => `${mode} ${path}`)).toEqual([
      'link dead',
      'link out',
      'link src',
      'file z/in.txt',
      'link z/up',
    ])
    expect(() => archive.bytes(sha('theirs'))).toThrow(expect.objectContaining({ code: 'witness-lost' }))
  })

  test('sees a file turned folder, and back', async () => {
    const testProject = await aRepo({ a: 'file', b: 'b' })
    const { take } = await watch(testProject)
    const { id } = await take()
    rmSync(testProject.path('a'))
    testProject.write({ 'a/b': 'inside' })
    expect([...(await take()).tree.keys()]).toEqual(['a/b', 'b'])
    rmSync(testProject.path('a'), { recursive: true })
    testProject.write({ a: 'file' })
    expect((await take()).id).toBe(id)
  })

  test('leaves pipes and sockets out', async () => {
    const testProject = await aRepo({ a: 'a', tracked: 'x' })
    rmSync(testProject.path('tracked'))
    await testProject.sh('mkfifo', 'pipe', 'tracked')
    expect([...(await (await watch(testProject)).take()).tree.keys()]).toEqual(['a'])
  })

  test.skipIf(isRoot)('names what it cannot read by its seal', async () => {
    const testProject = await aRepo({ a: 'a', 'shut/b': 'b' })
    testProject.write({ key: 'not for us' })
    chmodSync(testProject.path('key'), 0)
    chmodSync(testProject.path('shut'), 0)
    const { tree } = await (await watch(testProject)).take()
    chmodSync(testProject.path('shut'), 0o755)
    expect([...tree.keys()]).toEqual(['a', 'key'])
    expect(tree.get('key')).toEqual({
      hash: expect.stringMatching(/^unreadable \d+-/) as string,
      size: 10,
      mode: 'file',
      kept: false,
    })
  })

  test('never keeps new secrets, and keeps what was shared', async () => {
    const testProject = await aRepo({ '.env': 'TRACKED=1' })
    testProject.write({ 'sub/.env': 'NEW=1' })
    const { archive, take } = await watch(testProject)
    const { tree } = await take()
    expect(tree.get('.env')?.kept).toBe(true)
    expect(tree.get('sub/.env')).toEqual({ hash: sha('NEW=1'), size: 5, mode: 'file', kept: false })
    expect(() => archive.bytes(sha('NEW=1'))).toThrow(expect.objectContaining({ code: 'witness-lost' }))
  })

  test('hashes large files without keeping them, and knows huge ones by their seal', async () => {
    const testProject = await aRepo({ a: 'a' })
    await testProject.sh('truncate', '-s', '70M', 'large')
    await testProject.sh('truncate', '-s', '1100M', 'huge')
    const { tree } = await (await watch(testProject)).take()
    expect(tree.get('large')).toEqual({
      hash: sha(Buffer.alloc(70 * 1024 * 1024)),
      size: 70 * 1024 * 1024,
      mode: 'file',
      kept: false,
    })
    expect(tree.get('huge')?.hash).toMatch(/^large 1153433600-\d+-\d+-\d+$/)
  })

  test('leaves new folders of tools out, but not sources of the same name', async () => {
    const testProject = await aRepo({ 'Cargo.toml': '', 'node_modules/patched.js': 'tracked' })
    testProject.write({
      'node_modules/x/index.js': 'x',
      'target/debug/app': 'x',
      'mine/pyvenv.cfg': 'home = /usr',
      'mine/lib/x.py': 'x',
      'vendor/bundle/x.rb': 'x',
      'src/target/mod.rs': 'mine',
      'src/vendor/mod.rs': 'mine',
    })
    const found = async (at: TestProject) => [...(await (await watch(at)).take()).tree.keys()]
    const sources = ['src/target/mod.rs', 'src/vendor/mod.rs']
    expect(await found(testProject)).toEqual(['Cargo.toml', 'node_modules/patched.js', ...sources])
    rmSync(testProject.path('.git'), { recursive: true })
    expect(await found(testProject)).toEqual(['Cargo.toml', ...sources])
  })

  test('asks repositories inside the repository, and walks what git will not open', async () => {
    const testProject = await aRepo({ a: 'a' })
    const inner = testProjectAt(testProject.path('inner'))
    mkdirSync(inner.root)
    await inner.git('init', '-q', '--template=')
    inner.write({ '.gitignore': 'out', 'deep/b': 'b', out: 'x', '.env': 'S=1' })
    const lib = await aRepo({ c: 'c', '.gitignore': 'out' })
    await testProject.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib.root, 'lib')
    testProject.write({ 'lib/new': 'new', 'lib/out': 'x' })
    const { take } = await watch(testProject)
    const { tree } = await take()
    const names = ['inner/.env', 'inner/.gitignore', 'inner/deep/b', 'lib/.gitignore', 'lib/c', 'lib/new']
    expect([...tree.keys()]).toEqual(['.gitmodules', 'a', ...names])
    expect(tree.get('inner/.env')?.kept).toBe(false)
    await testProject.git('commit', '-qm', 'lib')
    writeFileSync(testProject.path('lib/.git'), 'gitdir: /nowhere')
    expect([...(await take()).tree.keys()]).toEqual(['.gitmodules', 'a', ...names, 'lib/out'])
  })

  test('reads no name from an index that leads out of the tree', async () => {
    const testProject = await aRepo({ 'aa/bbbbbb': 'x' })
    const index = readFileSync(testProject.path('.git/index'))
    const at = index.indexOf('aa/bbbbbb')
    index.write('../secret', at)
    createHash('sha1')
      .update(index.subarray(0, -20))
      .digest()
      .copy(index, index.length - 20)
    writeFileSync(testProject.path('.git/index'), index)
    expect(await testProject.git('ls-files')).toContain('secret')
    writeFileSync(join(testProject.root, '..', 'secret'), 'outside')
    const { tree } = await (await watch(testProject)).take()
    rmSync(join(testProject.root, '..', 'secret'))
    expect([...tree.keys()]).toEqual(['aa/bbbbbb'])
  })

  test('works without git', async () => {
    const testProject = aFolder({ 'a/b': 'b', '.ralph/x': 'x', '.git': 'not a repository' })
    symlinkSync('a', testProject.path('link'))
    const { take } = await watch(testProject)
    rmSync(testProject.path('.git'))
    expect([...(await take()).tree.keys()]).toEqual(['a/b', 'link'])
  })

  test('covers the whole working tree, wherever the project lies in it', async () => {
    const testProject = await aRepo({ 'p/a': 'a', b: 'b' })
    const { root: folder } = aFolder()
    const { tree } = await openTreeArchive(folder).take(await openRepo(testProject.path('p')))
    expect([...tree.keys()]).toEqual(['b', 'p/a'])
  })
})

describe('what was cut short or goes on at once', () => {
  test('a look that is called off leaves what the next one goes on from', async () => {
    const testProject = await aRepo({ x: 'x' })
    testProject.write(Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`f${n}`, `text ${n}`])))
    const { root: folder } = aFolder()
    const archive = openTreeArchive(folder)
    for (const after of [0, 5, 20]) {
      const stop = newAbortController()
      const repo = await openRepo(testProject.root)
      const taking = archive.take({ ...repo, by: { mark: 'test', signal: stop.signal } })
      setTimeout(() => stop.abort(), after)
      await taking.catch(() => {})
    }
    const { tree } = await archive.take(await openRepo(testProject.root))
    expect(tree.size).toBe(151)
    for (const [path, { hash }] of tree) expect(archive.bytes(hash)).toEqual(readFileSync(testProject.path(path)))
  })

  test('looks at one tree wait for each other, and one that failed holds up nobody', async () => {
    const testProject = await aRepo({ a: 'a' })
    const { folder } = await watch(testProject)
    const repo = await openRepo(testProject.root)
    const off = { ...repo, by: { mark: 'test', signal: AbortSignal.abort() } }
    const [one, two, three] = await Promise.allSettled([
      openTreeArchive(folder).take(repo),
      openTreeArchive(folder).take(off),
      openTreeArchive(folder).take(repo),
    ])
    expect([one.status, two.status]).toEqual(['fulfilled', 'rejected'])
    expect(three).toEqual(one)
  })
})

describe('what somebody else wrote in the tree archive', () => {
  const code = (thrown: string) => expect.objectContaining({ code: thrown }) as Error

  test('a changed or missing object is noticed, and the next look mends it', async () => {
    const { folder, archive, take } = await watch(await aRepo({ a: 'one', b: 'two' }))
    await take()
    const object = (text: string) => join(folder, 'objects', sha(text).slice(0, 2), sha(text).slice(2))
    expect(lstatSync(object('one')).mode & 0o777).toBe(0o600)
    writeFileSync(object('one'), 'eno')
    rmSync(object('two'))
    expect(() => archive.bytes(sha('one'))).toThrow(code('witness-lost'))
    expect(() => archive.bytes(sha('two'))).toThrow(code('witness-lost'))
    await take()
    expect(archive.bytes(sha('one')).toString()).toBe('one')
    expect(archive.bytes(sha('two')).toString()).toBe('two')
  })

  test("a link or a folder in an object's place is no object", async () => {
    const { testProject, folder, archive } = await watch(await aRepo({ a: 'one' }))
    const hash = archive.keep('one')
    const object = join(folder, 'objects', hash.slice(0, 2), hash.slice(2))
    rmSync(object)
    symlinkSync(testProject.path('a'), object)
    expect(() => archive.bytes(hash)).toThrow(code('witness-lost'))
    mkdirSync(join(object, 'x'), { recursive: true })
    expect(() => archive.bytes(hash)).toThrow(code('witness-lost'))
    mkdirSync(join(object, 'x'), { recursive: true })
    expect(archive.bytes(archive.keep('one')).toString()).toBe('one')
  })

  test('a changed or missing listing is noticed, and the next look mends it', async () => {
    const { folder, archive, take } = await watch(await aRepo({ a: 'one' }))
    const { id, tree } = await take()
    const listing = join(folder, 'trees', id.slice(2))
    writeFileSync(listing, readFileSync(listing, 'utf8').replace(' a\0', ' b\0'))
    expect(archive.has(id)).toBe(false)
    expect(() => archive.tree(id)).toThrow(code('witness-lost'))
    expect((await take()).id).toBe(id)
    expect(archive.tree(id)).toEqual(tree)
    rmSync(listing)
    expect(() => archive.tree(id)).toThrow(code('witness-lost'))
    for (const foreign of ['', 'w:', 'w:../../x', `x:${'0'.repeat(64)}`])
      expect(() => archive.tree(foreign)).toThrow(code('witness-lost'))
    for (const foreign of ['', '../../x', 'large 1-2-3-4'])
      expect(() => archive.bytes(foreign)).toThrow(code('witness-lost'))
  })

  test('a file of a known seal is not read again, unless its bytes are gone', async () => {
    const { testProject, folder, archive, take } = await watch(await aRepo({ a: 'one' }))
    const { tree } = await take()
    const known = (hash: string) =>
      writeFileSync(join(folder, 'known-hashes'), `${fileFingerprint(testProject.path('a'))} ${hash} a\0`)
    known(archive.keep('not what the file holds'))
    expect((await take()).tree.get('a')?.hash).toBe(sha('not what the file holds'))
    known(sha('nobody has this'))
    expect((await take()).tree).toEqual(tree)
  })

  test('known hashes that make no sense are read anew', async () => {
    const { folder, take } = await watch(await aRepo({ a: 'one' }))
    const { id } = await take()
    writeFileSync(join(folder, 'known-hashes'), 'x\0 \0a b c\0')
    expect((await take()).id).toBe(id)
  })
})

describe('trees put together', () => {
  test('a base moves by what changed between two looks', async () => {
    const testProject = await aRepo({ work: '1', test: '1' })
    const { archive, take } = await watch(testProject)
    const base = await take()
    testProject.write({ work: '2' })
    const from = await take()
    testProject.write({ test: '2' })
    const to = await take()
    const paths = diffTrees(from.tree, to.tree).map(({ path }) => path)
    const { tree: after, moved } = treeWithPathsFrom(base.tree, { paths, to: to.tree })
    expect(moved).toEqual(['test'])
    const { tree } = to
    expect(archive.tree(archive.put(after))).toEqual(
      new Map([...tree].map(([path, file]) => [path, path === 'work' ? base.tree.get(path) : file])),
    )
  })

  test('the same tree has one id, in whatever order it was put together', async () => {
    const { archive, take } = await watch(await aRepo({ a: '1', b: '2' }))
    const { id, tree } = await take()
    expect(archive.put(new Map([...tree].toReversed()))).toBe(id)
  })

  test('what is not asked for any more is forgotten', async () => {
    const testProject = await aRepo({ a: 'old', b: 'same' })
    const { folder, archive, take } = await watch(testProject)
    const old = await take()
    testProject.write({ a: 'new' })
    const now = await take()
    const text = archive.keep('a text')
    archive.keep('another')
    writeFileSync(join(folder, 'objects', text.slice(0, 2), 'half-written'), '')
    archive.prune({ trees: [now.id], hashes: [text] })
    expect(archive.has(old.id)).toBe(false)
    expect(archive.tree(now.id)).toEqual(now.tree)
    const left = readdirSync(join(folder, 'objects')).flatMap((shard) =>
      readdirSync(join(folder, 'objects', shard)).map((rest) => shard + rest),
    )
    expect(left.sort()).toEqual([sha('new'), sha('same'), text].sort())
    testProject.write({ a: 'old' })
    expect((await take()).id).toBe(old.id)
    expect(archive.bytes(sha('old')).toString()).toBe('old')
  })

  test('nothing is written before something is kept', () => {
    const { root } = aFolder()
    const archive = openTreeArchive(join(root, 'none'))
    expect(archive.has(`w:${'0'.repeat(64)}`)).toBe(false)
    archive.prune({ trees: [], hashes: [] })
    expect(existsSync(join(root, 'none'))).toBe(false)
  })
})
