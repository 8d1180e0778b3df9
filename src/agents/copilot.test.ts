import { describe, expect, test } from 'vitest'
import type { AgentRequest } from '../core/calls/agent-io.ts'
import { sampleRequest, eventsIn, sample } from '../../test/agents/samples/samples.ts'
import { copilot } from './copilot.ts'

/** Some id of the vendor's. */
const ANY = expect.any(String) as string

describe('what is started', () => {
  const before = ['copilot', '--output-format', 'json', '--no-ask-user', '--yolo']
  const usage = ['--usage-output-file', '/S/copilot-usage.json']
  const table: [rule: string, wishes: Partial<AgentRequest>, argv: string[]][] = [
    ['everything is allowed, nobody is asked, no autopilot', {}, [...before, ...usage]],
    [
      'read-only offers reading tools and denies the others',
      { readOnly: true },
      [...before, ...'--available-tools view grep glob --deny-tool write --deny-tool shell'.split(' '), ...usage],
    ],
    [
      'model, effort and conversation have flags',
      { model: 'gpt-5', effort: 'high', resume: 'u1' },
      [...before, ...usage, '--model', 'gpt-5', '--reasoning-effort', 'high', '--resume', 'u1'],
    ],
  ]
  test.each(table)('%s', (_rule, wishes, argv) => {
    expect(copilot.command(sampleRequest(wishes))).toEqual({
      argv,
      env: { COPILOT_AUTO_UPDATE: 'false' },
      stdin: 'do it',
      usageFile: '/S/copilot-usage.json',
    })
  })
})

describe('what it says', () => {
  test('a file is written; noise and the echoed prompt are nothing; the conversation is told last', () => {
    expect(eventsIn(copilot, 'copilot/ok.stdout')).toEqual([
      { type: 'text', text: 'I will write the file.', delta: false, message: ANY },
      { type: 'tool', id: 'call_1', name: 'create', input: '/P/hello.txt', paths: ['/P/hello.txt'] },
      { type: 'tool-ended', id: 'call_1', ok: true, output: 'Created file /P/hello.txt with 27 characters' },
      {
        type: 'text',
        text: 'All good.\n---RALPH_STATUS---\nSTATUS: COMPLETE\nTASKS_COMPLETED_THIS_LOOP: 1\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---',
        delta: false,
        message: ANY,
      },
      { type: 'started', conversation: '0906916d-1f4b-4d15-9f1c-71f5c8f62e9f' },
      { type: 'ended', ok: true, reason: 'success' },
    ])
  })

  test('a command that exits 3 is a success to it and failed to us', () => {
    expect(eventsIn(copilot, 'copilot/shellfail.stdout')[2]).toEqual({
      type: 'tool-ended',
      id: 'call_1',
      ok: false,
      output: 'oops\n<shellId: 0 completed with exit code 3>',
    })
  })

  test.each(['noperm', 'read-only'])('refused tools are denied (%s)', (name) => {
    expect(eventsIn(copilot, `copilot/${name}.stdout`).filter((event) => event.type === 'denied')).toEqual([
      { type: 'denied', tool: 'create', call: expect.any(String) as string },
      { type: 'denied', tool: 'shell', call: expect.any(String) as string },
    ])
  })

  test('thoughts are apart from words', () => {
    expect(eventsIn(copilot, 'copilot/think-todo.stdout')[1]).toEqual({
      type: 'thought',
      text: 'I should plan first.',
    })
  })

  test.each([
    ['e400', 'failed', 'bad-request'],
    ['e401', 'failed', 'authentication'],
    ['e429', 'limited', 'rate-limit'],
    ['e500', 'failed', 'server'],
  ])('%s ends badly, the error before it says why', (name, type, kind) => {
    const events = eventsIn(copilot, `copilot/${name}.stdout`)
    expect(events.at(-3)).toMatchObject({ type, kind })
    expect(events.at(-1)).toEqual({ type: 'ended', ok: false, reason: 'exit code 1' })
  })

  test('what a sub-agent says is a thought', () => {
    const line = JSON.stringify({
      type: 'assistant.message',
      data: { content: 'Done.', parentToolCallId: 'c' },
    })
    expect(copilot.read(line, 'stdout')).toEqual([{ type: 'thought', text: 'Done.' }])
  })

  test('an event nobody knows is a remark', () => {
    expect(copilot.read('{"type":"session.news"}', 'stdout')).toEqual([
      { type: 'remark', text: '{"type":"session.news"}' },
    ])
  })
})

test('tokens come from the usage file', () => {
  expect(copilot.readUsageFile?.(sample('copilot/usage-output-file.json'))).toEqual([
    {
      type: 'usage',
      counts: 'add',
      usage: { input: 180, output: 40, cacheRead: 20, cacheWrite: 0, reasoning: 10 },
      model: 'gpt-4.1',
    },
  ])
  expect(copilot.readUsageFile?.('{"modelMe')).toEqual([{ type: 'remark', text: 'the usage file could not be read' }])
})

test.each([
  ['noprov', 'authentication'],
  ['nomodel', 'model'],
  ['res4', 'bad-conversation'],
])('an exit with the words of %s is %s', (name, kind) => {
  const stderrTail = sample(`copilot/${name}.stderr`)
  expect(copilot.exited?.({ code: 1, signal: null, stderrTail })).toMatchObject({ type: 'failed', kind })
})
