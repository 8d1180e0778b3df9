/** The changes an undo will make, for a person to confirm, and those it made. */
import { LEFT_UNCHANGED_TEXT, type UndoResult, type UndoPlan } from '../../../app/undo/undo.ts'
import { undoCommandFor, undoTargetName } from '../../../app/undo/undo-target.ts'
import { escapeInvisible } from '../../../core/text/sanitize.ts'
import { plural } from '../format-values.ts'
import type { Paint } from '../colours.ts'
import { wrapPainted } from '../wrap.ts'

/** Enough for a decision; `--json` has all. */
const SHOWN = 12

/** Wraps lines to the terminal; only a name without a space is never broken, so that it can be copied. */
export function undoPreview(undo: UndoPlan, { paint: p, columns }: { paint: Paint; columns: number }): string {
  const { is, plan, warnings, checkboxes, lines } = undo
  const what = undoTargetName(undo)
  const { commits, files, stays, now, goal } = plan
  const head = {
    undo: `Undo ${what}: these changes will be made`,
    finish: `The undo of ${what} was interrupted: these changes remain to be made`,
    back: `Revert the undo of ${what}: these changes will be made`,
  }[is]
  const commit = ({ sha, subject }: { sha: string; subject: string }): string => `${sha.slice(0, 10)} ${subject}`
  const part = (title: string, items: string[]): string | null => partOf(title, items, columns)
  const parts = [
    part(p.bad('commits to remove'), commits.gone.map(commit)),
    part(p.good('commits to restore'), commits.back.map(commit)),
    part(
      p.good(`commits to re-create ${is === 'back' ? 'on top of them' : 'without them'}`),
      commits.kept.map((one) => `${commit(one)} → ${one.as.slice(0, 10)}`),
    ),
    part('files to restore', files.restored),
    part('files to remove', files.removed),
    part('plan items to reopen', checkboxes.opened),
    part('plan items to check off again', checkboxes.ticked),
    part(
      'other lines of control files',
      lines.map(({ path, added, removed }) => `${path} +${added} −${removed}`),
    ),
    part(p.warn(LEFT_UNCHANGED_TEXT.toLowerCase()), files.kept),
  ]
  const notes = [
    ...(goal.branch === now.snapshot.branch ? [] : [`HEAD returns to ${branchName(goal.branch)}`]),
    ...(stays === null ? [] : [`branch ${stays} stays; to delete it: git branch -D ${stays}`]),
    ...(commits.published.length === 0
      ? []
      : [
          `already pushed to ${commits.published.join(', ')}: others may have these commits, and you will need to push with --force-with-lease`,
        ]),
    ...warnings,
  ]
  const shown = parts.filter((one) => one !== null)
  const nothing = shown.length === 0 && notes.length === 0 ? ['  no file changes; Ralph only updates its own data'] : []
  const noted = notes.flatMap((note) =>
    wrapPainted(`  ${p.warn('!')} ${escapeInvisible(note)}`, { columns, indent: 4 }),
  )
  return [...wrapPainted(head, { columns, indent: 2 }), ...shown, ...nothing, ...noted, ''].join('\n')
}

function partOf(title: string, items: string[], columns: number): string | null {
  if (items.length === 0) return null
  const more = items.length - SHOWN
  // Wrapped lines are indented further, so that they do not look like another item.
  const shown = items
    .slice(0, SHOWN)
    .flatMap((item) => wrapPainted(`    ${escapeInvisible(item)}`, { columns, indent: 6 }))
  const head = wrapPainted(`  ${title}`, { columns, indent: 3 })
  return [...head, ...shown, ...(more > 0 ? [`    and ${more} more`] : [])].join('\n')
}

function branchName(branch: string | null): string {
  return branch === null ? 'a detached state, as before' : `branch ${branch}`
}

export function undoResultText(undo: UndoPlan, done: UndoResult, columns: number): string {
  const { is, plan, task } = undo
  const name = undoTargetName(undo)
  const { restored, removed, kept } = done.files
  const more = kept.length - SHOWN
  const { gone, back, kept: stayed } = plan.commits
  const files = `${plural(restored.length, 'file')} restored, ${plural(removed.length, 'file')} removed`
  const commits = [
    ...(gone.length > 0 ? [`${plural(gone.length, 'commit')} removed`] : []),
    ...(back.length > 0 ? [`${plural(back.length, 'commit')} restored`] : []),
    ...(stayed.length > 0 ? [`${plural(stayed.length, 'commit')} kept`] : []),
  ]
  const what = [files, ...commits].join(', ')
  const lines = [
    is === 'back'
      ? `The undo of ${name} was reverted: ${what}.`
      : `${name.slice(0, 1).toUpperCase()}${name.slice(1)} was undone: ${what}.`,
    ...(task === null ? [] : [taskWords(task, is)]),
    ...(kept.length === 0
      ? []
      : [
          `${LEFT_UNCHANGED_TEXT}: ${escapeInvisible(kept.slice(0, SHOWN).join(', '))}${more > 0 ? ` and ${more} more` : ''}`,
        ]),
    is === 'back'
      ? `Ralph saved the previous state as ${done.ref}.`
      : `To restore it: ${undoCommandFor(undo, { back: true })}`,
  ]
  return [...lines.flatMap((line) => wrapPainted(line, { columns, indent: 2 })), ''].join('\n')
}

function taskWords(task: string, is: UndoPlan['is']): string {
  return is === 'back'
    ? `The task is still pending; if it is done: ralph task done ${task}`
    : 'The task is pending again: the next ralph run will work on it.'
}
