/** The agent's stream: bytes per CPU second through mask, reader, driver and fold, and what memory it takes on hostile input.
 *  Beside it, interleaved, the same without the mask (`logs.raw`). */
import { claude } from '../../src/agents/claude.ts'
import { outputReader } from '../../src/agents/output.ts'
import { replyFold } from '../../src/domain/reply/fold.ts'
import { masker, UNMASKED, type Masker } from '../../src/system/mask/mask.ts'
import { median } from './measure.ts'

const MB = 1024 * 1024
const CHUNK = 64 * 1024
/** As in a developer's environment: mostly keys, and a few passwords. */
const SECRETS = Array.from({ length: 12 }, (_, i) => (i < 9 ? `${i}Secret0f${i}-Somebody` : `pa ss${i}Word`))
const ROUNDS = 5

export async function streamBench(): Promise<void> {
  const streams: [string, Buffer, number][] = [
    ['100 MB of an agent that reads files', session(6_000), 100],
    ['100 MB of an agent that chats', session(300), 100],
    ['100 MB of garbage lines', Buffer.from(`${'x'.repeat(800)}\n`.repeat(80)), 100],
    ['100 MB in one line, no newline', Buffer.alloc(CHUNK, 'y'), 100],
    ['1 GB flood of short lines', Buffer.from(`${'y'.repeat(79)}\n`.repeat(800)), 1_000],
  ]
  const mask = masker(SECRETS)
  for (const [name, piece, megabytes] of streams) {
    const both = Array.from({ length: ROUNDS }, () => [
      feed(piece, megabytes, UNMASKED),
      feed(piece, megabytes, mask),
    ])
    const bare = median(both.map(([one]) => one?.rate ?? 0))
    const rate = median(both.map(([, one]) => one?.rate ?? 0))
    const peakMb = Math.max(...both.flat().map((one) => one.peakMb))
    const floor = parseOnly(piece)
    const ratio = floor === null ? '' : ` (${(rate / floor).toFixed(2)} × JSON.parse alone)`
    console.log(
      `  ${name.padEnd(38)} ${rate.toFixed(0)} MB per CPU second${ratio}, ${(rate / bare).toFixed(2)} × unmasked, peak memory ${peakMb.toFixed(0)} MB`,
    )
  }
}

function feed(piece: Buffer, megabytes: number, mask: Masker): { rate: number; peakMb: number } {
  globalThis.gc?.()
  const fold = replyFold({})
  const reader = outputReader({ driver: claude, tell: (event) => fold.take(event) })
  const stream = mask.stream(reader.push)
  const total = megabytes * MB
  const before = process.cpuUsage()
  let peak = 0
  for (let sent = 0, n = 0; sent < total; n += 1) {
    const at = (n * CHUNK) % piece.length
    const chunk = piece.subarray(at, Math.min(piece.length, at + CHUNK))
    stream.push(chunk)
    sent += chunk.length
    if (n % 256 === 0) peak = Math.max(peak, process.memoryUsage().rss)
  }
  stream.end()
  reader.end()
  const used = process.cpuUsage(before)
  return { rate: megabytes / ((used.user + used.system) / 1e6), peakMb: peak / MB }
}

/** What parsing every line costs by itself: no reader can be much faster. Null where the lines are no JSON. */
function parseOnly(piece: Buffer): number | null {
  const lines = piece
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
  if (lines.length === 0) return null
  const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0)
  const times = Math.ceil((30 * MB) / bytes)
  const before = process.cpuUsage()
  for (let n = 0; n < times; n += 1) for (const line of lines) JSON.parse(line)
  const used = process.cpuUsage(before)
  return (times * bytes) / MB / ((used.user + used.system) / 1e6)
}

/** Lines as Claude Code writes them; `size` is the length of a tool result. */
function session(size: number): Buffer {
  const words = 'const value = await compute(input, { depth: 3 })\\n'
  const result = words.repeat(Math.ceil(size / words.length)).slice(0, size)
  const lines = Array.from({ length: 40 }, (_, i) => [
    JSON.stringify({
      type: 'assistant',
      message: { id: `m${i}`, content: [{ type: 'text', text: `Step ${i}: reading the next file.` }] },
      session_id: 's',
    }),
    JSON.stringify({
      type: 'assistant',
      message: {
        id: `n${i}`,
        content: [
          { type: 'tool_use', id: `t${i}`, name: 'Read', input: { file_path: `/p/src/file-${i}.ts` } },
        ],
      },
      session_id: 's',
    }),
    JSON.stringify({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: result }] },
      session_id: 's',
    }),
  ])
  return Buffer.from(`${lines.flat().join('\n')}\n`)
}
