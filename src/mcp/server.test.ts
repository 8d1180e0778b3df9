import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AGENT_REPORT_TOOLS } from '../core/agent-output/calls/agent-report-calls.ts'
import { createMcpLineHandler } from './server.ts'

const called: unknown[] = []
const answer = createMcpLineHandler({
  version: '1.2.3',
  call(tool, args) {
    called.push([tool, args])
    return { text: 'noted', isError: false }
  },
})

const say = (message: unknown): unknown => {
  const said = answer(JSON.stringify(message), { cut: false })
  return said === null ? null : (JSON.parse(said) as unknown)
}
const request = (method: string, params?: unknown): object => ({ jsonrpc: '2.0', id: 1, method, params })

describe('the handshake', () => {
  test.each([
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    ['2031-01-01', '2025-11-25'],
    [undefined, '2025-11-25'],
    [{}, '2025-11-25'],
  ])('a client that speaks %j is answered in %s', (protocolVersion, spoken) => {
    expect(say(request('initialize', { protocolVersion }))).toMatchObject({
      id: 1,
      result: {
        protocolVersion: spoken,
        capabilities: { tools: {} },
        serverInfo: { name: 'ralph', version: '1.2.3' },
      },
    })
  })

  test('the tools are those that are read, each with a closed schema that names what it needs', () => {
    const { result } = say(request('tools/list')) as { result: { tools: Tool[] } }
    expect(result.tools.map(({ name }) => name)).toEqual(AGENT_REPORT_TOOLS)
    for (const { inputSchema: schema } of result.tools) {
      expect(schema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(schema.required))
    }
  })
})

interface Tool {
  name: string
  inputSchema: { properties: object; required: string[] }
}

describe('a message', () => {
  const noJson = { id: null, error: { code: -32_700 } }
  const noRequest = (id: unknown) => ({ id, error: { code: -32_600 } })

  test.each([
    ['{"jsonrpc":"2.0","id":"a","method":"ping"}', { jsonrpc: '2.0', id: 'a', result: {} }],
    ['{"jsonrpc":"2.0","id":2,"method":"tools/sing"}', { id: 2, error: { code: -32_601 } }],
    ['{"jsonrpc":"2.0","id":2,"method":"__proto__"}', { id: 2, error: { code: -32_601 } }],
    ['{"jsonrpc":"2.0","id":2,"method":"tools/call"}', { id: 2, error: { code: -32_602 } }],
    ['{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"toString"}}', { error: { code: -32_602 } }],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', noRequest(null)],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', noRequest(null)],
    ['{"id":3,"method":"ping"}', noRequest(3)],
    ['{"jsonrpc":"2.0","id":3}', noRequest(3)],
    ['"ping"', noRequest(null)],
    ['null', noRequest(null)],
    ['{"jsonrpc":"2.0","id":3,"method":"pi', noJson],
    ['Content-Length: 20', noJson],
    ['[]', noRequest(null)],
    [`[${Array(51).fill('1').join(',')}]`, noRequest(null)],
    ['[[]]', [noRequest(null)]],
  ])('%s', (line, wanted) => {
    expect(JSON.parse(answer(line, { cut: false }) ?? 'null')).toMatchObject(wanted)
  })

  test.each([
    [' \t'],
    ['{"jsonrpc":"2.0","method":"notifications/initialized"}'],
    ['{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'],
    ['{"jsonrpc":"2.0","id":1,"result":{}}'],
    ['[{"jsonrpc":"2.0","method":"notifications/initialized"}]'],
  ])('%s wants no answer', (line) => {
    expect(answer(line, { cut: false })).toBeNull()
  })

  test('of several in one line, each request is answered', () => {
    const ping = { jsonrpc: '2.0', id: 7, method: 'ping' }
    expect(say([ping, { jsonrpc: '2.0', method: 'x' }, ping])).toEqual([
      { jsonrpc: '2.0', id: 7, result: {} },
      { jsonrpc: '2.0', id: 7, result: {} },
    ])
  })

  test('that was too long is refused', () => {
    expect(JSON.parse(answer('{"jsonrpc":"2.0","id":3,"me', { cut: true }) ?? '')).toMatchObject(noRequest(null))
  })

  test('a call is handed on with its arguments, whatever they are', () => {
    called.length = 0
    expect(say(request('tools/call', { name: 'note', arguments: { text: 'a' } }))).toMatchObject({
      result: { content: [{ type: 'text', text: 'noted' }], isError: false },
    })
    say(request('tools/call', { name: 'note', arguments: 'rubbish' }))
    expect(called).toEqual([
      ['note', { text: 'a' }],
      ['note', {}],
    ])
  })

  test('of any kind is answered by JSON of one line, or not at all', () => {
    const message = fc.oneof(
      fc.string(),
      fc.json(),
      fc.record({ jsonrpc: fc.constant('2.0'), id: fc.anything(), method: fc.string() }).map((value) => safely(value)),
    )
    fc.assert(
      fc.property(message, fc.boolean(), (line, cut) => {
        const said = answer(line, { cut })
        if (said !== null) expect(JSON.parse(said)).toBeTypeOf('object')
        expect(said ?? '').not.toContain('\n')
      }),
    )
  })
})

function safely(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}
