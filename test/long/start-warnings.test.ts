/** Before money is spent: what is told, what is asked, and what does not begin. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DONE, testProject, type TestProject } from '../test-project.ts'
import { hasTmux, openTmux, type Tmux } from '../tmux.ts'

const RALPH = `'${process.execPath}' '${join(import.meta.dirname, '..', '..', 'bin', 'ralph.cjs')}'`
const TURN = [
  { do: 'write', path: 'one.txt', content: 'one\n' },
  { do: 'status', text: 'All done.', fields: DONE },
] as const
const GATE = (run: string): string => `[[gate]]\nname = "test"\nrun = ${JSON.stringify(run)}\n`
const TEMPLATE = '# Plan\n\n- [ ] Replace this line by the first thing to do\n'
/** Node's own runner, which tells how many tests it ran: none, in a folder without any. */
const EMPTY_GATE = GATE('node --test --test-reporter=tap empty')

async function beginsByYes(fixture: TestProject, tmux: Tmux): Promise<void> {
  await tmux.type(`clear; ${RALPH} loop --once; echo "second $?"`, 'Enter')
  await tmux.shows('Start anyway?')
  await tmux.type('y')
  await tmux.shows(/second \d/)
  expect(fixture.starts()).toHaveLength(1)
}

function notBegun(fixture: TestProject): void {
  expect(fixture.starts()).toHaveLength(0)
}

describe('without a terminal', () => {
  test('prints warnings with their fixes, and starts', async () => {
    const fixture = await testProject({ plan: TEMPLATE, turns: [[...TURN]] })
    const ran = await fixture.ralph(['loop', '--once', '--agent', 'claude,gemini'])
    expect(ran.stdout).toContain('! .ralph/fix_plan.md is still the template')
    expect(ran.stdout).toContain('! No gate is configured, so nothing can be proven.')
    expect(ran.stdout).toMatch(/\[\[gate\]\]\n.*name = "test"\n.*run = "npm test"/)
    expect(ran.stdout).not.toContain('No spending limit')
    expect(fixture.starts().length).toBe(1)
  })

  test('a budget that is set and a plan that is written are not warned about', async () => {
    const fixture = await testProject({
      toml: `[budget]\nminutes = 5\n${GATE('true')}`,
      plan: '- [ ] the cart\n',
      turns: [[...TURN]],
    })
    const ran = await fixture.ralph(['loop', '--once'])
    expect(ran.stdout).not.toMatch(/^start +! /m)
  })

  test.each([
    ['at once', 'no-such-program --all'],
    ['when the gate has been run', 'sh -c "no-such-program --all"'],
  ])('a gate whose program is missing ends with exit code 6 %s, and nobody is paid', async (_when, run) => {
    const fixture = await testProject({ toml: GATE(run), turns: [[...TURN]] })
    const ran = await fixture.ralph(['loop', '--yes'])
    expect([ran.code, `${ran.stdout}${ran.stderr}`]).toEqual([
      6,
      expect.stringMatching(/gate test \(.*\) needs no-such-program, which is not/),
    ])
    notBegun(fixture)
  })

  test('a script of the project that is not written yet is no missing program', async () => {
    const fixture = await testProject({ toml: GATE('sh checks/all.sh'), turns: [[...TURN]] })
    await fixture.ralph(['loop', '--once'])
    expect(fixture.starts()).toHaveLength(1)
  })

  test('reports a gate that passes with 0 tests', async () => {
    const fixture = await testProject({ toml: EMPTY_GATE, files: { 'empty/x.txt': '' }, turns: [[...TURN]] })
    const ran = await fixture.ralph(['loop', '--once'])
    expect(ran.stdout).toContain('passes but runs 0 tests, so it proves nothing yet')
    expect(fixture.starts()).toHaveLength(1)
  })
})

describe.skipIf(!(await hasTmux()))('on a terminal (skipped where tmux is not installed)', () => {
  test('it asks once per cause: no begins nothing, yes is remembered, a new cause asks again', async () => {
    const fixture = await testProject({ agents: ['claude'], plan: TEMPLATE, turns: [[...TURN]] })
    const tmux = await openTmux(fixture, { columns: 110, rows: 50 })
    await tmux.type(`${RALPH} loop --once; echo "first $?"`, 'Enter')
    // An untouched template is grave: No is the default.
    await tmux.shows('Start anyway? (cancels in 60 s)')
    await tmux.type('Enter')
    await tmux.shows('first 2')
    notBegun(fixture)
    await beginsByYes(fixture, tmux)
    await tmux.type(`clear; ${RALPH} loop --once; echo "third $?"`, 'Enter')
    expect(await tmux.shows(/third \d/)).not.toContain('Start anyway?')
    await tmux.type(`clear; ${RALPH} loop --once --agent claude,gemini; echo "fourth $?"`, 'Enter')
    await tmux.shows('Start anyway?')
    await tmux.type('C-c')
    await tmux.shows('fourth 130')
    expect(fixture.starts()).toHaveLength(2)
  })

  test('0 tests are asked about when the gates have been run', async () => {
    const fixture = await testProject({
      toml: `[budget]\nminutes = 5\n${EMPTY_GATE}`,
      files: { 'empty/x.txt': '' },
      turns: [[...TURN]],
    })
    const tmux = await openTmux(fixture, { columns: 110, rows: 50 })
    await tmux.type(`${RALPH} loop --once; echo "first $?"`, 'Enter')
    const asked = await tmux.shows('Start anyway? (cancels in 60 s)')
    expect(asked).toContain('runs 0 tests')
    await tmux.type('n')
    await tmux.shows('first 2')
    notBegun(fixture)
    await beginsByYes(fixture, tmux)
  })

  test('--yes asks nothing', async () => {
    const fixture = await testProject({ plan: TEMPLATE, turns: [[...TURN]] })
    const tmux = await openTmux(fixture, { columns: 110, rows: 50 })
    await tmux.type(`${RALPH} loop --once --yes; echo "code $?"`, 'Enter')
    expect(await tmux.shows(/code \d/)).not.toContain('Start anyway?')
    expect(fixture.starts()).toHaveLength(1)
  })

  test('--detach asks before the engine leaves the terminal', async () => {
    const fixture = await testProject({ plan: TEMPLATE, turns: [[...TURN]] })
    const tmux = await openTmux(fixture, { columns: 110, rows: 50 })
    await tmux.type(`${RALPH} loop --once --detach; echo "code $?"`, 'Enter')
    await tmux.shows('Start anyway?')
    await tmux.type('n')
    await tmux.shows('code 2')
    notBegun(fixture)
  })
})
