/** Notes of the journal: who left each, where and when, and its text. */
import type { NoteFacts } from '../../../app/journal/journal.ts'
import { stripControl } from '../../../core/text/sanitize.ts'
import { localTimestamp } from '../format-values.ts'
import { wrapTextBlock } from '../wrap.ts'
import type { TerminalStyle } from './task-lines.ts'

export const NO_NOTES_TEXT = 'There are no notes yet. Add one: ralph journal add "what to remember"\n'

/** Enough lines of a note to see whether it is worth reading. */
const LINES_SHOWN = 4

export function notesScreen(notes: NoteFacts[], style: TerminalStyle): string {
  return `${notes.map((note) => noteLines(note, style).join('\n')).join('\n\n')}\n`
}

function noteLines(note: NoteFacts, style: TerminalStyle): string[] {
  const lines = wrapTextBlock(note.text.trim(), style.width)
  if (lines.length <= LINES_SHOWN) return [headLine(note, style), ...lines]
  const rest = style.p.dim(`  … more: ralph journal show ${note.id}`)
  return [headLine(note, style), ...lines.slice(0, LINES_SHOWN - 1), rest]
}

export function noteScreen(note: NoteFacts, style: TerminalStyle): string {
  return `${[headLine(note, style), ...wrapTextBlock(note.text.trim(), style.width)].join('\n')}\n`
}

function headLine({ id, at, author, run, iteration, task, lost }: NoteFacts, { p }: TerminalStyle): string {
  const where = [
    localTimestamp(Date.parse(at)),
    stripControl(author),
    ...(task === null ? [] : [`task ${stripControl(task)}`]),
    ...(run === null ? [] : [`run ${stripControl(run)}${iteration === null ? '' : `, iteration ${iteration}`}`]),
    ...(lost === null ? [] : [lost === 'undone' ? 'its work was reverted' : 'its task failed']),
  ]
  return `${p.bold(`#${id}`)}  ${p.dim(where.join(' · '))}`
}
