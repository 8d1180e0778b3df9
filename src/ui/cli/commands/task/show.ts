/** `ralph task tree`, `show`, `log` and `deps list`: show tasks. */
import { addTaskNote } from '../../../../app/task/change.ts'
import { loadDependencyFacts, loadTaskLogFacts, loadTaskDetails } from '../../../../app/task/task-details.ts'
import { loadTaskTree } from '../../../../app/task/task-tree.ts'
import { dependenciesScreen, taskLogLines, taskScreen } from '../../../plain/screens/task-show.ts'
import { taskTreeScreen } from '../../../plain/screens/task-tree.ts'
import type { CommandHandler } from '../../framework/command.ts'
import { printResult, createPrintCommand, styleOf } from '../../framework/print-result.ts'
import { storeLocationOf } from '../../framework/project-root.ts'
import { refuseInsideRun } from '../../framework/refuse-inside-run.ts'
import type { TASK_DEPS_LIST, TASK_LOG, TASK_SHOW, TASK_TREE } from '../../command-table/task-commands.ts'

/** More entries than anybody reads. */
const SHOWN_MAX = 200

export const tree: CommandHandler<typeof TASK_TREE> = async ({ args: { target }, flags }, io) => {
  const { json } = flags
  const found = await loadTaskTree(storeLocationOf(io), { target, limit: flags.limit ?? (json ? null : SHOWN_MAX) })
  return printResult(found.tasks, () => taskTreeScreen(found, styleOf(io)), { json, io })
}

export const show: CommandHandler<typeof TASK_SHOW> = createPrintCommand(
  ({ args }, io) => loadTaskDetails(storeLocationOf(io), args.task),
  taskScreen,
)

export const deps: CommandHandler<typeof TASK_DEPS_LIST> = createPrintCommand(
  ({ args }, io) => loadDependencyFacts(storeLocationOf(io), args.task),
  dependenciesScreen,
)

/** Shows the log of a task, or adds a note to it. */
export const log: CommandHandler<typeof TASK_LOG> = async ({ command, args, flags }, io) => {
  const { message, limit, json } = flags
  const location = storeLocationOf(io)
  if (message !== null) {
    refuseInsideRun(`${command} --message`, io)
    const id = await addTaskNote(location, args.task, message)
    return printResult({ id, note: message }, () => `Saved the note on task ${id}.\n`, { json, io })
  }
  const entries = await loadTaskLogFacts(location, args.task, limit)
  const screen = (): string =>
    entries.length === 0 ? 'No log entries yet.\n' : `${taskLogLines(entries).join('\n')}\n`
  return printResult(entries, screen, { json, io })
}
