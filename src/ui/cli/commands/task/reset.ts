/** `ralph task reset`: has a task done again. */
import type { Code } from '../../frame/command.ts'
import type { TASK_RESET } from '../../table/task.ts'
import { markAs } from './marking.ts'

export const run: Code<typeof TASK_RESET> = (input, io) => {
  const { yes, json } = input.flags
  return markAs(input.args.task, { as: 'reset', all: input.flags.all }, { yes, json, line: input.typed, io })
}
