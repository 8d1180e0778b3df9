/** What an undo would do, for a person to confirm; and what it did. */
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
    undo: `Undo of ${what}. What would happen:`,
    finish: `The undo of ${what} was cut off. What is left to do:`,
    back: `Taking back the undo of ${what}. What would happen:`,
  }[is]
  const commit = ({ sha, subject }: { sha: string; subject: string }): string => `${sha.slice(0, 10)} ${subject}`
  const part = (title: string, items: string[]): string | null => partOf(title, items, columns)
  const parts = [
    part(p.bad('commits that go'), commits.gone.map(commit)),
    part(p.good('commits that come back'), commits.back.map(commit)),
    part(
      p.good(`commits that stay, made anew ${is === 'back' ? 'on top of them' : 'without them'}`),
      commits.kept.map((one) => `${commit(one)} → ${one.as.slice(0, 10)}`),
    ),
    part('files that change back', files.restored),
    part('files that are removed', files.removed),
    part('boxes that are open again', checkboxes.opened),
    part('boxes that are ticked again', checkboxes.ticked),
    part(
      'other lines of control files',
      lines.map(({ path, added, removed }) => `${path} +${added} −${removed}`),
    ),
    part(p.warn(LEFT_UNCHANGED_TEXT.toLowerCase()), files.kept),
  ]
  const notes = [
    ...(goal.branch === now.snapshot.branch ? [] : [`HEAD goes back to ${branchName(goal.branch)}`]),
    ...(stays === null ? [] : [`branch ${stays} stays as it is; if nobody wants it: git branch -D ${stays}`]),
    ...(commits.published.length === 0
      ? []
      : [
          `published already, on ${commits.published.join(', ')}: others may have them, and a push would need --force-with-lease`,
        ]),
    ...warnings,
  ]
  const told = parts.filter((one) => one !== null)
  const nothing = told.length === 0 && notes.length === 0 ? ['  nothing changes but what Ralph remembers'] : []
  const noted = notes.flatMap((note) =>
    wrapPainted(`  ${p.warn('!')} ${escapeInvisible(note)}`, { columns, indent: 4 }),
  )
  return [...wrapPainted(head, { columns, indent: 2 }), ...told, ...nothing, ...noted, ''].join('\n')
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
  return branch === null ? 'where it was, on no branch' : `branch ${branch}`
}

export function undoResultText(undo: UndoPlan, done: UndoResult, columns: number): string {
  const { is, plan, task } = undo
  const name = undoTargetName(undo)
  const { restored, removed, kept } = done.files
  const more = kept.length - SHOWN
  const { gone, back, kept: stayed } = plan.commits
  const files = `${plural(restored.length, 'file')} changed back, ${plural(removed.length, 'file')} removed`
  const commits = [
    ...(gone.length > 0 ? [`${plural(gone.length, 'commit')} taken back`] : []),
    ...(back.length > 0 ? [`${plural(back.length, 'commit')} brought back`] : []),
    ...(stayed.length > 0 ? [`${plural(stayed.length, 'commit')} kept`] : []),
  ]
  const what = [files, ...commits].join(', ')
  const lines = [
    is === 'back'
      ? `The undo of ${name} is taken back: ${what}.`
      : `${name.slice(0, 1).toUpperCase()}${name.slice(1)} is undone: ${what}.`,
    ...(task === null ? [] : [taskWords(task, is)]),
    ...(kept.length === 0
      ? []
      : [
          `${LEFT_UNCHANGED_TEXT}: ${escapeInvisible(kept.slice(0, SHOWN).join(', '))}${more > 0 ? ` and ${more} more` : ''}`,
        ]),
    is === 'back'
      ? `What was here before is kept as ${done.ref}.`
      : `To have it back: ${undoCommandFor(undo, { back: true })}`,
  ]
  return [...lines.flatMap((line) => wrapPainted(line, { columns, indent: 2 })), ''].join('\n')
}

function taskWords(task: string, is: UndoPlan['is']): string {
  return is === 'back'
    ? `The task is still pending; if it is done: ralph task done ${task}`
    : 'The task is pending again: the next ralph run takes it up.'
}
