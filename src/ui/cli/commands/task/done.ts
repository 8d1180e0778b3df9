/** `ralph task done`: says that a task is done. */
import type { Code } from '../../frame/command.ts'
import type { TASK_DONE } from '../../table/task.ts'
import { markAs } from './marking.ts'

export const run: Code<typeof TASK_DONE> = (input, io) => {
  const { yes, json } = input.flags
  return markAs(input.args.task, { as: 'done' }, { yes, json, line: input.typed, io })
}
