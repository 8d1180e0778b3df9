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
  readPipedBody,
  showKnowledge,
} from '../../../app/knowledge/knowledge.ts'
import { EXIT, RalphError } from '../../../core/error.ts'
import {
  knowledgeCheckScreen,
  knowledgeEntryScreen,
  knowledgeLines,
  NO_KNOWLEDGE_TEXT,
} from '../../plain/screens/knowledge.ts'
import { printable } from '../../tui/text-width.ts'
import type { CommandCode } from '../framework/command.ts'
import { printResult, printing, styleOf } from '../framework/print-result.ts'
import { projectOf } from '../framework/project-root.ts'
import type {
  KNOWLEDGE_ADD,
  KNOWLEDGE_CHECK,
  KNOWLEDGE_EDIT,
  KNOWLEDGE_LIST,
  KNOWLEDGE_RM,
  KNOWLEDGE_SHOW,
} from '../command-table/journal-knowledge-commands.ts'
import { confirmLoss } from './task/confirm.ts'

export const list: CommandCode<typeof KNOWLEDGE_LIST> = async ({ flags }, io) => {
  const { entries, broken } = listKnowledge(projectOf(io).root, flags)
  for (const one of broken) io.err(`${printable(describeBrokenFile(one))}\n`)
  const none = flags.tag.length === 0 && broken.length === 0 ? NO_KNOWLEDGE_TEXT : 'No entry is like that.\n'
  const screen = (): string => (entries.length === 0 ? none : knowledgeLines(entries, styleOf(io)))
  return printResult(entries, screen, { json: flags.json, io })
}

export const show: CommandCode<typeof KNOWLEDGE_SHOW> = printing(
  ({ args }, io) => showKnowledge(projectOf(io).root, args.entry),
  knowledgeEntryScreen,
)

/** Adds or replaces an entry. Prints its file and nothing else. */
export const add: CommandCode<typeof KNOWLEDGE_ADD> = printing(
  async ({ args, flags: { tag, body, from, feature, replace } }, io) => {
    const { root } = projectOf(io)
    if (body !== null && from !== null)
      throw new RalphError('usage', '--body and --from both say what is known', { hint: 'Leave one of them out.' })
    const text = from === null ? (body ?? '') : await readPipedBody(from === '-' ? from : resolve(io.cwd, from))
    return addKnowledge(root, { title: args.title.join(' '), tags: tag, body: text }, { feature, replace })
  },
  ({ file }) => `${file}\n`,
)

/** Opens an entry in the user's editor, and prints the result. */
export const edit: CommandCode<typeof KNOWLEDGE_EDIT> = printing(
  async ({ args }, io) => {
    const { root } = projectOf(io)
    const file = findKnowledgeFile(root, args.entry)
    if (!io.asks || !io.terminal)
      throw new RalphError('usage', 'there is no terminal for an editor', {
        hint: `Change the file itself: ${file.path}. Or: ralph knowledge add TITLE --tag TAG --body TEXT --replace`,
      })
    const problem = await editKnowledge(root, file, (copy) => openEditor(copy, file.path, io.env))
    if (problem !== null)
      throw new RalphError('bad-file', describeBrokenFile(problem), {
        hint: `Nobody is told what it says until that is mended: ralph knowledge edit ${file.name}`,
      })
    return { file: file.path }
  },
  ({ file }) => `${file}\n`,
)

/** Asks, and deletes one file. */
export const rm: CommandCode<typeof KNOWLEDGE_RM> = async ({ args, flags: { yes, json }, typed }, io) => {
  const { root } = projectOf(io)
  const file = findKnowledgeFile(root, args.entry)
  const from = file.facts?.linked_from ?? []
  const links = from.length === 0 ? '' : ` Links to it: ${printable(from.join(', '))}.`
  if (!yes) {
    const told = `${printable(file.path)} would be removed.${links}`
    const end = await confirmLoss({ told, question: 'Remove?', line: typed }, { io, json })
    if (end !== null) return end
  }
  deleteKnowledge(root, file)
  const screen = (): string => `${printable(file.path)} is removed.${links}\n`
  return printResult({ file: file.path, linked_from: from }, screen, { json, io })
}

export const check: CommandCode<typeof KNOWLEDGE_CHECK> = async (input, io) => {
  const found = checkKnowledge(projectOf(io).root)
  const exit = found.problems.some(({ broken }) => broken) ? EXIT.error : EXIT.done
  return printResult(found, () => knowledgeCheckScreen(found, styleOf(io)), { json: input.flags.json, io, exit })
}
