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
import { newAbort } from '../../system/process/errand.ts'
import { sealOf } from '../../system/files/links.ts'
import { openRepo } from '../repo/git.ts'
import { type Garden, aFolder, aRepo, clearGardens, gardenAt } from '../../../test/kit/workspace.ts'
import { differences } from './tree.ts'
import { type Witness, openWitness } from './witness.ts'

afterAll(clearGardens)

function sha(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex')
}

interface Scene {
  garden: Garden
  folder: string
  witness: Witness
  take: () => ReturnType<Witness['take']>
}

async function watch(garden: Garden): Promise<Scene> {
  const { root: folder } = aFolder()
  const witness = openWitness(folder)
  return { garden, folder, witness, take: async () => witness.take(await openRepo(garden.root)) }
}

const isRoot = process.getuid?.() === 0

describe('a look at the working tree', () => {
  test('has tracked and new files byte for byte, without ignored ones and ours', async () => {
    const garden = await aRepo({ '.gitignore': 'out\n', 'a.txt': 'one', '.ralph/PROMPT.md': 'x' })
    garden.write({ 'src/b.txt': 'two', 'out/c.txt': 'three', 'sub/.ralph/x': 'y' })
    chmodSync(garden.path('src/b.txt'), 0o755)
    symlinkSync('a.txt', garden.path('link'))
    const { witness, take } = await watch(garden)
    const { id, tree } = await take()
    expect([...tree]).toEqual([
      ['.gitignore', { hash: sha('out\n'), size: 4, mode: 'file', kept: true }],
      ['a.txt', { hash: sha('one'), size: 3, mode: 'file', kept: true }],
      ['link', { hash: sha('a.txt'), size: 5, mode: 'link', kept: true }],
      ['src/b.txt', { hash: sha('two'), size: 3, mode: 'exec', kept: true }],
    ])
    expect(witness.tree(id)).toEqual(tree)
    expect(witness.bytes(sha('two')).toString()).toBe('two')
    expect(await take()).toEqual({ id, tree })
  })

  test('knows nothing of line ends, filters and LFS', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12\n`
    const garden = await aRepo({
      '.gitattributes':
        '*.txt text eol=lf\n*.dat filter=shout\n*.bin filter=lfs\n*.u16 working-tree-encoding=UTF-16\n',
      'x.txt': 'x',
    })
    await garden.git('config', 'filter.shout.clean', 'tr a-z A-Z')
    await garden.git('config', 'filter.shout.required', 'true')
    garden.write({ 'a.txt': 'one\r\ntwo\r\n', 'a.dat': 'quiet', 'a.bin': pointer, 'b.bin': 'the real bytes' })
    await garden.git('add', '-A')
    const { tree } = await (await watch(garden)).take()
    const hashes = Object.fromEntries([...tree].map(([path, { hash }]) => [path, hash]))
    expect(hashes).toMatchObject({
      'a.txt': sha('one\r\ntwo\r\n'),
      'a.dat': sha('quiet'),
      'a.bin': sha(pointer),
      'b.bin': sha('the real bytes'),
    })
  })

  test('is not told by index flags that a file is unchanged', async () => {
    const garden = await aRepo({ a: 'a', b: 'b', c: 'c' })
    const { take } = await watch(garden)
    const before = (await take()).tree
    await garden.git('update-index', '--assume-unchanged', 'a')
    await garden.git('update-index', '--skip-worktree', 'b', 'c')
    garden.write({ a: 'A', b: 'B' })
    rmSync(garden.path('c'))
    expect(differences(before, (await take()).tree)).toEqual([
      { path: 'a', kind: 'changed' },
      { path: 'b', kind: 'changed' },
      { path: 'c', kind: 'deleted' },
    ])
  })

  test('takes any name', async () => {
    const names = [
      '-rf',
      'a b',
      'line\nbreak',
      '"quoted"',
      "it's",
      'tab\tx',
      'ünï/😀',
      ':(glob)*',
      'back\\slash',
    ]
    const garden = await aRepo({ x: 'x' })
    garden.write(Object.fromEntries(names.map((name) => [name, name])))
    const { take } = await watch(garden)
    const { tree } = await take()
    expect([...tree.keys()]).toEqual([...names, 'x'].sort())
    await garden.commit('all')
    expect((await take()).tree).toEqual(tree)
  })

  test('sees a file replaced within a moment, of the same size and with its time set back', async () => {
    const garden = await aRepo({ a: 'one' })
    const { take } = await watch(garden)
    for (const word of ['two', 'six', 'ten', 'odd', 'new']) {
      const { atime, mtime } = lstatSync(garden.path('a'))
      writeFileSync(garden.path('a'), word)
      utimesSync(garden.path('a'), atime, mtime)
      expect((await take()).tree.get('a')?.hash).toBe(sha(word))
    }
    utimesSync(garden.path('a'), 1, 1)
    await take()
    writeFileSync(garden.path('b'), 'red')
    utimesSync(garden.path('b'), 1, 1)
    renameSync(garden.path('b'), garden.path('a'))
    expect((await take()).tree.get('a')?.hash).toBe(sha('red'))
  })

  test('does not follow links, neither out of the tree nor in place of a folder', async () => {
    const outside = aFolder({ 'secret.txt': 'theirs', 'in.txt': 'theirs' })
    const garden = await aRepo({ 'src/in.txt': 'mine', 'z/in.txt': 'mine' })
    symlinkSync(outside.path('secret.txt'), garden.path('out'))
    symlinkSync('/nowhere', garden.path('dead'))
    symlinkSync('..', garden.path('z/up'))
    rmSync(garden.path('src'), { recursive: true })
    symlinkSync(outside.root, garden.path('src'))
    const { witness, take } = await watch(garden)
    const { tree } = await take()
    expect([...tree].map(([path, { mode }]) => `${mode} ${path}`)).toEqual([
      'link dead',
      'link out',
      'link src',
      'file z/in.txt',
      'link z/up',
    ])
    expect(() => witness.bytes(sha('theirs'))).toThrow(expect.objectContaining({ code: 'witness-lost' }))
  })

  test('sees a file turned folder, and back', async () => {
    const garden = await aRepo({ a: 'file', b: 'b' })
    const { take } = await watch(garden)
    const { id } = await take()
    rmSync(garden.path('a'))
    garden.write({ 'a/b': 'inside' })
    expect([...(await take()).tree.keys()]).toEqual(['a/b', 'b'])
    rmSync(garden.path('a'), { recursive: true })
    garden.write({ a: 'file' })
    expect((await take()).id).toBe(id)
  })

  test('leaves pipes and sockets out', async () => {
    const garden = await aRepo({ a: 'a', tracked: 'x' })
    rmSync(garden.path('tracked'))
    await garden.sh('mkfifo', 'pipe', 'tracked')
    expect([...(await (await watch(garden)).take()).tree.keys()]).toEqual(['a'])
  })

  test.skipIf(isRoot)('names what it cannot read by its seal', async () => {
    const garden = await aRepo({ a: 'a', 'shut/b': 'b' })
    garden.write({ key: 'not for us' })
    chmodSync(garden.path('key'), 0)
    chmodSync(garden.path('shut'), 0)
    const { tree } = await (await watch(garden)).take()
    chmodSync(garden.path('shut'), 0o755)
    expect([...tree.keys()]).toEqual(['a', 'key'])
    expect(tree.get('key')).toEqual({
      hash: expect.stringMatching(/^unreadable \d+-/) as string,
      size: 10,
      mode: 'file',
      kept: false,
    })
  })

  test('never keeps new secrets, and keeps what was shared', async () => {
    const garden = await aRepo({ '.env': 'TRACKED=1' })
    garden.write({ 'sub/.env': 'NEW=1' })
    const { witness, take } = await watch(garden)
    const { tree } = await take()
    expect(tree.get('.env')?.kept).toBe(true)
    expect(tree.get('sub/.env')).toEqual({ hash: sha('NEW=1'), size: 5, mode: 'file', kept: false })
    expect(() => witness.bytes(sha('NEW=1'))).toThrow(expect.objectContaining({ code: 'witness-lost' }))
  })

  test('hashes large files without keeping them, and knows huge ones by their seal', async () => {
    const garden = await aRepo({ a: 'a' })
    await garden.sh('truncate', '-s', '70M', 'large')
    await garden.sh('truncate', '-s', '1100M', 'huge')
    const { tree } = await (await watch(garden)).take()
    expect(tree.get('large')).toEqual({
      hash: sha(Buffer.alloc(70 * 1024 * 1024)),
      size: 70 * 1024 * 1024,
      mode: 'file',
      kept: false,
    })
    expect(tree.get('huge')?.hash).toMatch(/^large 1153433600-\d+-\d+-\d+$/)
  })

  test('leaves new folders of tools out, but not sources of the same name', async () => {
    const garden = await aRepo({ 'Cargo.toml': '', 'node_modules/patched.js': 'tracked' })
    garden.write({
      'node_modules/x/index.js': 'x',
      'target/debug/app': 'x',
      'mine/pyvenv.cfg': 'home = /usr',
      'mine/lib/x.py': 'x',
      'vendor/bundle/x.rb': 'x',
      'src/target/mod.rs': 'mine',
      'src/vendor/mod.rs': 'mine',
    })
    const found = async (at: Garden) => [...(await (await watch(at)).take()).tree.keys()]
    const sources = ['src/target/mod.rs', 'src/vendor/mod.rs']
    expect(await found(garden)).toEqual(['Cargo.toml', 'node_modules/patched.js', ...sources])
    rmSync(garden.path('.git'), { recursive: true })
    expect(await found(garden)).toEqual(['Cargo.toml', ...sources])
  })

  test('asks repositories inside the repository, and walks what git will not open', async () => {
    const garden = await aRepo({ a: 'a' })
    const inner = gardenAt(garden.path('inner'))
    mkdirSync(inner.root)
    await inner.git('init', '-q', '--template=')
    inner.write({ '.gitignore': 'out', 'deep/b': 'b', out: 'x', '.env': 'S=1' })
    const lib = await aRepo({ c: 'c', '.gitignore': 'out' })
    await garden.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib.root, 'lib')
    garden.write({ 'lib/new': 'new', 'lib/out': 'x' })
    const { take } = await watch(garden)
    const { tree } = await take()
    const names = ['inner/.env', 'inner/.gitignore', 'inner/deep/b', 'lib/.gitignore', 'lib/c', 'lib/new']
    expect([...tree.keys()]).toEqual(['.gitmodules', 'a', ...names])
    expect(tree.get('inner/.env')?.kept).toBe(false)
    await garden.git('commit', '-qm', 'lib')
    writeFileSync(garden.path('lib/.git'), 'gitdir: /nowhere')
    expect([...(await take()).tree.keys()]).toEqual(['.gitmodules', 'a', ...names, 'lib/out'])
  })

  test('reads no name from an index that leads out of the tree', async () => {
    const garden = await aRepo({ 'aa/bbbbbb': 'x' })
    const index = readFileSync(garden.path('.git/index'))
    const at = index.indexOf('aa/bbbbbb')
    index.write('../secret', at)
    createHash('sha1')
      .update(index.subarray(0, -20))
      .digest()
      .copy(index, index.length - 20)
    writeFileSync(garden.path('.git/index'), index)
    expect(await garden.git('ls-files')).toContain('secret')
    writeFileSync(join(garden.root, '..', 'secret'), 'outside')
    const { tree } = await (await watch(garden)).take()
    rmSync(join(garden.root, '..', 'secret'))
    expect([...tree.keys()]).toEqual(['aa/bbbbbb'])
  })

  test('works without git', async () => {
    const garden = aFolder({ 'a/b': 'b', '.ralph/x': 'x', '.git': 'not a repository' })
    symlinkSync('a', garden.path('link'))
    const { take } = await watch(garden)
    rmSync(garden.path('.git'))
    expect([...(await take()).tree.keys()]).toEqual(['a/b', 'link'])
  })

  test('covers the whole working tree, wherever the project lies in it', async () => {
    const garden = await aRepo({ 'p/a': 'a', b: 'b' })
    const { root: folder } = aFolder()
    const { tree } = await openWitness(folder).take(await openRepo(garden.path('p')))
    expect([...tree.keys()]).toEqual(['b', 'p/a'])
  })
})

describe('what was cut short or goes on at once', () => {
  test('a look that is called off leaves what the next one goes on from', async () => {
    const garden = await aRepo({ x: 'x' })
    garden.write(Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`f${n}`, `text ${n}`])))
    const { root: folder } = aFolder()
    const witness = openWitness(folder)
    for (const after of [0, 5, 20]) {
      const stop = newAbort()
      const repo = await openRepo(garden.root)
      const taking = witness.take({ ...repo, by: { mark: 'test', signal: stop.signal } })
      setTimeout(() => stop.abort(), after)
      await taking.catch(() => {})
    }
    const { tree } = await witness.take(await openRepo(garden.root))
    expect(tree.size).toBe(151)
    for (const [path, { hash }] of tree) expect(witness.bytes(hash)).toEqual(readFileSync(garden.path(path)))
  })

  test('looks at one tree wait for each other, and one that failed holds up nobody', async () => {
    const garden = await aRepo({ a: 'a' })
    const { folder } = await watch(garden)
    const repo = await openRepo(garden.root)
    const off = { ...repo, by: { mark: 'test', signal: AbortSignal.abort() } }
    const [one, two, three] = await Promise.allSettled([
      openWitness(folder).take(repo),
      openWitness(folder).take(off),
      openWitness(folder).take(repo),
    ])
    expect([one.status, two.status]).toEqual(['fulfilled', 'rejected'])
    expect(three).toEqual(one)
  })
})

describe('what somebody else wrote in the witness', () => {
  const code = (thrown: string) => expect.objectContaining({ code: thrown }) as Error

  test('a changed or missing object is noticed, and the next look mends it', async () => {
    const { folder, witness, take } = await watch(await aRepo({ a: 'one', b: 'two' }))
    await take()
    const object = (text: string) => join(folder, 'objects', sha(text).slice(0, 2), sha(text).slice(2))
    expect(lstatSync(object('one')).mode & 0o777).toBe(0o600)
    writeFileSync(object('one'), 'eno')
    rmSync(object('two'))
    expect(() => witness.bytes(sha('one'))).toThrow(code('witness-lost'))
    expect(() => witness.bytes(sha('two'))).toThrow(code('witness-lost'))
    await take()
    expect(witness.bytes(sha('one')).toString()).toBe('one')
    expect(witness.bytes(sha('two')).toString()).toBe('two')
  })

  test("a link or a folder in an object's place is no object", async () => {
    const { garden, folder, witness } = await watch(await aRepo({ a: 'one' }))
    const hash = witness.keep('one')
    const object = join(folder, 'objects', hash.slice(0, 2), hash.slice(2))
    rmSync(object)
    symlinkSync(garden.path('a'), object)
    expect(() => witness.bytes(hash)).toThrow(code('witness-lost'))
    mkdirSync(join(object, 'x'), { recursive: true })
    expect(() => witness.bytes(hash)).toThrow(code('witness-lost'))
    mkdirSync(join(object, 'x'), { recursive: true })
    expect(witness.bytes(witness.keep('one')).toString()).toBe('one')
  })

  test('a changed or missing listing is noticed, and the next look mends it', async () => {
    const { folder, witness, take } = await watch(await aRepo({ a: 'one' }))
    const { id, tree } = await take()
    const listing = join(folder, 'trees', id.slice(2))
    writeFileSync(listing, readFileSync(listing, 'utf8').replace(' a\0', ' b\0'))
    expect(witness.has(id)).toBe(false)
    expect(() => witness.tree(id)).toThrow(code('witness-lost'))
    expect((await take()).id).toBe(id)
    expect(witness.tree(id)).toEqual(tree)
    rmSync(listing)
    expect(() => witness.tree(id)).toThrow(code('witness-lost'))
    for (const foreign of ['', 'w:', 'w:../../x', `x:${'0'.repeat(64)}`])
      expect(() => witness.tree(foreign)).toThrow(code('witness-lost'))
    for (const foreign of ['', '../../x', 'large 1-2-3-4'])
      expect(() => witness.bytes(foreign)).toThrow(code('witness-lost'))
  })

  test('a file of a known seal is not read again, unless its bytes are gone', async () => {
    const { garden, folder, witness, take } = await watch(await aRepo({ a: 'one' }))
    const { tree } = await take()
    const known = (hash: string) =>
      writeFileSync(join(folder, 'known-hashes'), `${sealOf(garden.path('a'))} ${hash} a\0`)
    known(witness.keep('not what the file holds'))
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
    const garden = await aRepo({ work: '1', test: '1' })
    const { witness, take } = await watch(garden)
    const base = await take()
    garden.write({ work: '2' })
    const from = await take()
    garden.write({ test: '2' })
    const to = await take()
    const moved = witness.move(base.id, { from: from.id, to: to.id })
    expect(moved.moved).toEqual(['test'])
    const { tree } = to
    expect(witness.tree(moved.id)).toEqual(
      new Map([...tree].map(([path, file]) => [path, path === 'work' ? base.tree.get(path) : file])),
    )
  })

  test('the same tree has one id, in whatever order it was put together', async () => {
    const { witness, take } = await watch(await aRepo({ a: '1', b: '2' }))
    const { id, tree } = await take()
    expect(witness.put(new Map([...tree].toReversed()))).toBe(id)
  })

  test('what is not asked for any more is forgotten', async () => {
    const garden = await aRepo({ a: 'old', b: 'same' })
    const { folder, witness, take } = await watch(garden)
    const old = await take()
    garden.write({ a: 'new' })
    const now = await take()
    const text = witness.keep('a text')
    witness.keep('another')
    writeFileSync(join(folder, 'objects', text.slice(0, 2), 'half-written'), '')
    witness.prune({ trees: [now.id], hashes: [text] })
    expect(witness.has(old.id)).toBe(false)
    expect(witness.tree(now.id)).toEqual(now.tree)
    const left = readdirSync(join(folder, 'objects')).flatMap((shard) =>
      readdirSync(join(folder, 'objects', shard)).map((rest) => shard + rest),
    )
    expect(left.sort()).toEqual([sha('new'), sha('same'), text].sort())
    garden.write({ a: 'old' })
    expect((await take()).id).toBe(old.id)
    expect(witness.bytes(sha('old')).toString()).toBe('old')
  })

  test('nothing is written before something is kept', () => {
    const { root } = aFolder()
    const witness = openWitness(join(root, 'none'))
    expect(witness.has(`w:${'0'.repeat(64)}`)).toBe(false)
    witness.prune({ trees: [], hashes: [] })
    expect(existsSync(join(root, 'none'))).toBe(false)
  })
})
