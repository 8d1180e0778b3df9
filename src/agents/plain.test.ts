import { describe, expect, test } from 'vitest'
import { sampleRequest } from '../../test/agents/samples/samples.ts'
import { plain, createCustomDriver } from './plain.ts'

const mine = createCustomDriver({
  name: 'mine',
  command: ['my-agent', '--batch'],
  output: 'jsonl',
  fields: {
    text: 'message.content',
    delta: 'piece',
    thought: 'thinking',
    conversation: 'id',
    model: 'model',
    tool: 'call.name',
    tool_input: 'call.args',
    tool_output: 'call.output',
    input: 'usage.in',
    output: 'usage.out',
    usd: 'usage.cost',
    error: 'error.message',
    denied: 'refused',
    done: 'finished',
  },
  env: { MODE: 'batch' },
})

describe('what is started', () => {
  test('its command, with the prompt on stdin and our choices in the environment', () => {
    expect(mine.command(sampleRequest({ model: 'big', resume: 'c1', system: 'Be brief.' }))).toEqual({
      argv: ['my-agent', '--batch'],
      env: { MODE: 'batch', RALPH_MODEL: 'big', RALPH_CONVERSATION: 'c1' },
      stdin: 'Be brief.\n\ndo it',
    })
  })

  test('the program that the user names goes first', () => {
    expect(plain.command(sampleRequest({ program: ['sh', 'agent.sh'] })).argv).toEqual(['sh', 'agent.sh'])
  })

  test('without a command it cannot be used, and says what to set', () => {
    expect(() => plain.command(sampleRequest())).toThrowError('agent "plain" has no command')
  })
})

describe('an agent that writes text', () => {
  test('has one message, line by line, blank lines and all', () => {
    expect(['# Done', '', '  x'].flatMap((line) => plain.read(line, 'stdout'))).toEqual([
      { type: 'text', text: '# Done\n', delta: true },
      { type: 'text', text: '\n', delta: true },
      { type: 'text', text: '  x\n', delta: true },
    ])
  })

  test('may say anything without being limited; what it says on stderr is a remark', () => {
    expect(plain.read('usage limit reached', 'stdout')).toEqual([
      { type: 'text', text: 'usage limit reached\n', delta: true },
    ])
    expect(plain.read('usage limit reached', 'stderr')).toEqual([{ type: 'remark', text: 'usage limit reached' }])
  })

  test('has no final event: its exit decides', () => {
    expect(plain.finalEvent).toBe(false)
    expect(plain.exited?.({ code: 1, signal: null, stderrTail: 'usage limit reached' })).toEqual({
      type: 'limited',
      kind: 'usage-limit',
      message: 'usage limit reached',
    })
  })
})

describe('an agent that writes JSON lines', () => {
  test.each([
    [{ id: 'c1', model: 'big' }, [{ type: 'started', conversation: 'c1', model: 'big' }]],
    [{ message: { content: 'Hello' } }, [{ type: 'text', text: 'Hello', delta: false }]],
    [{ piece: 'Hel' }, [{ type: 'text', text: 'Hel', delta: true }]],
    [{ thinking: 'Hm' }, [{ type: 'thought', text: 'Hm' }]],
    [
      { call: { name: 'sh', args: { c: 'ls' } } },
      [{ type: 'tool', id: null, name: 'sh', input: '{"c":"ls"}', paths: [] }],
    ],
    [{ call: { output: 'a.txt' } }, [{ type: 'tool-ended', id: null, ok: true, output: 'a.txt' }]],
    [{ refused: 'sh' }, [{ type: 'denied', tool: 'sh' }]],
    [
      { usage: { in: 5, out: 7, cost: 0.25 }, finished: true },
      [
        { type: 'usage', counts: 'add', usage: { input: 5, output: 7, usd: 0.25 } },
        { type: 'ended', ok: true, reason: 'done' },
      ],
    ],
    [
      { error: { message: 'Overloaded' }, finished: true },
      [
        { type: 'failed', kind: 'server', message: 'Overloaded' },
        { type: 'ended', ok: false, reason: 'error' },
      ],
    ],
    [{ finished: false }, [{ type: 'remark', text: '{"finished":false}' }]],
  ])('%j', (line, events) => {
    expect(mine.read(JSON.stringify(line), 'stdout')).toEqual(events)
  })

  test('is understood as far as its fields were named', () => {
    expect(mine.finalEvent).toBe(true)
    expect(mine.capabilities).toMatchObject({ tokens: 'yes', cost: 'yes', resume: 'partly' })
    const silent = createCustomDriver({
      name: 'x',
      command: ['x'],
      output: 'jsonl',
      fields: { text: 'text' },
      env: {},
    })
    expect(silent.finalEvent).toBe(false)
    expect(silent.capabilities).toMatchObject({ tokens: 'no', cost: 'no', resume: 'no' })
  })

  test('may print garbage', () => {
    expect(mine.read('{"id":', 'stdout')).toEqual([{ type: 'remark', text: '{"id":' }])
    expect(mine.read('', 'stdout')).toEqual([])
  })
})
