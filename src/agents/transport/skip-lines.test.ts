import fc from 'fast-check'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import { createReplyFold } from '../../core/agent-output/reply-fold.ts'
import { claude } from '../claude.ts'
import { openAgentStreams } from './agent-streams.ts'
import { createOutputReader } from './output-reader.ts'
import { createLineSkipper, type SkippableLineKind } from './skip-lines.ts'

const SHORT: SkippableLineKind = {
  begins: '{"short"',
  read: (line) => (line.includes('no') ? null : [{ type: 'remark', text: line.toString('latin1') }]),
}

/** What goes on, and what is told, in their order. */
function through(pieces: readonly Buffer[], may = () => true): string {
  let all = ''
  const lines = createLineSkipper({
    unparsedLines: [SHORT],
    may,
    onUnparsed: (events) => (all += events.map((event) => (event.type === 'remark' ? `<${event.text}>` : '')).join()),
    onOther: (bytes) => (all += bytes.toString('latin1')),
  })
  for (const piece of pieces) lines.push(piece)
  lines.end()
  return Buffer.from(all, 'latin1').toString()
}

function cutUp(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = at.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b)
  return [...places, bytes.length].map((place, i) => bytes.subarray(places[i - 1] ?? 0, place))
}

const cuts = fc.array(fc.nat({ max: 5_000 }), { maxLength: 12 })

describe('lines that need no reading', () => {
  test.each([
    ['one that does, one that does not', 'a\n{"short":1}\nb\n', 'a\n<{"short":1}>b\n'],
    ['with the line ends of Windows', '{"short":1}\r\nb\r\n', '<{"short":1}>b\r\n'],
    ['whose bytes tell that they must be read', '{"short":"no"}\n', '{"short":"no"}\n'],
    ['without an end: it may have been cut', 'a\n{"short":1}', 'a\n{"short":1}'],
    ['that only begin like one', '{"shor\n{"short\n{\n\n', '{"shor\n{"short\n{\n\n'],
    ['not at the beginning of a line', ' {"short":1}\n', ' {"short":1}\n'],
  ])('%s', (_what, text, expected) => {
    const bytes = Buffer.from(text)
    expect(through([bytes])).toBe(expected)
    expect(through(cutUp(bytes, [1, 5, 9, 11]))).toBe(expected)
  })

  test('one that is too long is left to those who can shorten it', () => {
    const bytes = Buffer.from(`{"short":"${'x'.repeat(1024 * 1024)}"}\n{"short":1}\n`)
    const expected = bytes.toString().replace('{"short":1}\n', '<{"short":1}>')
    expect(through([bytes]) === expected).toBe(true)
    expect(through(cutUp(bytes, [7, 70_000, 900_000])) === expected).toBe(true)
  })

  test('however they are cut, nothing else is changed', () => {
    const line = fc.constantFrom('{"short":1}', '{"short":"no"}', 'text', '{"sh', '', '{"short":"é✓"}', '\r')
    fc.assert(
      fc.property(fc.array(line), cuts, (lines, at) => {
        const bytes = Buffer.from(lines.join('\n'))
        expect(through(cutUp(bytes, at))).toBe(through([bytes]))
        expect(through(cutUp(bytes, at), () => false)).toBe(bytes.toString())
      }),
    )
  })
})

describe('a stream of Claude Code', () => {
  const result = (rest: object, content: unknown = 'Error: none\n✓') => ({
    type: 'user',
    message: { role: 'user', content: [{ tool_use_id: 'toolu_1', type: 'tool_result', content, ...rest }] },
    session_id: 'c0ffee-1',
  })
  const said = (text: string) => ({
    type: 'assistant',
    message: { id: 'm', content: [{ type: 'text', text }] },
  })
  const tool = {
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: {} }] },
  }

  test.each<[string, object, AgentEvent[]]>([
    ['a tool that succeeded, told in brief', result({}), [{ type: 'tool-ended', id: 'toolu_1', ok: true, output: '' }]],
    [
      'and one that says so',
      result({ is_error: false }),
      [{ type: 'tool-ended', id: 'toolu_1', ok: true, output: '' }],
    ],
    [
      'one that failed, told whole',
      result({ is_error: true }),
      [{ type: 'tool-ended', id: 'toolu_1', ok: false, output: 'Error: none\n✓' }],
    ],
    [
      'one that quotes a failure',
      result({}, '{"is_error":true}'),
      [{ type: 'tool-ended', id: 'toolu_1', ok: true, output: '' }],
    ],
    ['a word of the user, of which nothing follows', { type: 'user', message: { role: 'user', content: 'hello' } }, []],
  ])('%s', (_what, line, expected) => {
    const told: AgentEvent[] = []
    const reader = createOutputReader({ driver: claude, brief: true, emit: (event) => void told.push(event) })
    reader.push(Buffer.from(`${JSON.stringify(said('I begin.'))}\n${JSON.stringify(line)}\n`))
    reader.end()
    expect(told.slice(1)).toEqual(expected)
  })

  test('whoever shows what tools gave has it', () => {
    const told: AgentEvent[] = []
    const reader = createOutputReader({ driver: claude, emit: (event) => void told.push(event) })
    reader.push(Buffer.from(`${JSON.stringify(said('I begin.'))}\n${JSON.stringify(result({}))}\n`))
    expect(told.at(-1)).toEqual({ type: 'tool-ended', id: 'toolu_1', ok: true, output: 'Error: none\n✓' })
  })

  const SAMPLES = join(import.meta.dirname, '../../../test/agents/samples/claude')
  const samples = readdirSync(SAMPLES)
    .filter((name) => name.endsWith('.stdout'))
    .map((name) => readFileSync(join(SAMPLES, name), 'utf8'))
  const line = fc.oneof(
    fc
      .constantFrom(
        result({}),
        result({ is_error: true }),
        result({}, [{ type: 'text', text: 'Error: x' }]),
        tool,
        said('Error: it broke'),
        said('✓ done'),
        { type: 'result', subtype: 'success', result: 'done' },
      )
      .map((json) => JSON.stringify(json)),
    fc.constantFrom('', 'plain words', '{', '[', '{"a":', '}', '{"type":"stream_event","event":1}', '[]'),
    fc.constantFrom(...samples.flatMap((sample) => sample.split('\n'))),
  )

  test('the reply is the same, whether results are passed over or read, and however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), cuts, (lines, at) => {
        const bytes = Buffer.from(lines.join('\n'))
        const read = openAgentStreams({
          driver: claude,
          clock: null,
          onEvent: (event) => whole.take(event),
          brief: false,
        })
        const whole = createReplyFold({})
        const brief = createReplyFold({})
        const heard = openAgentStreams({ driver: claude, clock: null, onEvent: (event) => brief.take(event) })
        read.stdout.push(bytes)
        read.stdout.end()
        for (const piece of cutUp(bytes, at)) heard.stdout.push(piece)
        heard.stdout.end()
        expect([brief.finish(END), heard.stdout.shape(), heard.listener.sawEnd]).toEqual([
          whole.finish(END),
          read.stdout.shape(),
          read.listener.sawEnd,
        ])
      }),
      { numRuns: 400 },
    )
  })

  const END = {
    by: 'itself',
    code: 0,
    signal: null,
    problem: null,
    missing: false,
    sawEnd: true,
    finalEvent: true,
    durationMs: 1,
    log: { path: 'agent.log', bytes: 1 },
    stderrTail: '',
  } as const
})
