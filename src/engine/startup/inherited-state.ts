/**
 * What a new run inherits: from the previous run, or, on the first start in a project of the bash tool, from that tool's files. Ralph
 * reads them once; afterwards it only writes them.
 */
import type { Instant } from '../../core/ids.ts'
import { conversationToResume } from '../../core/calls/conversation.ts'
import type { AgentRules } from '../../core/state/rules.ts'
import { loadInheritedState, applyResets, type InheritedState } from '../../store/inherited-state.ts'
import { addBashUsage } from '../../store/usage.ts'
import { loadLatestRun } from '../../store/runs.ts'
import { saveBashTransitions } from '../../store/transitions.ts'
import type { Sql } from '../../store/db/sql.ts'
import { readBashState } from '../../sources/bash-state.ts'

export interface InheritedStateContext {
  sql: Sql
  root: string
  at: Instant
  rules: AgentRules
  notice: (text: string) => void
}

export async function resolveInheritedState({
  sql,
  root,
  at,
  rules,
  notice,
}: InheritedStateContext): Promise<InheritedState> {
  if ((await loadLatestRun(sql, root)) !== null) return loadInheritedState(sql, root)
  const old = readBashState(root, at)
  // A conversation that is too old to resume is not mentioned.
  const fresh =
    old.conversation !== null && conversationToResume(old.conversation, rules, old.conversation.agent, at) !== null
  const found = { breaker: old.breaker, conversation: fresh ? old.conversation : null, limited: {} }
  const carried = await applyResets(sql, root, found, null)
  if (old.turns.breaker.length + old.turns.conversation.length > 0) await saveBashTransitions(sql, root, old.turns)
  if (old.used !== null) await addBashUsage(sql, old.used, at)
  const imported = describe({ ...old, ...carried })
  if (imported.length > 0) notice(`Imported from bash Ralph's files in .ralph: ${imported.join(', ')}.`)
  return carried
}

function describe({ breaker, conversation, used }: ReturnType<typeof readBashState>): string[] {
  const parts: string[] = []
  if (breaker !== null && breaker.is !== 'closed') parts.push(`circuit breaker ${breaker.is} (${breaker.reason})`)
  if (conversation !== null) parts.push(`session ${conversation.id}`)
  if (used !== null) parts.push(`${used.calls} ${used.calls === 1 ? 'call' : 'calls'} in the last hour`)
  return parts
}
