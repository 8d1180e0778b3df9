import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startBackground } from './background.ts'
import { makeTempFolder, removeFolder } from '../files/files.ts'
import { findProcess } from './process-table.ts'

function aFolder(): string {
  const folder = makeTempFolder('ralph-background-')
  onTestFinished(() => removeFolder(folder))
  return folder
}

const env = { PATH: process.env['PATH'] ?? '' }

test('a background program leads a group of its own and writes both streams to its log', async () => {
  const cwd = aFolder()
  const log = join(cwd, 'engine.log')
  const script = 'process.stdout.write("out\\n"); process.stderr.write("err\\n"); setInterval(() => {}, 1000)'
  const { pid, ended } = startBackground({ argv: [process.execPath, '-e', script], cwd, env, log })
  expect(findProcess(pid)?.group).toBe(pid)
  while (!readFileSync(log, 'utf8').includes('err')) await new Promise((resolve) => setTimeout(resolve, 5))
  process.kill(pid, 'SIGTERM')
  expect(await ended).toEqual({ code: null, problem: null })
  expect(readFileSync(log, 'utf8').split('\n').toSorted()).toEqual(['', 'err', 'out'])
})

test('its exit code is known to whoever waits', async () => {
  const cwd = aFolder()
  const { ended } = startBackground({
    argv: [process.execPath, '-e', 'process.exit(6)'],
    cwd,
    env,
    log: join(cwd, 'log'),
  })
  expect(await ended).toEqual({ code: 6, problem: null })
})

test('a program that cannot be started says so and has no pid', async () => {
  const cwd = aFolder()
  const { pid, ended } = startBackground({
    argv: [join(cwd, 'nothing-here')],
    cwd,
    env,
    log: join(cwd, 'log'),
  })
  expect(pid).toBe(0)
  expect((await ended).problem).toContain('nothing-here')
})

test('a log that cannot be written is an error that names it', () => {
  const cwd = aFolder()
  const log = join(cwd, 'no', 'such', 'folder')
  expect(() => startBackground({ argv: ['true'], cwd, env, log })).toThrow(log)
})
