/** `ralph task deps`: which task must be done before which. */
import { changeEdge } from '../../../../desk/task/change.ts'
import { showDeps } from '../../../../desk/task/show.ts'
import { edgeWords } from '../../../plain/screens/task-lines.ts'
import { depsScreen } from '../../../plain/screens/task-show.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { TASK_DEPS_ADD, TASK_DEPS_LIST, TASK_DEPS_RM } from '../../table/task.ts'
import { lookOf, placeOf } from './place.ts'

export const add: Code<typeof TASK_DEPS_ADD> = async (input, io) => {
  const edge = await changeEdge(placeOf(io), input.args, 'there')
  return answer(edge, () => edgeWords(edge, 'there', lookOf(io).p), { json: input.flags.json, io })
}

export const remove: Code<typeof TASK_DEPS_RM> = async (input, io) => {
  const edge = await changeEdge(placeOf(io), input.args, 'gone')
  return answer(edge, () => edgeWords(edge, 'gone', lookOf(io).p), { json: input.flags.json, io })
}

export const list: Code<typeof TASK_DEPS_LIST> = async (input, io) => {
  const deps = await showDeps(placeOf(io), input.args.task)
  return answer(deps, () => depsScreen(deps, lookOf(io)), { json: input.flags.json, io })
}
