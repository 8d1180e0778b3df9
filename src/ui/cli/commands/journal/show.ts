/** `ralph journal show`: one note, whole. */
import { showNote } from '../../../../desk/journal/journal.ts'
import { noteScreen } from '../../../plain/screens/notes.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { JOURNAL_SHOW } from '../../table/memory.ts'
import { lookOf, placeOf } from '../task/place.ts'

export const run: Code<typeof JOURNAL_SHOW> = async (input, io) => {
  const note = await showNote(placeOf(io), input.args.note)
  return answer(note, () => noteScreen(note, lookOf(io)), { json: input.flags.json, io })
}
