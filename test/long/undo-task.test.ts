/** `ralph undo --task`: what was done for one task, and nothing else. Real git, real runs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestProject } from '../test-project.ts'
import { taskTurn, statusOf, storeOf, task, withTasks } from '../walk/task-store-kit.ts'

/** What a person sees of it: the subjects of the commits, newest first, and the files. */
async function seen(fixture: TestProject): Promise<{ log: string[]; files: string[] }> {
  const log = (await fixture.git('log', '--format=%s')).split('\n')
  const files = (await fixture.git('ls-files', '-co', '--exclude-standard', '*.txt', '*.md')).split('\n').toSorted()
  return { log: log.slice(0, -1), files }
}

async function done(...ids: string[]): Promise<TestProject> {
  const fixture = await withTasks(
    { turns: ids.map((id) => taskTurn(id)) },
    ids.map((id) => task(id)),
  )
  await fixture.write('mine.md', 'mine\n')
  expect((await fixture.ralph(['run'])).code).toBe(0)
  return fixture
}

test('a task has exactly one range of commits, and each of them its trailer', async () => {
  const fixture = await done('a', 'b')
  const store = await storeOf(fixture)
  const claims = await store.sql.all<{ task: string; from_head: string; to_head: string }>(
    'select task, from_head, to_head from claims order by task',
  )
  await store.close()
  const trailers = await Promise.all(
    claims.map(async ({ task: id, from_head, to_head }) => [
      id,
      await fixture.git(
        'log',
        '--format=%(trailers:key=Ralph-Task,valueonly,separator=%x2C)',
        `${from_head}..${to_head}`,
      ),
    ]),
  )
  expect(trailers).toEqual([
    ['a', 'a'],
    ['b', 'b'],
  ])
})

describe('an undo of one task', () => {
  test('takes its commits and files, keeps the others, and it is pending again; that can be taken back', async () => {
    const fixture = await done('a', 'b')
    const before = await seen(fixture)
    const undone = await fixture.ralph(['undo', '--task', 'a', '--yes'])
    expect([undone.code, undone.stderr]).toEqual([0, ''])
    expect(undone.stdout).toContain('The task is pending again')
    expect(await seen(fixture)).toEqual({
      log: ['Do b'],
      files: before.files.filter((file) => file !== 'a.txt'),
    })
    expect(await statusOf(fixture, 'a', 'b')).toEqual(['pending', 'done'])
    const [, command = ''] = /To restore it: ralph (.*)/.exec(undone.stdout) ?? []
    expect((await fixture.ralph([...command.split(' '), '--yes'])).code).toBe(0)
    expect(await seen(fixture)).toEqual(before)
  })

  test('whose commit a person made anew is refused, and no state before other tasks is advised', async () => {
    const fixture = await done('a', 'b')
    await fixture.git('commit', '-q', '--amend', '--reset-author', '-m', 'mine')
    const before = await seen(fixture)
    const refused = await fixture.ralph(['undo', '--task', 'b', '--yes'])
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('the git history was rewritten')])
    expect(refused.stderr).toContain('ralph rollback lists the snapshots')
    expect(await seen(fixture)).toEqual(before)
  })

  test('of the first and then of the last leaves nothing of either, in files, commits and what is staged', async () => {
    const fixture = await done('a', 'b')
    await fixture.ralph(['undo', '--task', 'a', '--yes'])
    expect((await fixture.ralph(['undo', '--task', 'b', '--yes'])).code).toBe(0)
    expect(await fixture.git('status', '--short')).toBe('?? mine.md')
    expect((await seen(fixture)).log).toEqual([])
  })

  test('on which another was built says which one goes first, and that helps', async () => {
    const fixture = await done('a')
    await fixture.play([taskTurn('a', 'good too\n')].map((turn) => [...(turn as []), ...(taskTurn('b') as [])]))
    await fixture.ralph(['task', 'add', '--from-json', '-'], { stdin: '{"id": "b", "title": "Do b"}\n' })
    expect((await fixture.ralph(['run'])).code).toBe(0)
    const refused = await fixture.ralph(['undo', '--task', 'a', '--yes'])
    expect(refused.code).toBe(4)
    const [, command = ''] = /first: ralph (.*)/.exec(refused.stderr) ?? []
    expect(command).toBe('undo --task b')
    expect((await fixture.ralph([...command.split(' '), '--yes'])).code).toBe(0)
    expect((await fixture.ralph(['undo', '--task', 'a', '--yes'])).code).toBe(0)
    expect(fixture.has('a.txt')).toBe(false)
  })

  test('is of all its runs, and what was done anew goes too', async () => {
    const fixture = await done('a', 'b')
    await fixture.ralph(['undo', '--task', 'a', '--yes'])
    await fixture.play([taskTurn('a')])
    expect((await fixture.ralph(['run'])).code).toBe(0)
    expect((await seen(fixture)).log).toEqual(['Do a', 'Do b'])
    expect((await fixture.ralph(['undo', '--task', 'a', '--yes'])).code).toBe(0)
    expect((await seen(fixture)).log).toEqual(['Do b'])
    expect(fixture.has('a.txt')).toBe(false)
  })

  test('says as data what it did, and leaves the run to be undone as before', async () => {
    const fixture = await done('a', 'b')
    const ran = await fixture.ralph(['undo', '--task', 'b', '--yes', '--json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({
      task: 'b',
      done: true,
      files: { removed: ['b.txt'] },
      undo: 'ralph undo --undo --task b',
    })
    expect((await fixture.ralph(['undo', '--yes'])).code).toBe(0)
    expect(await seen(fixture)).toEqual({ log: [], files: ['README.md', 'mine.md', 'zero.txt'] })
  })

  test('takes the beginning of an id, both ways', async () => {
    const fixture = await done('t-ab')
    await fixture.ralph(['undo', '--task', 'a', '--yes'])
    expect(fixture.has('t-ab.txt')).toBe(false)
    expect((await fixture.ralph(['undo', '--undo', '--task', 't-a', '--yes'])).code).toBe(0)
    expect(fixture.has('t-ab.txt')).toBe(true)
  })

  let idle: TestProject
  beforeAll(async () => void (idle = await withTasks({ until: 'removed' }, [task('a'), task('c')])))
  afterAll(() => idle.remove())

  test.each([
    [['--task', 'nobody'], 1, 'there is no task nobody'],
    [['--task', 'c'], 3, 'no run has worked on c here'],
    [['--task', 'a', 'x1'], 2, 'name a run or a task, not both'],
    [['--undo', '--task', 'a'], 3, 'task a is not undone'],
  ])('%j is refused', async (args, code, words) => {
    const ran = await idle.ralph(['undo', ...args, '--yes'])
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(words)])
  })
})
