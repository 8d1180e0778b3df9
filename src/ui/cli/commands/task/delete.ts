/** `ralph task delete`: shows what goes, asks, and deletes just that. */
import { removeTypedTask, type Removal } from '../../../../app/task/change.ts'
import { RalphError } from '../../../../core/error.ts'
import { describeTask } from '../../../../core/tasks/task-text.ts'
import { count } from '../../../plain/format-time.ts'
import { changeLines } from '../../../plain/screens/task-lines.ts'
import { shown } from '../../../tui/text-width.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { Io } from '../../frame/io.ts'
import type { TASK_DELETE } from '../../table/task.ts'
import { confirmLoss } from './confirm.ts'
import { screenStyleOf, storeLocationOf } from './task-io.ts'

export const run: CommandCode<typeof TASK_DELETE> = async (input, io) => {
  const { unblock, yes, json } = input.flags
  const location = storeLocationOf(io)
  let tried = await removeTypedTask(location, input.args.task, {
    unblock,
    confirmed: yes ? 'anything' : 'harmless',
  })
  if (!tried.applied) {
    const would = tried.what
    const told = [sentence(would, 'would be'), releasedWords(would), historyWords(would)]
      .filter((words) => words !== '')
      .join(' ')
    const end = await confirmLoss({ told, question: 'Delete?', line: input.typed }, { io, json })
    if (end !== null) return end
    tried = await removeTypedTask(location, would.id, { unblock, confirmed: { to: would } })
    if (!tried.applied)
      throw new RalphError(
        'changed-meanwhile',
        `the tasks below ${would.id} changed meanwhile; nothing was deleted`,
        {
          hint: `Look again: ralph task tree ${would.id}`,
        },
      )
  }
  const removal = tried.what
  return answer(removal, () => screen(removal, io), { json, io })
}

function screen(removal: Removal, io: Io): string {
  const { p } = screenStyleOf(io)
  const applied = removal.archived.length === 0 ? [] : [p.dim(`  ${historyWords(removal)}`)]
  const released = removal.released.map(({ id, title }) =>
    p.dim(`  ${shown(describeTask({ task: id, title }))} waits for it no longer`),
  )
  return `${[sentence(removal, 'is'), ...applied, ...released, ...changeLines(removal.changes, p)].join('\n')}\n`
}

function sentence({ id, title, removed, archived }: Removal, verb: 'is' | 'would be'): string {
  const below = removed.length + archived.length - 1
  const more = below === 0 ? '' : `, with ${count(below, 'task')} below it`
  return `Task ${shown(describeTask({ task: id, title }))} ${verb} deleted${more}.`
}

/** More of them than this nobody reads before a yes. */
const NAMED_MAX = 6

function releasedWords({ released }: Removal): string {
  if (released.length === 0) return ''
  const names = released.slice(0, NAMED_MAX).map(({ id, title }) => shown(describeTask({ task: id, title })))
  const more = released.length > NAMED_MAX ? [`${released.length - NAMED_MAX} more`] : []
  return `Would wait for it no longer: ${[...names, ...more].join(', ')}.`
}

function historyWords({ archived }: Removal): string {
  const [first, second] = archived
  if (first === undefined) return ''
  return `What was worked on keeps its log: ${second === undefined ? `ralph task log ${first}` : 'ralph task list --archived'}`
}
