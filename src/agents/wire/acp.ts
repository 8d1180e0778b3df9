/** Agents that speak the Agent Client Protocol (`acp:my-agent --flag`): the process around one turn of it. */
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import type { Millis } from '../../domain/ids.ts'
import type { Clock, Timer } from '../../system/clock.ts'
import { lineReader } from '../../system/lines.ts'
import { start, type Started } from '../../system/process/process.ts'
import { acpTurn } from './acp-turn.ts'
import { ear, environment, listen, stderrReader, tellExit } from './hearing.ts'
import type { ConverseEnd, ConverseOptions, Conversing } from './hearing.ts'
import { parseObject, shortMessage } from './json.ts'
import { watchLimits, type Fired } from './limits.ts'
import { LOG_MAX, openLogs } from './logs.ts'

/** Agents end within a second when their input is closed. */
const CLOSING_MS: Millis = 2_000

/** One message may carry a file; the protocol's own library allows as much. */
const MESSAGE_MAX = 32 * 1024 * 1024

export function converseAcp(options: ConverseOptions): Conversing {
  const { driver, limits, clock, request } = options
  const invocation = driver.command(request)
  const logs = openLogs({ path: options.log, clock, maxBytes: LOG_MAX })
  const began = clock.up()
  const listener = listen(options)
  const stderr = ear(options.mask, logs.stderr, stderrReader(driver, listener))
  const messages = messageStream({
    send: (line) => started.write(line),
    onStray: (line) => listener.tell({ type: 'remark', text: shortMessage(line) }),
  })
  const stdout = ear(options.mask, logs.stdout, messages)
  const started = start({
    argv: invocation.argv,
    cwd: request.cwd,
    env: environment(options, invocation.env),
    stdin: 'pipe',
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
  const handshake = limits.handshakeMs === undefined ? null : awaitHandshake(limits.handshakeMs)
  const turn = acpTurn({
    target: messages.stream,
    request,
    tell: (event) => listener.tell(event),
    onReady: () => handshake?.cancel(),
  })

  /** Agents answer within seconds; a program that does not speak the protocol never does. */
  function awaitHandshake(ms: Millis): Timer | null {
    if (ms === 0) return null
    return clock.after(ms, () => {
      const message = `it opened no session within ${Math.round(ms / 1000)} s (agent.handshake)`
      listener.tell({ type: 'failed', kind: 'timeout', message })
      void end('idle', limits.stopGraceMs)
    })
  }

  let by: ConverseEnd['by'] = 'itself'
  async function end(reason: Fired | 'stopped', graceMs: Millis): Promise<void> {
    if (by === 'itself') by = reason
    listener.stopping = true
    await within(graceMs, clock, turn.cancel())
    await started.stop({ graceMs })
  }

  async function untilGone(): Promise<ConverseEnd> {
    if (started.pid > 0) options.onBegan({ pid: started.pid, startTime: started.startTime })
    void started.ended.then(() => stdout.end())
    await turn.done
    const endedBy = by
    watch.cancel()
    handshake?.cancel()
    await leave(started, { clock, graceMs: limits.stopGraceMs })
    const exit = await started.ended
    stderr.end()
    await started.stop({ graceMs: 0 })
    const stderrTail = logs.stderrTail()
    tellExit(listener, driver, { ...exit, byItself: endedBy === 'itself', stderrTail })
    const bytes = await logs.close()
    return {
      by: endedBy,
      ...exit,
      sawEnd: listener.sawEnd,
      finalEvent: true,
      bytes,
      stderrTail,
      durationMs: clock.up() - began,
      orphans: started.orphans(request.cwd),
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

/** The agent's pipes as the protocol's library wants them. What is no message is a remark and goes no further. */
function messageStream({ send, onStray }: { send: (line: string) => void; onStray: (line: string) => void }) {
  let inbox: ReadableStreamDefaultController<AnyMessage> | null = null
  const reader = lineReader({
    maxBytes: MESSAGE_MAX,
    onLine(line) {
      if (line.trim() === '') return
      const message = parseObject(line)
      if (message?.['jsonrpc'] === '2.0') inbox?.enqueue(message as AnyMessage)
      else onStray(line)
    },
  })
  const stream: Stream = {
    readable: new ReadableStream<AnyMessage>({
      start: (controller) => void (inbox = controller),
      // The turn is over; what still comes is in the log.
      cancel: () => void (inbox = null),
    }),
    writable: new WritableStream<AnyMessage>({ write: (message) => send(`${JSON.stringify(message)}\n`) }),
  }
  return {
    stream,
    push: (chunk: Buffer) => reader.push(chunk),
    end() {
      reader.end()
      inbox?.close()
      inbox = null
    },
  }
}

/** Closed input is how the protocol says goodbye; what does not understand it is stopped. */
async function leave(started: Started, { clock, graceMs }: { clock: Clock; graceMs: Millis }): Promise<void> {
  started.closeStdin()
  const gone = await within(CLOSING_MS, clock, started.ended)
  if (!gone) await started.stop({ graceMs })
}

/** Waits for something, but not for ever; says whether it came. */
function within(ms: Millis, clock: Clock, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, () => resolve(false))
    const came = () => {
      timer.cancel()
      resolve(true)
    }
    work.then(came, came)
  })
}
