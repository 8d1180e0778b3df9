/**
 * The one place that starts a vendor's program: the frame around every conversation, whichever way the program speaks. Masks and keeps
 * what it says, enforces the time limits, ends it, and leaves no descendant behind. Decides nothing about the iteration; it reports
 * which limit fired and how the process ended. What is said is the business of a `Way`: lines here, a protocol in `acp.ts`.
 */
import type { AgentEvent, AgentRequest, Invocation } from '../../domain/calls/agent.ts'
import type { Millis } from '../../domain/ids.ts'
import { handedEnv, ownEnv } from '../../system/environment.ts'
import { isRoot } from '../../system/machine.ts'
import { readIfThere } from '../../system/files/files.ts'
import type { LineReader } from '../../system/lines.ts'
import type { Masker } from '../../system/mask/mask.ts'
import { MARK, start, type ProcessEnd, type Started } from '../../system/process/process.ts'
import type { Driver } from '../driver.ts'
import { lookUpConversation } from './conversation-id.ts'
import { hearing, stderrReader, tellExit, type Listener } from './hearing.ts'
import { watchLimits } from './limits.ts'
import { LOG_MAX, openLogs, type Logs } from './logs.ts'
import type { ConverseEnd, ConverseOptions, Conversing, Cut, Way, WayOf } from './way.ts'

export function converse(options: ConverseOptions): Conversing {
  if (options.driver.speaks === 'lines') return frame(options, inLines)
  // The protocol's library is loaded by those who speak it only.
  const talk = import('./acp.ts').then(({ overAcp }) => frame(options, overAcp))
  return {
    ended: talk.then(({ ended }) => ended),
    stop: async (how) => (await talk).stop(how),
  }
}

function frame(given: ConverseOptions, wayOf: WayOf): Conversing {
  const { driver, limits, clock } = given
  const request = withProgram(driver, given.request)
  const options = { ...given, request }
  const invocation = driver.command(request)
  const env = environment(options, invocation.env)
  const began = clock.up()
  const way = wayOf(options, invocation)
  const { listener } = way
  const { started, gone, logs } = launch(options, { invocation, env, way, onHeard: () => watch.heard() })
  const watch = watchLimits({ limits, clock, onFired: (fired) => void end(fired, limits.stopGraceMs) })
  listener.onFinal = watch.final
  let by: ConverseEnd['by'] = 'itself'
  const talked = way.talk(started, {
    cut: (reason) => void end(reason, limits.stopGraceMs),
    env,
    heard: watch.heard,
    rest: watch.rest,
  })

  async function end(reason: Cut, graceMs: Millis): Promise<void> {
    if (by === 'itself') by = reason
    listener.stopping = true
    await way.leaveOff(graceMs)
    await started.stop({ graceMs })
  }

  async function untilGone(): Promise<ConverseEnd> {
    if (started.pid > 0) options.onBegan({ pid: started.pid, startTime: started.startTime })
    await talked
    const endedBy = by
    watch.cancel()
    await way.farewell(started)
    const exit = await gone
    // What the agent left running: servers, watchers and shells, also those that left its process group.
    await started.stop({ graceMs: 0 })
    const orphans = started.orphans(request.cwd)
    const stderrTail = logs.stderrTail()
    const byItself = endedBy === 'itself'
    tellExit(listener, driver, { ...exit, byItself, stderrTail, lastLines: way.lastLines() })
    for (const event of leftBehind(driver, invocation.usageFile)) listener.tell(event)
    const conversation =
      byItself && listener.sawEnd
        ? await recovered(listener, { driver, argv: invocation.argv, cwd: request.cwd, env })
        : null
    if (conversation !== null) listener.tell({ type: 'started', conversation })
    const bytes = await logs.close()
    return {
      by: endedBy,
      ...exit,
      sawEnd: listener.sawEnd,
      finalEvent: way.finalEvent(),
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
  way: Way
  /** Bytes arrived, whatever they are. */
  onHeard: () => void
}

/** Starts the program with its pipes masked, kept and read. `gone`: it has ended, and all it said was read. */
function launch(
  options: ConverseOptions,
  { invocation, env, way, onHeard }: Launch,
): { started: Started; gone: Promise<ProcessEnd>; logs: Logs } {
  const logs = openLogs({ path: options.log, clock: options.clock, maxBytes: LOG_MAX })
  const stdout = ear(options.mask, logs.stdout, way.stdout)
  const stderr = ear(options.mask, logs.stderr, stderrReader(options.driver, way.listener))
  const started = start({
    argv: invocation.argv,
    cwd: options.request.cwd,
    env,
    stdin: way.stdin,
    follow: { notes: options.notes ?? null },
    onStdout(chunk) {
      onHeard()
      stdout.push(chunk)
    },
    onStderr(chunk) {
      onHeard()
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

interface StartedAs {
  driver: Driver
  argv: readonly string[]
  cwd: string
  env: Record<string, string>
}

/** The conversation of a good run whose driver did not see one. */
async function recovered({ conversation }: Listener, started: StartedAs): Promise<string | null> {
  const { driver, argv, cwd, env } = started
  if (conversation?.by === 'driver') return null
  return conversation?.id ?? (await lookUpConversation(driver, { program: argv[0] ?? '', cwd, env }))
}

/** The prompt on its input, lines on its output, and it goes by itself. */
function inLines(options: ConverseOptions, { stdin }: Invocation): Way {
  const heard = hearing(options)
  return {
    listener: heard.listener,
    stdin: { text: stdin },
    stdout: heard.stdout,
    finalEvent: () => heard.finalEvent(),
    lastLines: () => heard.stdout.lastLines(),
    async talk(program) {
      await program.ended
    },
    async leaveOff() {},
    async farewell() {},
  }
}

/** Drivers whose program goes by several names look it up themselves. */
function withProgram(driver: Driver, request: AgentRequest): AgentRequest {
  if (driver.find === undefined || request.program !== undefined) return request
  const found = driver.find(ownEnv())
  return found === null ? request : { ...request, program: [found] }
}

function environment(options: ConverseOptions, own: Record<string, string>): Record<string, string> {
  const { driver, request, handover, effect, runId } = options
  const root = isRoot() ? driver.whenRoot : undefined
  return handedEnv({
    handover,
    receiver: { is: 'agent', keys: driver.keys },
    add: { ...root, ...own, ...request.env, [MARK]: effect, RALPH_INSIDE: runId },
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

/** What the vendor's own side file tells, once it is there. */
export function leftBehind(driver: Driver, usageFile: string | undefined): AgentEvent[] {
  if (driver.readUsageFile === undefined || usageFile === undefined) return []
  const text = readIfThere(usageFile)
  return text === null ? [] : driver.readUsageFile(text)
}
