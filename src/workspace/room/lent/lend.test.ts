import {
  appendFileSync,
  chmodSync,
  existsSync,
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
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { removeAll } from '../../../system/files/sweep.ts'
import { clearGardens } from '../../../../test/kit/workspace.ts'
import { lend, sweepLent } from './lend.ts'
import { openRoom } from '../room.ts'
import { type Scene, aScene } from '../../../../test/kit/clean-room.ts'

afterAll(clearGardens)

const PACKAGES = {
  'node_modules/a/index.js': 'module.exports = 1',
  'node_modules/a/lib/x.js': 'x',
  'node_modules/b/run.js': 'run',
}
const NODE = [{ path: 'node_modules' }]
const NOTHING = { copied: [], removed: [] }

function texts(scene: Scene, path: string): string {
  return readFileSync(scene.at(path), 'utf8')
}

describe('what is lent', () => {
  test('is copied as it is, and not copied again', async () => {
    const scene = await aScene(PACKAGES)
    chmodSync(scene.garden.path('node_modules/b/run.js'), 0o755)
    utimesSync(scene.garden.path('node_modules/a/index.js'), 1000, 1000)
    mkdirSync(scene.garden.path('node_modules/.bin'))
    symlinkSync('../b/run.js', scene.garden.path('node_modules/.bin/run'))
    const { copied } = await lend(scene.room, NODE)
    expect(copied).toContain('node_modules/a/lib/x.js')
    expect(scene.holds()).toEqual({ ...PACKAGES, 'node_modules/.bin/run': '-> ../b/run.js' })
    expect(statSync(scene.at('node_modules/b/run.js')).mode & 0o777).toBe(0o755)
    expect(statSync(scene.at('node_modules/a/index.js')).mtimeMs).toBe(1_000_000)
    const inode = (path: string) => lstatSync(path).ino
    const file = 'node_modules/a/index.js'
    expect(inode(scene.at(file))).not.toBe(inode(scene.garden.path(file)))
    expect(await lend(scene.room, NODE)).toEqual(NOTHING)
    expect(await sweepLent(scene.room)).toEqual(NOTHING)
  })

  test('follows the working tree at the next start', async () => {
    const scene = await aScene(PACKAGES)
    await lend(scene.room, NODE)
    scene.garden.write({ 'node_modules/a/index.js': 'new', 'node_modules/c/y.js': 'y' })
    rmSync(scene.garden.path('node_modules/b'), { recursive: true })
    expect(await lend(scene.room, NODE)).toEqual({
      copied: ['node_modules/a/index.js', 'node_modules/c', 'node_modules/c/y.js'],
      removed: ['node_modules/b'],
    })
    expect(await lend(scene.room, [])).toEqual(NOTHING)
    expect(scene.holds()).toEqual({})
  })

  test('may be single files, neighbours, and what is not there', async () => {
    const scene = await aScene({ '.gitignore': '.env\n', '.env': 'S=1' })
    scene.around.write({ 'shared/x': 'shared' })
    await lend(scene.room, [{ path: '.env' }, { path: '../shared' }, { path: 'gone' }, { path: 'deep/gone' }])
    expect(scene.holds()).toEqual({ '.env': 'S=1' })
    expect(readFileSync(join(scene.room.parent, 'shared/x'), 'utf8')).toBe('shared')
    const skip = new Set(['.env', '../shared'])
    expect((await scene.fill({ skip })).removed).toEqual([])
    writeFileSync(scene.at('.env'), 'S=9')
    writeFileSync(join(scene.room.parent, 'shared/y'), '')
    expect(await sweepLent(scene.room)).toEqual({ copied: ['.env'], removed: ['../shared/y'] })
    expect(texts(scene, '.env')).toBe('S=1')
  })

  test('is what a link leads to, not the link', async () => {
    const scene = await aScene({ a: 'a' })
    scene.around.write({ 'main/node_modules/x': 'x' })
    symlinkSync(scene.around.path('main/node_modules'), scene.garden.path('node_modules'))
    await lend(scene.room, NODE)
    expect(scene.holds()).toEqual({ 'node_modules/x': 'x' })
  })

  test('leaves to others what they bring, and pipes where they are', async () => {
    const scene = await aScene(PACKAGES)
    await scene.garden.sh('mkfifo', 'node_modules/pipe')
    const but = new Set(['node_modules/a/index.js', '.env'])
    scene.garden.write({ '.env': 'S=1' })
    await lend(scene.room, [...NODE, { path: '.env' }], { but })
    expect(Object.keys(scene.holds())).toEqual(['node_modules/a/lib/x.js', 'node_modules/b/run.js'])
    writeFileSync(scene.at('node_modules/a/index.js'), 'theirs')
    expect(await sweepLent(scene.room, { but })).toEqual(NOTHING)
  })

  test('knows the room by its new place', async () => {
    const scene = await aScene({ a: 'a' })
    const { root } = scene.garden
    const site = '.venv/lib/python3/site-packages'
    const program = `\0ELF ${root}/.venv/lib`
    scene.garden.write({
      '.venv/bin/pytest': `#!${root}/.venv/bin/python\nimport sys\n`,
      '.venv/bin/activate': `VIRTUAL_ENV='${root}/.venv'\nOTHER=${root}-other:/x${root}:${root}.old\n`,
      '.venv/bin/program': program,
      '.venv/pyvenv.cfg': `home = /usr/bin\ncommand = python -m venv ${root}/.venv\n`,
      [`${site}/mine.pth`]: `${root}/src\n`,
      [`${site}/mine.dist-info/direct_url.json`]: `{"url": "file://${root}"}`,
      [`${site}/data.txt`]: root,
    })
    symlinkSync(scene.garden.path('.venv/bin/pytest'), scene.garden.path('.venv/bin/py.test'))
    symlinkSync('/usr/bin/python3', scene.garden.path('.venv/bin/python'))
    chmodSync(scene.garden.path('.venv/bin/pytest'), 0o755)
    await lend(scene.room, [{ path: '.venv' }])
    const { top } = scene.room
    expect(scene.holds()).toEqual({
      '.venv/bin/pytest': `#!${top}/.venv/bin/python\nimport sys\n`,
      '.venv/bin/activate': `VIRTUAL_ENV='${top}/.venv'\nOTHER=${root}-other:/x${root}:${root}.old\n`,
      '.venv/bin/program': program,
      '.venv/pyvenv.cfg': `home = /usr/bin\ncommand = python -m venv ${top}/.venv\n`,
      [`${site}/mine.pth`]: `${top}/src\n`,
      [`${site}/mine.dist-info/direct_url.json`]: `{"url": "file://${top}"}`,
      [`${site}/data.txt`]: root,
      '.venv/bin/py.test': `-> ${top}/.venv/bin/pytest`,
      '.venv/bin/python': '-> /usr/bin/python3',
    })
    expect(statSync(scene.at('.venv/bin/pytest')).mode & 0o777).toBe(0o755)
    expect(await lend(scene.room, [{ path: '.venv' }])).toEqual(NOTHING)
  })

  test('leads to a neighbour in the room as soon as that is lent', async () => {
    const scene = await aScene({ 'node_modules/a': 'a' })
    scene.around.write({ 'lib/x': 'x' })
    symlinkSync(scene.around.path('lib'), scene.garden.path('node_modules/lib'))
    await lend(scene.room, NODE)
    expect(scene.holds()['node_modules/lib']).toBe(`-> ${scene.around.path('lib')}`)
    expect((await lend(scene.room, [...NODE, { path: '../lib' }])).copied).toEqual([
      'node_modules/lib',
      '../lib/x',
    ])
    expect(scene.holds()['node_modules/lib']).toBe(`-> ${join(scene.room.parent, 'lib')}`)
  })
})

describe('what was done to it in the room is undone', () => {
  test('changed, removed and new files, and links in their place', async () => {
    const scene = await aScene(PACKAGES)
    await lend(scene.room, NODE)
    const { mtime } = statSync(scene.at('node_modules/a/index.js'))
    writeFileSync(scene.at('node_modules/a/index.js'), 'module.exports = 2')
    utimesSync(scene.at('node_modules/a/index.js'), mtime, mtime)
    scene.around.write({ 'theirs/run.js': 'precious' })
    rmSync(scene.at('node_modules/b'), { recursive: true })
    symlinkSync(scene.around.path('theirs'), scene.at('node_modules/b'))
    mkdirSync(scene.at('node_modules/evil/deep'), { recursive: true })
    writeFileSync(scene.at('node_modules/a/sitecustomize.py'), '')
    expect(await sweepLent(scene.room)).toEqual({
      copied: ['node_modules/a/index.js', 'node_modules/b', 'node_modules/b/run.js'],
      removed: ['node_modules/a/sitecustomize.py', 'node_modules/evil'],
    })
    expect(scene.holds()).toEqual(PACKAGES)
    expect(readdirSync(scene.around.path('theirs'))).toEqual(['run.js'])
    expect(await sweepLent(scene.room)).toEqual(NOTHING)
  })

  test('the folder itself, gone or another thing, and rights taken from it', async () => {
    const scene = await aScene(PACKAGES)
    await lend(scene.room, NODE)
    rmSync(scene.at('node_modules'), { recursive: true })
    await sweepLent(scene.room)
    expect(scene.holds()).toEqual(PACKAGES)
    rmSync(scene.at('node_modules'), { recursive: true })
    symlinkSync(scene.garden.path('node_modules'), scene.at('node_modules'))
    await sweepLent(scene.room)
    expect(scene.holds()).toEqual(PACKAGES)
    expect(readdirSync(scene.garden.path('node_modules'))).toEqual(['a', 'b'])
    rmSync(scene.at('node_modules/b/run.js'))
    for (const path of ['node_modules/a/lib', 'node_modules/b', 'node_modules']) chmodSync(scene.at(path), 0)
    await sweepLent(scene.room)
    expect(scene.holds()).toEqual(PACKAGES)
  })

  test('an agent that changes the working tree changes nothing in the room', async () => {
    const scene = await aScene(PACKAGES)
    await lend(scene.room, NODE)
    writeFileSync(scene.garden.path('node_modules/a/index.js'), 'evil')
    scene.garden.write({ 'node_modules/new/x.js': 'evil' })
    expect(await sweepLent(scene.room)).toEqual(NOTHING)
    expect(scene.holds()).toEqual(PACKAGES)
  })

  test('what was changed here and there is lost, and that is told', async () => {
    const scene = await aScene(PACKAGES)
    await lend(scene.room, NODE)
    const file = 'node_modules/a/index.js'
    const { mtime } = statSync(scene.garden.path(file))
    writeFileSync(scene.garden.path(file), 'module.exports = 3')
    utimesSync(scene.garden.path(file), mtime, mtime)
    appendFileSync(scene.at(file), 'x')
    const failure = { code: 'room-failed', message: expect.stringContaining(file) as string }
    await expect(sweepLent(scene.room)).rejects.toMatchObject(failure)
    await expect(sweepLent(scene.room)).rejects.toMatchObject(failure)
    expect(existsSync(scene.at(file))).toBe(false)
    await lend(scene.room, NODE)
    expect(texts(scene, file)).toBe('module.exports = 3')
  })
})

describe('what goes wrong', () => {
  test('what was called off is completed by the next call', async () => {
    const many = Array.from({ length: 120 }, (_, n) => [`node_modules/p${n % 9}/f${n}.js`, `text ${n}`])
    const scene = await aScene(Object.fromEntries(many) as Record<string, string>)
    const stop = new AbortController()
    const progress = (done: number) => {
      if (done === 50) stop.abort()
    }
    await expect(lend(scene.room, NODE, { signal: stop.signal, progress })).rejects.toThrow()
    writeFileSync(scene.at('node_modules/p0/f0.js'), 'half')
    const { copied } = await lend(scene.room, NODE)
    expect(scene.holds()).toEqual(Object.fromEntries(many))
    expect(copied).toContain('node_modules/p0/f0.js')
    expect(copied.length).toBeLessThan(110)
  })

  test('a new room gets what was lent at the start', async () => {
    const scene = await aScene(PACKAGES)
    await lend(scene.room, NODE)
    renameSync(scene.room.parent, `${scene.room.parent}-away`)
    onTestFinished(() => removeAll(`${scene.room.parent}-away`))
    await expect(sweepLent(scene.room)).rejects.toMatchObject({ code: 'room-failed' })
    const room = openRoom({ memory: scene.memory, top: scene.garden.root, prefix: '' })
    onTestFinished(() => removeAll(room.parent))
    scene.garden.write({ 'node_modules/new/x.js': 'evil' })
    await sweepLent(room)
    expect(readdirSync(join(room.top, 'node_modules'))).toEqual(['a', 'b'])
  })

  test('what was written down and cannot be read is told before a trial, and made anew at a start', async () => {
    const scene = await aScene(PACKAGES)
    await lend(scene.room, NODE)
    const [note = ''] = readdirSync(join(scene.memory, 'lent'))
    writeFileSync(join(scene.memory, 'lent', note), '')
    await expect(sweepLent(scene.room)).rejects.toMatchObject({ code: 'room-failed' })
    expect((await lend(scene.room, NODE)).copied).toHaveLength(6)
    expect(await sweepLent(scene.room)).toEqual(NOTHING)
  })
})
