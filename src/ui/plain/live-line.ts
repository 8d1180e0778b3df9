/** The live line while an agent works: the elapsed time, the counts of tools and tokens, and its last text. */
import { focusedWorker } from '../../core/presentation/focused-worker.ts'
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import { countBudgetTokens } from '../../core/admission/budget.ts'
import { createUsageCounter, type UsageCounter } from '../../core/agent-output/usage.ts'
import { oneLine, stripControl } from '../../core/text/sanitize.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import { formatElapsed, plural, localTimestamp, formatCompact, remainingWaitText } from './format-values.ts'

/** What the agent did in the current iteration. */
export interface AgentActivity {
  tools: number
  files: Set<string>
  used: UsageCounter
  last: string
}

export function emptyActivity(): AgentActivity {
  return { tools: 0, files: new Set(), used: createUsageCounter(), last: '' }
}

export function foldActivity(activityText: AgentActivity, event: AgentEvent): AgentActivity {
  if (event.type === 'tool') {
    for (const path of event.paths) if (activityText.files.size < 10_000) activityText.files.add(path)
    return { ...activityText, tools: activityText.tools + 1, last: `${event.name} ${event.input}` }
  }
  if (event.type === 'text' && event.text.trim() !== '') {
    const last = event.delta ? `${activityText.last}${event.text}`.slice(-300) : event.text
    return { ...activityText, last }
  }
  if (event.type === 'usage') activityText.used.take(event)
  return activityText
}

/** The current activity in one line. */
export function liveLine(view: RunView, activityText: AgentActivity): string | null {
  const worker = focusedWorker(view)
  if (worker === undefined) return null
  const { activity } = worker
  const elapsed = formatElapsed(nowAfter(activity.since))
  switch (activity.is) {
    case 'working': {
      const tokens = countBudgetTokens(activityText.used.iteration() ?? {})
      const parts = [
        plural(activityText.tools, 'tool'),
        activityText.files.size > 0 ? plural(activityText.files.size, 'file') : null,
        tokens > 0 ? `${formatCompact(tokens)} tokens` : null,
        activityText.last === '' ? null : oneLine(stripControl(activityText.last), 70),
      ].filter((part) => part !== null)
      const task = worker.task === null ? '' : `${worker.task.id} · `
      return `▸ ${worker.iteration}  ${elapsed}  ${task}${parts.join(' · ')}`
    }
    case 'running-trial':
      return `▸ ${activity.what}  ${elapsed}`
    case 'proving':
      return `▸ gate ${activity.gate}  ${elapsed}`
    case 'waiting':
      return `▸ ${stripControl(remainingWaitText(activity, { now: Date.now(), local: localTimestamp }))}`
    case 'reverting':
      return `▸ reverting failed work  ${elapsed}`
    case 'asking':
      return '▸ the agent waits for your answer: `ralph steer "…"`'
    case 'paused':
      return '▸ paused, resume with `ralph resume`'
    case 'starting':
    case 'claiming-task':
    case 'idle':
    case 'inspecting':
    case 'measuring':
    case 'comparing':
    case 'committing':
    case 'stopping':
    case 'ended':
      return null
  }
}

function nowAfter(since: number): number {
  return Date.now() - since
}
