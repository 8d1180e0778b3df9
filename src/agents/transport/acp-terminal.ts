/**
 * Terminals: commands that Ralph runs for an agent (`agent.terminal`). They are our children like the agent itself: without a shell or a
 * terminal, with the agent's environment and its mark, tracked, and ended with the turn at the latest. They need permission like any
 * other tool. The agent gets their output unchanged; the log gets it masked.
 */
import * as acp from '@agentclientprotocol/sdk'
import type { AgentTimeLimits, AgentRequest } from '../../core/calls/agent-io.ts'
import type { Millis } from '../../core/ids.ts'
import { asObject, textAt, type JsonObject } from '../../core/text/json.ts'
import { startProcess, type ProcessEnd, type StartedProcess } from '../../system/process/process.ts'
import type { PermissionHandler } from './acp-permission-handler.ts'
import { createTailBuffer, type TailBuffer } from '../../system/tail-buffer.ts'
import type { ClientLog } from './client-log.ts'
import type { AgentProcessOptions, TransportContext } from './transport.ts'
import { parseTerminalCommand, TerminalRefused, type TerminalCommand } from './terminal-command.ts'

/** An agent that waits for its commands needs no more at once. */
const RUNNING_MAX = 8
/** The protocol requires agents to release terminals; of an agent that does not, the oldest are dropped. */
const KEPT_MAX = 32

/** Distinguishes them from the agent, whose mark they also have. */
const OWN_MARK = 'RALPH_TERMINAL'

export interface Terminals {
  create(asked: JsonObject, until: AbortSignal): Promise<JsonObject>
  output(asked: JsonObject): JsonObject
  waitForExit(asked: JsonObject): Promise<JsonObject>
  kill(asked: JsonObject): Promise<JsonObject>
  release(asked: JsonObject): Promise<JsonObject>
  /** Ends all of them. */
  end(): Promise<void>
}

export interface TerminalOptions extends Pick<AgentProcessOptions, 'effect'>, Pick<TransportContext, 'env' | 'heard'> {
  request: Pick<AgentRequest, 'cwd' | 'extraDirs'>
  limits: Pick<AgentTimeLimits, 'stopGraceMs'>
  /** The agent they work for. */
  agent: Pick<StartedProcess, 'expects' | 'include'>
  permissions: Pick<PermissionHandler, 'mayRun'>
  clientLog: Pick<ClientLog, 'note' | 'pipe'>
}

interface Terminal {
  program: StartedProcess
  output: TailBuffer
  end: ProcessEnd | null
}

/** Registers the protocol's methods. Null: no terminals are offered, and calls return an error. */
export function registerTerminalMethods(app: acp.ClientApp, terminals: Terminals | null): void {
  const serve = (method: string, answer: (offered: Terminals, asked: JsonObject, until: AbortSignal) => unknown) =>
    app.onRequest(
      method,
      (params) => asObject(params) ?? {},
      async ({ params, signal }) => {
        if (terminals === null)
          throw new acp.RequestError(-32_601, `Ralph offers no terminals: ${method} (agent.terminal)`)
        try {
          return await answer(terminals, params, signal)
        } catch (error) {
          throw error instanceof TerminalRefused ? new acp.RequestError(-32_602, error.message) : error
        }
      },
    )
  serve('terminal/create', (offered, asked, until) => offered.create(asked, until))
  serve('terminal/output', (offered, asked) => offered.output(asked))
  serve('terminal/wait_for_exit', (offered, asked) => offered.waitForExit(asked))
  serve('terminal/kill', (offered, asked) => offered.kill(asked))
  serve('terminal/release', (offered, asked) => offered.release(asked))
}

export function openTerminals(options: TerminalOptions): Terminals {
  const { limits, permissions } = options
  const open = new Map<string, Terminal>()
  let count = 0
  let over = false

  function named(asked: JsonObject): Terminal {
    const id = textAt(asked, 'terminalId') ?? ''
    const terminal = open.get(id)
    if (terminal === undefined) throw new TerminalRefused(`unknown terminal ${JSON.stringify(id)}`)
    return terminal
  }

  function refuseOneMore(): void {
    if (over) throw new TerminalRefused('the turn is over')
    const running = [...open.values()].filter(({ end }) => end === null).length
    if (running >= RUNNING_MAX)
      throw new TerminalRefused(`${running} commands are running, which is the limit: wait until one ends, or kill one`)
  }

  return {
    async create(asked, until) {
      refuseOneMore()
      const command = parseTerminalCommand(asked, options.request)
      const tool = { name: 'Bash', kind: 'execute', command: command.line, paths: [] }
      if (!(await permissions.mayRun(tool, command, until)))
        throw new TerminalRefused(`this command is not allowed: ${command.line}`)
      // A person may have been asked, so time has passed.
      refuseOneMore()
      count += 1
      const terminal = launch(command, count, options)
      // A missing program is reported at once, as a shell would.
      if (terminal.program.pid === 0)
        throw new TerminalRefused((await terminal.program.ended).problem ?? 'could not start the command')
      forgetOldest(open)
      open.set(String(count), terminal)
      return { terminalId: String(count) }
    },
    output(asked) {
      const { output, end } = named(asked)
      return { output: output.text(), truncated: output.cut(), ...(end === null ? {} : { exitStatus: statusOf(end) }) }
    },
    async waitForExit(asked) {
      return statusOf(await named(asked).program.ended)
    },
    async kill(asked) {
      await stopTerminal(named(asked).program, limits.stopGraceMs)
      return {}
    },
    async release(asked) {
      const { program } = named(asked)
      open.delete(textAt(asked, 'terminalId') ?? '')
      await stopTerminal(program, limits.stopGraceMs)
      return {}
    },
    async end() {
      over = true
      await Promise.all([...open.values()].map(({ program }) => stopTerminal(program, 0)))
    },
  }
}

function launch(command: TerminalCommand, number: number, options: TerminalOptions): Terminal {
  const { clientLog, heard } = options
  const output = createTailBuffer(command.bytesKept)
  const kept = { stdout: clientLog.pipe(`${number} |`), stderr: clientLog.pipe(`${number} !`) }
  clientLog.note(`${number} $ ${command.line}  (in ${command.cwd})`)
  const mark = { name: OWN_MARK, value: `${options.effect}.${number}` }
  const hear = (pipe: keyof typeof kept) => (chunk: Buffer) => {
    heard()
    kept[pipe].push(chunk)
    output.push(chunk)
  }
  // The agent's notes contain the mark before the command begins: after a crash, recovery ends every process with it.
  options.agent.expects(mark)
  const program = startProcess({
    argv: command.argv,
    cwd: command.cwd,
    env: { ...options.env, ...command.env, [OWN_MARK]: mark.value },
    stdin: 'none',
    follow: { notes: null },
    mark,
    onStdout: hear('stdout'),
    onStderr: hear('stderr'),
  })
  if (program.pid > 0) options.agent.include(program)
  const terminal: Terminal = { program, output, end: null }
  void program.ended.then((end) => {
    terminal.end = end
    kept.stdout.end()
    kept.stderr.end()
    clientLog.note(`${number} = ${end.problem ?? end.signal ?? `exit code ${end.code ?? 'unknown'}`}`)
  })
  return terminal
}

/** An exited process may still have output on its way. */
async function stopTerminal(program: StartedProcess, graceMs: Millis): Promise<void> {
  await program.stop({ graceMs })
  await program.ended
}

function forgetOldest(open: Map<string, Terminal>): void {
  const over = [...open].filter(([, { end }]) => end !== null)
  for (const [id] of over.slice(0, Math.max(0, open.size - KEPT_MAX + 1))) open.delete(id)
}

function statusOf({ code, signal }: ProcessEnd): JsonObject {
  return { exitCode: code, signal }
}
