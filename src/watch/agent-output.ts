/**
 * The agent's output, read from an iteration's log through its driver: the same while it runs and years later. A screen that is slow
 * or late gets the newest output and the number of skipped bytes; memory does not depend on the size of the log.
 */
import type { Driver } from '../agents/driver.ts'
import { createMessageMasker } from '../agents/transport/mask-messages.ts'
import { createOutputReader } from '../agents/transport/output-reader.ts'
import type { AgentEvent } from '../core/calls/agent-io.ts'
import type { LineReader } from '../system/line-reader.ts'
import type { Masker } from '../system/mask/mask.ts'
import { readFilePart } from '../system/files/read-part.ts'

export interface AgentOutput {
  events: AgentEvent[]
  /** Bytes of the log that were skipped before this output. */
  missed: number
  /** False: there is no log (not yet, pruned, or deleted by hand). */
  there: boolean
}

export interface OutputTail {
  /** The output since the last call. `over`: nothing more is written, so a last line without a line end counts too. */
  next(options: { over: boolean }): AgentOutput
}

/** Far more than fits on a screen, and small enough to read and parse between two frames. */
const BACKLOG = 256 * 1024

export interface FollowOutputOptions {
  driver: Pick<Driver, 'read' | 'shapes'>
  mask: Masker
}

export function followAgentOutput(path: string, { driver, mask }: FollowOutputOptions): OutputTail {
  let events: AgentEvent[] = []
  let offset = 0
  let reader = newReader()

  function newReader(): LineReader {
    const words = createMessageMasker(mask, (event) => void events.push(event))
    const output = createOutputReader({ driver, emit: (event) => words.take(event) })
    return {
      push: (bytes) => output.push(bytes),
      end() {
        output.end()
        words.end()
      },
    }
  }

  /** Continues at the first complete line of the newest part. */
  function skipTo(from: number): number {
    const part = readFilePart(path, { from, max: BACKLOG })
    const lineEnd = part === null ? -1 : part.bytes.indexOf(LF)
    const missed = from + lineEnd + 1 - offset
    reader = newReader()
    offset = from + lineEnd + 1
    return missed
  }

  return {
    next({ over }) {
      const look = readFilePart(path, { from: offset, max: 0 })
      if (look === null) return { events: [], missed: 0, there: false }
      if (look.size < offset) {
        // Another file replaced it: read that one from its beginning.
        offset = 0
        reader = newReader()
      }
      const missed = look.size - offset > BACKLOG ? skipTo(look.size - BACKLOG) : 0
      const part = readFilePart(path, { from: offset, max: BACKLOG })
      events = []
      if (part !== null) {
        reader.push(part.bytes)
        offset += part.bytes.length
      }
      if (over) reader.end()
      return { events, missed, there: part !== null }
    },
  }
}

const LF = 10
