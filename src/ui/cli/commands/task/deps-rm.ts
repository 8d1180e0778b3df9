/** `ralph task deps rm`: one task waits for another no longer. */
import { changeEdge } from '../../../../desk/task/change.ts'
import { edgeWords } from '../../../plain/screens/task-lines.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { TASK_DEPS_RM } from '../../table/task.ts'
import { lookOf, placeOf } from './place.ts'

export const run: Code<typeof TASK_DEPS_RM> = async (input, io) => {
  const edge = await changeEdge(placeOf(io), input.args, 'gone')
  return answer(edge, () => edgeWords(edge, 'gone', lookOf(io).p), { json: input.flags.json, io })
}
