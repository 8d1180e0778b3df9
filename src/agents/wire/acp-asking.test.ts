import { describe, expect, test } from 'vitest'
import { aRequest } from '../../../test/agents/samples/samples.ts'
import type { AgentEvent, AgentRequest } from '../../domain/calls/agent.ts'
import type { PermissionGiven, PermissionWanted } from '../../domain/calls/ask-person.ts'
import type { AskPerson } from '../../system/terminal/ask-person.ts'
import { permissionDesk } from './acp-asking.ts'

const WHERE = { cwd: '/P', env: {} }
const NEVER = new AbortController().signal

function run(command: string) {
  return { name: 'Bash', kind: 'execute', command, paths: [] }
}
const write = { name: 'Write', kind: 'edit', command: undefined, paths: ['/P/a.txt'] }

function aDesk(person: AskPerson | PermissionGiven[], wishes: Partial<AgentRequest> = {}) {
  const asked: PermissionWanted[] = []
  const events: AgentEvent[] = []
  const notes: string[] = []
  const rests: string[] = []
  const answers = typeof person === 'function' ? [] : [...person]
  const desk = permissionDesk({
    agent: 'acp:small',
    request: aRequest({ permission: 'ask', tools: ['Bash(git add *)', '!Bash(git push *)'], ...wishes }),
    askPerson(wanted, until) {
      asked.push(wanted)
      return typeof person === 'function' ? person(wanted, until) : Promise.resolve(answers.shift() ?? 'no')
    },
    tell: (event) => void events.push(event),
    rest() {
      rests.push('rests')
      return () => void rests.push('goes on')
    },
    note: (text) => void notes.push(text),
  })
  return { desk, asked, events, notes, rests }
}

describe('a person is asked', () => {
  test('what the list neither gives nor takes away, and nothing else', async () => {
    const { desk, asked, events, notes, rests } = aDesk(['once', 'no', 'always'])
    const commands = ['git add -A', 'git push origin', 'npm test', 'rm x']
    const may = []
    for (const command of commands) may.push(await desk.may(run(command), NEVER))
    may.push(await desk.may(write, NEVER))
    expect(may).toEqual([true, false, true, false, true])
    const nothing = { agent: 'acp:small', cwd: null, env: {}, about: [] }
    expect(asked).toEqual([
      { ...nothing, tool: 'Bash', command: 'npm test', paths: [] },
      { ...nothing, tool: 'Bash', command: 'rm x', paths: [] },
      { ...nothing, tool: 'Write', command: null, paths: ['/P/a.txt'] },
    ])
    expect(events).toEqual([
      { type: 'denied', tool: 'Bash', command: 'git push origin' },
      { type: 'remark', text: 'a person allowed it once: Bash npm test' },
      { type: 'denied', tool: 'Bash', command: 'rm x' },
      { type: 'remark', text: 'a person allowed it for this run: Write /P/a.txt' },
    ])
    expect(notes).toEqual([
      'denied by the rules: Bash git push origin',
      'a person allowed it once: Bash npm test',
      'a person denied it: Bash rm x',
      'a person allowed it for this run: Write /P/a.txt',
    ])
    expect(rests).toEqual(['rests', 'goes on', 'rests', 'goes on', 'rests', 'goes on'])
    expect(desk.refused()).toBe(true)
  })

  test('once for a command that the agent asks about and then has us run', async () => {
    const { desk, asked } = aDesk(['once', 'no'])
    expect(await desk.may(run('npm test'), NEVER)).toBe(true)
    expect(await desk.mayRun(run('npm test'), WHERE, NEVER)).toBe(true)
    expect(asked).toHaveLength(1)
    expect(await desk.mayRun(run('npm test'), WHERE, NEVER)).toBe(false)
    expect(asked).toHaveLength(2)
  })

  test('again where the command would get something that was not shown before', async () => {
    const { desk, asked } = aDesk(['once', 'once'])
    await desk.may(run('npm test'), NEVER)
    await desk.mayRun(run('npm test'), { cwd: '/P', env: { CI: '1' } }, NEVER)
    expect(asked[1]).toEqual({
      agent: 'acp:small',
      tool: 'Bash',
      command: 'npm test',
      paths: [],
      about: [],
      cwd: '/P',
      env: { CI: '1' },
    })
  })
})

describe('nobody says no', () => {
  const waiting: AskPerson = (_, until) =>
    new Promise((resolve) => until.addEventListener('abort', () => resolve('no')))

  test('when the turn is over before the answer: nothing is denied', async () => {
    const { desk, events, rests } = aDesk(waiting)
    const answer = desk.may(run('npm test'), NEVER)
    desk.close()
    expect(await answer).toBe(false)
    expect(await desk.may(run('git add -A'), NEVER)).toBe(false)
    expect({ events, refused: desk.refused(), rests }).toEqual({
      events: [],
      refused: false,
      rests: ['rests', 'goes on'],
    })
  })

  test('when the agent takes its question back', async () => {
    const { desk, events } = aDesk(waiting)
    const taking = new AbortController()
    const answer = desk.may(run('npm test'), taking.signal)
    taking.abort()
    expect(await answer).toBe(false)
    expect(events).toEqual([])
  })
})

test('a question that cannot be asked is a no, and why is told', async () => {
  const { desk, events } = aDesk(() => Promise.reject(new Error('the terminal is gone')))
  expect(await desk.may(run('npm test'), NEVER)).toBe(false)
  expect(events).toEqual([
    { type: 'remark', text: 'nobody could be asked: the terminal is gone' },
    { type: 'denied', tool: 'Bash', command: 'npm test' },
  ])
})

test('who may only look is not asked about', async () => {
  const { desk, asked } = aDesk(['once'], { readOnly: true })
  expect(await desk.mayRun(run('npm test'), WHERE, NEVER)).toBe(false)
  expect(asked).toEqual([])
})
