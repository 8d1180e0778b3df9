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
import { removeAll } from '../../../system/files/remove-all.ts'
import { removeTestProjects } from '../../../../test/kit/workspace.ts'
import { copySharedTools, resetSharedTools } from './copy-shared-tools.ts'
import { openCleanRoom } from '../clean-room.ts'
import { type Scene, createCleanRoomScene } from '../../../../test/kit/clean-room.ts'

afterAll(removeTestProjects)

const PACKAGES = {
  'node_modules/a/index.js': 'module.exports = 1',
  'node_modules/a/lib/x.js': 'x',
  'node_modules/b/run.js': 'run',
}
const NODE = ['node_modules']
const NOTHING = { copied: [], removed: [] }

function texts(scene: Scene, path: string): string {
  return readFileSync(scene.at(path), 'utf8')
}

describe('what is lent', () => {
  test('is copied as it is, and not copied again', async () => {
    const scene = await createCleanRoomScene(PACKAGES)
    chmodSync(scene.testProject.path('node_modules/b/run.js'), 0o755)
    utimesSync(scene.testProject.path('node_modules/a/index.js'), 1000, 1000)
    mkdirSync(scene.testProject.path('node_modules/.bin'))
    symlinkSync('../b/run.js', scene.testProject.path('node_modules/.bin/run'))
    const { copied } = await copySharedTools(scene.room, NODE)
    expect(copied).toContain('node_modules/a/lib/x.js')
    expect(scene.holds()).toEqual({ ...PACKAGES, 'node_modules/.bin/run': '-> ../b/run.js' })
    expect(statSync(scene.at('node_modules/b/run.js')).mode & 0o777).toBe(0o755)
    expect(statSync(scene.at('node_modules/a/index.js')).mtimeMs).toBe(1_000_000)
    const inode = (path: string) => lstatSync(path).ino
    const file = 'node_modules/a/index.js'
    expect(inode(scene.at(file))).not.toBe(inode(scene.testProject.path(file)))
    expect(await copySharedTools(scene.room, NODE)).toEqual(NOTHING)
    expect(await resetSharedTools(scene.room)).toEqual(NOTHING)
  })

  test('follows the working tree at the next start', async () => {
    const scene = await createCleanRoomScene(PACKAGES)
    await copySharedTools(scene.room, NODE)
    scene.testProject.write({ 'node_modules/a/index.js': 'new', 'node_modules/c/y.js': 'y' })
    rmSync(scene.testProject.path('node_modules/b'), { recursive: true })
    expect(await copySharedTools(scene.room, NODE)).toEqual({
      copied: ['node_modules/a/index.js', 'node_modules/c', 'node_modules/c/y.js'],
      removed: ['node_modules/b'],
    })
    expect(await copySharedTools(scene.room, [])).toEqual(NOTHING)
    expect(scene.holds()).toEqual({})
  })

  test('may be single files, neighbours, and what is not there', async () => {
    const scene = await createCleanRoomScene({ '.gitignore': '.env\n', '.env': 'S=1' })
    scene.around.write({ 'shared/x': 'shared' })
    await copySharedTools(scene.room, ['.env', '../shared', 'gone', 'deep/gone'])
    expect(scene.holds()).toEqual({ '.env': 'S=1' })
    expect(readFileSync(join(scene.room.parent, 'shared/x'), 'utf8')).toBe('shared')
    const skip = new Set(['.env', '../shared'])
    expect((await scene.fill({ skip })).removed).toEqual([])
    writeFileSync(scene.at('.env'), 'S=9')
    writeFileSync(join(scene.room.parent, 'shared/y'), '')
    expect(await resetSharedTools(scene.room)).toEqual({ copied: ['.env'], removed: ['../shared/y'] })
    expect(texts(scene, '.env')).toBe('S=1')
  })

  test('is what a link leads to, not the link', async () => {
    const scene = await createCleanRoomScene({ a: 'a' })
    scene.around.write({ 'main/node_modules/x': 'x' })
    symlinkSync(scene.around.path('main/node_modules'), scene.testProject.path('node_modules'))
    await copySharedTools(scene.room, NODE)
    expect(scene.holds()).toEqual({ 'node_modules/x': 'x' })
  })

  test('leaves to others what they bring, and pipes where they are', async () => {
    const scene = await createCleanRoomScene(PACKAGES)
    await scene.testProject.sh('mkfifo', 'node_modules/pipe')
    const but = new Set(['node_modules/a/index.js', '.env'])
    scene.testProject.write({ '.env': 'S=1' })
    await copySharedTools(scene.room, [...NODE, '.env'], { but })
    expect(Object.keys(scene.holds())).toEqual(['node_modules/a/lib/x.js', 'node_modules/b/run.js'])
    writeFileSync(scene.at('node_modules/a/index.js'), 'theirs')
    expect(await resetSharedTools(scene.room, { but })).toEqual(NOTHING)
  })

  test('knows the room by its new place', async () => {
    const scene = await createCleanRoomScene({ a: 'a' })
    const { root } = scene.testProject
    const site = '.venv/lib/python3/site-packages'
    const program = `\0ELF ${root}/.venv/lib`
    scene.testProject.write({
      '.venv/bin/pytest': `#!${root}/.venv/bin/python\nimport sys\n`,
      '.venv/bin/activate': `VIRTUAL_ENV='${root}/.venv'\nOTHER=${root}-other:/x${root}:${root}.old\n`,
      '.venv/bin/program': program,
      '.venv/pyvenv.cfg': `home = /usr/bin\ncommand = python -m venv ${root}/.venv\n`,
      [`${site}/mine.pth`]: `${root}/src\n`,
      [`${site}/mine.dist-info/direct_url.json`]: `{"url": "file://${root}"}`,
      [`${site}/data.txt`]: root,
    })
    symlinkSync(scene.testProject.path('.venv/bin/pytest'), scene.testProject.path('.venv/bin/py.test'))
    symlinkSync('/usr/bin/python3', scene.testProject.path('.venv/bin/python'))
    chmodSync(scene.testProject.path('.venv/bin/pytest'), 0o755)
    await copySharedTools(scene.room, ['.venv'])
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
    expect(await copySharedTools(scene.room, ['.venv'])).toEqual(NOTHING)
  })

  test('leads to a neighbour in the room as soon as that is lent', async () => {
    const scene = await createCleanRoomScene({ 'node_modules/a': 'a' })
    scene.around.write({ 'lib/x': 'x' })
    symlinkSync(scene.around.path('lib'), scene.testProject.path('node_modules/lib'))
    await copySharedTools(scene.room, NODE)
    expect(scene.holds()['node_modules/lib']).toBe(`-> ${scene.around.path('lib')}`)
    expect((await copySharedTools(scene.room, [...NODE, '../lib'])).copied).toEqual(['node_modules/lib', '../lib/x'])
    expect(scene.holds()['node_modules/lib']).toBe(`-> ${join(scene.room.parent, 'lib')}`)
  })
})

describe('what was done to it in the room is undone', () => {
  test('changed, removed and new files, and links in their place', async () => {
    const scene = await createCleanRoomScene(PACKAGES)
    await copySharedTools(scene.room, NODE)
    const { mtime } = statSync(scene.at('node_modules/a/index.js'))
    writeFileSync(scene.at('node_modules/a/index.js'), 'module.exports = 2')
    utimesSync(scene.at('node_modules/a/index.js'), mtime, mtime)
    scene.around.write({ 'theirs/run.js': 'precious' })
    rmSync(scene.at('node_modules/b'), { recursive: true })
    symlinkSync(scene.around.path('theirs'), scene.at('node_modules/b'))
    mkdirSync(scene.at('node_modules/evil/deep'), { recursive: true })
    writeFileSync(scene.at('node_modules/a/sitecustomize.py'), '')
    expect(await resetSharedTools(scene.room)).toEqual({
      copied: ['node_modules/a/index.js', 'node_modules/b', 'node_modules/b/run.js'],
      removed: ['node_modules/a/sitecustomize.py', 'node_modules/evil'],
    })
    expect(scene.holds()).toEqual(PACKAGES)
    expect(readdirSync(scene.around.path('theirs'))).toEqual(['run.js'])
    expect(await resetSharedTools(scene.room)).toEqual(NOTHING)
  })

  test('the folder itself, gone or another thing, and rights taken from it', async () => {
    const scene = await createCleanRoomScene(PACKAGES)
    await copySharedTools(scene.room, NODE)
    rmSync(scene.at('node_modules'), { recursive: true })
    await resetSharedTools(scene.room)
    expect(scene.holds()).toEqual(PACKAGES)
    rmSync(scene.at('node_modules'), { recursive: true })
    symlinkSync(scene.testProject.path('node_modules'), scene.at('node_modules'))
    await resetSharedTools(scene.room)
    expect(scene.holds()).toEqual(PACKAGES)
    expect(readdirSync(scene.testProject.path('node_modules'))).toEqual(['a', 'b'])
    rmSync(scene.at('node_modules/b/run.js'))
    for (const path of ['node_modules/a/lib', 'node_modules/b', 'node_modules']) chmodSync(scene.at(path), 0)
    await resetSharedTools(scene.room)
    expect(scene.holds()).toEqual(PACKAGES)
  })

  test('an agent that changes the working tree changes nothing in the room', async () => {
    const scene = await createCleanRoomScene(PACKAGES)
    await copySharedTools(scene.room, NODE)
    writeFileSync(scene.testProject.path('node_modules/a/index.js'), 'evil')
    scene.testProject.write({ 'node_modules/new/x.js': 'evil' })
    expect(await resetSharedTools(scene.room)).toEqual(NOTHING)
    expect(scene.holds()).toEqual(PACKAGES)
  })

  test('what was changed here and there is lost, and that is told', async () => {
    const scene = await createCleanRoomScene(PACKAGES)
    await copySharedTools(scene.room, NODE)
    const file = 'node_modules/a/index.js'
    const { mtime } = statSync(scene.testProject.path(file))
    writeFileSync(scene.testProject.path(file), 'module.exports = 3')
    utimesSync(scene.testProject.path(file), mtime, mtime)
    appendFileSync(scene.at(file), 'x')
    const failure = { code: 'room-failed', message: expect.stringContaining(file) as string }
    await expect(resetSharedTools(scene.room)).rejects.toMatchObject(failure)
    await expect(resetSharedTools(scene.room)).rejects.toMatchObject(failure)
    expect(existsSync(scene.at(file))).toBe(false)
    await copySharedTools(scene.room, NODE)
    expect(texts(scene, file)).toBe('module.exports = 3')
  })
})

describe('what goes wrong', () => {
  test('what was called off is completed by the next call', async () => {
    const many = Array.from({ length: 120 }, (_, n) => [`node_modules/p${n % 9}/f${n}.js`, `text ${n}`])
    const scene = await createCleanRoomScene(Object.fromEntries(many) as Record<string, string>)
    const stop = new AbortController()
    const progress = (done: number) => {
      if (done === 50) stop.abort()
    }
    await expect(copySharedTools(scene.room, NODE, { signal: stop.signal, progress })).rejects.toThrow()
    writeFileSync(scene.at('node_modules/p0/f0.js'), 'half')
    const { copied } = await copySharedTools(scene.room, NODE)
    expect(scene.holds()).toEqual(Object.fromEntries(many))
    expect(copied).toContain('node_modules/p0/f0.js')
    expect(copied.length).toBeLessThan(110)
  })

  test('a new room gets what was shared at the start', async () => {
    const scene = await createCleanRoomScene(PACKAGES)
    await copySharedTools(scene.room, NODE)
    renameSync(scene.room.parent, `${scene.room.parent}-away`)
    onTestFinished(() => removeAll(`${scene.room.parent}-away`))
    await expect(resetSharedTools(scene.room)).rejects.toMatchObject({ code: 'room-failed' })
    const room = openCleanRoom({ memory: scene.memory, top: scene.testProject.root, prefix: '' })
    onTestFinished(() => removeAll(room.parent))
    scene.testProject.write({ 'node_modules/new/x.js': 'evil' })
    await resetSharedTools(room)
    expect(readdirSync(join(room.top, 'node_modules'))).toEqual(['a', 'b'])
  })

  test('what was written down and cannot be read is told before a trial, and made anew at a start', async () => {
    const scene = await createCleanRoomScene(PACKAGES)
    await copySharedTools(scene.room, NODE)
    const [note = ''] = readdirSync(join(scene.memory, 'lent'))
    writeFileSync(join(scene.memory, 'lent', note), '')
    await expect(resetSharedTools(scene.room)).rejects.toMatchObject({ code: 'room-failed' })
    expect((await copySharedTools(scene.room, NODE)).copied).toHaveLength(6)
    expect(await resetSharedTools(scene.room)).toEqual(NOTHING)
  })
})
