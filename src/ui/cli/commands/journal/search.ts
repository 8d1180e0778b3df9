/** `ralph journal search`: notes by their words. */
import { searchJournal } from '../../../../app/journal/journal.ts'
import { notesScreen } from '../../../plain/screens/notes.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { JOURNAL_SEARCH } from '../../table/journal-knowledge.ts'
import { screenStyleOf, storeLocationOf } from '../task/task-io.ts'

export const run: CommandCode<typeof JOURNAL_SEARCH> = async (input, io) => {
  const { json, ...asked } = input.flags
  const notes = await searchJournal(storeLocationOf(io), input.args.words.join(' '), asked)
  const screen = (): string =>
    notes.length === 0 ? 'No note has any of these words.\n' : notesScreen(notes, screenStyleOf(io))
  return answer(notes, screen, { json, io })
}
