/** `ralph demo`: a short story with real runs, and commands that work where the reader is. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { drawDemo, wordsOf } from '../../scripts/terminal-picture.ts'
import { testProject, type TestProject } from '../test-project.ts'

const ROOT = dirname(dirname(import.meta.dirname))
const LINES_MAX = 60
const VENDORS = /claude|codex|opencode|gemini|copilot|cursor|anthropic|openai/i

async function newcomer(): Promise<{ g: TestProject; env: Record<string, string> }> {
  const g = await testProject({ trustsProject: false })
  return { g, env: { TMPDIR: join(g.path, '..'), COLUMNS: '80', NO_COLOR: '1' } }
}

function folderIn(screen: string): string {
  return /^ {2}folder +(\S+)$/m.exec(screen)?.[1] ?? ''
}

function screenFacts(screen: string): { isShort: boolean; vendors: string[]; costs: string[] } {
  return {
    isShort: screen.trimEnd().split('\n').length <= LINES_MAX,
    vendors: screen.split('\n').filter((line) => VENDORS.test(line)),
    costs: screen.match(/budget|\d+(\.\d+)?k? tokens|\$0\.0*[1-9]/gi) ?? [],
  }
}

const CHEAT = [
  'agent   scripted (demo), $0.00 simulated',
  'Caught: the agent weakened test.mjs.',
  '- assert.throws(() => fromRoman(text), RangeError)',
  '+ fromRoman(text)',
  '✓ gates pass with the weakened test.mjs',
  '✗ gates fail with the original test.mjs:',
  'rejects invalid numerals: Missing expected exception (RangeError).',
  'PROVEN DONE',
]

describe('the demo', { timeout: 240_000 }, () => {
  test('shows the caught cheat with its diff in 60 lines, without a vendor or a cost', async () => {
    const { g, env } = await newcomer()
    const { code, stdout, stderr } = await g.ralph(['demo'], { env })
    expect([code, stderr, CHEAT.filter((text) => !stdout.includes(text))]).toEqual([0, '', []])
    expect(screenFacts(stdout)).toEqual({ isShort: true, vendors: [], costs: [] })
  })

  test('keeps what a person changed in an earlier one', async () => {
    const { g, env } = await newcomer()
    const first = folderIn((await g.ralph(['demo'], { env })).stdout)
    execFileSync('/bin/sh', ['-c', 'echo mine > notes.txt && echo "// mine" >> roman.mjs'], { cwd: first })
    const again = await g.ralph(['demo'], { env })
    expect([again.code, folderIn(again.stdout) === first]).toEqual([0, false])
    expect(again.stdout).toContain('1 earlier demo kept beside it')
    const saved = ['notes.txt', 'roman.mjs'].map((name) => readFileSync(join(first, name), 'utf8'))
    expect([saved[0], saved[1]?.endsWith('// mine\n')]).toEqual(['mine\n', true])
  })

  test('ends with the commands for the folder where npm run demo was typed', async () => {
    const { g, env } = await newcomer()
    const started = { ...env, npm_lifecycle_event: 'demo', INIT_CWD: ROOT }
    const { stdout } = await g.ralph(['demo'], { env: started })
    const shown = /Look at it:\n([^]*)/.exec(stdout)?.[1] ?? ''
    const commands = [...shown.matchAll(/^ {2}(\S.*?)(?: {2}.*)?$/gm)].map(([, command = '']) => command)
    const [look = '', ...others] = commands
    expect(others).toEqual([
      'npm run demo -- --tasks',
      'npm install -g --install-links .',
      'cd your-repo',
      'ralph init',
      'ralph loop',
    ])
    const run = (command: string, cwd: string): string =>
      execFileSync('/bin/sh', ['-c', command], { cwd, env: { ...g.env, PATH: process.env['PATH'] }, encoding: 'utf8' })
    expect(run(look, ROOT)).toContain('-    assert.throws(() => fromRoman(text), RangeError)')
  })

  test('is what the picture in the README shows', async () => {
    const { g, env } = await newcomer()
    const { stdout } = await g.ralph(['demo'], { env })
    const picture = readFileSync(join(ROOT, 'docs', 'demo.svg'), 'utf8')
    // Draw it again after a change of the screens: npm run picture
    expect(wordsOf(picture)).toBe(wordsOf(drawDemo(stdout)))
    expect(picture.length).toBeLessThan(30_000)
  })
})

const ENDING = [
  '5 tasks · 3 done · 1 failed · 1 blocked',
  'emperors  [failed]  List the emperors',
  'waits for emperors [failed] List the emperors',
]

describe('the demo of tasks', { timeout: 240_000 }, () => {
  test('retries one of five, fails one, leaves one blocked, and finishes the rest, as the README says', async () => {
    const { g, env } = await newcomer()
    const { code, stdout } = await g.ralph(['demo', '--tasks'], { env })
    expect([code, ENDING.filter((text) => !stdout.includes(text))]).toEqual([0, []])
    expect(stdout).toMatch(/read .*2 of 4/)
    expect(screenFacts(stdout)).toEqual({ isShort: true, vendors: [], costs: [] })
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
    expect(readme).toContain(
      'five tasks with dependencies: one is retried, one fails, one stays blocked, the rest finish',
    )
  })

  test('resumes after kill -9, and asks nothing', async () => {
    const { g, env } = await newcomer()
    const walk = g.start(['demo', '--tasks'], { env })
    await walk.waitFor('2 of 4')
    await walk.kill('SIGKILL')
    const ran = await g.ralph(['demo', '--resume'], { env })
    expect([ran.code, ENDING.filter((text) => !ran.stdout.includes(text))]).toEqual([0, []])
    const none = await g.ralph(['demo', '--resume'], { env })
    expect([none.code !== 0, none.stderr]).toEqual([true, expect.stringContaining('there is no interrupted demo')])
  })
})
