/** Notes of the journal: who left each, where and when, and what it says. */
import type { NoteFacts } from '../../../desk/journal/journal.ts'
import { stripControl } from '../../../domain/text/text.ts'
import { localStamp } from '../format.ts'
import { hanging } from '../wrap.ts'
import type { Wide } from './task-lines.ts'

export const NO_NOTES = 'There are no notes yet. Leave one: ralph journal add "what to remember"\n'

/** So many lines of one say whether it is worth reading whole. */
const LINES_SHOWN = 4

export function notesScreen(notes: NoteFacts[], look: Wide): string {
  return `${notes.map((note) => noteLines(note, look).join('\n')).join('\n\n')}\n`
}

function noteLines(note: NoteFacts, look: Wide): string[] {
  const lines = textLines(note.text, look.width)
  if (lines.length <= LINES_SHOWN) return [headLine(note, look), ...lines]
  const rest = look.p.dim(`  … all of it: ralph journal show ${note.id}`)
  return [headLine(note, look), ...lines.slice(0, LINES_SHOWN - 1), rest]
}

export function noteScreen(note: NoteFacts, look: Wide): string {
  return `${[headLine(note, look), ...textLines(note.text, look.width)].join('\n')}\n`
}

function headLine({ id, at, author, run, iteration, task, lost }: NoteFacts, { p }: Wide): string {
  const where = [
    localStamp(Date.parse(at)),
    stripControl(author),
    ...(task === null ? [] : [`task ${stripControl(task)}`]),
    ...(run === null
      ? []
      : [`run ${stripControl(run)}${iteration === null ? '' : `, iteration ${iteration}`}`]),
    ...(lost === null ? [] : [lost === 'undone' ? 'taken back since' : 'its task failed']),
  ]
  return `${p.bold(`#${id}`)}  ${p.dim(where.join(' · '))}`
}

function textLines(text: string, width: number): string[] {
  return stripControl(text.trim())
    .split('\n')
    .flatMap((line) => hanging(`  ${line}`, width))
}
