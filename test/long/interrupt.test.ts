/** Ctrl+C in `ralph run` on a terminal: the agent is ended, a person may say something about its task, and the run goes on or stops. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newTask } from '../../src/core/tasks/task.ts'
import { openStore } from '../../src/store/db/open-store.ts'
import { addTasks } from '../../src/store/task/add-tasks.ts'
import { findTask } from '../../src/store/task/find-task.ts'
import { loadTaskLog } from '../../src/store/task/task-log.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { storeFolder } from '../../src/workspace/repo/find-repo.ts'
import { testProject, type TestProject, type ScriptedTurn } from '../test-project.ts'
import { hasTmux, openTmux, type Tmux } from '../tmux.ts'
import { isProcessAlive } from '../walk/stuck-run.ts'

const RALPH = `'${process.execPath}' '${join(import.meta.dirname, '..', '..', 'bin', 'ralph.cjs')}'`
const TOML = '[task]\nverify = false\n\n[[gate]]\nname = "test"\nrun = "sh test.sh"\n'
/** Every file that is there must be right. */
const FILES = { 'test.sh': 'for f in *.txt; do grep -q good "$f" || exit 1; done\n', 'zero.txt': 'good\n' }
const HANG: ScriptedTurn = [
  { do: 'shell', command: 'echo $PPID > ../held' },
  { do: 'say', text: 'Thinking.' },
  { do: 'hang' },
]
const QUESTION = 'Guidance for the agent on a "Write it down"'

/** `after`: the run is one that was cut off, and is resumed. */
async function interrupted(
  turns: ScriptedTurn[],
  { after }: { after?: 'kill -9' } = {},
): Promise<{ fixture: TestProject; tmux: Tmux }> {
  const fixture = await testProject({ toml: TOML, files: FILES, prompt: null, agents: ['claude'], turns })
  await withStore(fixture, (sql) => addTasks(sql, [newTask('Write it down', { id: 'a' })], 1_000))
  if (after !== undefined) {
    const walk = fixture.start(['run', '--yes', '--json'])
    await walk.waitFor('conversation-known')
    await walk.kill('SIGKILL')
  }
  const tmux = await openTmux(fixture, { columns: 120, rows: 50 })
  await tmux.type(`${RALPH} ${after === undefined ? 'run --yes' : 'resume'}; echo "ended $?"`, 'Enter')
  await tmux.shows('Thinking.')
  await tmux.type('C-c')
  await tmux.shows('press Ctrl+C again to force quit')
  return { fixture, tmux }
}

async function withStore<T>(
  fixture: TestProject,
  work: (sql: Awaited<ReturnType<typeof openStore>>['sql']) => Promise<T>,
): Promise<T> {
  const folder = storeFolder(await openRepo(fixture.path), fixture.path)
  const store = await openStore(join(folder, 'ralph.db'), { create: true, notice: () => {} })
  try {
    return await work(store.sql)
  } finally {
    await store.close()
  }
}

async function statusOf(fixture: TestProject): Promise<string | undefined> {
  return (await withStore(fixture, (sql) => findTask(sql, 'a')))?.status
}

describe.skipIf(!(await hasTmux()))('Ctrl+C in a run (skipped where tmux is not installed)', () => {
  test('what is said then is in the next prompt about the task', async () => {
    const { fixture, tmux } = await interrupted([
      HANG,
      [
        { do: 'expect-prompt', matches: 'Use the table.\\s+Not the list.' },
        { do: 'write', path: 'a.txt', content: 'good\n' },
        { do: 'say', text: 'Did it. <task-done>a</task-done>' },
      ],
    ])
    await tmux.shows(QUESTION)
    await tmux.type('Use the table.', 'Enter', 'Not the list.', 'Enter', 'Enter')
    await tmux.shows('be in the next prompt for a.')
    expect(await statusOf(fixture)).toBe('pending')
    await tmux.shows('Continue the run?')
    await tmux.type('Enter')
    await tmux.shows('ended 0')
    expect(await statusOf(fixture)).toBe('done')
    const log = await withStore(fixture, (sql) => loadTaskLog(sql, 'a', 10))
    expect(log).toMatchObject([{ author: 'human', kind: 'guidance', text: 'Use the table.\nNot the list.' }, {}])
  })

  test('a run that was cut off and is resumed asks in the same way', async () => {
    const { fixture, tmux } = await interrupted([HANG], { after: 'kill -9' })
    await tmux.shows(QUESTION)
    await tmux.type('Use the table.', 'Enter', 'Enter')
    await tmux.shows('Continue the run?')
    await tmux.type('n')
    await tmux.shows('ended 130')
    expect(await statusOf(fixture)).toBe('pending')
    expect(await withStore(fixture, (sql) => loadTaskLog(sql, 'a', 10))).toMatchObject([{ text: 'Use the table.' }])
  })

  test('nothing said and no: the run stops, and the task is pending', async () => {
    const { fixture, tmux } = await interrupted([HANG])
    await tmux.shows(QUESTION)
    await tmux.type('Enter', 'Enter')
    await tmux.shows('Continue the run?')
    await tmux.type('n')
    await tmux.shows('ended 130')
    expect(await statusOf(fixture)).toBe('pending')
    expect(await withStore(fixture, (sql) => loadTaskLog(sql, 'a', 10))).toEqual([])
  })

  test.each(['guidance', 'running'])('a second one, asked about %s, leaves at once', async (asked) => {
    const { fixture, tmux } = await interrupted([HANG])
    await tmux.shows(QUESTION)
    if (asked === 'running') {
      await tmux.type('Enter', 'Enter')
      await tmux.shows('Continue the run?')
    }
    await tmux.type('C-c')
    expect(await tmux.shows('ended 130')).toContain('Continue it: ralph resume')
    expect(await statusOf(fixture)).toBe('pending')
  })

  test('a second one while the agent is being ended leaves at once, and the agent with it', async () => {
    const { fixture, tmux } = await interrupted([[{ do: 'ignore-term' }, ...(HANG as [])]])
    // Two that come at once are one: whoever means it presses again.
    const pressed = async (): Promise<string> => {
      await tmux.type('C-c')
      return tmux.screen()
    }
    await expect.poll(pressed, { interval: 100 }).toContain('ended 130')
    expect(await tmux.screen()).not.toContain(QUESTION)
    expect(isProcessAlive(Number(await fixture.read('../held')))).toBe(false)
  })
})
