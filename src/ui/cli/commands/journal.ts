/** `ralph journal`: the notes that agents and people leave. */
import { listNotes, readPipedNote, searchJournal, findNoteFacts, writeNote } from '../../../app/journal/journal.ts'
import { NO_NOTES_TEXT, noteScreen, notesScreen } from '../../plain/screens/notes.ts'
import type { CommandHandler } from '../framework/command.ts'
import { createPrintCommand } from '../framework/print-result.ts'
import type {
  JOURNAL_ADD,
  JOURNAL_LIST,
  JOURNAL_SEARCH,
  JOURNAL_SHOW,
} from '../command-table/journal-knowledge-commands.ts'
import { storeLocationOf } from '../framework/project-root.ts'

/** Prints the newest notes. */
export const list: CommandHandler<typeof JOURNAL_LIST> = createPrintCommand(
  ({ flags }, io) => listNotes(storeLocationOf(io), flags),
  (notes, style, { flags: { run, task } }) => {
    const none = run === null && task === null ? NO_NOTES_TEXT : 'No matching notes.\n'
    return notes.length === 0 ? none : notesScreen(notes, style)
  },
)

export const search: CommandHandler<typeof JOURNAL_SEARCH> = createPrintCommand(
  ({ args, flags }, io) => searchJournal(storeLocationOf(io), args.words.join(' '), flags),
  (notes, style) => (notes.length === 0 ? 'No matching notes.\n' : notesScreen(notes, style)),
)

export const show: CommandHandler<typeof JOURNAL_SHOW> = createPrintCommand(
  ({ args }, io) => findNoteFacts(storeLocationOf(io), args.note),
  noteScreen,
)

/** Adds a note from a person. Prints its number and nothing else. */
export const add: CommandHandler<typeof JOURNAL_ADD> = createPrintCommand(
  async ({ args, flags: { task } }, io) => {
    const typed = args.text.join(' ')
    const text = typed === '-' ? await readPipedNote() : typed
    return writeNote(storeLocationOf(io), { text, task })
  },
  ({ id }) => `${id}\n`,
)
