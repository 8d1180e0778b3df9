/** `ralph task show`: one task from near. */
import { showTask } from '../../../../app/task/show.ts'
import { showScreen } from '../../../plain/screens/task-show.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { TASK_SHOW } from '../../table/task.ts'
import { screenStyleOf, storeLocationOf } from './task-io.ts'

export const run: CommandCode<typeof TASK_SHOW> = async (input, io) => {
  const task = await showTask(storeLocationOf(io), input.args.task)
  return answer(task, () => showScreen(task, screenStyleOf(io)), { json: input.flags.json, io })
}
