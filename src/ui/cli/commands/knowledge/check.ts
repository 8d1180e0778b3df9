/** `ralph knowledge check`: what is wrong with what is known. */
import { checkKnowledge } from '../../../../desk/knowledge/knowledge.ts'
import { EXIT } from '../../../../domain/error.ts'
import { checkScreen } from '../../../plain/screens/knowledge.ts'
import { answer } from '../../frame/answer.ts'
import type { CommandCode } from '../../frame/command.ts'
import { projectOf } from '../../frame/root.ts'
import type { KNOWLEDGE_CHECK } from '../../table/memory.ts'
import { screenStyleOf } from '../task/place.ts'

export const run: CommandCode<typeof KNOWLEDGE_CHECK> = async (input, io) => {
  const found = checkKnowledge(projectOf(io).root)
  answer(found, () => checkScreen(found, screenStyleOf(io)), { json: input.flags.json, io })
  return found.problems.some(({ broken }) => broken) ? EXIT.error : EXIT.done
}
