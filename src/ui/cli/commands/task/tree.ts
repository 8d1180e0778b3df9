/** `ralph task`, `ralph task tree`: the tree of tasks. */
import { treeOf } from '../../../../desk/task/tree.ts'
import { treeScreen } from '../../../plain/screens/task-tree.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { TASK_TREE } from '../../table/task.ts'
import { lookOf, placeOf } from './place.ts'

/** More than anybody reads. */
const SHOWN_MAX = 200

export const run: Code<typeof TASK_TREE> = async (input, io) => {
  const { json, limit } = input.flags
  const tree = await treeOf(placeOf(io), {
    target: input.args.target,
    limit: limit ?? (json ? null : SHOWN_MAX),
  })
  return answer(tree.tasks, () => treeScreen(tree, lookOf(io)), { json, io })
}
