/** What a conversation with an agent's program is, and what a transport has to know. `agent-process.ts` is the frame around it. */
import type { AgentEvent, AgentLimits, AgentRequest, Invocation } from '../../core/calls/agent-io.ts'
import type { AskPerson } from '../../system/terminal/ask-person.ts'
import type { Millis } from '../../core/ids.ts'
import type { Orphan } from '../../core/tree/orphan.ts'
import type { EnvPolicy } from '../../core/trust/environment.ts'
import type { Clock } from '../../system/clock.ts'
import type { LineReader } from '../../system/line-reader.ts'
import type { Masker } from '../../system/mask/mask.ts'
import type { ProcessEnd, StartedProcess, StartOptions } from '../../system/process/process.ts'
import type { Driver } from '../driver.ts'
import type { AgentEventListener } from './agent-streams.ts'
import type { TimeLimit, TimeLimitWatch } from './time-limits.ts'

export interface AgentProcessOptions {
  driver: Driver
  request: AgentRequest
  limits: AgentLimits
  /** Where the raw stdout goes; stderr goes to `<log>.err`, the time index to `<log>.idx`, what was done for it to `<log>.served`. */
  log: string
  /** Marks the process and all its descendants (`RALPH_EFFECT`). */
  effect: string
  /** File for the notes of its descendants; absent: they are noted in memory only. */
  notes?: string
  /** Steering commands refuse when they see it (`RALPH_INSIDE`). */
  runId: string
  clock: Clock
  /** What the user lets through of our environment. */
  envPolicy: EnvPolicy
  /** Asks a person where the rules say so; absent: nobody is there. */
  askPerson?: AskPerson
  /** Takes secrets out of all that the agent says, before it is kept or read. */
  mask: Masker
  onEvent: (event: AgentEvent) => void
  onBegan: (info: { pid: number; startTime: string }) => void
}

export interface AgentProcess {
  ended: Promise<AgentExit>
  /** `now`: without the grace that the agent has otherwise to end by itself. Resolves when nothing of it lives. */
  stop(options: { now: boolean }): Promise<void>
}

export interface AgentExit extends ProcessEnd {
  by: 'itself' | StopCause
  /** The agent's own final event arrived. */
  sawEnd: boolean
  /** It was due: see `AgentStreams`. */
  finalEvent: boolean
  /** Of the raw log. */
  bytes: number
  stderrTail: string
  durationMs: Millis
  /** Who works in the agent's folder without a parent since then, and was not seen to descend from it. */
  orphans: Orphan[]
}

/** Why we ended it. */
export type StopCause = TimeLimit | 'stopped'

/** How a program is spoken with. */
export interface Transport {
  listener: AgentEventListener
  stdin: StartOptions['stdin']
  /** Reads what it says, masked. */
  stdout: LineReader
  /** A final event is due. */
  finalEvent(): boolean
  /** The last lines that were no events. */
  lastLines(): string
  /** It runs. Resolves when there is nothing more to say to each other; never rejects. */
  talk(program: StartedProcess, frame: TransportContext): Promise<void>
  /** Asks it to leave off, before it is stopped. */
  requestStop(graceMs: Millis): Promise<void>
  /** The talk is over: lets it go. It may have gone by itself. */
  awaitExit(program: StartedProcess): Promise<void>
}

/** What the frame lends to whoever talks. What works for the agent is heard as well: then the agent is not silent. */
export interface TransportContext extends Pick<TimeLimitWatch, 'heard' | 'pauseIdleLimit'> {
  cut: (by: StopCause) => void
  /** As the agent has it. */
  env: Record<string, string>
}

export type TransportFactory = (options: AgentProcessOptions, invocation: Invocation) => Transport
