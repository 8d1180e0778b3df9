/** `ralph journal list`: the newest notes. */
import { listNotes } from '../../../../desk/journal/journal.ts'
import { NO_NOTES, notesScreen } from '../../../plain/screens/notes.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { JOURNAL_LIST } from '../../table/memory.ts'
import { lookOf, placeOf } from '../task/place.ts'

export const run: Code<typeof JOURNAL_LIST> = async (input, io) => {
  const { json, ...asked } = input.flags
  const notes = await listNotes(placeOf(io), asked)
  const none = asked.run === null && asked.task === null ? NO_NOTES : 'No note is like that.\n'
  return answer(notes, () => (notes.length === 0 ? none : notesScreen(notes, lookOf(io))), { json, io })
}
