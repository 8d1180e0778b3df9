/**
 * The output of one agent process: stdout line by line, stderr beside it, and a small index of when each byte arrived, so that a replay
 * can keep the pace. Bounded: an agent that floods us fills neither disk nor memory.
 */
import type { AwakeMs } from '../../core/ids.ts'
import type { Clock } from '../../system/clock.ts'
import { openAppendStream } from '../../system/files/files.ts'

/** A transcript of a long night is a few megabytes; a hundred is an endless loop of output. */
export const LOG_MAX = 100 * 1024 * 1024
const TAIL_MAX = 4 * 1024
const INDEX_EVERY_MS = 1_000

export interface ProcessLogs {
  stdout: (chunk: Buffer) => void
  stderr: (chunk: Buffer) => void
  /** The end of stderr, for error messages. */
  stderrTail(): string
  /** Resolves with the bytes of the stdout log. */
  close(): Promise<number>
}

export interface ProcessLogOptions {
  path: string
  clock: Clock
  /** The limit of each of the two streams. */
  maxBytes: number
}

export function openProcessLogs({ path, clock, maxBytes }: ProcessLogOptions): ProcessLogs {
  const out = bounded(path, maxBytes)
  const err = bounded(`${path}.err`, maxBytes)
  const index = openAppendStream(`${path}.idx`)
  let indexed: AwakeMs | null = null
  let tail = Buffer.alloc(0)
  return {
    stdout(chunk) {
      const up = clock.up()
      if (indexed === null || up - indexed >= INDEX_EVERY_MS) {
        index.write(Buffer.from(`${JSON.stringify({ at: clock.at(), offset: out.bytes() })}\n`))
        indexed = up
      }
      out.write(chunk)
    },
    stderr(chunk) {
      err.write(chunk)
      tail = Buffer.concat([tail, chunk.subarray(-TAIL_MAX)]).subarray(-TAIL_MAX)
    },
    // A cut inside a character leaves a replacement character at the front, which is removed.
    stderrTail: () => tail.toString('utf8').replace(/^\uFFFD+/, ''),
    async close() {
      await Promise.all([out.close(), err.close(), index.close()])
      return out.bytes()
    },
  }
}

function bounded(path: string, maxBytes: number) {
  const stream = openAppendStream(path)
  let room = maxBytes
  return {
    bytes: () => stream.bytes,
    close: () => stream.close(),
    write(chunk: Buffer) {
      if (room < 0) return
      stream.write(chunk.subarray(0, room))
      room -= chunk.length
      if (room < 0) stream.write(Buffer.from(`\n[ralph: cut here after ${maxBytes} bytes]\n`))
    },
  }
}
