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
        `^question +the agent asks: Tabs or spaces\\? · answer: ralph answer ${id} "…"$[^]*^report +Questions +Tabs or spaces\\? \\(ralph answer ${id} "…"\\)$`,
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
  expect([said.code, said.stdout]).toEqual([0, 'Saved. The next run will pass it to the agent.\n'])
  expect((await fixture.ralph(['answer'])).stdout).toMatch(/^There are no open questions\./)
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
  ['an answer without words', ['answer', 'q000000', ' '], 2, 'the answer is empty'],
  ['no answer at all', ['answer', 'q000000'], 2, 'the answer is empty'],
  ['more than fits', ['answer', 'q000000', 'x'.repeat(1_001)], 2, 'too long: 1001 characters, at most 1000'],
  ['a list and an answer', ['answer', 'q000000', 'yes', '--all'], 2, '--all lists questions'],
])('%s is refused in words', async (_name, args, exit, words) => {
  const { code, stderr } = await (await testProject()).ralph(args)
  expect([code, stderr.includes(words)]).toEqual([exit, true])
})

test('an open question stays on every screen until it is dismissed, whatever runs in between', async () => {
  const fixture = await testProject({
    turns: [[asking('Tabs or spaces?'), { do: 'say', text: 'Half of it.' }], [{ do: 'say', text: 'More of it.' }]],
  })
  await fixture.ralph(['loop', '--once'])
  const { id } = await openIn(fixture)
  const later = await fixture.ralph(['loop', '--once'])
  const command = `ralph answer ${id} "…"`
  for (const { stdout } of [later, await fixture.ralph(['status']), await fixture.ralph(['report'])]) {
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`${command} `)
    expect(stdout).toContain('Tabs or spaces?')
  }
  const { next } = (await json(fixture, 'status')) as { next: string[] }
  expect(next.slice(0, 2)).toEqual(['ralph loop', command])

  const dismissed = await fixture.ralph(['answer', id.slice(0, 3), '--dismiss'])
  expect([dismissed.code, dismissed.stdout]).toEqual([0, 'Dismissed. The agent gets no answer.\n'])
  for (const screen of ['status', 'report'])
    expect((await fixture.ralph([screen])).stdout).not.toMatch(/Tabs or spaces|ralph answer/)
  expect((await fixture.ralph(['answer', '--all'])).stdout).toMatch(/Tabs or spaces\?\n +dismissed: 20/)
})

test('ralph steer between runs: the next loop passes it to the agent', async () => {
  const fixture = await testProject({
    turns: [
      [{ do: 'say', text: 'Half of it.' }],
      [
        { do: 'expect-prompt', matches: 'use the existing parser' },
        { do: 'say', text: 'Heard.' },
      ],
    ],
  })
  await fixture.ralph(['loop', '--once'])
  const said = await fixture.ralph(['steer', 'use the existing parser'])
  expect([said.code, said.stdout]).toEqual([0, 'Saved. The next ralph loop will pass it to the agent.\n'])
  expect((await fixture.ralph(['answer'])).stdout).toContain('There are no open questions.')
  expect((await fixture.ralph(['loop', '--once'])).stdout).toContain('Heard.')
})
