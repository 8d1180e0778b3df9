/** `ralph journal add`: a note from a person. Prints its number and nothing else. */
import { writeNote, readPipedNote } from '../../../../app/journal/journal.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { JOURNAL_ADD } from '../../table/journal-knowledge.ts'
import { storeLocationOf } from '../task/task-io.ts'

export const run: CommandCode<typeof JOURNAL_ADD> = async (input, io) => {
  const { task, json } = input.flags
  const typed = input.args.text.join(' ')
  const text = typed === '-' ? await readPipedNote() : typed
  const note = await writeNote(storeLocationOf(io), { text, task })
  return answer(note, () => `${note.id}\n`, { json, io })
}
