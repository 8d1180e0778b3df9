/** `ralph knowledge rm`: asks, and removes one file. */
import { deleteKnowledge, findKnowledgeFile } from '../../../../app/knowledge/knowledge.ts'
import { shown } from '../../../tui/text-width.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import { projectOf } from '../../frame/project-root.ts'
import type { KNOWLEDGE_RM } from '../../table/journal-knowledge.ts'
import { confirmLoss } from '../task/confirm.ts'

export const run: CommandCode<typeof KNOWLEDGE_RM> = async (input, io) => {
  const { yes, json } = input.flags
  const { root } = projectOf(io)
  const file = findKnowledgeFile(root, input.args.entry)
  const from = file.facts?.linked_from ?? []
  const links = from.length === 0 ? '' : ` Links to it: ${shown(from.join(', '))}.`
  if (!yes) {
    const told = `${shown(file.path)} would be removed.${links}`
    const end = await confirmLoss({ told, question: 'Remove?', line: input.typed }, { io, json })
    if (end !== null) return end
  }
  deleteKnowledge(root, file)
  return answer({ file: file.path, linked_from: from }, () => `${shown(file.path)} is removed.${links}\n`, {
    json,
    io,
  })
}
