/** `ralph task fail`: says that a task failed. */
import type { Code } from '../../frame/command.ts'
import type { TASK_FAIL } from '../../table/task.ts'
import { markAs } from './marking.ts'

export const run: Code<typeof TASK_FAIL> = (input, io) => {
  const { yes, json } = input.flags
  return markAs(
    input.args.task,
    { as: 'failed', why: input.flags.reason },
    { yes, json, line: input.typed, io },
  )
}
