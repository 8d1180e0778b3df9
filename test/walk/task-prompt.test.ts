/** What an agent is told about a task, and what `ralph inspect prompt` shows of it. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PromptPreview } from '../../src/app/doctor/prompt-preview.ts'
import { newTask } from '../../src/core/tasks/task.ts'
import { openStore } from '../../src/store/db/open-store.ts'
import { addTasks } from '../../src/store/task/add-tasks.ts'
import { addFeature } from '../../src/store/task/features.ts'
import { addTaskLogEntry } from '../../src/store/task/task-log.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { storeFolder } from '../../src/workspace/repo/find-repo.ts'
import { testProject, type TestProject, type TestProjectOptions } from '../test-project.ts'

const TOML = '[task]\nverify = false\n\n[[gate]]\nname = "test"\nrun = "sh test.sh"\n'
const FILES = {
  'test.sh': 'for f in *.txt; do grep -q good "$f" || { echo "$f is bad"; exit 1; }; done\n',
  'zero.txt': 'good\n',
  'docs/spec.md': '# Shop\n\nPeople log in with a password.\n',
  '.ralph/knowledge/cookies.md': '---\ntitle: Cookies\ntags: [login]\n---\n\nThey are signed.\n',
}

async function planted(options: TestProjectOptions): Promise<TestProject> {
  const fixture = await testProject({ toml: TOML, files: FILES, prompt: null, ...options })
  const repo = await openRepo(fixture.path)
  const store = await openStore(join(storeFolder(repo, fixture.path), 'ralph.db'), {
    create: true,
    notice: () => undefined,
  })
  const documents = { spec: 'docs/spec.md', plan: 'docs/plan.md' }
  await addFeature(store.sql, { id: null, name: 'login', stage: 'ready', ...documents }, 1)
  await addTasks(
    store.sql,
    [
      newTask('Make sessions', { id: 't-a', feature: 'login' }),
      newTask('Log in', { id: 't-b', feature: 'login', blockers: ['t-a'], description: 'A form.' }),
    ],
    2,
  )
  const guidance = { at: 3, author: 'human', kind: 'guidance', text: 'No new dependency.' } as const
  await addTaskLogEntry(store.sql, { task: 't-b', ...guidance })
  await store.close()
  return fixture
}

function writtenFiles(task: string, content: string): { do: 'write'; path: string; content: string } {
  return { do: 'write', path: `${task}.txt`, content }
}

test('the prompt of a later task has the notes of the earlier one, and a second attempt has what failed', async () => {
  const fixture = await planted({
    turns: [
      [writtenFiles('a', 'good\n'), { do: 'say', text: 'Summary: cookies are signed.\n<task-done>t-a</task-done>' }],
      [
        { do: 'expect-prompt', matches: 'People log in with a password' },
        { do: 'expect-prompt', matches: '- t-a, Make sessions: Summary: cookies are signed' },
        { do: 'expect-prompt', matches: 'From a person, about this task: No new dependency' },
        writtenFiles('b', 'bad\n'),
        // What is learnt meanwhile is for the next claim.
        {
          do: 'write',
          path: '.ralph/knowledge/cookies.md',
          content: '---\ntitle: Cookies\ntags: [login]\n---\n\nThey are gone.\n',
        },
        { do: 'say', text: 'Summary: half of it.\n<task-done>t-b</task-done>' },
      ],
      [
        { do: 'expect-prompt', matches: 'This is attempt 2 of 4 at this task' },
        { do: 'expect-prompt', matches: 'The previous attempt reported: Summary: half of it' },
        { do: 'expect-prompt', matches: 'Fix this first: Ralph rejected your completion[^]*b.txt is bad' },
        writtenFiles('b', 'good\n'),
        { do: 'say', text: 'Summary: all of it.\n<task-done>t-b</task-done>' },
      ],
    ],
  })
  const ran = await fixture.ralph(['run'])
  expect([ran.code, fixture.starts().length], ran.stdout + ran.stderr).toEqual([0, 3])
  const { entry } = JSON.parse((await fixture.ralph(['show', '--json'])).stdout) as { entry: { id: string } }
  const promptOf = async (n: string) => (await fixture.ralph(['show', entry.id, n, '--prompt'])).stdout
  const [second, third] = [await promptOf('2'), await promptOf('3')]
  // All but what is new, which stands at the end.
  const fixed = second.slice(0, second.indexOf('## Now'))
  expect(fixed.length).toBeGreaterThan(1_000)
  expect(fixed).toContain('They are signed.')
  expect(third.startsWith(fixed)).toBe(true)
})

test('a secret that a person noted is in no prompt, and inspect shows what is sent', async () => {
  const secret = 'hunter2hunter2'
  const fixture = await planted({
    env: { SHOP_TOKEN: secret },
    files: {
      ...FILES,
      '.ralph/knowledge/keys.md': `---\ntitle: Sessions\ntags: [sessions]\n---\n\nThe key is ${secret}.\n`,
    },
    turns: [
      [
        { do: 'expect-prompt', matches: `^(?![^]*${secret})[^]*The note says [^]*The key is ` },
        writtenFiles('a', 'good\n'),
        { do: 'say', text: 'Summary: made.\n<task-done>t-a</task-done>' },
      ],
    ],
  })
  for (const words of [
    ['journal', 'add', `The note says ${secret}.`, '--task', 't-a'],
    ['task', 'log', 't-a', '-m', `It was ${secret}.`],
  ])
    expect(await fixture.ralph(words)).toMatchObject({ code: 0 })
  const shown = (await fixture.ralph(['inspect', 'prompt', 't-a', '--full'])).stdout
  expect([shown.includes(secret), shown]).toEqual([false, expect.stringContaining('The key is ')])
  const ran = await fixture.ralph(['run', 't-a'])
  expect(ran.code, ran.stdout + ran.stderr).toBe(0)
})

test('inspect prompt shows every part, its tokens and where it comes from, and the very text', async () => {
  const fixture = await planted({ files: { ...FILES, '.ralph/prompts/verify.md': 'Judge {{id}}.\n' } })
  const { stdout, code } = await fixture.ralph(['inspect', 'prompt', 't-b'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^t-b · Log in · to the agent that works on it · about \d+ tokens$/m)
  expect(stdout).toMatch(/^stable +\d+ +2000 +assets\/prompts\/task\.md$/m)
  expect(stdout).toMatch(/^feature +\d+ +4000 +docs\/spec\.md$/m)
  expect(stdout).toMatch(/^knowledge +\d+ +1500 +\.ralph\/knowledge\/cookies\.md$/m)
  expect(stdout).toMatch(/^corrections +\d+ +600 +task_log$/m)
  expect(stdout).toContain('docs/plan.md: does not exist')
  const full = await fixture.ralph(['inspect', 'prompt', 't-b', '--full'])
  const json = await fixture.ralph(['inspect', 'prompt', 't-b', '--json'])
  const facts = JSON.parse(json.stdout) as PromptPreview
  expect([facts.task, facts.role, facts.text]).toEqual([{ id: 't-b', title: 'Log in' }, 'work', full.stdout])
  expect(facts.parts.map(({ name }) => name)).toEqual([
    'stable',
    'feature',
    'task',
    'journal',
    'knowledge',
    'corrections',
  ])
  const read = await fixture.ralph(['inspect', 'prompt', 'b', '--verify', '--full'])
  expect(read.stdout).toMatch(/^Judge t-b\./)
  const none = await fixture.ralph(['inspect', 'prompt', 't-zz'])
  expect([none.code, none.stdout]).toEqual([1, ''])
  expect(none.stderr).toContain('there is no task t-zz')
})
