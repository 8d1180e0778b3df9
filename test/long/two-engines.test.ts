/** Two engines in two worktrees of one repository share the tasks: real processes, each with a branch of its own. */
import { expect, test } from 'vitest'
import type { ScriptedTurn } from '../test-project.ts'
import { storeOf, task, withTasks } from '../walk/task-store-kit.ts'

const IDS = Array.from({ length: 12 }, (_, at) => `t${at + 10}`)

function turnOf(id: string): ScriptedTurn {
  return {
    for: `Id: ${id}\\b`,
    steps: [
      { do: 'write', path: `${id}.txt`, content: 'good\n' },
      { do: 'say', text: `Did it. <task-done>${id}</task-done>` },
    ],
  }
}

test('none is done twice, none is lost, and both say in the end that one failed', async () => {
  const failing: ScriptedTurn = {
    for: 'Id: bad',
    steps: [{ do: 'say', text: '<task-failed>bad</task-failed>' }],
  }
  const fixture = await withTasks({ turns: [failing, ...IDS.map(turnOf)] }, [
    ...IDS.map((id, at) => task(id, at < 8 ? {} : { blockers: [IDS[at - 8] ?? '', IDS[at - 7] ?? ''] })),
    task('bad', { maxRetries: 0 }),
  ])
  await fixture.git('worktree', 'add', '-q', '-b', 'two', '../two')
  const both = [fixture.start(['run', '--json']), fixture.start(['run', '--json'], { cwd: '../two' })]
  const ended = await Promise.all(both.map(({ ended: end }) => end))
  expect(ended.map(({ code }) => code)).toEqual([4, 4])

  const store = await storeOf(fixture)
  const claims = await store.sql.all<{ task: string; run: string; state: string }>(
    "select task, run, state from claims where state <> 'released' order by task",
  )
  await store.close()
  expect(claims.map((claim) => `${claim.task} ${claim.state}`)).toEqual([
    'bad failed',
    ...IDS.map((id) => `${id} done`),
  ])
  expect(new Set(claims.map(({ run }) => run)).size).toBe(2)

  const subjects = await fixture.git('log', '--format=%s', '--branches')
  expect(
    subjects
      .split('\n')
      .filter((subject) => subject.startsWith('Do '))
      .toSorted(),
  ).toEqual(IDS.map((id) => `Do ${id}`))
})
