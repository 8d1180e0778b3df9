/** `ralph task tree`, `show`, `log` and `deps list`: tasks as they are. */
import { addTaskNote } from '../../../../app/task/change.ts'
import { showDeps, showLog, showTask } from '../../../../app/task/show.ts'
import { treeOf } from '../../../../app/task/tree.ts'
import { depsScreen, logLines, showScreen } from '../../../plain/screens/task-show.ts'
import { treeScreen } from '../../../plain/screens/task-tree.ts'
import type { CommandCode } from '../../frame/command.ts'
import { answer, printing, styleOf } from '../../frame/print-result.ts'
import { storeLocationOf } from '../../frame/project-root.ts'
import { refuseInsideRun } from '../../frame/refuse-inside-run.ts'
import type { TASK_DEPS_LIST, TASK_LOG, TASK_SHOW, TASK_TREE } from '../../table/task.ts'

/** More than anybody reads. */
const SHOWN_MAX = 200

export const tree: CommandCode<typeof TASK_TREE> = async ({ args: { target }, flags }, io) => {
  const { json } = flags
  const found = await treeOf(storeLocationOf(io), {
    target,
    limit: flags.limit ?? (json ? null : SHOWN_MAX),
  })
  return answer(found.tasks, () => treeScreen(found, styleOf(io)), { json, io })
}

export const show: CommandCode<typeof TASK_SHOW> = printing(
  ({ args }, io) => showTask(storeLocationOf(io), args.task),
  showScreen,
)

export const deps: CommandCode<typeof TASK_DEPS_LIST> = printing(
  ({ args }, io) => showDeps(storeLocationOf(io), args.task),
  depsScreen,
)

/** What was said about a task, or one note more. */
export const log: CommandCode<typeof TASK_LOG> = async ({ command, args, flags }, io) => {
  const { message, limit, json } = flags
  const location = storeLocationOf(io)
  if (message !== null) {
    refuseInsideRun(`${command} --message`, io)
    const id = await addTaskNote(location, args.task, message)
    return answer({ id, note: message }, () => `Noted with task ${id}.\n`, { json, io })
  }
  const entries = await showLog(location, args.task, limit)
  const screen = (): string =>
    entries.length === 0 ? 'Nothing was said about it yet.\n' : `${logLines(entries).join('\n')}\n`
  return answer(entries, screen, { json, io })
}
