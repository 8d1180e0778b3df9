/** `ralph task deps list`: what a task waits for, and what waits for it. */
import { showDeps } from '../../../../desk/task/show.ts'
import { depsScreen } from '../../../plain/screens/task-show.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { TASK_DEPS_LIST } from '../../table/task.ts'
import { lookOf, placeOf } from './place.ts'

export const run: Code<typeof TASK_DEPS_LIST> = async (input, io) => {
  const deps = await showDeps(placeOf(io), input.args.task)
  return answer(deps, () => depsScreen(deps, lookOf(io)), { json: input.flags.json, io })
}
