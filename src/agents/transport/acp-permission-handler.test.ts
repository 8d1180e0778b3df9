import { describe, expect, test } from 'vitest'
import { sampleRequest } from '../../../test/agents/samples/samples.ts'
import type { AgentEvent, AgentRequest } from '../../core/calls/agent-io.ts'
import type { PermissionAnswer, PermissionRequest } from '../../core/calls/permission-request.ts'
import type { AskPerson } from '../../system/terminal/ask-person.ts'
import { createPermissionHandler } from './acp-permission-handler.ts'

const WHERE = { cwd: '/P', env: {} }
const NEVER = new AbortController().signal

function run(command: string) {
  return { name: 'Bash', kind: 'execute', command, paths: [] }
}
const write = { name: 'Write', kind: 'edit', command: undefined, paths: ['/P/a.txt'] }

function aDesk(person: AskPerson | PermissionAnswer[], wishes: Partial<AgentRequest> = {}) {
  const asked: PermissionRequest[] = []
  const events: AgentEvent[] = []
  const notes: string[] = []
  const cooldowns: string[] = []
  const answers = typeof person === 'function' ? [] : [...person]
  const permissions = createPermissionHandler({
    agent: 'acp:small',
    request: sampleRequest({ permission: 'ask', tools: ['Bash(git add *)', '!Bash(git push *)'], ...wishes }),
    askPerson(wanted, until) {
      asked.push(wanted)
      return typeof person === 'function' ? person(wanted, until) : Promise.resolve(answers.shift() ?? 'no')
    },
    emit: (event) => void events.push(event),
    pauseIdleLimit() {
      cooldowns.push('rests')
      return () => void cooldowns.push('continues')
    },
    note: (text) => void notes.push(text),
  })
  return { permissions, asked, events, notes, cooldowns }
}

describe('a person is asked', () => {
  test('what the list neither gives nor takes away, and nothing else', async () => {
    const { permissions, asked, events, notes, cooldowns } = aDesk(['once', 'no', 'always'])
    const commands = ['git add -A', 'git push origin', 'npm test', 'rm x']
    const may = []
    for (const command of commands) may.push(await permissions.may(run(command), NEVER))
    may.push(await permissions.may(write, NEVER))
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
    expect(cooldowns).toEqual(['rests', 'continues', 'rests', 'continues', 'rests', 'continues'])
    expect(permissions.refused()).toBe(true)
  })

  test('once for a command that the agent asks about and then has us run', async () => {
    const { permissions, asked } = aDesk(['once', 'no'])
    expect(await permissions.may(run('npm test'), NEVER)).toBe(true)
    expect(await permissions.mayRun(run('npm test'), WHERE, NEVER)).toBe(true)
    expect(asked).toHaveLength(1)
    expect(await permissions.mayRun(run('npm test'), WHERE, NEVER)).toBe(false)
    expect(asked).toHaveLength(2)
  })

  test('again where the command would get something that was not shown before', async () => {
    const { permissions, asked } = aDesk(['once', 'once'])
    await permissions.may(run('npm test'), NEVER)
    await permissions.mayRun(run('npm test'), { cwd: '/P', env: { CI: '1' } }, NEVER)
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
    const { permissions, events, cooldowns } = aDesk(waiting)
    const answer = permissions.may(run('npm test'), NEVER)
    permissions.close()
    expect(await answer).toBe(false)
    expect(await permissions.may(run('git add -A'), NEVER)).toBe(false)
    expect({ events, refused: permissions.refused(), cooldowns }).toEqual({
      events: [],
      refused: false,
      cooldowns: ['rests', 'continues'],
    })
  })

  test('when the agent takes its question back', async () => {
    const { permissions, events } = aDesk(waiting)
    const taking = new AbortController()
    const answer = permissions.may(run('npm test'), taking.signal)
    taking.abort()
    expect(await answer).toBe(false)
    expect(events).toEqual([])
  })
})

test('a question that cannot be asked is a no, and why is told', async () => {
  const { permissions, events } = aDesk(() => Promise.reject(new Error('the terminal is gone')))
  expect(await permissions.may(run('npm test'), NEVER)).toBe(false)
  expect(events).toEqual([
    { type: 'remark', text: 'could not ask for permission: the terminal is gone' },
    { type: 'denied', tool: 'Bash', command: 'npm test' },
  ])
})

test('who may only look is not asked about', async () => {
  const { permissions, asked } = aDesk(['once'], { readOnly: true })
  expect(await permissions.mayRun(run('npm test'), WHERE, NEVER)).toBe(false)
  expect(asked).toEqual([])
})
