/** Programs that use the Agent Client Protocol (`acp:my-agent --flag`): one turn of it over their pipes. */
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import type { Millis } from '../../core/ids.ts'
import type { Clock, Timer } from '../../system/clock.ts'
import { createLineReader } from '../../system/line-reader.ts'
import type { StartedProcess } from '../../system/process/process.ts'
import { createPermissionHandler } from './acp-permission-handler.ts'
import { openTerminals } from './acp-terminal.ts'
import { startAcpTurn, ACP_UPDATE_METHOD, type AcpTurn } from './acp-turn.ts'
import { createAgentEventRelay } from './agent-streams.ts'
import { openClientLog } from './client-log.ts'
import { parseObject, type JsonObject } from '../../core/text/json.ts'
import { remarkEvent } from './normalize.ts'
import type { TransportFactory } from './transport.ts'

/** Agents end within a second after their input closes. */
const CLOSING_MS: Millis = 2_000

/** One message may contain a file; the protocol's own library allows the same size. */
const MESSAGE_MAX = 32 * 1024 * 1024

export const createAcpTransport: TransportFactory = (options) => {
  const { limits, clock, request } = options
  const listener = createAgentEventRelay(options)
  let program: StartedProcess | null = null
  let turn: AcpTurn | null = null
  const messages = messageStream({
    send: (line) => program?.write(line),
    onStray: (line) => listener.emit(remarkEvent(line)),
  })

  /** Agents answer within seconds; a program that does not support the protocol never does. */
  function awaitHandshake(cut: () => void): Timer | null {
    const ms = limits.handshakeMs
    if (ms === 0) return null
    return clock.after(ms, () => {
      const message = `it did not open a session within ${Math.round(ms / 1000)} s (agent.handshake)`
      listener.emit({ type: 'failed', kind: 'timeout', message })
      cut()
    })
  }

  return {
    listener,
    stdin: 'pipe',
    stdout: messages,
    finalEvent: () => true,
    lastLines: () => '',
    async talk(started, frame) {
      program = started
      const handshake = awaitHandshake(() => frame.cut('idle'))
      const emit = (event: AgentEvent): void => listener.emit(event)
      const clientLog = openClientLog(`${options.log}.served`, options.mask)
      const permissions = createPermissionHandler({
        ...options,
        agent: options.driver.name,
        emit,
        pauseIdleLimit: frame.pauseIdleLimit,
        note: clientLog.note,
      })
      const terminals =
        request.terminal === true
          ? openTerminals({ ...options, ...frame, agent: started, permissions, clientLog })
          : null
      const onReady = (): void => handshake?.cancel()
      turn = startAcpTurn({ target: messages.stream, request, emit, onReady, permissions, terminals })
      await turn.done
      handshake?.cancel()
      // Commands that the agent did not wait for end with its turn.
      await terminals?.end()
      await clientLog.close()
    },
    async requestStop(graceMs) {
      if (turn !== null) await within(graceMs, clock, turn.cancel())
    },
    /** Closing the input ends a session in this protocol; a program that ignores that is stopped. */
    async awaitExit(started) {
      started.closeStdin()
      if (!(await within(CLOSING_MS, clock, started.ended))) await started.stop({ graceMs: limits.stopGraceMs })
    },
  }
}

/** The agent's pipes in the form that the protocol's library expects. Lines that are not messages become remarks and go no further, as
 *  do answers to no request: the library would complain about them on the user's terminal. */
function messageStream({ send, onStray }: { send: (line: string) => void; onStray: (line: string) => void }) {
  let inbox: ReadableStreamDefaultController<AnyMessage> | null = null
  const awaited = new Set<unknown>()
  const isForUs = (message: JsonObject): boolean =>
    message['jsonrpc'] === '2.0' && ('method' in message || awaited.delete(message['id']))
  const reader = createLineReader({
    maxBytes: MESSAGE_MAX,
    onLine(line) {
      if (line.trim() === '') return
      const message = parseObject(line)
      if (message === null || !isForUs(message)) return onStray(line)
      if (message['method'] === 'session/update') message['method'] = ACP_UPDATE_METHOD
      inbox?.enqueue(message as AnyMessage)
    },
  })
  const stream: Stream = {
    readable: new ReadableStream<AnyMessage>({
      start: (controller) => void (inbox = controller),
      // The turn is over; later output is only logged.
      cancel: () => void (inbox = null),
    }),
    writable: new WritableStream<AnyMessage>({
      write(message) {
        if ('method' in message && 'id' in message) awaited.add(message.id)
        send(`${JSON.stringify(message)}\n`)
      },
    }),
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

/** Waits for something with a time limit; returns whether it came. */
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
