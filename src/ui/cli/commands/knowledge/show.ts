/** `ralph knowledge show`: one entry. */
import { showKnowledge } from '../../../../app/knowledge/knowledge.ts'
import { entryScreen } from '../../../plain/screens/knowledge.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import { projectOf } from '../../frame/project-root.ts'
import type { KNOWLEDGE_SHOW } from '../../table/journal-knowledge.ts'
import { screenStyleOf } from '../task/task-io.ts'

export const run: CommandCode<typeof KNOWLEDGE_SHOW> = async (input, io) => {
  const entry = showKnowledge(projectOf(io).root, input.args.entry)
  return answer(entry, () => entryScreen(entry, screenStyleOf(io)), { json: input.flags.json, io })
}
