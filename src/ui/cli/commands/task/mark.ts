/** `ralph task done`, `ralph task fail` and `ralph task reset`: what a person says of a task, and what follows from it. */
import { markTypedTask, type TaskMark, type MarkedTask } from '../../../../app/task/change.ts'
import { never } from '../../../../core/assert-never.ts'
import { changeLines } from '../../../plain/screens/task-lines.ts'
import { shown } from '../../../tui/text-width.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { Io } from '../../frame/io.ts'
import type { TASK_DONE, TASK_FAIL, TASK_RESET } from '../../table/task.ts'
import { confirmLoss } from './confirm.ts'
import { screenStyleOf, storeLocationOf } from './task-io.ts'

export const done: CommandCode<typeof TASK_DONE> = (input, io) => markAs({ as: 'done' }, input, io)

export const fail: CommandCode<typeof TASK_FAIL> = (input, io) =>
  markAs({ as: 'failed', why: input.flags.reason }, input, io)

export const reset: CommandCode<typeof TASK_RESET> = (input, io) =>
  markAs({ as: 'reset', all: input.flags.all }, input, io)

interface MarkInput {
  args: { task: string }
  flags: { yes: boolean; json: boolean }
  typed: string
}

async function markAs(mark: TaskMark, { args, flags, typed }: MarkInput, io: Io): Promise<number> {
  const { yes, json } = flags
  const location = storeLocationOf(io)
  let tried = await markTypedTask(location, args.task, { mark, confirmed: yes ? 'anything' : 'harmless' })
  if (!tried.applied) {
    const { lost } = tried.what
    const told = `somebody works on ${lost.join(', ')} and would lose it`
    const end = await confirmLoss({ told, question: 'Take it away?', line: typed }, { io, json })
    if (end !== null) return end
    // What was typed may begin another's id by now.
    tried = await markTypedTask(location, tried.what.task.id, { mark, confirmed: 'anything' })
  }
  const { task, ...marked } = tried.what
  const screen = (): string => words(mark, tried.what, io)
  return answer({ ...task, ...marked }, screen, { json, io })
}

function words(mark: TaskMark, { task, tasks, lost, changes }: MarkedTask, io: Io): string {
  const { p } = screenStyleOf(io)
  return `${[
    `Task ${task.id} "${shown(task.title)}" ${whatNow(mark, { id: task.id, tasks })}`,
    ...(lost.length > 0 ? [p.dim(`  taken from who worked on it: ${lost.join(', ')}`)] : []),
    ...changeLines(changes, p),
  ].join('\n')}\n`
}

function whatNow(mark: TaskMark, { id, tasks }: { id: string; tasks: string[] }): string {
  switch (mark.as) {
    case 'done':
      return 'is done.'
    case 'failed':
      return 'is failed.'
    case 'reset':
      return tasks.length === 0
        ? `has nothing below it that failed. All of it again: ralph task reset ${id} --all`
        : 'will be done again.'
    default:
      return never(mark)
  }
}
