/** `ralph task log`: what was said about a task, or one note more. */
import { addTaskNote } from '../../../../app/task/change.ts'
import { showLog } from '../../../../app/task/show.ts'
import { logLines } from '../../../plain/screens/task-show.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import { refuseInsideRun } from '../../frame/refuse-inside-run.ts'
import type { TASK_LOG } from '../../table/task.ts'
import { storeLocationOf } from './task-io.ts'

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
