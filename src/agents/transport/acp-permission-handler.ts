/**
 * Who answers when an agent asks whether it may: the rules, and a person where they leave it open (`agent.permission = "ask"`). While a
 * person is asked the agent's silence does not count; the question ends with the turn. What was said is told: a no as a denial, a yes as
 * a remark.
 */
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import type { PermissionAnswer, PermissionRequest } from '../../core/calls/permission-request.ts'
import { messageOf } from '../../core/error.ts'
import { decidePermission, type ToolRequest } from './acp-permission.ts'
import { deniedEvent, remark, shortMessage } from './normalize.ts'
import type { AgentProcessOptions, TransportContext } from './transport.ts'

export interface PermissionHandler {
  /** Whether it may. `until`: aborted when the agent does not need the answer any more. */
  may(asked: ToolRequest, until: AbortSignal): Promise<boolean>
  /** The same for a command that we are to run: what belongs to it is shown to whoever is asked. */
  mayRun(asked: ToolRequest, how: CommandCwdAndEnv, until: AbortSignal): Promise<boolean>
  /** Something was denied so far. */
  refused(): boolean
  /** Nobody needs an answer any more: whatever is asked from now on, or still is, may not be. */
  close(): void
}

export type CommandCwdAndEnv = Pick<PermissionRequest, 'cwd' | 'env'>

/** Without `askPerson` nobody is there, and what a person would be asked is denied. */
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
  /** Commands that a person allowed once when the agent asked. Some agents then have us run them: nobody is asked twice. */
  const passes: string[] = []
  let refused = false

  function tell(text: string): void {
    emit(remark(text))
    note(shortMessage(text))
  }

  /** Null: nobody is there. */
  async function answerTo(wanted: PermissionRequest, until: AbortSignal): Promise<PermissionAnswer | null> {
    if (askPerson === undefined) return null
    const wake = pauseIdleLimit()
    try {
      return await askPerson(wanted, until)
    } catch (error) {
      tell(`nobody could be asked: ${messageOf(error)}`)
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
    // Called off: nobody said no.
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
