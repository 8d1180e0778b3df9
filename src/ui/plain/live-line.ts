/** The line that goes on while an agent works: for how long, with how many tools and tokens, and what it said last. */
import { focus } from '../../domain/tell/focus.ts'
import type { AgentEvent } from '../../domain/calls/agent.ts'
import { tokensOf } from '../../domain/admission/budget.ts'
import { usageCounter, type UsageCounter } from '../../domain/reply/usage.ts'
import { oneLine, stripControl } from '../../domain/text/text.ts'
import type { View } from '../../domain/tell/view.ts'
import { clockTime, count, localStamp, short, waitLeft } from './format.ts'

/** What an agent did in the iteration that runs. */
export interface Activity {
  tools: number
  files: Set<string>
  used: UsageCounter
  last: string
}

export function newActivity(): Activity {
  return { tools: 0, files: new Set(), used: usageCounter(), last: '' }
}

export function follow(activity: Activity, event: AgentEvent): Activity {
  if (event.type === 'tool') {
    for (const path of event.paths) if (activity.files.size < 10_000) activity.files.add(path)
    return { ...activity, tools: activity.tools + 1, last: `${event.name} ${event.input}` }
  }
  if (event.type === 'text' && event.text.trim() !== '') {
    const last = event.delta ? `${activity.last}${event.text}`.slice(-300) : event.text
    return { ...activity, last }
  }
  if (event.type === 'usage') activity.used.take(event)
  return activity
}

/** What happens at this moment, in one line. */
export function liveLine(view: View, activity: Activity): string | null {
  const worker = focus(view)
  if (worker === undefined) return null
  const { doing } = worker
  const elapsed = clockTime(nowAfter(doing.since))
  switch (doing.is) {
    case 'working': {
      const tokens = tokensOf(activity.used.iteration() ?? {})
      const parts = [
        count(activity.tools, 'tool'),
        activity.files.size > 0 ? count(activity.files.size, 'file') : null,
        tokens > 0 ? `${short(tokens)} tokens` : null,
        activity.last === '' ? null : oneLine(stripControl(activity.last), 70),
      ].filter((part) => part !== null)
      const task = worker.task === null ? '' : `${worker.task.id} · `
      return `▸ ${worker.iteration}  ${elapsed}  ${task}${parts.join(' · ')}`
    }
    case 'trying':
      return `▸ ${doing.what}  ${elapsed}`
    case 'proving':
      return `▸ gate ${doing.gate}  ${elapsed}`
    case 'waiting':
      return `▸ ${stripControl(waitLeft(doing, { now: Date.now(), local: localStamp }))}`
    case 'putting-back':
      return `▸ putting back what failed  ${elapsed}`
    case 'asking':
      return '▸ the agent waits for an answer: `ralph steer "…"`'
    case 'paused':
      return '▸ paused: `ralph resume` goes on'
    case 'starting':
    case 'choosing':
    case 'idle':
    case 'looking':
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
