/** `ralph task done`, `fail`, `reset` and `delete`, and `ralph skip`: a person decides about a task; prints what follows from it. */
import {
  markTaskByPrefix,
  removeTaskByPrefix,
  skipTask,
  type MarkedTask,
  type TaskRemoval,
  type TaskMark,
} from '../../../../app/task/change.ts'
import { assertNever } from '../../../../core/assert-never.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { describeTask } from '../../../../core/tasks/task-text.ts'
import { plural } from '../../../plain/format-values.ts'
import { derivedChangeLines } from '../../../plain/screens/task-lines.ts'
import { toPrintable } from '../../../tui/text-width.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { Io } from '../../framework/io.ts'
import { printResult, styleOf } from '../../framework/print-result.ts'
import { storeLocationOf } from '../../framework/project-root.ts'
import { receiptExit } from '../../framework/receipt.ts'
import type { SKIP, TASK_DELETE, TASK_DONE, TASK_FAIL, TASK_RESET } from '../../command-table/task-commands.ts'
import { confirmDeletion } from '../confirm-deletion.ts'

export const done: CommandHandler<typeof TASK_DONE> = (input, io) => markAs({ as: 'done' }, input, io)

export const fail: CommandHandler<typeof TASK_FAIL> = (input, io) =>
  markAs({ as: 'failed', why: input.flags.reason }, input, io)

export const reset: CommandHandler<typeof TASK_RESET> = (input, io) =>
  markAs({ as: 'reset', all: input.flags.all }, input, io)

interface MarkInput {
  args: { task: string }
  flags: { yes: boolean; json: boolean }
  typed: string
}

async function markAs(mark: TaskMark, { args, flags, typed }: MarkInput, io: Io): Promise<number> {
  const { yes, json } = flags
  const location = storeLocationOf(io)
  let tried = await markTaskByPrefix(location, args.task, { mark, confirmed: yes ? 'anything' : 'harmless' })
  if (!tried.applied) {
    const { lost } = tried.what
    const told = `a run is working on ${lost.join(', ')}; this would stop that work`
    const end = await confirmDeletion({ told, question: 'Stop that work?', line: typed }, { io, json })
    if (end !== null) return end
    // By now the typed prefix may match another task.
    tried = await markTaskByPrefix(location, tried.what.task.id, { mark, confirmed: 'anything' })
  }
  const { task, ...marked } = tried.what
  const screen = (): string => words(mark, tried.what, io)
  return printResult({ ...task, ...marked }, screen, { json, io })
}

function words(mark: TaskMark, { task, tasks, lost, changes }: MarkedTask, io: Io): string {
  const { p } = styleOf(io)
  return `${[
    `Task ${task.id} "${toPrintable(task.title)}" ${whatNow(mark, { id: task.id, tasks })}`,
    ...(lost.length > 0 ? [p.dim(`  the run stops working on: ${lost.join(', ')}`)] : []),
    ...derivedChangeLines(changes, p),
  ].join('\n')}\n`
}

function whatNow(mark: TaskMark, { id, tasks }: { id: string; tasks: string[] }): string {
  switch (mark.as) {
    case 'done':
      return 'is done.'
    case 'failed':
      return 'is marked failed.'
    case 'reset':
      return tasks.length === 0
        ? `has no failed subtasks. To reset all its subtasks: ralph task reset ${id} --all`
        : 'will run again.'
    default:
      return assertNever(mark)
  }
}

/** Fails a task, even while an agent works on it. */
export const skip: CommandHandler<typeof SKIP> = async (input, io) => {
  const skipped = await skipTask(storeLocationOf(io), input.args.task)
  const name = toPrintable(describeTask(skipped))
  const screen = (): string => {
    if (skipped.how === 'asked')
      return `${skipped.receipt.state}: ${skipped.receipt.note ?? `the run will skip ${name}`}\n`
    return `${[`Skipped task ${name}: it is marked failed.`, ...derivedChangeLines(skipped.changes, styleOf(io).p)].join('\n')}\n`
  }
  const exit = skipped.how === 'asked' ? receiptExit(skipped.receipt) : EXIT.done
  return printResult(skipped, screen, { json: input.flags.json, io, exit })
}

/** Shows what will be deleted, asks, and deletes exactly that. */
export const remove: CommandHandler<typeof TASK_DELETE> = async (input, io) => {
  const { unblock, yes, json } = input.flags
  const location = storeLocationOf(io)
  let tried = await removeTaskByPrefix(location, input.args.task, { unblock, confirmed: yes ? 'anything' : 'harmless' })
  if (!tried.applied) {
    const would = tried.what
    const told = [sentence(would, 'would be'), releasedWords(would), historyWords(would)]
      .filter((words) => words !== '')
      .join(' ')
    const end = await confirmDeletion({ told, question: 'Delete?', line: input.typed }, { io, json })
    if (end !== null) return end
    tried = await removeTaskByPrefix(location, would.id, { unblock, confirmed: { to: would } })
    if (!tried.applied)
      throw new RalphError(
        'changed-meanwhile',
        `the tasks below ${would.id} changed in the meantime; nothing was deleted`,
        {
          hint: `Check again: ralph task tree ${would.id}`,
        },
      )
  }
  const removal = tried.what
  return printResult(removal, () => removedText(removal, io), { json, io })
}

function removedText(removal: TaskRemoval, io: Io): string {
  const { p } = styleOf(io)
  const applied = removal.archived.length === 0 ? [] : [p.dim(`  ${historyWords(removal)}`)]
  const released = removal.released.map(({ id, title }) =>
    p.dim(`  ${toPrintable(describeTask({ task: id, title }))} no longer waits for it`),
  )
  return `${[sentence(removal, 'is'), ...applied, ...released, ...derivedChangeLines(removal.changes, p)].join('\n')}\n`
}

function sentence({ id, title, removed, archived }: TaskRemoval, verb: 'is' | 'would be'): string {
  const below = removed.length + archived.length - 1
  const more = below === 0 ? '' : `, with ${plural(below, 'task')} below it`
  return `Task ${toPrintable(describeTask({ task: id, title }))} ${verb} deleted${more}.`
}

/** Nobody reads a longer list before a yes. */
const NAMED_MAX = 6

function releasedWords({ released }: TaskRemoval): string {
  if (released.length === 0) return ''
  const names = released.slice(0, NAMED_MAX).map(({ id, title }) => toPrintable(describeTask({ task: id, title })))
  const more = released.length > NAMED_MAX ? [`${released.length - NAMED_MAX} more`] : []
  return `Tasks that would no longer wait for it: ${[...names, ...more].join(', ')}.`
}

function historyWords({ archived }: TaskRemoval): string {
  const [first, second] = archived
  if (first === undefined) return ''
  return `Logs of started tasks are kept: ${second === undefined ? `ralph task log ${first}` : 'ralph task list --archived'}`
}
