/** `agent.permission = "ask"` needs a person at a terminal and agents that can ask; otherwise the run is refused (exit 2). */
import type { Driver } from '../../agents/driver.ts'
import { driverFor } from '../../agents/registry.ts'
import type { CustomAgent } from '../../core/calls/agent-io.ts'
import type { AskPerson } from '../../system/terminal/ask-person.ts'
import { RalphError } from '../../core/error.ts'
import type { AgentRules } from '../../core/state/rules.ts'

export function refuseAskWithoutPerson(
  permission: string | null,
  { askPerson }: { askPerson?: AskPerson | undefined },
  /** A resumed run keeps its permission mode, whatever the flags say. */
  { begun = false } = {},
): void {
  if (permission !== 'ask' || askPerson !== undefined) return
  const orElse = begun
    ? 'The run started with that setting. Or abandon it and use the tool list: ralph loop --fresh --permission list'
    : 'Or use the tool list: --permission list'
  throw new RalphError('usage', 'agent.permission = "ask" needs a person at a terminal, and there is none', {
    hint: `Run it in the foreground of a terminal, without --json, --detach or --monitor. ${orElse}`,
  })
}

export function refuseAgentsThatCannotAsk(
  { order, permission }: Pick<AgentRules, 'order' | 'permission'>,
  custom: Record<string, CustomAgent>,
): void {
  if (permission !== 'ask') return
  const silent = order.map((name) => driverFor(name, custom)).find(({ protocol }) => protocol !== 'acp')
  if (silent === undefined) return
  throw new RalphError(
    'usage',
    `${silent.title} cannot ask for permission while it works, but agent.permission = "ask" needs that`,
    { hint: `Use an agent that speaks ACP (${spokenAs(silent)}), or the tool list: --permission list` },
  )
}

/** The ACP variant of each agent: the vendor's program or an adapter. */
const OVER_ACP: Readonly<Record<string, string>> = {
  claude: 'acp:claude-agent-acp',
  codex: 'acp:codex-acp',
  opencode: 'acp:opencode acp',
  gemini: 'acp:gemini --acp',
  copilot: 'acp:copilot --acp',
}

function spokenAs({ name }: Driver): string {
  const over = OVER_ACP[name]
  return over === undefined ? 'such as acp:claude-agent-acp' : `--agent '${over}'`
}
