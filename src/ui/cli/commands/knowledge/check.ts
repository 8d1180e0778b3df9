/** `ralph knowledge check`: what is wrong with what is known. */
import { checkKnowledge } from '../../../../app/knowledge/knowledge.ts'
import { EXIT } from '../../../../core/error.ts'
import { checkScreen } from '../../../plain/screens/knowledge.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import { projectOf } from '../../frame/project-root.ts'
import type { KNOWLEDGE_CHECK } from '../../table/journal-knowledge.ts'
import { screenStyleOf } from '../task/task-io.ts'

export const run: CommandCode<typeof KNOWLEDGE_CHECK> = async (input, io) => {
  const found = checkKnowledge(projectOf(io).root)
  answer(found, () => checkScreen(found, screenStyleOf(io)), { json: input.flags.json, io })
  return found.problems.some(({ broken }) => broken) ? EXIT.error : EXIT.done
}
