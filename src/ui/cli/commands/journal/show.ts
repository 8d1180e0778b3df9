/** `ralph journal show`: one note, whole. */
import { showNote } from '../../../../app/journal/journal.ts'
import { noteScreen } from '../../../plain/screens/notes.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { JOURNAL_SHOW } from '../../table/journal-knowledge.ts'
import { screenStyleOf, storeLocationOf } from '../task/task-io.ts'

export const run: CommandCode<typeof JOURNAL_SHOW> = async (input, io) => {
  const note = await showNote(storeLocationOf(io), input.args.note)
  return answer(note, () => noteScreen(note, screenStyleOf(io)), { json: input.flags.json, io })
}
