import { expect, test } from 'vitest'
import { createAcpDriver } from './acp.ts'

const driver = createAcpDriver('acp:my-agent --flag')

test('a kept log tells what the agent said and did', () => {
  const update = (body: object): string =>
    JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: body } })
  expect(
    driver.read(update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hello' } }), 'stdout'),
  ).toEqual([{ type: 'text', text: 'hello', delta: true }])
})

test.each([
  ['an answer', '{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}'],
  ['no JSON', 'hello'],
  ['nothing', ''],
])('%s tells nothing and never throws', (_, line) => {
  expect(driver.read(line, 'stdout')).toEqual([])
})

test('what it writes on stderr is a remark, but for how long things took', () => {
  expect(driver.read('warning: x', 'stderr')).toEqual([{ type: 'remark', text: 'warning: x' }])
  expect(driver.read('[session/create] sessionId=7e1 phase=settings durationMs=9 totalMs=12', 'stderr')).toEqual([])
  expect(driver.read('[perf] acp agent event loop stall: max=1632.6ms', 'stderr')).toEqual([])
})

test('tokens that are told beside a piece of a message are on top of those before', () => {
  const usage = {
    inputTokens: 100,
    outputTokens: 20,
    totalTokens: 120,
    thoughtTokens: 5,
    cachedReadTokens: 10,
  }
  const update = {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: '' },
    _meta: { usage },
  }
  const line = JSON.stringify({
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId: 's', update },
  })
  expect(driver.read(line, 'stdout')).toEqual([
    { type: 'usage', counts: 'add', usage: { input: 90, output: 20, cacheRead: 10, reasoning: 5 } },
  ])
})
