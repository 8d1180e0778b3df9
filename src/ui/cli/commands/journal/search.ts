/** `ralph journal search`: notes by their words. */
import { searchJournal } from '../../../../desk/journal/journal.ts'
import { notesScreen } from '../../../plain/screens/notes.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { JOURNAL_SEARCH } from '../../table/memory.ts'
import { lookOf, placeOf } from '../task/place.ts'

export const run: Code<typeof JOURNAL_SEARCH> = async (input, io) => {
  const { json, ...asked } = input.flags
  const notes = await searchJournal(placeOf(io), input.args.words.join(' '), asked)
  const screen = (): string =>
    notes.length === 0 ? 'No note has any of these words.\n' : notesScreen(notes, lookOf(io))
  return answer(notes, screen, { json, io })
}
