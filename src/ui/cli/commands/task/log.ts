/** `ralph task log`: what was said about a task, or one note more. */
import { addTaskNote } from '../../../../desk/task/change.ts'
import { showLog } from '../../../../desk/task/show.ts'
import { logLines } from '../../../plain/screens/task-show.ts'
import { answer } from '../../frame/answer.ts'
import type { CommandCode } from '../../frame/command.ts'
import { refuseInsideRun } from '../../frame/inside.ts'
import type { TASK_LOG } from '../../table/task.ts'
import { storeLocationOf } from './place.ts'

export const run: CommandCode<typeof TASK_LOG> = async (input, io) => {
  const { message, limit, json } = input.flags
  const location = storeLocationOf(io)
  if (message !== null) {
    refuseInsideRun(`${input.command} --message`, io)
    const id = await addTaskNote(location, input.args.task, message)
    return answer({ id, note: message }, () => `Noted with task ${id}.\n`, { json, io })
  }
  const log = await showLog(location, input.args.task, limit)
  const screen = (): string =>
    log.length === 0 ? 'Nothing was said about it yet.\n' : `${logLines(log).join('\n')}\n`
  return answer(log, screen, { json, io })
}
