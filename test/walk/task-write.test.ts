/** What `ralph task` changes, with what follows from it, and what it refuses. */
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/db/open-store.ts'
import { claimTask } from '../../src/store/task/claims.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { storeFolder } from '../../src/workspace/repo/find-repo.ts'
import { join } from 'node:path'
import type { TestProject } from '../test-project.ts'
import { runInProcess } from '../run-in-process.ts'
import { jsonOf, projectWithTasks, jsonLinesOf, runCommand, taskStatuses, task } from './task-commands.ts'

async function storeOf(fixture: TestProject): Promise<Awaited<ReturnType<typeof openStore>>> {
  const repo = await openRepo(fixture.path)
  return openStore(join(storeFolder(repo, fixture.path), 'ralph.db'), { create: true, notice: () => {} })
}

/** As a worker of some run has it that nobody serves any more. */
async function claimed(made: TestProject): Promise<void> {
  const store = await storeOf(made)
  const wanted = { scope: { is: 'all' }, run: 'r1', worker: '1', at: Date.now(), leaseMs: 600_000 } as const
  await store.sql.transaction((tx) => claimTask(tx, wanted))
  await store.close()
}

describe('add', () => {
  test('prints the id and nothing else; reports a new feature beside it', async () => {
    const made = await projectWithTasks([])
    const first = await task(made, 'add', 'build', 'the', 'shop', '--feature', 'shop')
    expect([first.code, first.out, first.err]).toEqual([
      0,
      expect.stringMatching(/^t-[0-9a-z]{5}\n$/),
      'Created feature shop.\n',
    ])
    const id = first.out.trim()
    const second = await task(made, 'add', 'pay', '--parent', id.slice(2), '--feature', 'shop', '--priority', '-3')
    expect([second.code, second.err]).toEqual([0, ''])
    expect(await jsonOf(made, 'show', second.out.trim())).toMatchObject({
      title: 'pay',
      parent_id: id,
      priority: -3,
      feature: 'shop',
    })
  })

  test('takes all that can be said of a task', async () => {
    const made = await projectWithTasks([{ id: 'a' }])
    const flags = ['-d', 'two\nlines', '--blocked-by', 'a', '--max-retries', '1', '--not-before', '2h']
    const lists = ['--check', 'npm test', '--check', 'npm run lint', '--test', 'test/**', '--criterion', 'it is quick']
    const added = await jsonOf(made, 'add', 'b', '--id', 'b', ...flags, ...lists)
    expect(added).toMatchObject({
      id: 'b',
      title: 'b',
      description: 'two\nlines',
      status: 'blocked',
      blockers: ['a'],
      max_retries: 1,
      not_before: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      checks: ['npm test', 'npm run lint'],
      tests: ['test/**'],
      criteria: ['it is quick'],
      changes: [],
    })
  })

  test('many at once from a pipe: ids on stdout, in the order of the lines; parents may come later', async () => {
    const made = await projectWithTasks([{ id: 'there' }])
    const lines = jsonLinesOf([{ id: 'b', parent: 'a', blockers: ['there'] }, { id: 'a' }, { title: 'drawn' }])
    const ran = await made.ralph(['task', 'add', '--from-json', '-'], { stdin: lines })
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([
      0,
      expect.stringMatching(/^b\na\nt-[0-9a-z]{5}\n$/),
      '3 tasks added. Show them: ralph task\n',
    ])
    const told = await made.ralph(['task', 'add', '--from-json', '-', '--json'], {
      stdin: jsonLinesOf([{ id: 'c' }]),
    })
    expect(JSON.parse(told.stdout)).toEqual({ added: 1, ids: ['c'], features: [], changes: [] })
  })
})

describe('update', () => {
  test('only what is named changes, and lists are replaced', async () => {
    const made = await projectWithTasks([{ id: 'p' }, { id: 'a', checks: ['x'], feature: 'f', description: 'words' }])
    const said = await task(
      made,
      'update',
      'a',
      '--title',
      'Other',
      '--parent',
      'p',
      '--check',
      'y',
      '--clear',
      'feature',
    )
    expect([said.code, said.out]).toEqual([0, expect.stringContaining('Task a "Other" updated.\n')])
    expect(await jsonOf(made, 'show', 'a')).toMatchObject({
      title: 'Other',
      parent_id: 'p',
      checks: ['y'],
      feature: null,
      description: 'words',
    })
    expect(await jsonOf(made, 'update', 'a', '--clear', 'parent', '--priority', '7')).toMatchObject({
      parent_id: null,
      priority: 7,
    })
  })

  test.each([
    [[], 'nothing to update'],
    [['--clear', 'everything'], '--clear must be one of'],
    [['--clear', 'parent', '--parent', 'p'], 'set and cleared at once'],
    [['--parent', 'a'], 'circular dependency'],
    [['--not-before', 'tomorrow'], '--not-before takes a date such as 2027-03-01T08:00'],
    [['--title', ''], '--title needs a value'],
    [['--title', 'a\nb'], 'a line break (U+000A) as its character 2'],
    [['--feature', 't-x'], 'cannot begin with "t-"'],
  ])('refused: %j', async (flags, words) => {
    const made = await projectWithTasks([{ id: 'a' }, { id: 'p', parent: 'a' }])
    const before = await jsonOf(made, 'show', 'a')
    const said = await task(made, 'update', 'a', ...flags)
    expect([said.code, said.err]).toEqual([2, expect.stringContaining(words)])
    expect(await jsonOf(made, 'show', 'a')).toEqual(before)
  })
})

describe('done, fail and reset', () => {
  test('reports the consequences for parents, blocked tasks and features, and reset undoes them', async () => {
    const made = await projectWithTasks([
      { id: 'p', feature: 'f' },
      { id: 'a', parent: 'p', feature: 'f' },
      { id: 'z', blockers: ['p'] },
    ])
    expect((await task(made, 'done', 'a')).out).toBe(
      `Task a "Do a" is done.
  p "Do p" is done: all its subtasks are
  z "Do z" is unblocked
  feature f is done
`,
    )
    const failed = await jsonOf<{ status: string; changes: { is: string }[] }>(made, 'fail', 'a', '-r', 'no way')
    expect([failed.status, failed.changes.map(({ is }) => is)]).toEqual([
      'failed',
      ['parent-failed', 'blocked', 'feature-failed'],
    ])
    expect(await taskStatuses(made)).toEqual(['p failed', 'a failed', 'z blocked'])
    expect((await task(made, 'log', 'a')).out).toMatch(/\] {2}failed: no way\n$/)
    expect((await task(made, 'reset', 'p')).out).toContain('Task p "Do p" will run again.\n')
    expect(await taskStatuses(made)).toEqual(['p pending', 'a pending', 'z blocked'])
    expect((await task(made, 'reset', 'p')).out).toContain('To reset all its subtasks: ralph task reset p --all\n')
    expect((await task(made, 'done', 'p')).err).toContain('its status follows from its 1 child')
  })

  test('a reason that nobody gave is said all the same', async () => {
    const made = await projectWithTasks([{ id: 'a' }])
    await task(made, 'fail', 'a')
    expect((await task(made, 'list', '--status', 'failed')).out).toBe('  a  [failed]  Do a\n')
    expect(await jsonOf(made, 'show', 'a')).toMatchObject({
      status: 'failed',
      why: 'Manually marked as failed',
    })
  })

  test.each(['done', 'fail', 'reset'])('%s takes a task from somebody only with a yes', async (verb) => {
    const made = await projectWithTasks([{ id: 'a' }])
    await claimed(made)
    const asked = await task(made, verb, 'a')
    expect([asked.code, asked.err]).toEqual([
      2,
      `ralph: nothing was changed: a run is working on a; this would stop that work\n       Confirm with: ralph task ${verb} a --yes\n`,
    ])
    expect(await taskStatuses(made)).toEqual(['a in_progress'])
    expect((await task(made, verb, 'a', '--yes')).out).toContain('the run stops working on: a')
    expect(await jsonOf(made, 'show', 'a')).toMatchObject({ claimed_by: null })
  })
})

describe('delete', () => {
  test('without a terminal it wants a yes, and says what would go', async () => {
    const made = await projectWithTasks([{ id: 'p' }, { id: 'a', parent: 'p' }])
    const asked = await task(made, 'delete', 'p')
    expect([asked.code, asked.err]).toEqual([
      2,
      'ralph: nothing was changed: Task p "Do p" would be deleted, with 1 task below it.\n       Confirm with: ralph task delete p --yes\n',
    ])
    expect(await taskStatuses(made)).toHaveLength(2)
    expect((await task(made, 'delete', 'p', '-y')).out).toBe('Task p "Do p" is deleted, with 1 task below it.\n')
    expect(await taskStatuses(made)).toEqual([])
  })

  test('who waits for it is named; --unblock lets them go', async () => {
    const made = await projectWithTasks([{ id: 'a' }, { id: 'z', title: 'Last', blockers: ['a'] }])
    const refused = await task(made, 'delete', 'a', '--yes')
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/1 other task would wait for it forever\n+z {2}Last\n.*ralph task delete a --unblock/),
    ])
    expect((await task(made, 'delete', 'a', '--unblock')).err).toContain(
      'Task a "Do a" would be deleted. Tasks that would no longer wait for it: z "Last".\n',
    )
    expect(await jsonOf(made, 'delete', 'a', '--unblock', '--yes')).toMatchObject({
      removed: ['a'],
      archived: [],
      released: [{ id: 'z', title: 'Last' }],
    })
    expect(await taskStatuses(made)).toEqual(['z pending'])
  })

  test('one that was worked on is archived, with its log', async () => {
    const made = await projectWithTasks([{ id: 'a' }])
    await claimed(made)
    expect((await task(made, 'delete', 'a', '--yes')).err).toContain('ralph task reset a')
    await task(made, 'reset', 'a', '--yes')
    await task(made, 'log', 'a', '-m', 'never again')
    expect((await task(made, 'delete', 'a', '--yes')).out).toContain('ralph task log a')
    expect((await task(made, 'log', 'a')).out).toContain('never again')
    expect((await task(made, 'list', '--archived')).out).toBe('  a  [pending]  Do a\n')
    expect((await task(made, 'add', 'again', '--id', 'a')).err).toContain('it was deleted, but its ID stays reserved')
    expect([await taskStatuses(made), (await task(made, 'done', 'a')).err]).toEqual([
      [],
      expect.stringContaining('task a was deleted'),
    ])
  })

  test('of what was deleted with a part, the list finds each at its place; none is ready', async () => {
    const made = await projectWithTasks([{ id: 'gp' }, { id: 'p', parent: 'gp' }, { id: 'a', parent: 'p' }])
    await claimed(made)
    await task(made, 'reset', 'a', '--yes')
    expect((await task(made, 'delete', 'p', '--yes')).out).toContain('ralph task list --archived\n')
    const ids = async (...filters: string[]): Promise<string[]> =>
      (await jsonOf<{ id: string }[]>(made, 'list', '--archived', ...filters)).map(({ id }) => id)
    expect([await ids('--under', 'gp'), await ids('--under', 'p'), await ids('--ready')]).toEqual([
      ['p', 'a'],
      ['p', 'a'],
      [],
    ])
    expect((await task(made, 'list', '--ready')).out).toBe('  gp  [pending]  Do gp\n')
  })
})

describe('deps', () => {
  test('are added and taken away, and twice changes nothing', async () => {
    const made = await projectWithTasks([{ id: 'a' }, { id: 'b' }])
    const say2 = async (...args: string[]): Promise<string> => (await task(made, 'deps', ...args)).out
    expect([
      await say2('add', 'a', 'b'),
      await say2('add', 'a', 'b'),
      await say2('rm', 'a', 'b'),
      await say2('rm', 'a', 'b'),
    ]).toEqual([
      'Task b waits for a.\n  b "Do b" is blocked again\n',
      'Task b waits for a already.\n',
      'Task b no longer waits for a.\n  b "Do b" is unblocked\n',
      'Task b did not wait for a.\n',
    ])
    expect(await jsonOf(made, 'deps', 'add', 'a', 'b')).toEqual({
      blocker: 'a',
      blocked: 'b',
      changed: true,
      changes: [{ is: 'blocked', task: 'b', title: 'Do b' }],
    })
  })

  test.each([
    ['a cycle is named', ['c', 'a'], /a "Do a" → c "Do c" → b "Do b" → a|→ a\b/],
    ['a task cannot wait for itself', ['a', 'a'], /a "Do a" → a/],
    ['a parent cannot wait for its child', ['kid', 'a'], /kid "Do kid"/],
    ['nor a child for its parent', ['a', 'kid'], /kid/],
    ['unknown', ['a', 'nobody'], /there is no task nobody/],
  ])('%s', async (_name, edge, words) => {
    const made = await projectWithTasks([
      { id: 'a' },
      { id: 'b', blockers: ['a'] },
      { id: 'c', blockers: ['b'] },
      { id: 'kid', parent: 'a' },
    ])
    const before = await jsonOf(made, 'list')
    const { code, err } = await task(made, 'deps', 'add', ...edge)
    expect([code > 0, err]).toEqual([true, expect.stringMatching(words)])
    expect(await jsonOf(made, 'list')).toEqual(before)
  })
})

describe('skip', () => {
  test('fails a task that nobody works on, with who said so; a reset has it tried again', async () => {
    const made = await projectWithTasks([{ id: 'a' }, { id: 'z', blockers: ['a'] }])
    expect((await runCommand(made, 'skip', 'a')).out).toBe('Skipped task a "Do a": it is marked failed.\n')
    expect(await jsonOf(made, 'show', 'a')).toMatchObject({
      status: 'failed',
      why: expect.stringMatching(/^skipped by ./) as string,
    })
    expect((await task(made, 'reset', 'a')).code).toBe(0)
    expect(JSON.parse((await runCommand(made, 'skip', 'a', '--json')).out)).toMatchObject({
      task: 'a',
      how: 'failed',
    })
    expect((await runCommand(made, 'skip', 'nobody')).code).toBe(1)
  })

  test('takes it from a worker whose engine is gone', async () => {
    const made = await projectWithTasks([{ id: 'a' }])
    await claimed(made)
    expect((await runCommand(made, 'skip', 'a')).code).toBe(0)
    expect(await jsonOf(made, 'show', 'a')).toMatchObject({ status: 'failed', claimed_by: null })
  })

  test('asks the engine that works on it; the run continues with the next task', async () => {
    const made = await projectWithTasks([{ id: 'a' }, { id: 'b' }], {
      toml: '[task]\nverify = false\n\n[[gate]]\nname = "test"\nrun = "true"\n',
      turns: [
        [{ do: 'say', text: 'on it' }, { do: 'hang' }],
        [
          { do: 'write', path: 'b.txt', content: 'good\n' },
          { do: 'say', text: '<task-done>b</task-done>' },
        ],
      ],
    })
    const walk = made.start(['run', '--json'])
    await walk.waitFor('conversation-known')
    expect(JSON.parse((await made.ralph(['skip', 'a', '--json'])).stdout)).toMatchObject({
      task: 'a',
      how: 'asked',
      receipt: { state: expect.stringMatching(/accepted|applied/) as string },
    })
    expect((await walk.ended).code).toBe(4)
    expect(await taskStatuses(made)).toEqual(['a failed', 'b done'])
    expect(await jsonOf(made, 'show', 'a')).toMatchObject({
      why: expect.stringMatching(/^skipped by /) as string,
    })
  })
})

test('an agent or a gate changes nothing about tasks, but may look', async () => {
  const made = await projectWithTasks([{ id: 'a' }])
  const inside = (...args: string[]) =>
    runInProcess(args, { cwd: made.path, env: { ...made.env, RALPH_INSIDE: 'k7f3qa' } })
  const changing = [
    ['task', 'add', 'x'],
    ['task', 'create'],
    ['task', 'update', 'a', '--title', 'x'],
    ['task', 'delete', 'a', '-y'],
    ['task', 'done', 'a'],
    ['task', 'fail', 'a'],
    ['task', 'reset', 'a'],
    ['task', 'log', 'a', '-m', 'x'],
    ['task', 'deps', 'add', 'a', 'a'],
    ['task', 'deps', 'rm', 'a', 'a'],
    ['skip', 'a'],
  ]
  for (const line of changing)
    expect([line, await inside(...line)]).toEqual([
      line,
      { code: 1, out: '', err: expect.stringContaining('inside run k7f3qa') as string },
    ])
  for (const line of [
    ['task'],
    ['task', 'list'],
    ['task', 'show', 'a'],
    ['task', 'log', 'a'],
    ['task', 'deps', 'list', 'a'],
  ])
    expect((await inside(...line)).code).toBe(0)
})
