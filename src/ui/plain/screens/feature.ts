/** A list of features, and one of them in detail. */
import type { FeatureFacts, DocumentFacts } from '../../../app/feature/features.ts'
import type { FeatureRemoval } from '../../../app/feature/delete.ts'
import { assertNever } from '../../../core/assert-never.ts'
import type { FeatureStatus } from '../../../core/tasks/rollup.ts'
import { escapeInvisible } from '../../../core/text/sanitize.ts'
import { plural } from '../format-values.ts'
import type { Paint } from '../colours.ts'
import { wrapPainted } from '../wrap.ts'
import { toPrintable } from '../../tui/text-width.ts'
import type { TerminalStyle } from './task-lines.ts'

export const NO_FEATURES_TEXT = 'There are no features yet. Start one: ralph feature create NAME "what I want"\n'

/** `  NAME  [status]  tasks, documents`. */
export function featureLines(features: FeatureFacts[], { p, width }: TerminalStyle): string {
  const isTable = Number.isFinite(width)
  const widest = (texts: string[]): number => (isTable ? Math.max(0, ...texts.map((text) => text.length)) : 0)
  const names = widest(features.map(({ name }) => name))
  const words = widest(features.map(({ status }) => `[${status}]`))
  return features
    .map((feature) => {
      const { name, status } = feature
      const word = `[${status}]`
      const gap = ' '.repeat(Math.max(0, words - word.length))
      return `  ${toPrintable(name).padEnd(names)}  ${p[STATUS_TONES[status]](word)}${gap}  ${tasksWords(feature)}${p.dim(documentsWords(feature))}\n`
    })
    .join('')
}

export function featureScreen(feature: FeatureFacts, style: TerminalStyle): string {
  const { p, width } = style
  const { name, status, id, documents, next } = feature
  const rows = documents.flatMap((document) =>
    wrapPainted(`  ${p.dim(document.document.padEnd(7))}${documentWords(document, feature, p)}`, {
      columns: width,
      indent: 9,
    }),
  )
  return `${[
    `${p.bold(toPrintable(name))}  ${p[STATUS_TONES[status]](`[${status}]`)}  ${tasksWords(feature)}`,
    ...(id === null
      ? [p.dim('  only its documents are here; its tasks are not on this machine')]
      : [`  ${p.dim('id'.padEnd(7))}${id}`]),
    ...rows,
    ...(feature.tasks > 0 ? [p.dim(`Its tasks: ralph task tree ${toPrintable(name)}`)] : []),
    ...(next === null ? [] : [`Next: ${toPrintable(next)}`]),
  ].join('\n')}\n`
}

function tasksWords({ tasks, done, failed, running, stage }: FeatureFacts): string {
  if (tasks === 0) return 'no tasks'
  const parts = [
    `${done} of ${plural(tasks, 'task')} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(running > 0 ? [`${running} in progress`] : []),
    ...(stage === 'draft' ? ['reopened as a draft'] : []),
  ]
  return parts.join(', ')
}

function documentsWords({ documents, accepted }: FeatureFacts): string {
  const there = documents.filter((document) => document.is !== 'missing')
  if (there.length === 0) return ''
  const words = there.map(({ document, is }) => {
    const isOpen = document === 'tasks' && is === 'whole' && !accepted
    return isOpen ? `${document} (not accepted)` : `${document}${is === 'whole' ? '' : ` (${is})`}`
  })
  return `  ${words.join(', ')}`
}

function documentWords({ document, path, is, problems }: DocumentFacts, { accepted }: FeatureFacts, p: Paint): string {
  const where = toPrintable(path)
  switch (is) {
    case 'missing':
      return p.dim('not written yet')
    case 'unread':
      return `${where}  ${p.bad(`unreadable: ${escapeInvisible(problems.join('; '))}`)}`
    case 'unfinished':
      return `${where}  ${p.warn(`incomplete: ${escapeInvisible(problems.join('; '))}`)}`
    case 'whole':
      return document !== 'tasks' ? where : `${where}  ${accepted ? p.dim('accepted') : p.warn('not accepted yet')}`
    default:
      return assertNever(is)
  }
}

const STATUS_TONES = {
  done: 'good',
  failed: 'bad',
  running: 'head',
  ready: 'bold',
  draft: 'warn',
  planned: 'warn',
} as const satisfies Record<FeatureStatus, keyof Paint>

/** What a deletion removes, in a sentence or two. */
export function featureRemovalText(removal: FeatureRemoval, verb: 'is' | 'would be'): string {
  const { name, removed, archived, stay, released, documents, elsewhere } = removal
  const gone = removed.length + archived.length
  return [
    `Feature ${toPrintable(name)} ${verb} deleted${gone === 0 ? '' : `, with ${plural(gone, 'task')} that ${gone === 1 ? 'is' : 'are'} not done`}.`,
    stay.length === 0
      ? ''
      : `${plural(stay.length, 'task')} with finished work ${stay.length === 1 ? 'stays' : 'stay'}, but without a feature.`,
    released.length === 0
      ? ''
      : `${verb === 'is' ? 'Tasks that no longer wait' : 'Tasks that would no longer wait'} for it: ${released.map(({ id }) => id).join(', ')}.`,
    documents && verb === 'would be' ? 'Its documents would be moved to .ralph/features/.deleted.' : '',
    elsewhere.length === 0
      ? ''
      : `Files of an earlier tool are not deleted: ${elsewhere.map((path) => toPrintable(path)).join(', ')}.`,
  ]
    .filter((words) => words !== '')
    .join(' ')
}
