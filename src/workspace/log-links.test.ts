import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeTempFolder, removeFolder } from '../system/files/files.ts'
import { copyLog, linkLog, removeDeadLinks } from './log-links.ts'

const STAMP = '2027-03-28_03-30-00'

function aProject(): {
  root: string
  store: string
  logs: string
  log: (run: string, text?: string) => string
} {
  const root = makeTempFolder('ralph-log-links-')
  onTestFinished(() => removeFolder(root))
  const [store, logs] = [join(root, '.git', 'ralph'), join(root, '.ralph', 'logs')]
  mkdirSync(logs, { recursive: true })
  const log = (run: string, text = run): string => {
    const path = join(store, 'logs', run, '1', 'agent.log')
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
    return path
  }
  return { root, store, logs, log }
}

test('a link is made once, and two of one second have two names', () => {
  const { root, logs, log } = aProject()
  const [one, two] = [log('r1'), log('r2')]
  for (const path of [one, two, one, two]) expect(linkLog(root, { stamp: STAMP, log: path })).toBe(true)
  expect(readdirSync(logs).toSorted()).toEqual([`claude_output_${STAMP}.log`, `claude_output_${STAMP}_2.log`])
  expect(readlinkSync(join(logs, `claude_output_${STAMP}.log`))).toBe('../../.git/ralph/logs/r1/1/agent.log')
  expect(readFileSync(join(logs, `claude_output_${STAMP}_2.log`), 'utf8')).toBe('r2')
})

test('a name that somebody planted is left alone', () => {
  const { root, logs, log } = aProject()
  const planted = join(logs, `claude_output_${STAMP}.log`)
  symlinkSync('/etc/hostname', planted)
  linkLog(root, { stamp: STAMP, log: log('r1') })
  expect(readlinkSync(planted)).toBe('/etc/hostname')
})

test('in place of a link stands the end of the log', () => {
  const { root, logs, log } = aProject()
  copyLog(root, { stamp: STAMP, log: log('r1', `${'x'.repeat(100_000)}the end`) })
  const copy = readFileSync(join(logs, `claude_output_${STAMP}.log`), 'utf8')
  expect([copy.length, copy.endsWith('xthe end')]).toEqual([65_536, true])
})

test('only links of ours that lead nowhere go', () => {
  const { root, store, logs, log } = aProject()
  for (const run of ['r1', 'r2']) linkLog(root, { stamp: run, log: log(run) })
  symlinkSync('/nowhere', join(logs, 'claude_output_mine.log'))
  symlinkSync('../../.git/ralph/logs/r9', join(logs, 'other.log'))
  writeFileSync(join(logs, 'claude_output_old.log'), 'of the bash tool')
  rmSync(join(store, 'logs', 'r1'), { recursive: true })
  removeDeadLinks(root, store)
  expect(readdirSync(logs).toSorted()).toEqual([
    'claude_output_mine.log',
    'claude_output_old.log',
    'claude_output_r2.log',
    'other.log',
  ])
})
