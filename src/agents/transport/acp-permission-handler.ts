/**
 * Answers an agent's permission requests: by the rules, or by a person where the rules leave it open (`agent.permission = "ask"`). The
 * idle limit pauses while a person is asked; the question ends with the turn. The answer is reported: a no as a denial, a yes as a
 * remark.
 */
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import type { PermissionAnswer, PermissionRequest } from '../../core/calls/permission-request.ts'
import { messageOf } from '../../core/error.ts'
import { decidePermission, type ToolRequest } from './acp-permission.ts'
import { deniedEvent, remarkEvent, shortMessage } from './normalize.ts'
import type { AgentProcessOptions, TransportContext } from './transport.ts'

export interface PermissionHandler {
  /** Whether the agent may use the tool. `until`: aborted when the agent no longer needs the answer. */
  may(asked: ToolRequest, until: AbortSignal): Promise<boolean>
  /** The same for a command that Ralph runs for the agent: the person also sees its folder and variables. */
  mayRun(asked: ToolRequest, how: CommandCwdAndEnv, until: AbortSignal): Promise<boolean>
  /** Whether anything was denied so far. */
  refused(): boolean
  /** The turn is over: denies all pending and later requests. */
  close(): void
}

export type CommandCwdAndEnv = Pick<PermissionRequest, 'cwd' | 'env'>

/** Without `askPerson` there is no person, and such requests are denied. */
export interface PermissionHandlerOptions
  extends Pick<AgentProcessOptions, 'request' | 'askPerson'>, Pick<TransportContext, 'pauseIdleLimit'> {
  agent: string
  emit: (event: AgentEvent) => void
  /** For the log. */
  note: (text: string) => void
}

export function createPermissionHandler({
  agent,
  request,
  askPerson,
  emit,
  pauseIdleLimit,
  note,
}: PermissionHandlerOptions): PermissionHandler {
  const closing = new AbortController()
  /** Commands that a person allowed once. Some agents then have Ralph run them: the person is not asked twice. */
  const passes: string[] = []
  let refused = false

  function tell(text: string): void {
    emit(remarkEvent(text))
    note(shortMessage(text))
  }

  /** Null: there is no person to ask. */
  async function answerTo(wanted: PermissionRequest, until: AbortSignal): Promise<PermissionAnswer | null> {
    if (askPerson === undefined) return null
    const wake = pauseIdleLimit()
    try {
      return await askPerson(wanted, until)
    } catch (error) {
      tell(`could not ask for permission: ${messageOf(error)}`)
      return null
    } finally {
      wake()
    }
  }

  async function decide(asked: ToolRequest, { cwd, env }: CommandCwdAndEnv, signal: AbortSignal): Promise<boolean> {
    const ruling = closing.signal.aborted ? 'no' : decidePermission(asked, request)
    if (ruling === 'yes') return true
    const until = AbortSignal.any([signal, closing.signal])
    const { name: tool, command = null, paths, about = [] } = asked
    const wanted = { agent, tool, command, env, cwd, paths, about }
    const given = ruling === 'ask' ? await answerTo(wanted, until) : null
    // Aborted: that is no denial.
    if (until.aborted) return false
    if (given === 'once' || given === 'always') {
      tell(`a person allowed it ${FOR[given]}: ${sayAsked(asked)}`)
      return true
    }
    refused = true
    emit(deniedEvent(asked.name, asked.command))
    const who = given !== null ? 'a person denied it' : ruling === 'ask' ? 'denied' : 'denied by the rules'
    note(shortMessage(`${who}: ${sayAsked(asked)}`))
    return false
  }

  return {
    async may(asked, until) {
      const allowed = await decide(asked, { cwd: asked.cwd ?? null, env: {} }, until)
      if (allowed && asked.command !== undefined && decidePermission(asked, request) === 'ask')
        passes.push(asked.command)
      return allowed
    },
    async mayRun(asked, how, until) {
      const at = Object.keys(how.env).length > 0 ? -1 : passes.indexOf(asked.command ?? '')
      if (at === -1 || closing.signal.aborted) return decide(asked, how, until)
      passes.splice(at, 1)
      return true
    },
    refused: () => refused,
    close: () => closing.abort(),
  }
}

const FOR: Record<Exclude<PermissionAnswer, 'no'>, string> = { once: 'once', always: 'for this run' }

function sayAsked({ name, command, paths, about = [] }: ToolRequest): string {
  return [name, command ?? [...paths, ...about].join(', ')].filter((word) => word !== '').join(' ')
}
