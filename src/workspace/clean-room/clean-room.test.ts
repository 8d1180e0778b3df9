import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest'
import { removeAll } from '../../system/files/remove-all.ts'
import { aFolder, removeTestProjects } from '../../../test/kit/workspace.ts'
import { fillCleanRoom } from './fill-clean-room.ts'
import { type OpenCleanRoom, renewHomeAndTmp, openCleanRoom } from './clean-room.ts'
import { createCleanRoomScene } from '../../../test/kit/clean-room.ts'

const before = process.env['TMPDIR']
afterEach(() => {
  if (before === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = before
})
afterAll(removeTestProjects)

function aRoom(place: Partial<Parameters<typeof openCleanRoom>[0]> = {}): OpenCleanRoom {
  const room = openCleanRoom({
    memory: place.memory ?? aFolder().root,
    top: '/home/ann/shop',
    prefix: '',
    ...place,
  })
  onTestFinished(() => removeAll(room.parent))
  return room
}

test('a room has the name of the project and tells nothing else', () => {
  const { root: place } = aFolder()
  process.env['TMPDIR'] = place
  const room = aRoom({ prefix: 'packages/app/' })
  expect(dirname(room.parent)).toBe(place)
  expect(basename(room.parent)).toMatch(/^[0-9a-z]{10}$/)
  expect(room.top).toBe(join(room.parent, 'shop'))
  expect(room.root).toBe(join(room.parent, 'shop/packages/app'))
  expect(room.home).toMatch(/\/h[0-9a-z]{9}$/)
  expect(room.tmp).toMatch(/\/t[0-9a-z]{9}$/)
  expect(statSync(room.parent).mode & 0o777).toBe(0o700)
  expect(readdirSync(room.parent).sort()).toEqual([basename(room.home), 'shop', basename(room.tmp)].sort())
})

test('a room is never made inside the working tree', () => {
  const { root: top } = aFolder({ 'tmp/x': '' })
  process.env['TMPDIR'] = join(top, 'tmp')
  expect(dirname(aRoom({ top }).parent)).toBe('/var/tmp')
  const { root: memory } = aFolder()
  process.env['TMPDIR'] = '/not/there'
  expect(dirname(aRoom({ top, memory }).parent)).toBe('/var/tmp')
})

test('the room of the last time is used again, with the tmp by which its children are found', () => {
  const { root: memory } = aFolder()
  const first = aRoom({ memory })
  const fresh = renewHomeAndTmp(first)
  expect(openCleanRoom({ memory, top: '/home/ann/shop', prefix: '' })).toEqual(fresh)
  expect(openCleanRoom({ memory, top: '/home/ann/shop', prefix: 'app/' }).root).toBe(join(first.top, 'app'))
  expect(aRoom({ memory, top: '/home/bob/shop' }).parent).not.toBe(first.parent)
})

test('home and tmp are new for every trial, whatever was left in the old ones', () => {
  const room = aRoom()
  mkdirSync(join(room.home, 'go/pkg'), { recursive: true })
  writeFileSync(join(room.home, 'go/pkg/x'), '', { mode: 0o444 })
  mkdirSync(join(room.tmp, 'shut'), { mode: 0 })
  const fresh = renewHomeAndTmp(room)
  expect(readdirSync(fresh.home)).toEqual([])
  expect(readdirSync(fresh.tmp)).toEqual([])
  expect([existsSync(room.home), existsSync(room.tmp)]).toEqual([false, false])
  expect([fresh.home === room.home, fresh.tmp === room.tmp]).toEqual([false, false])
})

test.each(['gone', 'another folder', 'a link'])('a room whose folder is %s is not the room', async (what) => {
  const { testProject, memory, archive, room, files } = await createCleanRoomScene({ a: 'mine' })
  const others = aFolder({ 'proj/precious': 'theirs' })
  renameSync(room.parent, `${room.parent}-away`)
  onTestFinished(() => removeAll(`${room.parent}-away`))
  if (what === 'another folder') mkdirSync(room.parent)
  if (what === 'a link') symlinkSync(others.root, room.parent)
  await expect(fillCleanRoom(room, archive, await files())).rejects.toMatchObject({ code: 'room-failed' })
  expect(readFileSync(others.path('proj/precious'), 'utf8')).toBe('theirs')
  const next = aRoom({ memory, top: testProject.root })
  expect(next.parent).not.toBe(room.parent)
  expect((await fillCleanRoom(next, archive, await files())).written).toEqual(['a'])
  rmSync(room.parent, { recursive: true, force: true })
})

test('what was written down and makes no sense is a room that is gone', () => {
  const { root: memory } = aFolder({ 'room.json': '{"parent":3' })
  expect(existsSync(aRoom({ memory }).top)).toBe(true)
})
