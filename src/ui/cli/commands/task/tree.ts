/** `ralph task`, `ralph task tree`: the tree of tasks. */
import { treeOf } from '../../../../app/task/tree.ts'
import { treeScreen } from '../../../plain/screens/task-tree.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { TASK_TREE } from '../../table/task.ts'
import { screenStyleOf, storeLocationOf } from './task-io.ts'

/** More than anybody reads. */
const SHOWN_MAX = 200

export const run: CommandCode<typeof TASK_TREE> = async (input, io) => {
  const { json, limit } = input.flags
  const tree = await treeOf(storeLocationOf(io), {
    target: input.args.target,
    limit: limit ?? (json ? null : SHOWN_MAX),
  })
  return answer(tree.tasks, () => treeScreen(tree, screenStyleOf(io)), { json, io })
}
