/** `ralph task deps`: which task must be done before which. */
import { changeEdge } from '../../../../app/task/change.ts'
import { showDeps } from '../../../../app/task/show.ts'
import { edgeChangeText } from '../../../plain/screens/task-lines.ts'
import { depsScreen } from '../../../plain/screens/task-show.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { TASK_DEPS_ADD, TASK_DEPS_LIST, TASK_DEPS_RM } from '../../table/task.ts'
import { screenStyleOf, storeLocationOf } from './task-io.ts'

export const add: CommandCode<typeof TASK_DEPS_ADD> = async (input, io) => {
  const edge = await changeEdge(storeLocationOf(io), input.args, 'there')
  return answer(edge, () => edgeChangeText(edge, 'there', screenStyleOf(io).p), {
    json: input.flags.json,
    io,
  })
}

export const remove: CommandCode<typeof TASK_DEPS_RM> = async (input, io) => {
  const edge = await changeEdge(storeLocationOf(io), input.args, 'gone')
  return answer(edge, () => edgeChangeText(edge, 'gone', screenStyleOf(io).p), { json: input.flags.json, io })
}

export const list: CommandCode<typeof TASK_DEPS_LIST> = async (input, io) => {
  const deps = await showDeps(storeLocationOf(io), input.args.task)
  return answer(deps, () => depsScreen(deps, screenStyleOf(io)), { json: input.flags.json, io })
}
