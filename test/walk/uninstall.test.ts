/** `ralph uninstall`, as a user types it. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TestProject } from '../test-project.ts'
import { ADDS, CLAIM, runProof } from './proof-project.ts'

interface Listed {
  removed: boolean
  traces: { is: string; path?: string; count?: number }[]
}

async function listed(made: TestProject, ...more: string[]): Promise<Listed> {
  const { stdout } = await made.ralph(['uninstall', '--json', ...more])
  return JSON.parse(stdout) as Listed
}

const refsIn = (path: string): string =>
  execFileSync('git', ['for-each-ref', 'refs/ralph'], { cwd: path, encoding: 'utf8' })

test('lists the store, snapshots, clean room and notes of a project, and removes them but no file of it', async () => {
  const { fixture: made } = await runProof([[ADDS, CLAIM]])
  const { removed, traces } = await listed(made, '--dry-run')
  expect([removed, traces.map(({ is }) => is)]).toEqual([
    false,
    expect.arrayContaining(['store', 'refs', 'clean-room', 'archive']),
  ])
  const before = [refsIn(made.path) !== '', traces.every(({ path }) => path === undefined || existsSync(path))]
  expect(before).toEqual([true, true])
  const settings = readFileSync(join(made.path, '.ralph.toml'), 'utf8')

  const { code, stdout } = await made.ralph(['uninstall', '--yes'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('Removed.')])
  expect(traces.filter(({ path }) => path !== undefined && existsSync(path))).toEqual([])
  expect([refsIn(made.path), readdirSync(join(made.path, '.git')).includes('ralph')]).toEqual(['', false])
  expect(readFileSync(join(made.path, '.ralph.toml'), 'utf8')).toBe(settings)
  expect((await made.ralph(['uninstall'])).stdout).toContain('Ralph has stored nothing for this folder')
})

test('removes nothing without a yes where nobody can be asked', async () => {
  const { fixture: made } = await runProof([[ADDS, CLAIM]])
  const { code, stderr } = await made.ralph(['uninstall'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('ralph uninstall --yes')])
  expect(refsIn(made.path)).not.toBe('')
})

test('with --all removes the state folder and what is kept for every repository it knows', async () => {
  const { fixture: made } = await runProof([[ADDS, CLAIM]])
  const { traces } = await listed(made, '--all', '--yes')
  expect(traces.map(({ is }) => is)).toEqual(expect.arrayContaining(['store', 'refs', 'clean-room', 'state']))
  expect(traces.filter(({ path }) => path !== undefined && existsSync(path))).toEqual([])
  expect(refsIn(made.path)).toBe('')
})
