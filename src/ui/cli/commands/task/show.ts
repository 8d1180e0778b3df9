/** `ralph task show`: one task from near. */
import { showTask } from '../../../../desk/task/show.ts'
import { showScreen } from '../../../plain/screens/task-show.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { TASK_SHOW } from '../../table/task.ts'
import { lookOf, placeOf } from './place.ts'

export const run: Code<typeof TASK_SHOW> = async (input, io) => {
  const task = await showTask(placeOf(io), input.args.task)
  return answer(task, () => showScreen(task, lookOf(io)), { json: input.flags.json, io })
}
