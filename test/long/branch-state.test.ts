/** What an agent does to HEAD and to git's own state is told: beside its iteration, at the end, and in the report. */
import { expect, test } from 'vitest'
import { DONE, testProject, NOT_YET, type TestProject, type ScriptedTurn } from '../test-project.ts'
import { runCommand } from '../walk/sample-run.ts'

const NEXT: ScriptedTurn = [
  { do: 'append', path: 'src/work.sh', content: 'echo more\n' },
  { do: 'commit', message: 'more' },
  { do: 'status', text: 'Done.', fields: DONE },
]

test('an agent that moves to another branch', async () => {
  const { made, out } = await night([
    [
      { do: 'shell', command: 'git switch -q -c side' },
      { do: 'write', path: 'src/work.sh', content: 'echo one\n' },
      { do: 'commit', message: 'one' },
      { do: 'status', text: 'Half.', fields: NOT_YET },
    ],
    NEXT,
  ])
  expect(out).toMatch(/ ✓ 1 .*on branch side, not main/m)
  expect(out).toContain('guard: the commits are on branch side, not on main: git switch main')
  expect(lastLines(out)).toContain('the commits are on branch side, not on main: git switch main')
  const report = await runCommand(made, 'report')
  expect(report.out).toContain('the commits are on branch side, not on main: git switch main')
})

test('asks the agent that detached HEAD, and the person, to bring its commits back to the branch', async () => {
  const { made, out } = await night([
    [
      { do: 'shell', command: 'git checkout -q --detach' },
      { do: 'write', path: 'src/work.sh', content: 'echo one\n' },
      { do: 'commit', message: 'one' },
      { do: 'status', text: 'Half.', fields: NOT_YET },
    ],
    [{ do: 'expect-prompt', matches: 'HEAD is detached, so your commits are on no branch' }, ...steps(NEXT)],
  ])
  const advised = /git branch (\S+) (\S+) && git switch main/.exec(lastLines(out))
  expect(out).toMatch(/ ✓ 1 .*HEAD detached/m)
  // What the screen advises is typed.
  await made.git('branch', advised?.[1] ?? '', advised?.[2] ?? '')
  await made.git('switch', '-q', 'main')
  expect(await made.git('log', '--format=%s', advised?.[1] ?? '')).toContain('more')
})

test('a merge that the agent left open does not stop the run, and is reported until it is finished', async () => {
  const { out } = await night([
    [
      { do: 'write', path: 'src/work.sh', content: 'echo base\n' },
      { do: 'commit', message: 'base' },
      {
        do: 'shell',
        command: 'git switch -q -c side && echo echo side > src/work.sh && git commit -qam side',
      },
      { do: 'shell', command: 'git switch -q main && echo echo main > src/work.sh && git commit -qam main' },
      { do: 'shell', command: 'git merge -q side || true' },
      { do: 'status', text: 'A conflict.', fields: NOT_YET },
    ],
    { steps: [{ do: 'limit', kind: 'usage-limit', resetsInMs: 1 }] },
    [
      { do: 'expect-prompt', matches: 'You left a merge open' },
      { do: 'write', path: 'src/work.sh', content: 'echo both\n' },
      { do: 'shell', command: 'git commit -qam merged' },
      { do: 'status', text: 'Done.', fields: DONE },
    ],
  ])
  expect(out).toMatch(/ ✓ 1 .*merge left open/m)
  expect(lastLines(out)).not.toContain('merge open')
})

test('removes and reports the index lock of a killed git, and the next commit works', async () => {
  const { out, made } = await night(
    [
      [
        { do: 'write', path: 'src/work.sh', content: 'echo one\n' },
        // While its editor is open, git holds the lock; the time limit kills both.
        { do: 'shell', command: 'GIT_EDITOR="sleep 100; :" git commit -a --allow-empty --edit' },
      ],
      NEXT,
    ],
    '[agent]\ntimeout = "2s"\nstop_grace = "0s"\n',
  )
  expect(out).toContain('removed a stale lock of the git index')
  expect(await made.git('log', '--format=%s', '-1')).toContain('more')
})

async function night(turns: ScriptedTurn[], more = ''): Promise<{ made: TestProject; out: string }> {
  const toml = `${more}[[gate]]\nname = "t"\nrun = "sh src/work.sh | grep -q ."\n`
  const made = await testProject({ proof: 'full', toml, files: { 'src/work.sh': '' }, turns })
  const { code, stdout, stderr } = await made.ralph(['loop'])
  expect([code, stderr]).toEqual([0, expect.any(String)])
  return { made, out: stdout }
}

function steps(turn: ScriptedTurn): Extract<ScriptedTurn, unknown[]> {
  return Array.isArray(turn) ? turn : turn.steps
}

function lastLines(out: string): string {
  return out.slice(out.search(/^result /m))
}
