/** `ralph journal add`: a note from a person. Prints its number and nothing else. */
import { noteDown, pipedNote } from '../../../../desk/journal/journal.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { JOURNAL_ADD } from '../../table/memory.ts'
import { placeOf } from '../task/place.ts'

export const run: Code<typeof JOURNAL_ADD> = async (input, io) => {
  const { task, json } = input.flags
  const typed = input.args.text.join(' ')
  const text = typed === '-' ? await pipedNote() : typed
  const note = await noteDown(placeOf(io), { text, task })
  return answer(note, () => `${note.id}\n`, { json, io })
}
