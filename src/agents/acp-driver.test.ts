import { expect, test } from 'vitest'
import { acpDriver } from './acp-driver.ts'

const driver = acpDriver('acp:my-agent --flag')

test('a kept log tells what the agent said and did', () => {
  const update = (body: object): string =>
    JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: body } })
  expect(
    driver.read(
      update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hello' } }),
      'stdout',
    ),
  ).toEqual([{ type: 'text', text: 'hello', delta: true }])
})

test.each([
  ['an answer', '{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}'],
  ['no JSON', 'hello'],
  ['nothing', ''],
])('%s tells nothing and never throws', (_, line) => {
  expect(driver.read(line, 'stdout')).toEqual([])
})

test('what it writes on stderr is a remark', () => {
  expect(driver.read('warning: x', 'stderr')).toEqual([{ type: 'remark', text: 'warning: x' }])
})
