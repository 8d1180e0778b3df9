/** `ralph journal list`: the newest notes. */
import { listNotes } from '../../../../app/journal/journal.ts'
import { NO_NOTES, notesScreen } from '../../../plain/screens/notes.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { JOURNAL_LIST } from '../../table/journal-knowledge.ts'
import { screenStyleOf, storeLocationOf } from '../task/task-io.ts'

export const run: CommandCode<typeof JOURNAL_LIST> = async (input, io) => {
  const { json, ...asked } = input.flags
  const notes = await listNotes(storeLocationOf(io), asked)
  const none = asked.run === null && asked.task === null ? NO_NOTES : 'No note is like that.\n'
  return answer(notes, () => (notes.length === 0 ? none : notesScreen(notes, screenStyleOf(io))), {
    json,
    io,
  })
}
