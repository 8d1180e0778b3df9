/**
 * The agent's words, read from an iteration's log through its driver: the same while it speaks and years later. A screen that
 * is slow, or comes late, hears the newest words and is told how much it missed; memory does not depend on the log.
 */
import type { Driver } from '../agents/driver.ts'
import { createMessageMasker } from '../agents/transport/mask-messages.ts'
import { outputReader } from '../agents/transport/output-reader.ts'
import type { AgentEvent } from '../core/calls/agent-io.ts'
import type { LineReader } from '../system/line-reader.ts'
import type { Masker } from '../system/mask/mask.ts'
import { readFilePart } from '../system/files/read-part.ts'

export interface AgentOutput {
  events: AgentEvent[]
  /** Bytes of the log that were passed over before these. */
  missed: number
  /** False: there is no log (not yet, pruned, or deleted by hand). */
  there: boolean
}

export interface OutputTail {
  /** What was said since the last call. `over`: nobody writes any more, so a last line without an end is a line too. */
  next(options: { over: boolean }): AgentOutput
}

/** Far more than fits on a screen, and little enough to be read and parsed between two frames. */
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
    const output = outputReader({ driver, emit: (event) => words.take(event) })
    return {
      push: (bytes) => output.push(bytes),
      end() {
        output.end()
        words.end()
      },
    }
  }

  /** Goes on at the first whole line of the newest part. */
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
        // Another file took its place: this one is read from its beginning.
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
