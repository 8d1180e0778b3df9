import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { fileFingerprint } from '../../system/files/links.ts'
import { removeTestProjects } from '../../../test/kit/workspace.ts'
import { type CleanRoomFile, fillCleanRoom } from './fill-clean-room.ts'
import { openCleanRoom } from './clean-room.ts'
import { createCleanRoomScene } from '../../../test/kit/clean-room.ts'

afterAll(removeTestProjects)

describe('a room that is filled', () => {
  test('holds exactly the files, byte for byte, and a second time nothing is written', async () => {
    const texts = { a: 'one\r\n', 'src/deep/b.sh': 'two', 'line\nbreak "x"': '3', '-rf': '4', 'ü/😀': '5' }
    const scene = await createCleanRoomScene(texts)
    chmodSync(scene.testProject.path('src/deep/b.sh'), 0o755)
    symlinkSync('deep/b.sh', scene.testProject.path('src/link'))
    const names = [...Object.keys(texts), 'src/link'].sort()
    expect(await scene.fill()).toEqual({ written: names, removed: [], missing: [] })
    expect(scene.holds()).toEqual({ ...texts, 'src/link': '-> deep/b.sh' })
    expect([scene.at('a'), scene.at('src/deep/b.sh')].map((path) => statSync(path).mode & 0o100)).toEqual([0, 0o100])
    expect(await scene.fill()).toEqual({ written: [], removed: [], missing: [] })
  })

  test('writes only what is different in the next arrangement, with a fresh time', async () => {
    const scene = await createCleanRoomScene({ a: '1', b: '2', 'x/c': '3' })
    await scene.fill()
    const times = (name: string) => lstatSync(scene.at(name)).mtimeMs
    const before = [times('a'), times('b')]
    scene.testProject.write({ a: '9', d: 'new' })
    rmSync(scene.testProject.path('x'), { recursive: true })
    utimesSync(scene.testProject.path('a'), 1, 1)
    expect(await scene.fill()).toEqual({ written: ['a', 'd'], removed: ['x'], missing: [] })
    expect(scene.holds()).toEqual({ a: '9', b: '2', d: 'new' })
    expect([times('a') > (before[0] ?? 0), times('b') === before[1]]).toEqual([true, true])
  })

  test('tells how far it is', async () => {
    const scene = await createCleanRoomScene({ a: '1', b: '2' })
    const told: string[] = []
    await scene.fill({ progress: (done, all) => told.push(`${done}/${all}`) })
    expect(told).toEqual(['1/2', '2/2'])
  })

  test('has the folder of the project, even an empty one', async () => {
    const { testProject, memory, archive } = await createCleanRoomScene({ 'packages/app/a': '1', b: '2' })
    const room = openCleanRoom({ memory, top: testProject.root, prefix: 'packages/app/' })
    const files = new Map<string, CleanRoomFile>([['b', { mode: 'file', from: { hash: archive.keep('2') } }]])
    for (let n = 0; n < 2; n += 1) {
      expect((await fillCleanRoom(room, archive, files)).removed).toEqual([])
      expect(readdirSync(room.root)).toEqual([])
    }
  })

  test('turns a file into a folder and back', async () => {
    const scene = await createCleanRoomScene({ a: 'file' })
    await scene.fill()
    rmSync(scene.testProject.path('a'))
    scene.testProject.write({ 'a/b': 'inside' })
    expect((await scene.fill()).written).toEqual(['a/b'])
    expect(scene.holds()).toEqual({ 'a/b': 'inside' })
    rmSync(scene.testProject.path('a'), { recursive: true })
    scene.testProject.write({ a: 'file' })
    await scene.fill()
    expect(scene.holds()).toEqual({ a: 'file' })
  })

  test('holds no file and folder of one name: the file stands, the others are named', async () => {
    const { room, archive, holds } = await createCleanRoomScene({ x: 'x' })
    const file = (text: string): CleanRoomFile => ({ mode: 'file', from: { hash: archive.keep(text) } })
    const files = new Map([
      ['../out', file('0')],
      ['.git/hooks/x', file('0')],
      ['a', file('1')],
      ['a/b/c', file('2')],
      ['ab', file('3')],
    ])
    expect(await fillCleanRoom(room, archive, files)).toEqual({
      written: ['a', 'ab'],
      removed: [],
      missing: ['../out', '.git/hooks/x', 'a/b/c'],
    })
    expect(holds()).toEqual({ a: '1', ab: '3' })
  })

  test('has links that lead into the working tree lead into the room', async () => {
    const scene = await createCleanRoomScene({ 'src/a': 'a' })
    const { testProject, around } = scene
    symlinkSync(testProject.path('src/a'), testProject.path('absolute'))
    symlinkSync('../../proj/src/a', testProject.path('src/round'))
    symlinkSync(`../../../${basename(around.root)}/proj/src`, testProject.path('src/far'))
    symlinkSync(`${testProject.root}-other/x`, testProject.path('other'))
    symlinkSync('/usr/bin/env', testProject.path('out'))
    symlinkSync('../neighbour', testProject.path('beside'))
    symlinkSync('nowhere', testProject.path('dead'))
    await scene.fill()
    expect(scene.holds()).toEqual({
      absolute: `-> ${scene.at('src/a')}`,
      'src/round': '-> ../../proj/src/a',
      'src/far': `-> ${scene.at('src')}`,
      other: `-> ${testProject.root}-other/x`,
      out: '-> /usr/bin/env',
      beside: '-> ../neighbour',
      dead: '-> nowhere',
      'src/a': 'a',
    })
    expect((await scene.fill()).written).toEqual([])
  })

  test('has copies of what the tree archive only lists, and names what is not as it was', async () => {
    const scene = await createCleanRoomScene({ '.env': 'S=1', 'sub/.env': 'S=2', 'x/.env': 'S=3' })
    const { testProject, room, archive } = scene
    const files = await scene.files()
    writeFileSync(testProject.path('sub/.env'), 'S=9')
    rmSync(testProject.path('x/.env'))
    expect(await fillCleanRoom(room, archive, files)).toEqual({
      written: ['.env'],
      removed: [],
      missing: ['sub/.env', 'x/.env'],
    })
    expect(existsSync(scene.at('sub/.env'))).toBe(false)
    expect(lstatSync(scene.at('.env')).ino).not.toBe(lstatSync(testProject.path('.env')).ino)
  })

  test('has copies of huge files by their seal', async () => {
    const { testProject, room, archive, at } = await createCleanRoomScene({ huge: 'so to say' })
    const copy = testProject.path('huge')
    const files = new Map<string, CleanRoomFile>([
      ['huge', { mode: 'file', from: { copy, hash: `large ${fileFingerprint(copy)}` } }],
    ])
    expect((await fillCleanRoom(room, archive, files)).written).toEqual(['huge'])
    expect(readFileSync(at('huge'), 'utf8')).toBe('so to say')
    rmSync(at('huge'))
    utimesSync(copy, 1, 1)
    expect((await fillCleanRoom(room, archive, files)).missing).toEqual(['huge'])
    expect(existsSync(at('huge'))).toBe(false)
  })

  test('has copies of files that are copied piece by piece', async () => {
    const scene = await createCleanRoomScene({ a: 'a' })
    await scene.testProject.sh('truncate', '-s', '70M', 'large')
    chmodSync(scene.testProject.path('large'), 0o755)
    expect((await scene.fill()).written).toEqual(['a', 'large'])
    const { size, mode } = statSync(scene.at('large'))
    expect([size, mode & 0o100]).toEqual([70 * 1024 * 1024, 0o100])
  })
})

describe('what was done in the room is undone', () => {
  test('changed, removed and new files', async () => {
    const texts = { a: 'one', 'src/b': 'two', 'src/c': 'three', 'd/e': 'four' }
    const scene = await createCleanRoomScene(texts)
    await scene.fill()
    appendFileSync(scene.at('a'), 'x')
    rmSync(scene.at('d'), { recursive: true })
    mkdirSync(scene.at('new/deep'), { recursive: true })
    writeFileSync(scene.at('new/deep/x'), '')
    mkdirSync(scene.at('src/empty'))
    writeFileSync(scene.at('src/.hidden'), '')
    writeFileSync(join(scene.room.parent, 'beside'), '')
    expect(await scene.fill()).toEqual({
      written: ['a', 'd/e'],
      removed: ['../beside', 'new', 'src/.hidden', 'src/empty'],
      missing: [],
    })
    expect(scene.holds()).toEqual(texts)
  })

  test('a file of the same size with its time set back, at once after it was written', async () => {
    const scene = await createCleanRoomScene({ a: 'one', b: 'one' })
    for (const word of ['two', 'six', 'ten']) {
      await scene.fill()
      const { atime, mtime } = lstatSync(scene.at('a'))
      writeFileSync(scene.at('a'), word)
      utimesSync(scene.at('a'), atime, mtime)
      writeFileSync(scene.at('new'), word)
      utimesSync(scene.at('new'), atime, mtime)
      renameSync(scene.at('new'), scene.at('b'))
      expect((await scene.fill()).written).toEqual(['a', 'b'])
      expect(scene.holds()).toEqual({ a: 'one', b: 'one' })
    }
  })

  test('a second name by which a file could be changed later', async () => {
    const scene = await createCleanRoomScene({ a: 'one' })
    await scene.fill()
    const outside = join(scene.around.root, 'hold')
    linkSync(scene.at('a'), outside)
    expect((await scene.fill()).written).toEqual(['a'])
    writeFileSync(outside, 'two')
    expect(scene.holds()).toEqual({ a: 'one' })
  })

  test('links, folders and pipes in the place of files and folders', async () => {
    const texts = { a: 'one', b: 'two', c: 'three', 'src/d': 'four', 'lib/e': 'five' }
    const scene = await createCleanRoomScene(texts)
    scene.around.write({ 'theirs/d': 'precious', 'theirs/e': 'precious' })
    await scene.fill()
    for (const path of ['a', 'b', 'c', 'src', 'lib']) rmSync(scene.at(path), { recursive: true })
    symlinkSync(scene.testProject.path('a'), scene.at('a'))
    mkdirSync(scene.at('b'))
    await scene.testProject.sh('mkfifo', scene.at('c'))
    symlinkSync(scene.around.path('theirs'), scene.at('src'))
    writeFileSync(scene.at('lib'), 'a file')
    await scene.fill()
    expect(scene.holds()).toEqual(texts)
    expect(readFileSync(scene.around.path('theirs/d'), 'utf8')).toBe('precious')
    expect(readdirSync(scene.around.path('theirs'))).toEqual(['d', 'e'])
  })

  test('the whole top, gone or replaced by a link', async () => {
    const scene = await createCleanRoomScene({ a: 'one' })
    await scene.fill()
    rmSync(scene.room.top, { recursive: true })
    expect((await scene.fill()).written).toEqual(['a'])
    rmSync(scene.room.top, { recursive: true })
    scene.around.write({ 'theirs/x': 'precious' })
    symlinkSync(scene.around.path('theirs'), scene.room.top)
    await scene.fill()
    expect(scene.holds()).toEqual({ a: 'one' })
    expect(readdirSync(scene.around.path('theirs'))).toEqual(['x'])
  })

  test('names that are no text, and folders without rights', async () => {
    const scene = await createCleanRoomScene({ 'src/a': 'one' })
    await scene.fill()
    const strange = Buffer.concat([Buffer.from(`${scene.at('src')}/x`), Buffer.from([0xff, 0xfe])])
    writeFileSync(strange, '')
    mkdirSync(Buffer.concat([Buffer.from(`${scene.room.top}/`), Buffer.from([0xff])]))
    mkdirSync(scene.at('shut/in'), { recursive: true })
    chmodSync(scene.at('shut/in'), 0)
    chmodSync(scene.at('shut'), 0o500)
    chmodSync(scene.at('src'), 0)
    chmodSync(scene.room.top, 0o500)
    chmodSync(scene.room.parent, 0o500)
    expect((await scene.fill()).removed).toHaveLength(3)
    expect(scene.holds()).toEqual({ 'src/a': 'one' })
    expect(readdirSync(scene.at('src'), { encoding: 'buffer' })).toHaveLength(1)
  })

  test('but not what others look after', async () => {
    const scene = await createCleanRoomScene({
      a: 'one',
      'packages/x/y': 'two',
      'node_modules/patched': 'tracked',
    })
    await scene.testProject.git('add', '-f', 'node_modules/patched')
    const skip = new Set(['a', 'node_modules', 'packages/x/node_modules', '../neighbour', 'sub/.git'])
    const others = {
      '.git/HEAD': 'ref',
      'node_modules/z': 'z',
      'packages/x/node_modules/z': 'z',
      'sub/.git/HEAD': 'r',
    }
    for (const [path, text] of Object.entries(others)) {
      mkdirSync(join(scene.at(path), '..'), { recursive: true })
      writeFileSync(scene.at(path), text)
    }
    mkdirSync(join(scene.room.parent, 'neighbour'))
    writeFileSync(scene.at('packages/x/z'), 'left')
    expect((await scene.fill({ skip })).removed).toEqual(['packages/x/z'])
    const all = { a: 'one', 'packages/x/y': 'two', 'node_modules/patched': 'tracked', ...others }
    expect(scene.holds()).toEqual(all)
    expect(existsSync(join(scene.room.parent, 'neighbour'))).toBe(true)
    writeFileSync(scene.at('node_modules/patched'), 'changed')
    expect(await scene.fill({ skip })).toEqual({
      written: ['node_modules/patched'],
      removed: [],
      missing: [],
    })
    expect(scene.holds()).toEqual(all)
  })
})

describe('what goes wrong', () => {
  test('a fill that is called off is completed by the next one', async () => {
    const texts = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`d${n % 7}/f${n}`, `text ${n}`]))
    const scene = await createCleanRoomScene(texts)
    const files = await scene.files()
    const stop = new AbortController()
    const progress = (done: number) => {
      if (done === 50) stop.abort()
    }
    await expect(fillCleanRoom(scene.room, scene.archive, files, { signal: stop.signal, progress })).rejects.toThrow()
    writeFileSync(scene.at('d0/f0'), 'half')
    const { written } = await fillCleanRoom(scene.room, scene.archive, files)
    expect(scene.holds()).toEqual(texts)
    expect(written).toContain('d0/f0')
    expect(written.length).toBeLessThan(110)
  })

  test('a stop is heard while a large file is copied', async () => {
    const scene = await createCleanRoomScene({ a: 'a' })
    await scene.testProject.sh('truncate', '-s', '200M', 'large')
    const files = await scene.files()
    const stop = new AbortController()
    setImmediate(() => stop.abort(new Error('stopped')))
    await expect(fillCleanRoom(scene.room, scene.archive, files, { signal: stop.signal })).rejects.toThrow('stopped')
    expect((await fillCleanRoom(scene.room, scene.archive, files)).written).toContain('large')
    expect(statSync(scene.at('large')).size).toBe(200 * 1024 * 1024)
  })

  test('bytes that the tree archive has lost are told, never replaced by others', async () => {
    const scene = await createCleanRoomScene({ a: 'one', b: 'two' })
    const files = await scene.files()
    const hash = files.get('b')?.from.hash ?? ''
    writeFileSync(join(scene.memory, 'objects', hash.slice(0, 2), hash.slice(2)), 'owt')
    await expect(fillCleanRoom(scene.room, scene.archive, files)).rejects.toMatchObject({
      code: 'witness-lost',
    })
    expect(scene.holds()).toEqual({ a: 'one' })
  })

  test('what was written down of the room and is lost or changed costs only time', async () => {
    const scene = await createCleanRoomScene({ a: 'one' })
    await scene.fill()
    for (const text of ['', '{"files":[3,["a"]]}', 'x']) {
      writeFileSync(join(scene.memory, 'room-files.json'), text)
      expect((await scene.fill()).written).toEqual(['a'])
    }
  })
})
