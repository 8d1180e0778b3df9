/** `ralph knowledge`: the project's pages that are added to agents' prompts. */
import { resolve } from 'node:path'
import { openEditor } from '../../../app/knowledge/editor.ts'
import {
  addKnowledge,
  checkKnowledge,
  deleteKnowledge,
  describeBrokenFile,
  editKnowledge,
  findKnowledgeFile,
  listKnowledge,
  readKnowledgeBody,
  findKnowledgePage,
} from '../../../app/knowledge/knowledge.ts'
import { EXIT, RalphError } from '../../../core/error.ts'
import {
  knowledgeCheckScreen,
  knowledgeEntryScreen,
  knowledgeLines,
  NO_KNOWLEDGE_TEXT,
} from '../../plain/screens/knowledge.ts'
import { toPrintable } from '../../tui/text-width.ts'
import type { CommandHandler } from '../framework/command.ts'
import { printResult, createPrintCommand, styleOf } from '../framework/print-result.ts'
import { requireProject } from '../framework/project-root.ts'
import type {
  KNOWLEDGE_ADD,
  KNOWLEDGE_CHECK,
  KNOWLEDGE_EDIT,
  KNOWLEDGE_LIST,
  KNOWLEDGE_RM,
  KNOWLEDGE_SHOW,
} from '../command-table/journal-knowledge-commands.ts'
import { confirmDeletion } from './confirm-deletion.ts'

export const list: CommandHandler<typeof KNOWLEDGE_LIST> = async ({ flags }, io) => {
  const { entries, broken } = listKnowledge(requireProject(io).root, flags)
  for (const one of broken) io.err(`${toPrintable(describeBrokenFile(one))}\n`)
  const none = flags.tag.length === 0 && broken.length === 0 ? NO_KNOWLEDGE_TEXT : 'No matching pages.\n'
  const screen = (): string => (entries.length === 0 ? none : knowledgeLines(entries, styleOf(io)))
  return printResult(entries, screen, { json: flags.json, io })
}

export const show: CommandHandler<typeof KNOWLEDGE_SHOW> = createPrintCommand(
  ({ args }, io) => findKnowledgePage(requireProject(io).root, args.entry),
  knowledgeEntryScreen,
)

/** Adds or replaces a page. Prints its file and nothing else. */
export const add: CommandHandler<typeof KNOWLEDGE_ADD> = createPrintCommand(
  async ({ args, flags: { tag, body, from, feature, replace } }, io) => {
    const { root } = requireProject(io)
    if (body !== null && from !== null)
      throw new RalphError('usage', '--body and --from cannot be combined', { hint: 'Omit one of them.' })
    const text = from === null ? (body ?? '') : await readKnowledgeBody(from === '-' ? from : resolve(io.cwd, from))
    return addKnowledge(root, { title: args.title.join(' '), tags: tag, body: text }, { feature, replace })
  },
  ({ file }) => `${file}\n`,
)

/** Opens a page in the user's editor, and prints the result. */
export const edit: CommandHandler<typeof KNOWLEDGE_EDIT> = createPrintCommand(
  async ({ args }, io) => {
    const { root } = requireProject(io)
    const file = findKnowledgeFile(root, args.entry)
    if (!io.asks || !io.terminal)
      throw new RalphError('usage', 'an editor needs a terminal', {
        hint: `Edit the file directly: ${file.path}. Or: ralph knowledge add TITLE --tag TAG --body TEXT --replace`,
      })
    const problem = await editKnowledge(root, file, (copy) => openEditor(copy, file.path, io.env))
    if (problem !== null)
      throw new RalphError('bad-file', describeBrokenFile(problem), {
        hint: `Prompts omit this page until it is fixed: ralph knowledge edit ${file.name}`,
      })
    return { file: file.path }
  },
  ({ file }) => `${file}\n`,
)

/** Asks, and deletes one file. */
export const rm: CommandHandler<typeof KNOWLEDGE_RM> = async ({ args, flags: { yes, json }, typed }, io) => {
  const { root } = requireProject(io)
  const file = findKnowledgeFile(root, args.entry)
  const from = file.facts?.linked_from ?? []
  const links = from.length === 0 ? '' : ` Pages that link to it: ${toPrintable(from.join(', '))}.`
  if (!yes) {
    const told = `${toPrintable(file.path)} would be removed.${links}`
    const end = await confirmDeletion({ told, question: 'Remove?', line: typed }, { io, json })
    if (end !== null) return end
  }
  deleteKnowledge(root, file)
  const screen = (): string => `${toPrintable(file.path)} was removed.${links}\n`
  return printResult({ file: file.path, linked_from: from }, screen, { json, io })
}

export const check: CommandHandler<typeof KNOWLEDGE_CHECK> = async (input, io) => {
  const found = checkKnowledge(requireProject(io).root)
  const exit = found.problems.some(({ broken }) => broken) ? EXIT.error : EXIT.done
  return printResult(found, () => knowledgeCheckScreen(found, styleOf(io)), { json: input.flags.json, io, exit })
}
