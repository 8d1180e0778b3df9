/** The review of changed tests and config: why, the gates' result without the changes, and each file with its diff. */
import type { PendingAcceptance, PendingFile } from '../../../app/run/accept.ts'
import { BASE_LOST_REASON } from '../../../core/proof/acceptance.ts'
import { stripControl, escapeInvisible } from '../../../core/text/sanitize.ts'
import { plural } from '../format-values.ts'
import { paintPatchLine, type Paint } from '../colours.ts'

export function acceptHeader({ run, exact, red, proofGap, files }: PendingAcceptance, p: Paint): string {
  const isWhole = files.some(({ kind }) => kind === 'whole')
  const needed = files.length - (isWhole ? 1 : 0)
  const ignored = files.every(({ kind }) => kind === 'ignored')
  const why =
    red === null
      ? []
      : [
          `With the original ${needed === 1 ? 'file' : 'files'}: ${escapeInvisible(red.why)}`,
          ...stripControl(red.lines)
            .split('\n')
            .filter((line) => line.trim() !== '')
            .map((line) => p.dim(`  ${line}`)),
        ]
  const changed = plural(needed, 'changed file')
  const which = ignored ? plural(needed, 'ignored file') : exact ? changed : `one or more of ${changed}`
  return [
    `Run ${p.head(run)} is done, but needs your review.`,
    ...(isWhole ? [`${BASE_LOST_REASON.charAt(0).toUpperCase()}${BASE_LOST_REASON.slice(1)}.`] : []),
    ...(needed > 0 ? [`The gates pass only with ${which} that nobody approved beforehand.`] : []),
    ...why,
    ...(proofGap === null ? [] : [`Also, ${escapeInvisible(proofGap)}.`]),
    '',
  ].join('\n')
}

export function pendingFileBlock({ path, kind, why, diff }: PendingFile, p: Paint): string {
  const head =
    kind === 'whole'
      ? p.bold('The whole tree')
      : `${p.bold(escapeInvisible(path))} ${p.dim(`(${kind})`)}: ${escapeInvisible(why)}`
  if (diff === null) return `${head}\n${p.dim(`  ${WITHOUT_DIFF[kind]}`)}\n`
  if (diff === '') return `${head}\n${p.dim('  same content: only its type changed (executable, link)')}\n`
  const lines = stripControl(diff)
    .split('\n')
    .map((line) => `  ${paintPatchLine(line, p)}`)
  return `${[head, ...lines].join('\n')}\n`
}

const NOT_COMPARED = 'no diff: there is no git, or Ralph did not save its content'
const WITHOUT_DIFF: Record<PendingFile['kind'], string> = {
  added: NOT_COMPARED,
  changed: NOT_COMPARED,
  deleted: NOT_COMPARED,
  ignored: 'git ignores it, so there is no diff: open the file itself',
  whole:
    'If you accept, Ralph compares later work with the current files. Review all of them first (git diff, git log -p), or name a good commit: ralph verify --since REF',
}
