/** Features as people look at them: listed, shown, accepted, deleted and resumed. Each command that a screen advises is typed. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { FeatureFacts } from '../../src/app/feature/features.ts'
import { taskFileText, draft } from '../kit/feature.ts'
import type { TestProject } from '../test-project.ts'
import { hasTmux, openTmux } from '../tmux.ts'
import { oldDatabase, rowsFor } from '../rust-project.ts'
import { jsonOf, projectWithTasks, runCommand, taskStatuses } from './task-commands.ts'

const RALPH = `${process.execPath} ${fileURLToPath(new URL('../../bin/ralph.cjs', import.meta.url))}`
const PATH = '.ralph/features/login/tasks.json'

const LOGIN = [
  draft('all', { title: 'Log in', checks: [] }),
  draft('form', {
    title: 'A form',
    parent: 'all',
    checks: ['npm test -- form'],
    tests: ['test/form.test.ts'],
  }),
  draft('session', { title: 'A session', parent: 'all', after: ['form'] }),
]

async function drafted(...tasks: object[]): Promise<TestProject> {
  const made = await projectWithTasks([], { trustsProject: false })
  await made.write(PATH, taskFileText(...tasks))
  return made
}

const list = async (made: TestProject): Promise<FeatureFacts[]> =>
  JSON.parse((await runCommand(made, 'feature', 'list', '--json')).out) as FeatureFacts[]

test('a document is shown, refused without a yes and without trust, accepted, and nothing new the second time', async () => {
  const made = await drafted(...LOGIN)
  const feature = (...words: string[]) => runCommand(made, 'feature', ...words)
  expect((await feature()).out).toContain('login  [draft]  no tasks  tasks (not accepted)')
  const show = await feature('show', 'login')
  expect(show.out).toContain(`Next: ralph feature accept login`)
  expect(show.out).toContain(`all  Log in
├─ form  A form
│     check npm test -- form
└─ session  A session
      after form
      check npm test
`)
  expect(show.out).toContain(
    'Checks (Ralph runs them with your permissions)\n  npm test -- form  (form)\n  npm test  (session)\n',
  )
  expect(show.out).toContain('Tests these tasks may change\n  test/form.test.ts  (form)\n')

  const early = await runCommand(made, 'run', 'login')
  expect([early.code, early.err]).toEqual([1, expect.stringContaining('ralph feature accept login')])
  const unasked = await feature('accept', 'login')
  expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('ralph feature accept login --yes')])
  // Commands that an agent made up are programs: a yes to the tasks is none to them.
  const untrusted = await feature('accept', 'login', '--yes')
  expect(untrusted.code).toBe(2)
  expect(untrusted.err).toContain("specifies 2 commands that you haven't approved")
  expect(untrusted.err).toContain('ralph feature accept login --yes --trust')
  expect(await taskStatuses(made)).toEqual([])
  const json = await feature('accept', 'login', '--yes', '--json')
  expect([json.code, json.out]).toEqual([2, expect.stringContaining('"error":"untrusted"')])

  const accepted = await feature('accept', 'login', '--yes', '--trust')
  expect([accepted.code, accepted.out]).toEqual([0, expect.stringContaining('3 tasks added.')])
  expect(await taskStatuses(made)).toHaveLength(3)
  expect(await feature('accept', 'login', '--yes')).toEqual({
    code: 0,
    out: expect.stringContaining('Nothing changed: login was already accepted.') as unknown,
    err: '',
  })
  expect((await feature('accept', 'login')).code).toBe(0)
  expect(await taskStatuses(made)).toHaveLength(3)
  expect(await list(made)).toMatchObject([
    { name: 'login', status: 'ready', tasks: 2, accepted: true, next: 'ralph run login' },
  ])
  expect((await runCommand(made, 'task', 'tree', 'login')).out).toContain('[pending]  A form')

  // What was trusted once is not asked about again; the new command is.
  await made.write(
    PATH,
    taskFileText(...LOGIN, draft('out', { title: 'Out', parent: 'all', checks: ['npm test', 'rm -rf /'] })),
  )
  const more = await feature('accept', 'login', '--yes')
  expect([more.code, more.err]).toEqual([2, expect.stringContaining("1 command that you haven't approved")])
  expect(more.out).toContain('Changes since it was accepted\n  new: out\n')
  const once = { ...made, env: { ...made.env, RALPH_TRUST: '1' } }
  expect((await runCommand(once, 'feature', 'accept', 'login', '-y', '--json')).code).toBe(0)
  expect(await taskStatuses(made)).toHaveLength(4)
})

test('what was named is named again where trust is wanted first: without it the run would be of all tasks', async () => {
  const toml = '[[gate]]\nname = "test"\nrun = "true"\n'
  const made = await projectWithTasks([{ id: 't-1', feature: 'login' }], { trustsProject: false, toml })
  const heard = await runCommand(made, 'run', 'login')
  expect([heard.code, heard.err]).toEqual([2, expect.stringContaining('ralph run login --trust')])
})

test('a feature is resumed, and deleted with its documents kept', async () => {
  const made = await drafted(...LOGIN.map((one) => ({ ...one, checks: [], criteria: ['it works'] })))
  const feature = (...words: string[]) => runCommand(made, 'feature', ...words)
  await feature('accept', 'login', '--yes')
  const reopened = await feature('reopen', 'login', '--from', 'tasks')
  expect(reopened.out).toMatch(/is a draft again\.\n {2}\S+tasks\.json was saved as \S+tasks\.\d{8}-\d{6}\.json\n/)
  expect(reopened.out).toContain('Its 2 tasks (0 done) stay until you accept a new draft.')
  expect(await list(made)).toMatchObject([{ stage: 'draft', tasks: 2, next: 'ralph feature create login' }])
  expect((await feature()).out).toContain('0 of 2 tasks done, reopened as a draft')
  const gone = await feature('accept', 'login', '--yes')
  expect([gone.code, gone.err]).toEqual([1, expect.stringContaining(`${PATH} does not exist`)])

  const asked = await feature('delete', 'login')
  expect([asked.code, asked.err]).toEqual([
    2,
    expect.stringContaining('would be deleted, with 3 tasks that are not done'),
  ])
  const deleted = await feature('delete', 'login', '-y')
  expect(deleted.out).toMatch(/Its documents were moved to \.ralph\/features\/\.deleted\/login-\d{8}-\d{6}\n/)
  expect([await taskStatuses(made), await list(made)]).toEqual([[], []])
  expect((await feature()).out).toContain('Start one: ralph feature create NAME')
})

describe('what cannot be', () => {
  test('reports unknown names, documents and words, and creates nothing', async () => {
    const made = await drafted(draft('a', { after: ['b'] }), draft('c', { parent: 'c', checks: [] }))
    const outside = (await projectWithTasks([])).path
    symlinkSync(outside, join(made.path, '.ralph/features/link'))
    await made.write('.ralph/features/large/tasks.json', ' '.repeat(10_000_000))
    await made.write(
      '.ralph/features/twice/tasks.json',
      '{"version": 1, "tasks": [{"key": "a", "key": "b", "title": "A"}]}',
    )
    for (const [words, code, told] of [
      [['accept', '../login', '--yes'], 2, '"../login" is not a valid feature name'],
      [['accept', 'a.b', '--yes'], 2, 'cannot contain a dot'],
      [['accept', 'x'.repeat(200), '--yes'], 2, 'has at most 64 characters; this one has 200'],
      [['accept', '__proto__', '--yes'], 2, 'begins with a letter or a digit'],
      [['accept', 'nothing', '--yes'], 1, 'ralph feature create nothing'],
      [['accept', 'login', '--yes'], 1, 'tasks[0].after[0]: there is no task "b"'],
      [['accept', 'login'], 1, 'c "Task c" → c'],
      [['accept', 'large', '--yes'], 1, 'it is larger than 1024 KB'],
      [['accept', 'twice', '--yes'], 1, 'tasks[0].key: duplicate key'],
      [['accept', 'link', '--yes'], 1, '.ralph/features/link is a link'],
      [['accept'], 2, 'FEATURE'],
      [['show', '../..'], 1, 'there is no feature ../..'],
      [['show', 'logn'], 1, 'Did you mean login?'],
      [['delete', 'link', '--yes'], 1, '.ralph/features/link is a link'],
      [['reopen', 'link', '--from', 'tasks'], 1, '.ralph/features/link is a link'],
      [['accept', 'a/b', '--yes'], 2, 'only letters, digits, "_" and "-"'],
      [['delete', '.deleted', '--yes'], 1, 'there is no feature .deleted'],
      [['reopen', 'login', '--from', 'words'], 2, 'spec, plan, tasks'],
      [['reopen', 'nothing'], 1, 'there is no feature nothing'],
    ] as const) {
      const heard = await runCommand(made, 'feature', ...words)
      expect([words, heard.code, heard.err]).toEqual([words, code, expect.stringContaining(told)])
    }
    expect(await taskStatuses(made)).toEqual([])
    const behind = await runCommand(made, 'feature', 'show', 'link')
    expect([behind.code, behind.out]).toEqual([
      0,
      expect.stringContaining('unreadable: .ralph/features/link is a link'),
    ])
    expect(behind.out).not.toContain('Next:')
    const large = await runCommand(made, 'feature', 'show', 'large')
    expect(large.out).toContain('Next: ralph feature reopen large --from tasks')
    expect((await runCommand(made, 'feature', 'reopen', 'large', '--from', 'tasks')).code).toBe(0)
    const inside = await runCommand(
      { ...made, env: { ...made.env, RALPH_INSIDE: 'r' } },
      'feature',
      'accept',
      'login',
      '-y',
    )
    expect([inside.code, inside.err]).toEqual([1, expect.stringContaining('from inside run')])
    const nowhere = await runCommand({ ...made, path: '/' }, 'feature', 'list')
    expect([nowhere.code, nowhere.err]).toEqual([3, expect.stringContaining('To set one up: ralph init')])
  })

  test('a feature of the Rust tool is shown with its documents, wherever these are', async () => {
    const made = await projectWithTasks([])
    const rows = [
      ...rowsFor(5),
      `update features set spec_path = '${join(made.path, 'docs/spec.md')}', plan_path = '/etc/hostname' where name = 'login'`,
      `update features set spec_path = '/home/ann/shop/.ralph/features/search/spec.md' where name = 'search'`,
    ]
    oldDatabase(join(made.path, '.ralph/progress.db'), { version: 5, rows })
    await made.write('docs/spec.md', `# Spec\n\n${'Words. '.repeat(50)}`)
    const login = await runCommand(made, 'feature', 'show', 'login')
    expect(login.out).toMatch(/^ {2}spec +\S+docs\/spec\.md$/m)
    expect(login.out).toMatch(/^ {2}plan +\/etc\/hostname {2}unreadable: it leads outside the project$/m)
    const search = await runCommand(made, 'feature', 'show', 'f-123456', '--json')
    expect(JSON.parse(search.out)).toMatchObject({
      name: 'search',
      documents: [{ is: 'missing' }, { is: 'missing' }, { is: 'missing' }],
    })
    expect((await runCommand(made, 'feature', 'reopen', 'search')).code).toBe(0)
    expect((await runCommand(made, 'feature', 'delete', 'login', '-y')).code).toBe(0)
    expect(await jsonOf<unknown[]>(made, 'list', '--all')).not.toEqual([])
  })
})

describe.skipIf(!(await hasTmux()))('on a terminal', () => {
  test('it is shown, edited, shown again when it changed, trusted and accepted', async () => {
    const made = await drafted(draft('a', { title: 'One' }), draft('b', { title: 'Two', after: ['x'] }))
    const tmux = await openTmux(made, { rows: 60 })
    // What an earlier one left on the screen is no answer of this one.
    const run = async (line: string, env = ''): Promise<void> => {
      await tmux.type('clear; echo "screen $((40 + 2))"', 'Enter')
      await tmux.shows(/^screen 42/)
      await tmux.type(`clear; ${env} ${RALPH} ${line}; echo "code $?"`, 'Enter')
    }
    const accept = (editor: string): Promise<void> => run('feature accept login', `EDITOR="${editor}"`)
    await accept('no-such-editor-here')
    const first = await tmux.shows('Decide later')
    // It has an error, so it is not offered.
    expect(first).toContain('there is no task "x"')
    expect(first).not.toContain('Accept it')
    await tmux.type('Enter')
    await tmux.shows(/the editor cannot be started(.|\n)*Decide later/)
    await tmux.type('Down', 'Enter')
    await tmux.shows(/Accept it later: ralph feature accept login(.|\n)*code 0/)

    await made.write('editor.sh', `sed -i.bak 's/"x"/"a"/' "$1"\n`)
    await accept('sh editor.sh')
    await tmux.shows('Decide later')
    await tmux.type('Enter')
    await tmux.shows('Accept it')
    await made.write(PATH, taskFileText(draft('a', { title: 'Another' })))
    await tmux.type('Enter')
    await tmux.shows('Let Ralph run it in this repository')
    await tmux.type('y')
    // Beside the question: a tree may be longer than the screen.
    await tmux.shows(/Another(.|\n)*Here is the\s+new\s+version(.|\n)*Accept it/)
    await tmux.type('Enter')
    await tmux.shows(/1 task added(.|\n)*code 0/)
    expect(await jsonOf<object[]>(made, 'list')).toMatchObject([{ title: 'Another', feature: 'login' }])

    await run('feature delete login')
    await tmux.shows('Delete?')
    await tmux.type('C-c')
    await tmux.shows(/Nothing was changed\.(.|\n)*code 130/)
    await run('feature delete login')
    await tmux.shows('Delete?')
    await tmux.type('y')
    await tmux.shows(/Its documents were moved to(.|\n)*code 0/)
  })

  test('nothing is accepted by who goes away, or trusts nothing', async () => {
    const made = await drafted(draft('a', { title: 'One' }))
    const tmux = await openTmux(made, { rows: 50 })
    await tmux.type(`${RALPH} feature accept login; echo "code $?"`, 'Enter')
    await tmux.shows('Accept it')
    await tmux.type('C-c')
    await tmux.shows(/Accept it later: ralph feature accept login(.|\n)*code 130/)
    await tmux.type(`clear; ${RALPH} feature accept login --yes; echo "code $?"`, 'Enter')
    await tmux.shows(/npm test(.|\n)*Let Ralph run it in this repository/)
    await tmux.type('n')
    await tmux.shows(/Nothing was started\.(.|\n)*Accept it later: ralph feature accept login(.|\n)*code 2/)
    expect(await taskStatuses(made)).toEqual([])
  })
})
