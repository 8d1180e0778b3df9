/** The result of an iteration in one line: the same in the plain output, on the dashboard, in lists and in notifications. */
import { formatCost } from '../calls/spending.ts'
import { DOCUMENT_FILES } from '../features/documents.ts'
import { plural, formatElapsed } from '../text/format-amounts.ts'
import { oneLine } from '../text/sanitize.ts'
import { describeOrphans, type Orphans } from '../tree/orphan.ts'
import { iterationMarkOf } from './iteration-mark.ts'
import type { IterationView } from './run-view.ts'

export type TextTone = 'dim' | 'bold' | 'good' | 'bad' | 'warn' | 'head'

export interface TextPart {
  text: string
  /** Absent: the normal tone. */
  tone?: TextTone
}

/** Its number; with several workers `w2:3`, as `ralph show` accepts it. */
export function iterationName({ worker, n }: Pick<IterationView, 'worker' | 'n'>, isAlone: boolean): string {
  return isAlone ? String(n) : `w${worker}:${n}`
}

export function areFromOneWorker(of: readonly Pick<IterationView, 'worker'>[]): boolean {
  return of.every(({ worker }) => worker === of[0]?.worker)
}

/** The text behind the mark. */
export function iterationTextParts(one: IterationView, name: string): TextPart[] {
  const { is, word } = iterationMarkOf(one)
  const head: TextPart = { text: name, tone: 'bold' }
  const task: TextPart[] = one.task === undefined ? [] : [{ text: one.task }]
  if (is === 'going')
    return [head, { text: '  ' }, ...separated([...task, { text: one.agent }, { text: 'running', tone: 'warn' }])]
  const facts: (TextPart | null)[] = [
    ...task,
    is === 'refused' ? { text: 'rejected', tone: 'bad' } : null,
    word === null ? null : { text: word, tone: 'warn' },
    { text: iterationChangeText(one) },
    one.summary === '' ? null : { text: `"${oneLine(one.summary, 60)}"` },
    one.failure === null || repeats(one.why, one.failure) ? null : { text: oneLine(one.failure, 80), tone: 'bad' },
    ...one.drift.map((text): TextPart => ({ text, tone: 'warn' })),
    // A run through tasks has nothing to do with the items of the plan.
    one.checkboxes === null || one.task !== undefined
      ? null
      : { text: `${one.checkboxes.done}/${plural(one.checkboxes.done + one.checkboxes.open, 'item')}` },
    one.orphans === null ? null : { text: orphansText(one.orphans), tone: 'warn' },
    { text: formatCost(one.usage) },
    one.why === null ? null : { text: one.why, tone: 'dim' },
    one.rejection === null || one.rejection === one.why ? null : { text: one.rejection, tone: 'dim' },
  ]
  return [
    head,
    { text: `  ${formatElapsed(one.durationMs ?? 0)}  ` },
    ...separated(facts.filter((part) => part !== null)),
  ]
}

export function orphansText(orphans: Orphans): string {
  return `still running (not started by Ralph): ${describeOrphans(orphans)}`
}

function separated(parts: TextPart[]): TextPart[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [{ text: ' · ' }, part]))
}

/** Why an iteration ended as it did, each reason once. */
export function iterationReasons({ failure, why, rejection }: IterationView): string[] {
  const reasons = [failure === null || repeats(why, failure) ? null : failure, why, rejection]
  return [...new Set(reasons.filter((reason) => reason !== null))]
}

/** The reason contains the failure. */
function repeats(why: string | null, failure: string): boolean {
  return why?.includes(failure.slice(0, 40)) === true
}

export function iterationChangeText({ change, document }: IterationView): string {
  if (document !== undefined) return `${DOCUMENT_FILES[document]} written`
  if (change === null || (change.files === 0 && change.commits.length === 0)) return 'no changes'
  const commits = change.commits.length === 0 ? '' : `, ${plural(change.commits.length, 'commit')}`
  return `${plural(change.files, 'file')} +${change.added} −${change.removed}${commits}`
}
