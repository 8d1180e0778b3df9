/** What a person is asked to accept: why, the gates' result without it, and each file with its change. */
import type { PendingAcceptance, PendingFile } from '../../../app/run/accept.ts'
import { acceptanceCountText, BASE_LOST_REASON } from '../../../core/proof/acceptance.ts'
import { stripControl, escapeInvisible } from '../../../core/text/sanitize.ts'
import { paintPatchLine, type Paint } from '../colours.ts'

export function acceptHeader({ run, exact, red, proofGap, files }: PendingAcceptance, p: Paint): string {
  const isWhole = files.some(({ kind }) => kind === 'whole')
  const needed = files.length - (isWhole ? 1 : 0)
  const these = needed === 1 ? 'it changed' : 'these changed'
  const ignored = files.every(({ kind }) => kind === 'ignored')
  const which = ignored ? 'what git ignores' : exact ? these : 'one or more of these changed'
  const why =
    red === null
      ? []
      : [
          `Without ${needed === 1 ? 'it' : 'them'}: ${escapeInvisible(red.why)}`,
          ...stripControl(red.lines)
            .split('\n')
            .filter((line) => line.trim() !== '')
            .map((line) => p.dim(`  ${line}`)),
        ]
  const passes = `the work passes only with ${which}, and nobody allowed it beforehand.`
  const lost = `${BASE_LOST_REASON}.`
  return [
    `Run ${p.head(run)} is done, if you accept ${acceptanceCountText(files.length, isWhole)}: ${[...(isWhole ? [lost] : []), ...(needed > 0 ? [passes] : [])].join(' Besides, ')}`,
    ...why,
    ...(proofGap === null ? [] : [`Even then ${escapeInvisible(proofGap)}.`]),
    '',
  ].join('\n')
}

export function pendingFileBlock({ path, kind, why, diff }: PendingFile, p: Paint): string {
  const head =
    kind === 'whole'
      ? p.bold('The tree as it is')
      : `${p.bold(escapeInvisible(path))} ${p.dim(`(${kind})`)}: ${escapeInvisible(why)}`
  if (diff === null) return `${head}\n${p.dim(`  ${WITHOUT_DIFF[kind]}`)}\n`
  if (diff === '') return `${head}\n${p.dim('  its text is the same: only its kind changed (executable, link)')}\n`
  const lines = stripControl(diff)
    .split('\n')
    .map((line) => `  ${paintPatchLine(line, p)}`)
  return `${[head, ...lines].join('\n')}\n`
}

const NOT_COMPARED = 'no comparison here: there is no git, or its bytes are not kept'
const WITHOUT_DIFF: Record<PendingFile['kind'], string> = {
  added: NOT_COMPARED,
  changed: NOT_COMPARED,
  deleted: NOT_COMPARED,
  ignored: 'it was never part of the repository: look at it where it lies',
  whole:
    'a yes means: later work may be judged by all files as they lie here. Look at them (git diff, git log -p), or name a commit that is right: ralph verify --since REF',
}
