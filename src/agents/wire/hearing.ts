/** What talking to an agent needs, whichever way it speaks: the options, the end, the environment and the ear. */
import type { AgentEvent, AgentLimits, AgentRequest } from '../../domain/call/agent.ts'
import type { Handover } from '../../domain/trust/environment.ts'
import { isShell } from '../../domain/call/tool-list.ts'
import type { Millis } from '../../domain/ids.ts'
import type { Orphan } from '../../domain/iteration/orphan.ts'
import type { Clock } from '../../system/clock.ts'
import { lineReader, type LineReader } from '../../system/lines.ts'
import type { Masker } from '../../system/mask/mask.ts'
import { handedEnv, ownEnv } from '../../system/environment.ts'
import { isRoot } from '../../system/machine.ts'
import { MARK } from '../../system/process/process.ts'
import { conversationIn } from './conversation-id.ts'
import { ABORTED, type Driver, type Exit } from '../driver.ts'
import { outputReader, readGently, type OutputReader } from './output.ts'
import { resolveReset, type Here } from '../words/reset.ts'

export interface ConverseOptions {
  driver: Driver
  request: AgentRequest
  limits: AgentLimits
  /** Where the raw stdout goes; stderr goes to `<log>.err`, the time index to `<log>.idx`. */
  log: string
  /** Marks the process and all its descendants (`RALPH_EFFECT`). */
  effect: string
  /** File for the notes of its descendants; absent: they are noted in memory only. */
  notes?: string
  /** Steering commands refuse when they see it (`RALPH_INSIDE`). */
  runId: string
  clock: Clock
  /** What the user lets through of our environment. */
  handover: Handover
  /** Takes secrets out of all that the agent says, before it is kept or read. */
  mask: Masker
  onEvent: (event: AgentEvent) => void
  onBegan: (info: { pid: number; startTime: string }) => void
}

export interface Conversing {
  ended: Promise<ConverseEnd>
  /** `now`: without the grace that the agent has otherwise to end by itself. Resolves when nothing of it lives. */
  stop(options: { now: boolean }): Promise<void>
}

export interface ConverseEnd {
  by: 'itself' | 'idle' | 'wall' | 'stopped' | 'grace'
  code: number | null
  signal: string | null
  /** Why it could not be started, in words. */
  problem: string | null
  missing: boolean
  /** The agent's own final event arrived. */
  sawEnd: boolean
  /** It was due: see `Hearing`. */
  finalEvent: boolean
  /** Of the raw log. */
  bytes: number
  stderrTail: string
  durationMs: Millis
  /** Who works in the agent's folder without a parent since then, and was not seen to descend from it. */
  orphans: Orphan[]
}

/** Drivers whose program goes by several names look it up themselves. */
export function withProgram(driver: Driver, request: AgentRequest): AgentRequest {
  if (driver.find === undefined || request.program !== undefined) return request
  const found = driver.find(ownEnv())
  return found === null ? request : { ...request, program: [found] }
}

export function environment(options: ConverseOptions, own: Record<string, string>): Record<string, string> {
  const { driver, request, handover, effect, runId } = options
  const root = isRoot() ? driver.whenRoot : undefined
  return handedEnv({
    handover,
    receiver: { is: 'agent', keys: driver.keys },
    add: { ...root, ...own, ...request.env, [MARK]: effect, RALPH_INSIDE: runId },
  })
}

export interface Listener {
  sawEnd: boolean
  /** The conversation as the driver read it, or else as some line of the agent names it. */
  conversation: { id: string; by: 'driver' | 'guess' } | null
  /** Told to stop, by us or by somebody else: what it calls a success from then on is none. */
  stopping: boolean
  onFinal: () => void
  tell: (event: AgentEvent) => void
}

/** A stream of garbage makes a remark a line. The log has them all; nobody reads more than this many of them elsewhere. */
const REMARKS_MAX = 1_000

/** Passes events on, with the reset time of a limit worked out and without the repeated greetings of drivers that have no
 *  memory of having started. */
export function listen({ clock, onEvent }: Pick<Hears, 'clock' | 'onEvent'>): Listener {
  let greeting = ''
  let remarks = 0
  const calls = new Map<string, { name: string; input: string }>()
  const listener: Listener = {
    sawEnd: false,
    conversation: null,
    stopping: false,
    onFinal: () => {},
    tell(told) {
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
        if (remarks === REMARKS_MAX)
          return onEvent({ type: 'remark', text: 'further remarks are only in the log' })
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
      onEvent(event.type === 'limited' && clock !== null ? resolveReset(event, hereAndNow(clock)) : event)
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
  const command = denied.command ?? (isShell(made.name) ? made.input : undefined)
  return { ...denied, tool: made.name, ...(command === undefined ? {} : { command }) }
}

/** What it means that the process is gone: it could not be started, or it went without its final event. */
export function tellExit(
  listener: Listener,
  driver: Driver,
  exit: Exit & { problem: string | null; missing: boolean; byItself: boolean },
): void {
  const { code, signal, stderrTail, problem, missing } = exit
  if (problem !== null) {
    listener.tell({
      type: 'failed',
      kind: missing ? 'missing' : 'crash',
      message: problem,
    })
  } else if (!listener.sawEnd && exit.byItself) {
    const event = driver.exited?.({ code, signal, stderrTail, lastLines: exit.lastLines ?? '' }) ?? null
    if (event !== null) listener.tell(event)
  }
}

/** One vendor answers SIGTERM with a final event that says success, in the middle of its work. */
function notByItself({ sawEnd }: Listener): AgentEvent {
  if (sawEnd) return { type: 'remark', text: 'it reported success after it was told to stop' }
  return { type: 'ended', ok: false, reason: ABORTED }
}

function hereAndNow(clock: Clock): Here {
  const at = clock.at()
  return { at, zone: -new Date(at).getTimezoneOffset() }
}

export interface Hears {
  driver: Driver
  onEvent: (event: AgentEvent) => void
  /** Null: nobody knows when it was said, so the reset of a limit stays as it was told. */
  clock: Clock | null
  /** False: what tools gave that succeeded is told as well. A reply does not need it. */
  brief?: boolean
}

/** A process of one prompt and its two streams, read alike while it runs, from its log after a crash, and by `inspect`. */
export interface Hearing {
  listener: Listener
  stdout: OutputReader
  stderr: LineReader
  /** A final event is due. Plain text has none: there exit 0 is success, and the words count. */
  finalEvent(): boolean
}

export function hearing({ driver, onEvent, clock, brief = true }: Hears): Hearing {
  const listener = listen({ onEvent, clock })
  const stdout = outputReader({
    driver,
    brief,
    tell: (event) => listener.tell(event),
    onLine(line) {
      const id = listener.conversation === null ? conversationIn(line) : null
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
function isWithoutEnd(stdout: OutputReader, { sawEnd }: Listener): boolean {
  return !sawEnd && (stdout.shape() === 'text' || stdout.shape() === 'json')
}

export function stderrReader(driver: Driver, listener: Listener): LineReader {
  return lineReader({
    onLine(line, { bytes, cut }) {
      if (cut) listener.tell({ type: 'remark', text: `a line of ${bytes} bytes was too long and was cut` })
      for (const event of readGently(line, () => driver.read(line, 'stderr'))) listener.tell(event)
    },
  })
}

/** What hears a pipe: masked first, then kept, then read. */
export function ear(mask: Masker, keep: (bytes: Buffer) => void, reader: LineReader): LineReader {
  const masked = mask.stream((bytes) => {
    keep(bytes)
    reader.push(bytes)
  })
  return {
    push: (chunk) => masked.push(chunk),
    end() {
      masked.end()
      reader.end()
    },
  }
}
