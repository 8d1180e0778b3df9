/** What a task that failed leaves behind: nothing in the tree, and everything under a ref. */
import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Garden, GardenOptions } from '../garden.ts'
import { install } from '../walk/set-up-kit.ts'
import { doing, statusOf, task, withTasks } from '../walk/run-kit.ts'
import { result } from '../hear.ts'

type Turn = NonNullable<GardenOptions['turns']>[number]

const ONCE = { maxRetries: 0 }

/** All that a person can see of the project: HEAD, branch, what is staged, and every file. */
async function seen(place: Garden): Promise<string[]> {
  const files = (await place.git('ls-files', '-co', '--exclude-standard')).split('\n').toSorted()
  const texts = await Promise.all(
    files.map(async (path) => `${path}: ${place.has(path) ? await place.read(path) : 'deleted'}`),
  )
  return [
    await place.git('rev-parse', 'HEAD'),
    await place.git('symbolic-ref', 'HEAD'),
    await place.git('diff', '--cached', '--name-status'),
    ...texts,
  ]
}

/** The only ref that keeps the work of a task. */
function refOf(place: Garden): Promise<string> {
  return place.git('for-each-ref', '--format=%(refname)', 'refs/ralph/*/failed/**')
}

describe('a task that fails', () => {
  const BREAKS: Turn = [
    { do: 'write', path: 'a.txt', content: 'bad\n' },
    { do: 'write', path: 'zero.txt', content: 'bad too\n' },
    { do: 'delete', path: 'gone.md' },
    { do: 'say', text: 'Did it. <task-done>a</task-done>' },
  ]

  test('leaves the tree as it was, dirty files and what is staged included, and the next one is done', async () => {
    const place = await withTasks({ turns: [BREAKS, doing('b')] }, [task('a', ONCE), task('b')])
    await place.write('gone.md', 'not gone\n')
    await place.write('mine.md', 'mine\n')
    await place.write('staged.md', 'staged\n')
    await place.git('add', 'staged.md')
    const before = await seen(place)
    const ran = await place.ralph(['run', '--json', '--limit', '1'])
    expect(ran.stdout).toContain('"put-back"')
    expect(await seen(place)).toEqual(before)
    expect(await place.git('show', `${await refOf(place)}:a.txt`)).toBe('bad')
    expect((await place.git('log', '--format=%s', `HEAD..${await refOf(place)}^1`)).trim()).toBe('Do a')
    const next = await place.ralph(['run', '--json'])
    expect(result(next.stdout)).toMatchObject({ outcome: 'tasks_failed', exit: 4 })
    expect(await statusOf(place, 'a', 'b')).toEqual(['failed', 'done'])
  })

  test('is put back after several visits, with the commits of the agent itself', async () => {
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
    const place = await withTasks({ turns }, [task('a', { maxRetries: 1 })])
    const before = await seen(place)
    await place.ralph(['run'])
    expect(await seen(place)).toEqual(before)
    expect(await place.git('show', `${await refOf(place)}:a.txt`)).toBe('bad\nworse')
  })

  test('can be had back with the command that is told', async () => {
    const bytes: Turn = [
      { do: 'shell', command: "printf '\\000\\001\\377' > a.bin" },
      ...(doing('a', 'bad\n') as []),
    ]
    const place = await withTasks({ turns: [bytes, doing('b')] }, [task('a', ONCE), task('b')])
    await place.write('sub/mine.md', 'mine\n')
    const ran = await place.ralph(['run'])
    const [, command = ''] = /Have it back: (.*)$/m.exec(ran.stdout) ?? []
    expect(command).not.toBe('')
    await promisify(execFile)('sh', ['-c', command], { cwd: join(place.path, 'sub') })
    expect([await place.read('a.txt'), await place.read('b.txt')]).toEqual(['bad\n', 'good\n'])
    expect(place.has('a.bin')).toBe(true)
  })

  test('stays where that is wished', async () => {
    const toml = '[task]\nverify = false\nfailed = "keep"\n\n[[gate]]\nname = "test"\nrun = "sh test.sh"\n'
    const place = await withTasks({ toml, turns: [doing('a', 'bad\n')] }, [task('a', ONCE)])
    await place.ralph(['run'])
    expect(await place.read('a.txt')).toBe('bad\n')
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
    const place = await withTasks({ turns }, [task('a', ONCE)])
    const ran = await place.ralph(['run'])
    expect(ran.stdout).toContain('what it did stays in the tree')
    expect(ran.stdout).toContain('its commits are in origin/main already')
    expect(await place.read('a.txt')).toBe('bad\n')
  })

  test('goes on to be put back after kill -9 in the middle', async () => {
    const place = await withTasks({ turns: [BREAKS, doing('b')] }, [task('a', ONCE), task('b')])
    await place.write('gone.md', 'not gone\n')
    const before = await seen(place)
    // Files and index are back, and HEAD is about to be moved.
    const real = await realpath(join(dirname(place.path), 'bin', 'git'))
    const killed = join(dirname(place.path), 'killed')
    await install(
      place,
      'git',
      `case "$*" in *'ralph: task a failed'*) test -e '${killed}' || { : > '${killed}'; kill -9 $PPID; exit 1; };; esac\nexec '${real}' "$@"`,
    )
    expect((await place.ralph(['run', '--json'])).signal).toBe('SIGKILL')
    expect(await seen(place)).not.toEqual(before)
    const ran = await place.ralph(['run', '--json'])
    expect(result(ran.stdout)).toMatchObject({ outcome: 'tasks_failed' })
    expect(await place.git('show', `${await refOf(place)}:a.txt`)).toBe('bad')
    expect(await statusOf(place, 'a', 'b')).toEqual(['failed', 'done'])
    expect(place.has('a.txt')).toBe(false)
    expect([await place.read('zero.txt'), await place.read('gone.md')]).toEqual(['good\n', 'not gone\n'])
    expect(await place.git('log', '--format=%s', `${before[0]}..HEAD`)).toBe('Do b')
  })

  test('is no doing of the run any more when that is undone', async () => {
    const place = await withTasks({ turns: [BREAKS, doing('b')] }, [task('a', ONCE), task('b')])
    await place.write('gone.md', 'not gone\n')
    const before = await seen(place)
    await place.ralph(['run'])
    expect(place.has('b.txt')).toBe(true)
    expect((await place.ralph(['undo', '--yes'])).code).toBe(0)
    expect(await seen(place)).toEqual(before)
  })
})
