/** Turns an agent's output into events, for every consumer: the loop while it runs, recovery from its log, `inspect` from a file. */
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import { isShellTool } from '../../core/calls/tool-list.ts'
import type { Clock } from '../../system/clock.ts'
import { createLineReader, type LineReader } from '../../system/line-reader.ts'
import { findConversationId } from './conversation-id.ts'
import { ABORTED_REASON, type Driver, type Exit } from '../driver.ts'
import { createOutputReader, readSafely, type OutputReader } from './output-reader.ts'
import { addResetTime, type LocalNow } from '../error-text/reset-time.ts'

export interface AgentEventRelay {
  sawEnd: boolean
  /** The conversation from the driver, or else from any line of the agent that names it. */
  conversation: { id: string; by: 'driver' | 'guess' } | null
  /** The agent was asked to stop, by us or by somebody else: a success reported after that does not count. */
  stopping: boolean
  onFinal: () => void
  emit: (event: AgentEvent) => void
}

/** A stream of garbage produces a remark per line. The log has them all; elsewhere this many are enough. */
const REMARKS_MAX = 1_000

/** Passes events on, with the reset time of a limit computed and without repeated start events of drivers, which are stateless. */
export function createAgentEventRelay({
  clock,
  onEvent,
}: Pick<AgentStreamOptions, 'clock' | 'onEvent'>): AgentEventRelay {
  let greeting = ''
  let remarks = 0
  const calls = new Map<string, { name: string; input: string }>()
  const listener: AgentEventRelay = {
    sawEnd: false,
    conversation: null,
    stopping: false,
    onFinal: () => {},
    emit(told) {
      const event = told.type === 'ended' && told.ok && listener.stopping ? notByItself(listener) : told
      if (event.type === 'started') {
        if (event.conversation !== null) listener.conversation = { id: event.conversation, by: 'driver' }
        const said = JSON.stringify(event)
        if (said === greeting) return
        greeting = said
      }
      if (event.type === 'remark') {
        remarks += 1
        if (remarks > REMARKS_MAX) return
        if (remarks === REMARKS_MAX) return onEvent({ type: 'remark', text: 'see the log for further remarks' })
      }
      if (event.type === 'ended') {
        listener.sawEnd = true
        if (event.reason === ABORTED_REASON) listener.stopping = true
        listener.onFinal()
      }
      if (event.type === 'tool' && event.id !== null) {
        calls.set(event.id, { name: event.name, input: event.input })
        if (calls.size > CALLS_KEPT) calls.delete(calls.keys().next().value ?? '')
      }
      if (event.type === 'denied') return onEvent(withItsCall(event, calls))
      onEvent(event.type === 'limited' && clock !== null ? addResetTime(event, hereAndNow(clock)) : event)
    },
  }
  return listener
}

const CALLS_KEPT = 100

/** Some vendors report only which call was denied. The call itself was reported before. */
function withItsCall(
  { call, ...denied }: Extract<AgentEvent, { type: 'denied' }>,
  calls: ReadonlyMap<string, { name: string; input: string }>,
): AgentEvent {
  const made = calls.get(call ?? '')
  if (made === undefined) return denied
  const command = denied.command ?? (isShellTool(made.name) ? made.input : undefined)
  return { ...denied, tool: made.name, ...(command === undefined ? {} : { command }) }
}

/** The events for a process that is gone: it could not be started, or ended without its final event. */
export function reportExit(
  listener: AgentEventRelay,
  driver: Driver,
  exit: Exit & { problem: string | null; missing: boolean; byItself: boolean },
): void {
  const { code, signal, stderrTail, problem, missing } = exit
  if (problem !== null) {
    listener.emit({ type: 'failed', kind: missing ? 'missing' : 'crash', message: problem })
  } else if (!listener.sawEnd && exit.byItself) {
    const event = driver.exited?.({ code, signal, stderrTail, lastLines: exit.lastLines ?? '' }) ?? null
    if (event !== null) listener.emit(event)
  }
}

/** One vendor answers SIGTERM with a final event that reports success, in the middle of its work. */
function notByItself({ sawEnd }: AgentEventRelay): AgentEvent {
  if (sawEnd) return { type: 'remark', text: 'it reported success after Ralph stopped it' }
  return { type: 'ended', ok: false, reason: ABORTED_REASON }
}

function hereAndNow(clock: Clock): LocalNow {
  const at = clock.at()
  return { at, zone: -new Date(at).getTimezoneOffset() }
}

export interface AgentStreamOptions {
  driver: Driver
  onEvent: (event: AgentEvent) => void
  /** Null: the time of the output is unknown, so the reset time of a limit stays as reported. */
  clock: Clock | null
  /** False: results of successful tool calls are reported as well. A reply does not need them. */
  brief?: boolean
}

/** A process with one prompt and its two streams, read the same way while it runs, from its log after a crash, and by `inspect`. */
export interface AgentStreams {
  listener: AgentEventRelay
  stdout: OutputReader
  stderr: LineReader
  /** Whether a final event is expected. Plain text has none: there exit 0 is success, and the text counts. */
  finalEvent(): boolean
}

export function openAgentStreams({ driver, onEvent, clock, brief = true }: AgentStreamOptions): AgentStreams {
  const listener = createAgentEventRelay({ onEvent, clock })
  const stdout = createOutputReader({
    driver,
    brief,
    emit: (event) => listener.emit(event),
    onLine(line) {
      const id = listener.conversation === null ? findConversationId(line) : null
      if (id !== null) listener.conversation = { id, by: 'guess' }
    },
  })
  return {
    listener,
    stdout,
    stderr: createStderrReader(driver, listener),
    finalEvent: () => driver.finalEvent && !isWithoutEnd(stdout, listener),
  }
}

/** Text output, or output without any document. */
function isWithoutEnd(stdout: OutputReader, { sawEnd }: AgentEventRelay): boolean {
  return !sawEnd && (stdout.shape() === 'text' || stdout.shape() === 'json')
}

export function createStderrReader(driver: Driver, listener: AgentEventRelay): LineReader {
  return createLineReader({
    onLine(line, { bytes, cut }) {
      if (cut) listener.emit({ type: 'remark', text: `a line of ${bytes} bytes was too long; Ralph cut it` })
      for (const event of readSafely(line, () => driver.read(line, 'stderr'))) listener.emit(event)
    },
  })
}
