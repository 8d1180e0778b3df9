/** `ralph knowledge list`: what is known, by name. */
import { describeBrokenFile, listKnowledge } from '../../../../app/knowledge/knowledge.ts'
import { knowledgeLines, NO_KNOWLEDGE } from '../../../plain/screens/knowledge.ts'
import { shown } from '../../../tui/text-width.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import { projectOf } from '../../frame/project-root.ts'
import type { KNOWLEDGE_LIST } from '../../table/journal-knowledge.ts'
import { screenStyleOf } from '../task/task-io.ts'

export const run: CommandCode<typeof KNOWLEDGE_LIST> = async (input, io) => {
  const { json, ...asked } = input.flags
  const { entries, broken } = listKnowledge(projectOf(io).root, asked)
  for (const one of broken) io.err(`${shown(describeBrokenFile(one))}\n`)
  const none = asked.tag.length === 0 && broken.length === 0 ? NO_KNOWLEDGE : 'No entry is like that.\n'
  return answer(entries, () => (entries.length === 0 ? none : knowledgeLines(entries, screenStyleOf(io))), {
    json,
    io,
  })
}
