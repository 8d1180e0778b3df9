/**
 * The one place that starts a vendor's program: writes the prompt, turns its lines into events by the driver, keeps the raw
 * output, enforces the time limits and leaves no descendant behind. Decides nothing about the iteration; it reports which
 * limit fired and how the process ended.
 */
import type { AgentEvent } from '../../domain/call/agent.ts'
import type { Millis } from '../../domain/ids.ts'
import { readIfThere } from '../../system/files/files.ts'
import { start } from '../../system/process/process.ts'
import { ear, environment, hearing, withProgram, tellExit } from './hearing.ts'
import { lookUpConversation } from './conversation-id.ts'
import type { ConverseEnd, ConverseOptions, Conversing } from './hearing.ts'
import type { Driver } from '../driver.ts'
import { watchLimits, type Fired } from './limits.ts'
import { LOG_MAX, openLogs } from './logs.ts'

export type { Conversing } from './hearing.ts'

export function converse(options: ConverseOptions): Conversing {
  return options.driver.speaks === 'acp' ? converseLater(options) : converseInLines(options)
}

/** The protocol's library is loaded by those who speak it only. */
function converseLater(options: ConverseOptions): Conversing {
  const talk = import('./acp.ts').then(({ converseAcp }) => converseAcp(options))
  return {
    ended: talk.then(({ ended }) => ended),
    stop: async (how) => (await talk).stop(how),
  }
}

function converseInLines(options: ConverseOptions): Conversing {
  const { driver, limits, clock } = options
  const request = withProgram(options.driver, options.request)
  const invocation = driver.command(request)
  const logs = openLogs({ path: options.log, clock, maxBytes: LOG_MAX })
  const began = clock.up()
  const heard = hearing(options)
  const { listener } = heard
  const stdout = ear(options.mask, logs.stdout, heard.stdout)
  const stderr = ear(options.mask, logs.stderr, heard.stderr)

  const started = start({
    argv: invocation.argv,
    cwd: request.cwd,
    env: environment(options, invocation.env),
    stdin: { text: invocation.stdin },
    follow: { notes: options.notes ?? null },
    onStdout(chunk) {
      watch.heard()
      stdout.push(chunk)
    },
    onStderr(chunk) {
      watch.heard()
      stderr.push(chunk)
    },
  })
  const watch = watchLimits({ limits, clock, onFired: (fired) => void end(fired, limits.stopGraceMs) })
  listener.onFinal = watch.final

  let by: ConverseEnd['by'] = 'itself'
  function end(reason: Fired | 'stopped', graceMs: Millis): Promise<void> {
    if (by === 'itself') by = reason
    listener.stopping = true
    return started.stop({ graceMs })
  }

  /** The conversation of a good run whose driver did not see one. */
  async function recovered(): Promise<string | null> {
    if (listener.conversation?.by === 'driver') return null
    const [program = ''] = invocation.argv
    const at = { program, cwd: request.cwd, env: environment(options, invocation.env) }
    return listener.conversation?.id ?? (await lookUpConversation(driver, at))
  }

  async function untilGone(): Promise<ConverseEnd> {
    if (started.pid > 0) options.onBegan({ pid: started.pid, startTime: started.startTime })
    const exit = await started.ended
    const endedBy = by
    watch.cancel()
    stdout.end()
    stderr.end()
    // What the agent left running: servers, watchers and shells, also those that left its process group.
    await started.stop({ graceMs: 0 })
    const orphans = started.orphans(request.cwd)
    const stderrTail = logs.stderrTail()
    const lastLines = heard.stdout.lastLines()
    tellExit(listener, driver, { ...exit, byItself: endedBy === 'itself', stderrTail, lastLines })
    for (const event of leftBehind(driver, invocation.usageFile)) listener.tell(event)
    const conversation = endedBy === 'itself' && listener.sawEnd ? await recovered() : null
    if (conversation !== null) listener.tell({ type: 'started', conversation })
    const bytes = await logs.close()
    return {
      by: endedBy,
      ...exit,
      sawEnd: listener.sawEnd,
      finalEvent: heard.finalEvent(),
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

/** What the vendor's own side file tells, once it is there. */
export function leftBehind(driver: Driver, usageFile: string | undefined): AgentEvent[] {
  if (driver.readUsageFile === undefined || usageFile === undefined) return []
  const text = readIfThere(usageFile)
  return text === null ? [] : driver.readUsageFile(text)
}
