/**
 * The one place that starts a vendor's program: the frame around every conversation, with either protocol. Masks and stores its output,
 * enforces the time limits, ends it, and leaves no descendant behind. Decides nothing about the iteration; it reports which limit fired
 * and how the process ended. A `Transport` handles the messages: lines here, the protocol in `acp.ts`.
 */
import type { AgentEvent, AgentRequest, Invocation } from '../../core/calls/agent-io.ts'
import type { Millis } from '../../core/ids.ts'
import { childEnv, ownEnvironment } from '../../system/environment.ts'
import { isRoot } from '../../system/platform.ts'
import { readIfExists } from '../../system/files/files.ts'
import type { LineReader } from '../../system/line-reader.ts'
import type { Masker } from '../../system/mask/mask.ts'
import { MARK_VARIABLE, startProcess, type ProcessEnd, type StartedProcess } from '../../system/process/process.ts'
import type { Driver } from '../driver.ts'
import { lookUpConversation } from './conversation-id.ts'
import { openAgentStreams, createStderrReader, reportExit, type AgentEventRelay } from './agent-streams.ts'
import { watchTimeLimits } from './time-limits.ts'
import { LOG_MAX, openProcessLogs, type ProcessLogs } from './process-logs.ts'
import type {
  AgentExit,
  AgentProcessOptions,
  AgentProcess,
  StopCause,
  Transport,
  TransportFactory,
} from './transport.ts'

export function startAgent(options: AgentProcessOptions): AgentProcess {
  if (options.driver.protocol === 'lines') return startWithTransport(options, createLineTransport)
  // The protocol's library is loaded only if it is needed.
  const talk = import('./acp.ts').then(({ createAcpTransport }) => startWithTransport(options, createAcpTransport))
  return {
    ended: talk.then(({ ended }) => ended),
    stop: async (how) => (await talk).stop(how),
  }
}

function startWithTransport(given: AgentProcessOptions, wayOf: TransportFactory): AgentProcess {
  const { driver, limits, clock } = given
  const request = withProgram(driver, given.request)
  const options = { ...given, request }
  const invocation = driver.command(request)
  const env = environment(options, invocation.env)
  const began = clock.up()
  const transport = wayOf(options, invocation)
  const { listener } = transport
  const { started, gone, logs } = launch(options, { invocation, env, transport, onOutput: () => watch.heard() })
  const watch = watchTimeLimits({ limits, clock, onLimitReached: (fired) => void end(fired, limits.stopGraceMs) })
  listener.onFinal = watch.final
  let by: AgentExit['by'] = 'itself'
  const talked = transport.talk(started, {
    cut: (reason) => void end(reason, limits.stopGraceMs),
    env,
    heard: watch.heard,
    pauseIdleLimit: watch.pauseIdleLimit,
  })

  async function end(reason: StopCause, graceMs: Millis): Promise<void> {
    if (by === 'itself') by = reason
    listener.stopping = true
    await transport.requestStop(graceMs)
    await started.stop({ graceMs })
  }

  async function untilGone(): Promise<AgentExit> {
    if (started.pid > 0) options.onBegan({ pid: started.pid, startTime: started.startTime })
    await talked
    const endedBy = by
    watch.cancel()
    await transport.awaitExit(started)
    const exit = await gone
    // Ends what the agent left running: servers, watchers and shells, including those that left its process group.
    await started.stop({ graceMs: 0 })
    const orphans = started.orphans(request.cwd)
    const stderrTail = logs.stderrTail()
    const byItself = endedBy === 'itself'
    reportExit(listener, driver, { ...exit, byItself, stderrTail, lastLines: transport.lastLines() })
    for (const event of usageFileEvents(driver, invocation.usageFile)) listener.emit(event)
    const conversation =
      byItself && listener.sawEnd
        ? await findMissedConversation(listener, driver, { program: invocation.argv[0] ?? '', cwd: request.cwd, env })
        : null
    if (conversation !== null) listener.emit({ type: 'started', conversation })
    const bytes = await logs.close()
    return {
      by: endedBy,
      ...exit,
      sawEnd: listener.sawEnd,
      finalEvent: transport.finalEvent(),
      bytes,
      stderrTail,
      durationMs: clock.up() - began,
      orphans,
    }
  }

  const ended = untilGone()
  return {
    ended,
    async stop({ now }) {
      await end('stopped', now ? 0 : limits.stopGraceMs)
      await ended
    },
  }
}

interface Launch {
  invocation: Invocation
  env: Record<string, string>
  transport: Transport
  /** Bytes arrived, whatever their content. */
  onOutput: () => void
}

/** Starts the program and masks, stores and reads its pipes. `gone`: it has ended, and all its output was read. */
function launch(
  options: AgentProcessOptions,
  { invocation, env, transport, onOutput }: Launch,
): { started: StartedProcess; gone: Promise<ProcessEnd>; logs: ProcessLogs } {
  const logs = openProcessLogs({ path: options.log, clock: options.clock, maxBytes: LOG_MAX })
  const stdout = createMaskedReader(options.mask, logs.stdout, transport.stdout)
  const stderr = createMaskedReader(options.mask, logs.stderr, createStderrReader(options.driver, transport.listener))
  const started = startProcess({
    argv: invocation.argv,
    cwd: options.request.cwd,
    env,
    stdin: transport.stdin,
    follow: { notes: options.notes ?? null },
    onStdout(chunk) {
      onOutput()
      stdout.push(chunk)
    },
    onStderr(chunk) {
      onOutput()
      stderr.push(chunk)
    },
  })
  const gone = started.ended.then((exit) => {
    stdout.end()
    stderr.end()
    return exit
  })
  return { started, gone, logs }
}

/** The conversation of a successful call whose driver did not see one. */
async function findMissedConversation(
  { conversation }: AgentEventRelay,
  ...from: Parameters<typeof lookUpConversation>
): Promise<string | null> {
  if (conversation?.by === 'driver') return null
  return conversation?.id ?? (await lookUpConversation(...from))
}

/** The prompt on stdin, lines on stdout; the program ends by itself. */
function createLineTransport(options: AgentProcessOptions, { stdin }: Invocation): Transport {
  const heard = openAgentStreams(options)
  return {
    listener: heard.listener,
    stdin: { text: stdin },
    stdout: heard.stdout,
    finalEvent: () => heard.finalEvent(),
    lastLines: () => heard.stdout.lastLines(),
    async talk(program) {
      await program.ended
    },
    async requestStop() {},
    async awaitExit() {},
  }
}

/** Drivers whose program has several names look it up themselves. */
function withProgram(driver: Driver, request: AgentRequest): AgentRequest {
  if (driver.find === undefined || request.program !== undefined) return request
  const found = driver.find(ownEnvironment())
  return found === null ? request : { ...request, program: [found] }
}

function environment(options: AgentProcessOptions, own: Record<string, string>): Record<string, string> {
  const { driver, request, envPolicy, effect, runId } = options
  const root = isRoot() ? driver.whenRoot : undefined
  return childEnv({
    envPolicy,
    receiver: { is: 'agent', keys: driver.keys },
    add: { ...root, ...own, ...request.env, [MARK_VARIABLE]: effect, RALPH_INSIDE: runId },
  })
}

/** Processes a pipe: masks it, stores it, then reads it. */
export function createMaskedReader(mask: Masker, keep: (bytes: Buffer) => void, reader: LineReader): LineReader {
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

/** The events of the vendor's usage file, once it exists. */
export function usageFileEvents(driver: Driver, usageFile: string | undefined): AgentEvent[] {
  if (driver.readUsageFile === undefined || usageFile === undefined) return []
  const text = readIfExists(usageFile)
  return text === null ? [] : driver.readUsageFile(text)
}
