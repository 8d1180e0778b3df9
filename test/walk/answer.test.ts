/** Questions of agents: shown, answered by a person, and the answer told in the prompt that follows. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testProject, type TestProject } from '../test-project.ts'
import { task, withTasks } from './task-store-kit.ts'

const RALPH = join(import.meta.dirname, '..', '..', 'bin', 'ralph.cjs')

/** What an agent's program does when its model calls the tool. */
function asking(question: string): { do: 'shell'; command: string } {
  const params = { name: 'ask', arguments: { question } }
  const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  return { do: 'shell', command: `printf '%s\\n' '${line}' | '${process.execPath}' '${RALPH}' mcp` }
}

interface Asked {
  id: string
  text: string
  task: string | null
  answer: string | null
  target?: object
}

async function json(fixture: TestProject, ...args: string[]): Promise<unknown> {
  const { stdout } = await fixture.ralph([...args, '--json'])
  return JSON.parse(stdout)
}

async function openIn(fixture: TestProject): Promise<Asked> {
  const [question, ...others] = (await json(fixture, 'answer')) as Asked[]
  expect(others).toEqual([])
  if (question === undefined) throw new Error('nothing is open')
  return question
}

test('in a loop: shown by status, answered between runs, passed on by the next run, and again if that was killed', async () => {
  const TOLD = 'You asked: Tabs or.* spaces\\? — The answer: spaces, two of them'
  const fixture = await testProject({
    turns: [
      [asking('Tabs or\u001B[31m spaces?'), { do: 'say', text: 'Half of it.' }],
      [{ do: 'expect-prompt', matches: TOLD }, { do: 'hang' }],
      [
        { do: 'expect-prompt', matches: TOLD },
        { do: 'say', text: 'Heard.' },
      ],
      [
        { do: 'expect-prompt', matches: '^(?![\\s\\S]*You asked)' },
        { do: 'say', text: 'Told once.' },
      ],
    ],
  })
  const asked = await fixture.ralph(['loop', '--once'])
  const { id, task: about, answer } = await openIn(fixture)
  expect([asked.code, asked.stdout]).toEqual([
    4,
    expect.stringMatching(
      new RegExp(
        `^question +the agent asks: Tabs or spaces\\? · answer it: ralph answer ${id} "…"$[^]*^report +Asked +Tabs or spaces\\? \\(ralph answer ${id} "…"\\)$`,
        'm',
      ),
    ),
  ])
  expect([about, answer]).toEqual([null, null])
  const [, run = ''] = / run (\w+)/.exec(asked.stdout) ?? []
  expect((await fixture.ralph(['show', run, '1'])).stdout).toMatch(
    new RegExp(`^Told\n  question: Tabs or spaces\\? \\(ralph answer ${id} "…"\\)$`, 'm'),
  )
  const status = await fixture.ralph(['status'])
  expect(status.stdout).toContain(`ralph answer ${id} "…"`)
  expect(status.stdout).not.toContain('\u001B[31m')
  expect(await json(fixture, 'status')).toMatchObject({ questions: [{ id, task: null }] })

  const said = await fixture.ralph(['answer', id, 'spaces,', 'two of them'])
  expect([said.code, said.stdout]).toEqual([
    0,
    'Answered. No loop is going on here: it goes into the first prompt of the next one, or of the one that is taken up.\n',
  ])
  expect((await fixture.ralph(['answer'])).stdout).toMatch(/^No agent waits for an answer\./)
  expect((await fixture.ralph(['answer', '--all'])).stdout).toContain('answered: spaces, two of them')
  const killed = fixture.start(['loop', '--once', '--json'])
  await killed.waitFor('conversation-known')
  await killed.kill('SIGKILL')
  expect((await fixture.ralph(['loop'])).stdout).toContain('Resuming run')
  expect(fixture.starts().length).toBe(2)
  for (const words of ['Heard.', 'Told once.'])
    expect((await fixture.ralph(['loop', '--once'])).stdout).toContain(words)
})

test('about a task: the answer is guidance in each visit that follows, and asked again it is open again', async () => {
  const fixture = await withTasks(
    {
      turns: [
        [asking('Which port?'), { do: 'say', text: 'Not yet.' }],
        [
          { do: 'expect-prompt', matches: 'You asked: Which port\\? — The answer: 8080\\n(?![^]*any one)' },
          asking('Which port?'),
          { do: 'write', path: 'a.txt', content: 'good\n' },
          { do: 'say', text: 'Did it. <task-done>a</task-done>' },
        ],
      ],
    },
    [task('a')],
  )
  await fixture.ralph(['run', '--once'])
  const { id } = await openIn(fixture)
  await fixture.ralph(['answer', id, '-'], { stdin: 'any one\n' })
  // Only the last one is told: who reads two does not know which holds.
  expect(await json(fixture, 'answer', id, '8080')).toMatchObject({
    target: { to: 'task', task: 'a' },
    answer: '8080',
    instead: 'any one',
  })
  expect((await fixture.ralph(['run'])).code).toBe(0)
  // Its task is done, so nobody waits for it; who answers all the same leaves it to others.
  expect(await json(fixture, 'answer')).toEqual([])
  expect(await json(fixture, 'answer', '--all')).toMatchObject([{ id, answer: null }])
  expect(await json(fixture, 'answer', id, 'still 8080')).toMatchObject({ target: { to: 'journal' } })
  expect((await fixture.ralph(['journal', 'search', 'port'])).stdout).toContain('still 8080')
})

test.each([
  ['a question that nobody asked', ['answer', 'q000000', 'yes'], 1, 'there is no question q000000'],
  ['an answer without words', ['answer', 'q000000', ' '], 2, 'there is no answer in it'],
  ['no answer at all', ['answer', 'q000000'], 2, 'there is no answer in it'],
  ['more than fits', ['answer', 'q000000', 'x'.repeat(1_001)], 2, 'has 1001 characters, and 1000 are the most'],
  ['a list and an answer', ['answer', 'q000000', 'yes', '--all'], 2, '--all lists questions'],
])('%s is refused in words', async (_name, args, exit, words) => {
  const { code, stderr } = await (await testProject()).ralph(args)
  expect([code, stderr.includes(words)]).toEqual([exit, true])
})
