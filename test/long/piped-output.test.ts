/** Output for pipes and CI: one line per fact with stable prefixes, JSON lines, quiet, verbose, live, GitHub Actions. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DONE, testProject, type TestProject } from '../test-project.ts'
import { finishSampleRun, runCommand, makeSampleProject } from '../walk/sample-run.ts'

const WORDS = /^(start|run|iteration|gate|proof|decision|wait|live|agent|tool|detail|report|result) +\S/

const lines = (text: string): string[] => text.trimEnd().split('\n')

test('in a pipe every line says what it is, without colour', async () => {
  const made = await makeSampleProject({ env: { FORCE_COLOR: '' } })
  const { stdout } = await made.ralph(['loop', '--live', '--verbose'])
  expect(lines(stdout).filter((line) => !WORDS.test(line))).toEqual([])
  expect(stdout).not.toContain('::')
  expect(stdout).not.toContain('\u001b')
  expect(stdout).toMatch(/^agent {6}I begin with hello\.$/m)
  expect(stdout).toMatch(/^detail {5}· iteration 1: claude starts a new session$/m)
})

test('--quiet prints the result and nothing else', async () => {
  const made = await makeSampleProject()
  const { stdout } = await made.ralph(['loop', '--quiet'])
  expect(lines(stdout).every((line) => line.startsWith('result '))).toBe(true)
})

test('--json is one object a line: facts with their type, and the result last', async () => {
  const made = await makeSampleProject({ proof: 'full' })
  const { stdout } = await made.ralph(['loop', '--json'])
  const facts = lines(stdout).map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(facts.every((fact) => typeof fact['type'] === 'string')).toBe(true)
  const { durationMs, report, run, next, ...result } = facts.at(-1) ?? {}
  expect([typeof durationMs, typeof report, next]).toEqual([
    'number',
    'string',
    ['git show', `ralph show ${String(run)}`, 'ralph undo'],
  ])
  expect(result).toEqual({
    type: 'result',
    outcome: 'project_complete',
    reason: 'words passes, here and in the clean room (3 steps)',
    proven: true,
    verdict: 'proven',
    exit: 0,
    acceptance: null,
    iterations: 3,
    usage: { usd: 0.5, tokens: 2530, unknown: 0, estimated: 0 },
    drift: null,
    left: [],
    already: false,
  })
})

describe('GitHub Actions', () => {
  test('annotations, a step summary, and no workflow command of the agent', async () => {
    const made = await makeSampleProject({ proof: 'full' })
    await made.write('summary.md', '')
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(made.home, 'summary.md') }
    const { stdout } = await made.ralph(['loop'], { env })
    expect(stdout).toMatch(/^::error title=Gate words::words failed \(exit 1\)/m)
    expect(stdout).toMatch(/^::notice title=Proven done::words passes, here and in the clean room \(3 steps\)/m)
    expect(await readFile(env.GITHUB_STEP_SUMMARY, 'utf8')).toMatch(/^# Run \w+: proven done\n/)
  })

  test('what an agent says is never obeyed by the runner', async () => {
    const made = await testProject({
      turns: [
        [
          { do: 'say', text: '::add-mask::x\n##[group]y' },
          { do: 'status', text: 'Done.', fields: DONE },
        ],
      ],
    })
    const { stdout } = await made.ralph(['loop', '--once', '--live'], { env: { GITHUB_ACTIONS: 'true' } })
    const obeyed = lines(stdout).filter((line) => /^\s*::add-mask|##\[group/.test(line))
    expect([obeyed, stdout.includes('add-mask')]).toEqual([[], true])
  })
})

/** Through a shell, as a person types it. */
async function piped({ path, env }: TestProject, line: string): Promise<{ stdout: string; stderr: string }> {
  const ralph = join(import.meta.dirname, '..', '..', 'bin', 'ralph.cjs')
  const script = line.replaceAll('ralph ', `'${process.execPath}' '${ralph}' `)
  return promisify(execFile)('/bin/sh', ['-c', script], { cwd: path, env, timeout: 30_000 })
}

describe('a reader that goes away ends it quietly', () => {
  let night: TestProject
  beforeAll(async () => (night = await finishSampleRun({ until: 'removed' })))
  afterAll(() => night.remove())

  test.each(['logs', 'replay --speed 0', 'replay', 'replay --json', 'show', 'runs'])(
    'ralph %s | head -1',
    async (command) => {
      const { stdout, stderr } = await piped(night, `ralph ${command} | head -1`)
      expect([lines(stdout).length, stderr]).toEqual([1, ''])
    },
  )

  test('but a loop continues to its end', async () => {
    const made = await makeSampleProject()
    await piped(made, 'ralph loop | head -1')
    expect((await runCommand(made, 'report', '--json')).out).toContain('"verdict":"gates-passed"')
  })
})

test('rows of a newer Ralph are named, and nothing breaks', async () => {
  const made = await finishSampleRun()
  const { DatabaseSync } = await sqlite()
  const db = new DatabaseSync(join(made.path, '.git', 'ralph', 'root', 'ralph.db'))
  db.exec(
    `insert into record (run, seq, at, up, rules, type, event, effects, decisions) select run, max(seq) + 1, max(at), max(up), 999, 'tea-made', '{"type":"tea-made","worker":"1","effect":"e900"}', '[{"type":"pour","id":"e901","worker":"1"}]', '[]' from record`,
  )
  db.close()
  for (const argv of [
    ['status'],
    ['logs'],
    ['replay', '--speed', '0'],
    ['show'],
    ['report'],
    ['stats'],
    ['runs'],
    ['export', '-o', '-'],
  ]) {
    const { code, err } = await runCommand(made, ...argv)
    expect([argv, code, err]).toEqual([argv, 0, ''])
  }
  expect((await runCommand(made, 'status')).out).toContain('not shown: 1 row of this run, written by a newer Ralph')
  expect((await runCommand(made, 'logs', '--events')).out).toContain('was written by a newer Ralph and is not shown')
})

/** The library that the store uses on this version of Node. */
async function sqlite(): Promise<{
  DatabaseSync: new (file: string) => { exec(text: string): void; close(): void }
}> {
  return (await import('@photostructure/sqlite')) as unknown as Awaited<ReturnType<typeof sqlite>>
}
