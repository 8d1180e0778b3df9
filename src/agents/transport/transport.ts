/** What a conversation with an agent's program consists of, and what a transport provides. `agent-process.ts` is the frame around it. */
import type { AgentEvent, AgentTimeLimits, AgentRequest, Invocation } from '../../core/calls/agent-io.ts'
import type { AskPerson } from '../../system/terminal/ask-person.ts'
import type { Millis } from '../../core/ids.ts'
import type { Orphan } from '../../core/tree/orphan.ts'
import type { EnvPolicy } from '../../core/trust/environment.ts'
import type { Clock } from '../../system/clock.ts'
import type { LineReader } from '../../system/line-reader.ts'
import type { Masker } from '../../system/mask/mask.ts'
import type { ProcessEnd, StartedProcess, StartProcessOptions } from '../../system/process/process.ts'
import type { Driver } from '../driver.ts'
import type { AgentEventRelay } from './agent-streams.ts'
import type { TimeLimit, TimeLimitWatch } from './time-limits.ts'

export interface AgentProcessOptions {
  driver: Driver
  request: AgentRequest
  limits: AgentTimeLimits
  /** The file for raw stdout; stderr goes to `<log>.err`, the time index to `<log>.idx`, what Ralph did for the agent to
   *  `<log>.served`. */
  log: string
  /** Marks the process and all its descendants (`RALPH_EFFECT`). */
  effect: string
  /** The file that records its descendants; absent: they are kept in memory only. */
  notes?: string
  /** Control commands refuse to run when they see it (`RALPH_INSIDE`). */
  runId: string
  clock: Clock
  /** Which variables of our environment the user passes on. */
  envPolicy: EnvPolicy
  /** Asks a person if the rules say so; absent: there is no person. */
  askPerson?: AskPerson
  /** Masks secrets in all output of the agent before it is stored or read. */
  mask: Masker
  onEvent: (event: AgentEvent) => void
  onBegan: (info: { pid: number; startTime: string }) => void
}

export interface AgentProcess {
  ended: Promise<AgentExit>
  /** `now`: without the usual grace for the agent to end by itself. Resolves when nothing of it lives. */
  stop(options: { now: boolean }): Promise<void>
}

export interface AgentExit extends ProcessEnd {
  by: 'itself' | StopCause
  /** The agent's own final event arrived. */
  sawEnd: boolean
  /** A final event was expected: see `AgentStreams`. */
  finalEvent: boolean
  /** The size of the raw log. */
  bytes: number
  stderrTail: string
  durationMs: Millis
  /** Processes that work in the agent's folder without a parent since then and are not known descendants. */
  orphans: Orphan[]
}

/** Why Ralph ended it. */
export type StopCause = TimeLimit | 'stopped'

/** How Ralph communicates with a program. */
export interface Transport {
  listener: AgentEventRelay
  stdin: StartProcessOptions['stdin']
  /** Reads its masked output. */
  stdout: LineReader
  /** Whether a final event is expected. */
  finalEvent(): boolean
  /** The last lines that were not events. */
  lastLines(): string
  /** The program runs. Resolves when the conversation is over; never rejects. */
  talk(program: StartedProcess, frame: TransportContext): Promise<void>
  /** Asks it to stop, before it is killed. */
  requestStop(graceMs: Millis): Promise<void>
  /** The conversation is over: waits for the program to end. It may have ended already. */
  awaitExit(program: StartedProcess): Promise<void>
}

/** What the frame provides to a transport. Output of commands that work for the agent counts as activity too. */
export interface TransportContext extends Pick<TimeLimitWatch, 'heard' | 'pauseIdleLimit'> {
  cut: (by: StopCause) => void
  /** The agent's environment. */
  env: Record<string, string>
}

export type TransportFactory = (options: AgentProcessOptions, invocation: Invocation) => Transport
