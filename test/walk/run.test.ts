/** `ralph run` as a user types it: real git, real SQLite, real processes, the scripted agent as `claude`. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { revokeClaim } from '../../src/store/task/claims.ts'
import { applyEventToTask } from '../../src/store/task/apply-event.ts'
import { findTask } from '../../src/store/task/find-task.ts'
import type { TestProjectOptions } from '../test-project.ts'
import { taskTurn, statusOf, storeOf, task, withTasks } from './task-store-kit.ts'
import { lastResultOf } from '../run-in-process.ts'

describe('a run through tasks', () => {
  test('does them in their order, commits each with its trailer, and ends complete', async () => {
    const fixture = await withTasks({ turns: [taskTurn('a'), taskTurn('b')] }, [
      task('b', { blockers: ['a'] }),
      task('a'),
    ])
    const ran = await fixture.ralph(['run', '--json'])
    expect(lastResultOf(ran.stdout)).toMatchObject({ outcome: 'tasks_complete', exit: 0 })
    expect(await statusOf(fixture, 'a', 'b')).toEqual(['done', 'done'])
    expect(await fixture.git('log', '--format=%s|%(trailers:key=Ralph-Task,valueonly,separator=%x2C)', '-2')).toBe(
      'Do b|b\nDo a|a',
    )
    expect((await fixture.ralph(['replay', '--check'])).code).toBe(0)
  })

  test('retries a task that the gates reject with their output; then it fails, the others continue, and the exit code shows it', async () => {
    const fixture = await withTasks(
      {
        turns: [
          taskTurn('a', 'bad\n'),
          [{ do: 'expect-prompt', matches: 'Ralph rejected your completion' }, ...(taskTurn('a', 'bad\n') as [])],
        ],
      },
      [task('a', { maxRetries: 1 }), task('c', { blockers: ['a'] })],
    )
    const ran = await fixture.ralph(['run'])
    expect(ran.stdout + ran.stderr).toContain('c waits for a (failed)')
    expect(ran.code).toBe(4)
    expect(await statusOf(fixture, 'a', 'c')).toEqual(['failed', 'pending'])
  })

  test('advises to continue with the same task name after a limit', async () => {
    const fixture = await withTasks({ turns: [taskTurn('a1')] }, [
      task('a'),
      task('a1', { parent: 'a' }),
      task('a2', { parent: 'a' }),
    ])
    const ran = await fixture.ralph(['run', '--limit', '1', 'a', '--json'])
    expect(lastResultOf(ran.stdout)).toMatchObject({ outcome: 'iteration_limit', exit: 4 })
    expect(lastResultOf(ran.stdout)['next']).toContain('ralph run a')
  })

  test('--dry-run says what would be taken and sent, and starts nothing', async () => {
    const fixture = await withTasks({}, [task('a'), task('b', { blockers: ['a'] })])
    const ran = await fixture.ralph(['run', '--dry-run', '--limit', '7'])
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).toMatch(/limits +7 iterations ·/)
    expect(ran.stdout).toMatch(/Ready, in this order:\n {2}a {2}.*\nThen the tasks that they unblock/)
    expect(ran.stdout).toContain('<task-done>a</task-done>')
    // As it is started: with our own server, and without the token's value.
    expect(ran.stdout).toMatch(/^Would start: claude .* mcp__ralph .*--mcp-config {.*"mcp".*\$\{RALPH_MCP_TOKEN}/m)
    expect(await statusOf(fixture, 'a', 'b')).toEqual(['pending', 'pending'])
    await fixture.ralph(['task', 'done', 'a'])
    await fixture.ralph(['task', 'done', 'b'])
    expect((await fixture.ralph(['run', '--dry-run'])).stdout).toContain('No task is ready')
  })

  test('without a task: exit code 3, and what to do', async () => {
    const fixture = await withTasks({}, [])
    const ran = await fixture.ralph(['run'])
    expect([ran.code, ran.stdout]).toEqual([3, expect.stringContaining('ralph task add')])
    const told = await fixture.ralph(['run', '--json'])
    expect(lastResultOf(told.stdout)).toMatchObject({ outcome: 'no_plan', exit: 3 })
  })

  test('where everything sleeps, --once says until when: exit code 4', async () => {
    const fixture = await withTasks({}, [task('a', { notBefore: Date.UTC(2999, 0, 2) })])
    const ran = await fixture.ralph(['run', '--once', '--json'])
    const { outcome, reason, exit } = lastResultOf(ran.stdout)
    expect([outcome, reason, exit]).toEqual(['tasks_blocked', expect.stringContaining('2999-01-02'), 4])
  })
})

const RALPH = join(import.meta.dirname, '..', '..', 'bin', 'ralph.cjs')

describe('a task in work', () => {
  const HANG: NonNullable<TestProjectOptions['turns']>[number] = [
    { do: 'write', path: 'a.txt', content: 'bad\n' },
    { do: 'say', text: 'Thinking.' },
    { do: 'hang' },
  ]

  test('that is resumed: what was typed holds or is refused, and what it began with may be typed again', async () => {
    const fixture = await withTasks({ turns: [[{ do: 'hang' }], taskTurn('a')] }, [task('a')])
    const walk = fixture.start(['run', '--json', '--permission', 'edits'])
    await walk.waitFor('conversation-known')
    await walk.kill('SIGKILL')
    for (const [typed, flag] of [
      [['--permission', 'bypass'], '--permission'],
      [['--agent', 'codex'], '--agent'],
      [['--allow', 'Bash(make *)'], '--allow'],
      [['--no-continue'], '--no-continue'],
      [['--once'], '--once'],
    ] as const) {
      const refused = await fixture.ralph(['run', ...typed])
      expect([refused.code, refused.stderr.replaceAll(/run \w{6}/g, 'run ID')]).toEqual([
        2,
        `ralph: run ID is unfinished and keeps the settings it started with, so ${flag} would have no effect\n` +
          '       Resume without it: ralph resume. Or abandon the run and start a new one: the same command with --fresh\n',
      ])
    }
    const limits = ['--limit', '7', '--max-retries', '2', '--no-verify']
    const again = await fixture.ralph(['run', '--permission', 'edits', ...limits, '--json'])
    expect(again.code).toBe(0)
    for (const said of ['loop.max_iterations is now 7', 'task.max_retries is now 2', 'task.verify is'])
      expect(again.stdout).toContain(said)
  })

  test('continues under the same claim after kill -9, and loses no retry', async () => {
    const fixture = await withTasks({ turns: [HANG, taskTurn('a')] }, [task('a', { maxRetries: 0 })])
    const walk = fixture.start(['run', '--json'])
    await walk.waitFor('conversation-known')
    await walk.kill('SIGKILL')
    const ran = await fixture.ralph(['run', '--json'])
    expect(lastResultOf(ran.stdout)).toMatchObject({ outcome: 'tasks_complete' })
    const store = await storeOf(fixture)
    expect(await findTask(store.sql, 'a')).toMatchObject({ status: 'done', attempt: 1, retries: 0 })
    await store.close()
  })

  test('is checked after kill -9 if its completion was acknowledged, without working on it again', async () => {
    const params = { name: 'task_done', arguments: { task: 'a' } }
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const turn: typeof HANG = [
      { do: 'write', path: 'a.txt', content: 'good\n' },
      { do: 'shell', command: `echo '${call}' | '${process.execPath}' '${RALPH}' mcp` },
      // Which message is the last one, nobody knows of an agent that was cut off.
      { do: 'say', text: 'Should it fail: <task-failed>a</task-failed>' },
      { do: 'hang' },
    ]
    const fixture = await withTasks({ turns: [turn] }, [task('a', { maxRetries: 0 })])
    const walk = fixture.start(['run', '--live'])
    await walk.waitFor('Should it fail')
    await walk.kill('SIGKILL')
    const ran = await fixture.ralph(['run', '--json'])
    expect(lastResultOf(ran.stdout)).toMatchObject({ outcome: 'tasks_complete', iterations: 1 })
    expect(fixture.starts()).toHaveLength(1)
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('goes back on %s', async (signal, code) => {
    const fixture = await withTasks({ turns: [HANG] }, [task('a')])
    const walk = fixture.start(['run', '--json'])
    await walk.waitFor('conversation-known')
    expect((await walk.kill(signal)).code).toBe(code)
    expect(await statusOf(fixture, 'a')).toEqual(['pending'])
  })

  test("that a person decides about is taken out of the agent's hands, and the next one is done", async () => {
    const fixture = await withTasks({ turns: [HANG, taskTurn('b')] }, [task('a'), task('b')])
    const walk = fixture.start(['run', '--json'])
    await walk.waitFor('conversation-known')
    const store = await storeOf(fixture)
    await store.sql.transaction(async (tx) => {
      await revokeClaim(tx, 'a', { at: Date.now(), why: 'a person says so' })
      await applyEventToTask(tx, 'a', { is: 'failed', why: 'never mind', retries: 0, verification: null }, Date.now())
    })
    await store.close()
    const ran = await walk.ended
    expect(lastResultOf(ran.stdout)).toMatchObject({ outcome: 'tasks_failed', exit: 4 })
    expect(ran.stdout).toContain('"claim-lost"')
    expect(await statusOf(fixture, 'a', 'b')).toEqual(['failed', 'done'])
  })

  test('that a person calls done is committed as it lies there, by itself, and what was theirs before stays theirs', async () => {
    const turns: TestProjectOptions['turns'] = [
      [{ do: 'write', path: 'a.txt', content: 'good\n' }, ...(HANG as []).slice(1)],
      taskTurn('b'),
    ]
    const fixture = await withTasks({ turns }, [task('a'), task('b')])
    await fixture.write('mine.md', 'mine\n')
    await fixture.write('zero.txt', 'good, mine\n')
    const walk = fixture.start(['run', '--json'])
    await walk.waitFor('conversation-known')
    await expect.poll(() => fixture.has('a.txt')).toBe(true)
    expect((await fixture.ralph(['task', 'done', 'a', '--yes'])).code).toBe(0)
    expect((await walk.ended).code).toBe(0)
    const log = await fixture.git('log', '-2', '--name-only', '--format=%(trailers:separator=%x2C)')
    expect(log.split('\n').filter((line) => line !== '')).toEqual(['Ralph-Task: b', 'b.txt', 'Ralph-Task: a', 'a.txt'])
    expect(await fixture.git('status', '--short')).toBe(' M zero.txt\n?? mine.md')
  })

  test('that was stopped is committed by itself, whichever comes next', async () => {
    const fixture = await withTasks({ turns: [HANG] }, [task('a', { maxRetries: 0 }), task('b')])
    const walk = fixture.start(['run', '--json'])
    await walk.waitFor('conversation-known')
    await expect.poll(() => fixture.has('a.txt')).toBe(true)
    await walk.kill('SIGINT')
    expect(await fixture.git('log', '-1', '--format=%(trailers:separator=%x2C)', '--', 'a.txt')).toBe('Ralph-Task: a')
    expect(await fixture.git('status', '--short')).toBe('')
  })

  test('is not resumed when the command names other tasks', async () => {
    const fixture = await withTasks({ turns: [HANG, taskTurn('a'), taskTurn('b')] }, [task('a'), task('b')])
    const walk = fixture.start(['run', 'a', '--json'])
    await walk.waitFor('conversation-known')
    await walk.kill('SIGKILL')
    const refused = await fixture.ralph(['run', 'b'])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('ralph resume')])
    const all = await fixture.ralph(['run', '--json'])
    expect(all.stdout).toContain('The next ralph run works on the others')
    expect(await statusOf(fixture, 'a', 'b')).toEqual(['done', 'pending'])
    expect((await fixture.ralph(['run', 'b'])).code).toBe(0)
    expect(await statusOf(fixture, 'b')).toEqual(['done'])
  })

  test('is not resumed by a loop', async () => {
    const fixture = await withTasks({ turns: [HANG, taskTurn('a')], prompt: 'Work.\n' }, [task('a')])
    const walk = fixture.start(['run', '--json'])
    await walk.waitFor('conversation-known')
    await walk.kill('SIGKILL')
    const ran = await fixture.ralph(['loop'])
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('ralph loop --fresh')])
    const begun = await fixture.ralph(['run', '--fresh'])
    expect(begun.stdout + begun.stderr).toContain('Abandoned the unfinished run')
    expect(await statusOf(fixture, 'a')).toEqual(['done'])
  })
})
