/** What is made of an agent's words, whoever listens: the loop while it runs, recovery from its log, `inspect` from a file. */
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import { isShellTool } from '../../core/calls/tool-list.ts'
import type { Clock } from '../../system/clock.ts'
import { createLineReader, type LineReader } from '../../system/line-reader.ts'
import { findConversationId } from './conversation-id.ts'
import { ABORTED, type Driver, type Exit } from '../driver.ts'
import { outputReader, readSafely, type OutputReader } from './output-reader.ts'
import { resolveResetTime, type LocalNow } from '../error-text/reset-time.ts'

export interface AgentEventListener {
  sawEnd: boolean
  /** The conversation as the driver read it, or else as some line of the agent names it. */
  conversation: { id: string; by: 'driver' | 'guess' } | null
  /** Told to stop, by us or by somebody else: what it calls a success from then on is none. */
  stopping: boolean
  onFinal: () => void
  emit: (event: AgentEvent) => void
}

/** A stream of garbage makes a remark a line. The log has them all; nobody reads more than this many of them elsewhere. */
const REMARKS_MAX = 1_000

/** Passes events on, with the reset time of a limit worked out and without the repeated greetings of drivers that have no
 *  memory of having started. */
export function createAgentListener({
  clock,
  onEvent,
}: Pick<AgentStreamOptions, 'clock' | 'onEvent'>): AgentEventListener {
  let greeting = ''
  let remarks = 0
  const calls = new Map<string, { name: string; input: string }>()
  const listener: AgentEventListener = {
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
        if (remarks === REMARKS_MAX) return onEvent({ type: 'remark', text: 'further remarks are only in the log' })
      }
      if (event.type === 'ended') {
        listener.sawEnd = true
        if (event.reason === ABORTED) listener.stopping = true
        listener.onFinal()
      }
      if (event.type === 'tool' && event.id !== null) {
        calls.set(event.id, { name: event.name, input: event.input })
        if (calls.size > CALLS_KEPT) calls.delete(calls.keys().next().value ?? '')
      }
      if (event.type === 'denied') return onEvent(withItsCall(event, calls))
      onEvent(event.type === 'limited' && clock !== null ? resolveResetTime(event, hereAndNow(clock)) : event)
    },
  }
  return listener
}

const CALLS_KEPT = 100

/** Some vendors say only which call was denied. What was called was told before. */
function withItsCall(
  { call, ...denied }: Extract<AgentEvent, { type: 'denied' }>,
  calls: ReadonlyMap<string, { name: string; input: string }>,
): AgentEvent {
  const made = calls.get(call ?? '')
  if (made === undefined) return denied
  const command = denied.command ?? (isShellTool(made.name) ? made.input : undefined)
  return { ...denied, tool: made.name, ...(command === undefined ? {} : { command }) }
}

/** What it means that the process is gone: it could not be started, or it went without its final event. */
export function reportExit(
  listener: AgentEventListener,
  driver: Driver,
  exit: Exit & { problem: string | null; missing: boolean; byItself: boolean },
): void {
  const { code, signal, stderrTail, problem, missing } = exit
  if (problem !== null) {
    listener.emit({
      type: 'failed',
      kind: missing ? 'missing' : 'crash',
      message: problem,
    })
  } else if (!listener.sawEnd && exit.byItself) {
    const event = driver.exited?.({ code, signal, stderrTail, lastLines: exit.lastLines ?? '' }) ?? null
    if (event !== null) listener.emit(event)
  }
}

/** One vendor answers SIGTERM with a final event that says success, in the middle of its work. */
function notByItself({ sawEnd }: AgentEventListener): AgentEvent {
  if (sawEnd) return { type: 'remark', text: 'it reported success after it was told to stop' }
  return { type: 'ended', ok: false, reason: ABORTED }
}

function hereAndNow(clock: Clock): LocalNow {
  const at = clock.at()
  return { at, zone: -new Date(at).getTimezoneOffset() }
}

export interface AgentStreamOptions {
  driver: Driver
  onEvent: (event: AgentEvent) => void
  /** Null: nobody knows when it was said, so the reset of a limit stays as it was told. */
  clock: Clock | null
  /** False: what tools gave that succeeded is told as well. A reply does not need it. */
  brief?: boolean
}

/** A process of one prompt and its two streams, read alike while it runs, from its log after a crash, and by `inspect`. */
export interface AgentStreams {
  listener: AgentEventListener
  stdout: OutputReader
  stderr: LineReader
  /** A final event is due. Plain text has none: there exit 0 is success, and the words count. */
  finalEvent(): boolean
}

export function openAgentStreams({ driver, onEvent, clock, brief = true }: AgentStreamOptions): AgentStreams {
  const listener = createAgentListener({ onEvent, clock })
  const stdout = outputReader({
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
    stderr: stderrReader(driver, listener),
    finalEvent: () => driver.finalEvent && !isWithoutEnd(stdout, listener),
  }
}

/** Text, and an answer of no document at all. */
function isWithoutEnd(stdout: OutputReader, { sawEnd }: AgentEventListener): boolean {
  return !sawEnd && (stdout.shape() === 'text' || stdout.shape() === 'json')
}

export function stderrReader(driver: Driver, listener: AgentEventListener): LineReader {
  return createLineReader({
    onLine(line, { bytes, cut }) {
      if (cut) listener.emit({ type: 'remark', text: `a line of ${bytes} bytes was too long and was cut` })
      for (const event of readSafely(line, () => driver.read(line, 'stderr'))) listener.emit(event)
    },
  })
}
