/** `ralph task tree`, `show`, `log` and `deps list`: show tasks. */
import { addTaskNote } from '../../../../app/task/change.ts'
import { showDependencies, showTaskLog, showTask } from '../../../../app/task/show.ts'
import { taskTreeOf } from '../../../../app/task/task-tree.ts'
import { dependenciesScreen, taskLogLines, taskScreen } from '../../../plain/screens/task-show.ts'
import { taskTreeScreen } from '../../../plain/screens/task-tree.ts'
import type { CommandCode } from '../../framework/command.ts'
import { printResult, printing, styleOf } from '../../framework/print-result.ts'
import { storeLocationOf } from '../../framework/project-root.ts'
import { refuseInsideRun } from '../../framework/refuse-inside-run.ts'
import type { TASK_DEPS_LIST, TASK_LOG, TASK_SHOW, TASK_TREE } from '../../command-table/task-commands.ts'

/** More entries than anybody reads. */
const SHOWN_MAX = 200

export const tree: CommandCode<typeof TASK_TREE> = async ({ args: { target }, flags }, io) => {
  const { json } = flags
  const found = await taskTreeOf(storeLocationOf(io), { target, limit: flags.limit ?? (json ? null : SHOWN_MAX) })
  return printResult(found.tasks, () => taskTreeScreen(found, styleOf(io)), { json, io })
}

export const show: CommandCode<typeof TASK_SHOW> = printing(
  ({ args }, io) => showTask(storeLocationOf(io), args.task),
  taskScreen,
)

export const deps: CommandCode<typeof TASK_DEPS_LIST> = printing(
  ({ args }, io) => showDependencies(storeLocationOf(io), args.task),
  dependenciesScreen,
)

/** Shows the log of a task, or adds a note to it. */
export const log: CommandCode<typeof TASK_LOG> = async ({ command, args, flags }, io) => {
  const { message, limit, json } = flags
  const location = storeLocationOf(io)
  if (message !== null) {
    refuseInsideRun(`${command} --message`, io)
    const id = await addTaskNote(location, args.task, message)
    return printResult({ id, note: message }, () => `Noted with task ${id}.\n`, { json, io })
  }
  const entries = await showTaskLog(location, args.task, limit)
  const screen = (): string =>
    entries.length === 0 ? 'Nothing was said about it yet.\n' : `${taskLogLines(entries).join('\n')}\n`
  return printResult(entries, screen, { json, io })
}
