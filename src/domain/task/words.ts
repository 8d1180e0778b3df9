/** Sentences about tasks. */
import { never } from '../machine.ts'
import { clip } from '../text/text.ts'
import type { AutoChange, NothingReady } from './task.ts'

const TITLE_MAX = 60

export function nameTask({ task, title }: { task: string; title: string }): string {
  return `${task} "${clip(title, TITLE_MAX)}"`
}

/** Which waits for what. */
export function sayBlocked({ waiting }: NothingReady): string {
  if (waiting.length === 0) return 'and nobody can say what they wait for'
  return waiting
    .map(
      ({ task, for: whom }) =>
        `${task} waits for ${whom.map((one) => `${one.task} (${one.status})`).join(', ')}`,
    )
    .join('; ')
}

export function sayWaiting(nothing: NothingReady): string {
  const { going, asleep } = nothing.counts
  if (going > 0) return `nothing is ready; ${going} in work elsewhere`
  if (asleep > 0) return `nothing is ready before the time of ${asleep}`
  return `nothing is ready: ${sayBlocked(nothing)}`
}

export function sayChange(change: AutoChange): string {
  switch (change.is) {
    case 'unblocked':
      return `${nameTask(change)} waits for nothing any more`
    case 'blocked':
      return `${nameTask(change)} waits again`
    case 'parent-done':
      return `${nameTask(change)} is done, with all below it`
    case 'parent-failed':
      return `${nameTask(change)} failed, because one below it did`
    case 'parent-healed':
      return `${nameTask(change)} is open again`
    case 'feature-done':
      return `feature ${change.name} is done`
    case 'feature-failed':
      return `feature ${change.name} failed, because one of its tasks did`
    case 'feature-healed':
      return `feature ${change.name} is open again`
    default:
      return never(change)
  }
}
