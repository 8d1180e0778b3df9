/** What a task that failed leaves behind: nothing in the tree, and everything under a ref. */
import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { TestProject, TestProjectOptions } from '../test-project.ts'
import { install } from '../walk/setup-kit.ts'
import { taskTurn, statusOf, task, withTasks } from '../walk/task-store-kit.ts'
import { lastResultOf } from '../run-in-process.ts'

type Turn = NonNullable<TestProjectOptions['turns']>[number]

const ONCE = { maxRetries: 0 }

/** All that a person can see of the project: HEAD, branch, what is staged, and every file. */
async function seen(fixture: TestProject): Promise<string[]> {
  const files = (await fixture.git('ls-files', '-co', '--exclude-standard')).split('\n').toSorted()
  const texts = await Promise.all(
    files.map(async (path) => `${path}: ${fixture.has(path) ? await fixture.read(path) : 'deleted'}`),
  )
  return [
    await fixture.git('rev-parse', 'HEAD'),
    await fixture.git('symbolic-ref', 'HEAD'),
    await fixture.git('diff', '--cached', '--name-status'),
    ...texts,
  ]
}

/** The only ref that keeps the work of a task. */
function refOf(fixture: TestProject): Promise<string> {
  return fixture.git('for-each-ref', '--format=%(refname)', 'refs/ralph/*/failed/**')
}

describe('a task that fails', () => {
  const BREAKS: Turn = [
    { do: 'write', path: 'a.txt', content: 'bad\n' },
    { do: 'write', path: 'zero.txt', content: 'bad too\n' },
    { do: 'delete', path: 'gone.md' },
    { do: 'say', text: 'Did it. <task-done>a</task-done>' },
  ]

  test('leaves the tree as it was, dirty files and what is staged included, and the next one is done', async () => {
    const fixture = await withTasks({ turns: [BREAKS, taskTurn('b')] }, [task('a', ONCE), task('b')])
    await fixture.write('gone.md', 'not gone\n')
    await fixture.write('mine.md', 'mine\n')
    await fixture.write('staged.md', 'staged\n')
    await fixture.git('add', 'staged.md')
    const before = await seen(fixture)
    const ran = await fixture.ralph(['run', '--json', '--limit', '1'])
    expect(ran.stdout).toContain('"reverted"')
    expect(await seen(fixture)).toEqual(before)
    expect(await fixture.git('show', `${await refOf(fixture)}:a.txt`)).toBe('bad')
    expect((await fixture.git('log', '--format=%s', `HEAD..${await refOf(fixture)}^1`)).trim()).toBe('Do a')
    const next = await fixture.ralph(['run', '--json'])
    expect(lastResultOf(next.stdout)).toMatchObject({ outcome: 'tasks_failed', exit: 4 })
    expect(await statusOf(fixture, 'a', 'b')).toEqual(['failed', 'done'])
  })

  test('is reverted after several visits, with the commits of the agent itself', async () => {
    const turns: Turn[] = [
      [
        { do: 'write', path: 'a.txt', content: 'bad\n' },
        { do: 'commit', message: 'mine' },
        { do: 'say', text: 'Hm.' },
      ],
      [
        { do: 'append', path: 'a.txt', content: 'worse\n' },
        { do: 'say', text: '<task-failed>a</task-failed>' },
      ],
    ]
    const fixture = await withTasks({ turns }, [task('a', { maxRetries: 1 })])
    const before = await seen(fixture)
    await fixture.ralph(['run'])
    expect(await seen(fixture)).toEqual(before)
    expect(await fixture.git('show', `${await refOf(fixture)}:a.txt`)).toBe('bad\nworse')
  })

  test('can be restored with the printed command', async () => {
    const bytes: Turn = [
      { do: 'shell', command: "printf '\\000\\001\\377' > a.bin" },
      ...(taskTurn('a', 'bad\n') as []),
    ]
    const fixture = await withTasks({ turns: [bytes, taskTurn('b')] }, [task('a', ONCE), task('b')])
    await fixture.write('sub/mine.md', 'mine\n')
    const ran = await fixture.ralph(['run'])
    const [, command = ''] = /Restore them: (.*)$/m.exec(ran.stdout) ?? []
    expect(command).not.toBe('')
    await promisify(execFile)('sh', ['-c', command], { cwd: join(fixture.path, 'sub') })
    expect([await fixture.read('a.txt'), await fixture.read('b.txt')]).toEqual(['bad\n', 'good\n'])
    expect(fixture.has('a.bin')).toBe(true)
  })

  test('stays where that is wished', async () => {
    const toml = '[task]\nverify = false\nfailed = "keep"\n\n[[gate]]\nname = "test"\nrun = "sh test.sh"\n'
    const fixture = await withTasks({ toml, turns: [taskTurn('a', 'bad\n')] }, [task('a', ONCE)])
    await fixture.ralph(['run'])
    expect(await fixture.read('a.txt')).toBe('bad\n')
  })

  test('stays if it was published, and that is said', async () => {
    const turns: Turn[] = [
      [
        { do: 'write', path: 'a.txt', content: 'bad\n' },
        { do: 'commit', message: 'mine' },
        { do: 'shell', command: 'git update-ref refs/remotes/origin/main HEAD' },
        { do: 'say', text: 'Did it. <task-done>a</task-done>' },
      ],
    ]
    const fixture = await withTasks({ turns }, [task('a', ONCE)])
    const ran = await fixture.ralph(['run'])
    expect(ran.stdout).toContain('Ralph did not revert its changes')
    expect(ran.stdout).toContain('its commits are already in origin/main')
    expect(await fixture.read('a.txt')).toBe('bad\n')
  })

  test('is reverted completely after kill -9 in the middle', async () => {
    const fixture = await withTasks({ turns: [BREAKS, taskTurn('b')] }, [task('a', ONCE), task('b')])
    await fixture.write('gone.md', 'not gone\n')
    const before = await seen(fixture)
    // Files and index are back, and HEAD is about to be moved.
    const real = await realpath(join(dirname(fixture.path), 'bin', 'git'))
    const killed = join(dirname(fixture.path), 'killed')
    await install(
      fixture,
      'git',
      `case "$*" in *'ralph: task a failed'*) test -e '${killed}' || { : > '${killed}'; kill -9 $PPID; exit 1; };; esac\nexec '${real}' "$@"`,
    )
    expect((await fixture.ralph(['run', '--json'])).signal).toBe('SIGKILL')
    expect(await seen(fixture)).not.toEqual(before)
    const ran = await fixture.ralph(['run', '--json'])
    expect(lastResultOf(ran.stdout)).toMatchObject({ outcome: 'tasks_failed' })
    expect(await fixture.git('show', `${await refOf(fixture)}:a.txt`)).toBe('bad')
    expect(await statusOf(fixture, 'a', 'b')).toEqual(['failed', 'done'])
    expect(fixture.has('a.txt')).toBe(false)
    expect([await fixture.read('zero.txt'), await fixture.read('gone.md')]).toEqual(['good\n', 'not gone\n'])
    expect(await fixture.git('log', '--format=%s', `${before[0]}..HEAD`)).toBe('Do b')
  })

  test('is no doing of the run any more when that is undone', async () => {
    const fixture = await withTasks({ turns: [BREAKS, taskTurn('b')] }, [task('a', ONCE), task('b')])
    await fixture.write('gone.md', 'not gone\n')
    const before = await seen(fixture)
    await fixture.ralph(['run'])
    expect(fixture.has('b.txt')).toBe(true)
    expect((await fixture.ralph(['undo', '--yes'])).code).toBe(0)
    expect(await seen(fixture)).toEqual(before)
  })
})
