/** What is seen of a run through tasks, while it goes on and afterwards. */
import { expect, test } from 'vitest'
import type { TestProject } from '../test-project.ts'
import { task, withTasks } from '../walk/task-store-kit.ts'
import { taskTurn, fixTurn } from '../walk/task-turns.ts'

/** One is done after a refusal, one fails with another waiting for it, one is done. */
async function aNight(): Promise<TestProject> {
  return withTasks(
    {
      turns: [
        taskTurn('a', { content: 'bad\n' }),
        taskTurn('a'),
        taskTurn('x', { content: 'bad\n' }),
        fixTurn('x', 'z'),
      ],
    },
    [
      task('a', { feature: 'page' }),
      task('x', { maxRetries: 0, feature: 'page' }),
      task('c', { blockers: ['x'] }),
      task('z'),
    ],
  )
}

async function json(fixture: TestProject, ...args: string[]): Promise<Record<string, unknown>> {
  return JSON.parse((await fixture.ralph([...args, '--json'])).stdout) as Record<string, unknown>
}

test('shows the tasks before a run, and how to start it', async () => {
  const fixture = await aNight()
  const { stdout } = await fixture.ralph(['status'])
  expect(stdout).toContain('tasks     0 of 4 done · 3 ready · 1 blocked')
  expect(stdout).toContain('start: ralph run')
  expect(stdout).not.toContain('plan')
  expect(await json(fixture, 'status')).toMatchObject({ run: null, tasks: { counts: { all: 4, ready: 3 } } })
})

test('afterwards status and runs tell what became of them, and why one is blocked', async () => {
  const fixture = await aNight()
  const ran = await fixture.ralph(['run'])
  expect(ran.stdout).toMatch(/^start +tasks +0 of 4 done · 3 ready · 1 blocked; at most 4 attempts each$/m)
  expect(ran.stdout).toMatch(/^decision +task: works on a "Do a"$/m)
  expect(ran.stdout).toMatch(/^iteration +✓ 1 {2}\d+:\d+ {2}a · 1 file/m)
  expect(ran.stdout).toMatch(/^decision +task: retrying a \(attempt 2 of 4\): test failed/m)
  expect(ran.stdout).toMatch(/^decision +task: a "Do a" is done$/m)
  const { stdout } = await fixture.ralph(['status'])
  expect(stdout).toContain('tasks     2 of 4 done · 1 failed · 1 blocked')
  expect(stdout).toContain('x "Do x" failed: test failed')
  expect(stdout).toContain('c waits for x (failed)')
  expect(stdout).not.toMatch(/plan|boxes|PROMPT/)
  expect(await json(fixture, 'status')).toMatchObject({
    task: null,
    tasks: {
      counts: { all: 4, done: 2, failed: 1, going: 0, ready: 0, blocked: 1, scheduled: 0 },
      waiting: [{ task: 'c', for: [{ task: 'x', status: 'failed' }] }],
    },
  })
  expect((await fixture.ralph(['runs'])).stdout).toContain('2 done, 1 failed')
  expect(await json(fixture, 'runs')).toMatchObject([{ kind: 'tasks', tasks: { done: 2, failed: 1 } }])
})

test('meanwhile they tell which one it is at', async () => {
  const fixture = await withTasks(
    { turns: [taskTurn('a', { content: 'bad\n' }), [{ do: 'say', text: 'Hm.' }, { do: 'hang' }]] },
    [task('a'), task('b')],
  )
  const walk = fixture.start(['run', '--json'])
  await walk.waitFor(/conversation-known[^]*conversation-known/)
  const { stdout } = await fixture.ralph(['status'])
  expect(stdout).toContain('task      a "Do a", attempt 2 of 4')
  expect(stdout).toContain('tasks     0 of 2 done · 1 in progress · 1 ready')
  expect(stdout).toContain('▸ 2  a · claude · running')
  expect(await json(fixture, 'status')).toMatchObject({
    task: { id: 'a', title: 'Do a', attempt: 1, visit: 2, of: 4 },
  })
  expect((await fixture.ralph(['runs'])).stdout).toContain('running: a "Do a", attempt 2 of 4')
  await walk.kill('SIGTERM')
})

test('afterwards stats tell what each task and each feature cost', async () => {
  const fixture = await aNight()
  await fixture.ralph(['run'])
  expect((await fixture.ralph(['stats', '--by', 'task'])).stdout).toMatch(/^a Do a +1 +1 +0 +2 .*\$0\.50/m)
  const counted = async (by: string): Promise<unknown> => {
    const { rows } = (await json(fixture, 'stats', '--by', by)) as { rows: Record<string, unknown>[] }
    return rows.map(({ key, title, iterations, usd }) => ({ key, title, iterations, usd }))
  }
  expect(await counted('task')).toEqual([
    { key: 'a', title: 'Do a', iterations: 2, usd: 0.5 },
    { key: 'x', title: 'Do x', iterations: 1, usd: 0.25 },
    { key: 'z', title: 'Do z', iterations: 1, usd: 0.25 },
  ])
  expect(await counted('feature')).toEqual([
    { key: 'page', iterations: 3, usd: 0.75 },
    { key: '(no feature)', iterations: 1, usd: 0.25 },
  ])
})

test('the report tells task by task what was done, failed and is left, and what it cost', async () => {
  const fixture = await aNight()
  await fixture.ralph(['run'])
  const { stdout } = await fixture.ralph(['report'])
  expect(stdout).toContain('tasks: 2 of 4 done · 1 failed · 1 blocked (2 by this run)')
  expect(stdout).toContain('✓ a "Do a" (2 iterations, $0.50, 3k tokens)')
  expect(stdout).toMatch(/Failed +✗ x "Do x": test failed/)
  expect(stdout).toMatch(/Left +c waits for x \(failed\)/)
  expect(stdout).not.toContain('plan:')
  expect(await json(fixture, 'report')).toMatchObject({
    tasks: {
      had: [
        { task: 'a', is: 'done', iterations: 2, spent: { usd: 0.5 } },
        { task: 'x', is: 'failed', iterations: 1 },
        { task: 'z', is: 'done', iterations: 1 },
      ],
    },
  })
})
