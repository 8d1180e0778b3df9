/** `ralph task deps add`: one task must be done before another. */
import { changeEdge } from '../../../../desk/task/change.ts'
import { edgeWords } from '../../../plain/screens/task-lines.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { TASK_DEPS_ADD } from '../../table/task.ts'
import { lookOf, placeOf } from './place.ts'

export const run: Code<typeof TASK_DEPS_ADD> = async (input, io) => {
  const edge = await changeEdge(placeOf(io), input.args, 'there')
  return answer(edge, () => edgeWords(edge, 'there', lookOf(io).p), { json: input.flags.json, io })
}
