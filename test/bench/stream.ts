/**
 * The agent's stream, end to end as an iteration hears it: masked, written to its log, read, masked once more where words are read, and
 * folded. Bytes per CPU second, beside the log alone in the same interleaved run, and what memory it takes on hostile input.
 *
 *   npm run bench -- stream [--streams 100]
 *
 * With `--streams` so many agents speak at once, a chunk each in turn; the rate is that of all together.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claude } from '../../src/agents/claude.ts'
import { createMaskedReader } from '../../src/agents/transport/agent-process.ts'
import { openAgentStreams } from '../../src/agents/transport/agent-streams.ts'
import { LOG_MAX, openProcessLogs } from '../../src/agents/transport/process-logs.ts'
import { createMessageMasker } from '../../src/agents/transport/mask-messages.ts'
import { createReplyFold } from '../../src/core/agent-output/reply-fold.ts'
import { systemClock } from '../../src/system/clock.ts'
import { createMasker } from '../../src/system/mask/mask.ts'
import { median } from './measure.ts'

const MB = 1024 * 1024
/** As much as a pipe gives at once. */
const CHUNK = 64 * 1024
const EACH_MIN = 4
/** As in a developer's environment: mostly keys, and a few passwords. */
const SECRETS = Array.from({ length: 12 }, (_, i) => (i < 9 ? `${i}Secret0f${i}-Somebody` : `pa ss${i}Word`))

/** What agents look at: code, paths, listings, hashes. */
const LOOKED_AT = [
  'export function compute(input: Input, { depth = 3 }: Options): Promise<Result | null> {',
  "  const value = await readSomething(join(root, 'src', 'components', 'settings-panel.tsx'))",
  '  if (value === undefined) return null // nothing to do; see https://example.org/docs/a-page#section-3',
  '-rw-r--r-- 1 user user  48213 Nov 17 03:08 node_modules/@types/node/child_process.d.ts',
  '3f786850e387550fdab836ed7e6dc881de23001b refs/heads/feature/long-branch-name-of-somebody',
  '}',
  '',
].join('\n')

interface Stream {
  name: string
  /** Said again and again. */
  piece: Buffer
  megabytes: number
}

const STREAMS: Stream[] = [
  { name: 'small lines (an agent that chats)', piece: session(300), megabytes: 60 },
  { name: 'tool results of 6 kB', piece: session(6_000), megabytes: 90 },
  { name: 'tool results of 1 MB', piece: session(1_000_000), megabytes: 90 },
  { name: 'garbage lines', piece: Buffer.from(`${'x'.repeat(800)}\n`.repeat(80)), megabytes: 60 },
  { name: 'one line without end', piece: Buffer.alloc(CHUNK, 'y'), megabytes: 90 },
  { name: 'a flood of short lines', piece: Buffer.from(`${'y'.repeat(79)}\n`.repeat(800)), megabytes: 60 },
]

export async function streamBench({ rounds, streams }: { rounds: number; streams: number | null }): Promise<void> {
  const at = mkdtempSync(join(tmpdir(), 'ralph-bench-'))
  try {
    for (const stream of streams === null ? STREAMS : STREAMS.slice(0, 3)) {
      const both: { log: Cost; all: Cost }[] = []
      for (let round = 0; round < rounds; round += 1)
        both.push({
          log: await feed(stream, { at, streams: streams ?? 1, way: logged }),
          all: await feed(stream, { at, streams: streams ?? 1, way: heard }),
        })
      const rate = (costs: Cost[]) => median(costs.map((cost) => cost.rate)).toFixed(0)
      const peak = Math.max(...both.map(({ all }) => all.peakMb))
      console.log(
        `  ${stream.name.padEnd(36)} ${rate(both.map(({ all }) => all)).padStart(4)} MB per CPU second` +
          ` (the log alone ${rate(both.map(({ log }) => log))}), peak memory ${peak.toFixed(0)} MB`,
      )
    }
  } finally {
    rmSync(at, { recursive: true })
  }
}

interface Cost {
  rate: number
  peakMb: number
}

interface Listening {
  push(chunk: Buffer): void
  end(): Promise<void>
}

const mask = createMasker(SECRETS)
const clock = systemClock()

/** What no reader can be faster than. */
function logged(path: string): Listening {
  const logs = openProcessLogs({ path, clock, maxBytes: LOG_MAX })
  return {
    push: logs.stdout,
    async end() {
      await logs.close()
    },
  }
}

/** As `engine/handlers/run-agent.ts` listens. */
function heard(path: string): Listening {
  const logs = openProcessLogs({ path, clock, maxBytes: LOG_MAX })
  const fold = createReplyFold({})
  const words = createMessageMasker(mask, (event) => fold.take(event))
  const hears = openAgentStreams({ driver: claude, clock, onEvent: (event) => words.take(event) })
  const stdout = createMaskedReader(mask, logs.stdout, hears.stdout)
  return {
    push: stdout.push,
    async end() {
      stdout.end()
      words.end()
      await logs.close()
    },
  }
}

async function feed(
  { piece, megabytes }: Stream,
  { at, streams, way }: { at: string; streams: number; way: (path: string) => Listening },
): Promise<Cost> {
  globalThis.gc?.()
  const folder = mkdtempSync(join(at, 'logs-'))
  const before = process.cpuUsage()
  const all = Array.from({ length: streams }, (_, n) => way(join(folder, `${n}.log`)))
  // Each says enough to be more than the opening of its files.
  const each = Math.max(megabytes / streams, EACH_MIN) * MB
  let peak = 0
  let offset = 0
  for (let sent = 0, n = 0; sent < each; n += 1) {
    const chunk = piece.subarray(offset, offset + CHUNK)
    offset = (offset + chunk.length) % piece.length
    for (const one of all) one.push(chunk)
    sent += chunk.length
    if (n % 64 === 0) peak = Math.max(peak, process.memoryUsage().rss)
  }
  for (const one of all) await one.end()
  const used = process.cpuUsage(before)
  rmSync(folder, { recursive: true })
  return { rate: (each * streams) / MB / ((used.user + used.system) / 1e6), peakMb: peak / MB }
}

/** Lines as Claude Code writes them; `size` is the length of a tool result. */
function session(size: number): Buffer {
  const result = LOOKED_AT.repeat(Math.ceil(size / LOOKED_AT.length)).slice(0, size)
  const turns = size > 100_000 ? 4 : 40
  const lines = Array.from({ length: turns }, (_, i) => [
    JSON.stringify({
      type: 'assistant',
      message: { id: `m${i}`, content: [{ type: 'text', text: `Step ${i}: reading the next file.` }] },
      session_id: 's',
    }),
    JSON.stringify({
      type: 'assistant',
      message: {
        id: `n${i}`,
        content: [{ type: 'tool_use', id: `t${i}`, name: 'Read', input: { file_path: `/p/src/file-${i}.ts` } }],
      },
      session_id: 's',
    }),
    JSON.stringify({
      type: 'user',
      message: {
        role: 'user',
        content: [{ tool_use_id: `t${i}`, type: 'tool_result', content: result }],
      },
      session_id: 's',
    }),
  ])
  return Buffer.from(`${lines.flat().join('\n')}\n`)
}
