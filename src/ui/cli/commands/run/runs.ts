/** `ralph runs`: lists the runs of the project, newest first. */
import { listProjectRuns, type ListedRun } from '../../../../app/run/run-list.ts'
import { formatSpentCell } from '../../../../core/text/format-amounts.ts'
import { formatElapsed } from '../../../plain/format-values.ts'
import { createPaint, type Paint } from '../../../plain/colours.ts'
import { formatTable, type Column } from '../../../plain/table.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { RUNS } from '../../command-table/quick-commands.ts'
import { printResult } from '../../framework/print-result.ts'
import { openProject } from '../../framework/open-project.ts'

const USUAL = 20

export const run: CommandHandler<typeof RUNS> = async (input, io) => {
  const { root } = await openProject(input, io)
  const { runs, lost } = await listProjectRuns(root, { limit: input.flags.limit ?? USUAL, all: input.flags.all })
  const p = createPaint(io.colour)
  const screen = (): string =>
    `${formatTable(runs, columns(runs, p), { p, ...(io.terminal ? { width: io.columns() } : {}) }).join('\n')}\n`
  const exit = printResult(runs, screen, { json: input.flags.json, io })
  if (lost !== null) io.err(`${lost}\n`)
  return exit
}

const TASKS: Column<ListedRun> = {
  title: 'tasks',
  spare: true,
  text: ({ tasks }) =>
    tasks === null ? '-' : `${tasks.done} done${tasks.failed > 0 ? `, ${tasks.failed} failed` : ''}`,
}

function columns(runs: ListedRun[], p: Paint): Column<ListedRun>[] {
  return [
    { title: 'run', text: ({ id, isThisWorkspace }) => (isThisWorkspace ? id : `${id} (other worktree)`) },
    { title: 'started', text: ({ started }) => started },
    { title: 'time', right: true, text: ({ durationMs }) => formatElapsed(durationMs) },
    { title: 'iter.', right: true, spare: true, text: ({ iterations }) => String(iterations) },
    ...(runs.some(({ tasks }) => tasks !== null) ? [TASKS] : []),
    { title: 'cost', right: true, spare: true, text: ({ usage }) => costOf(usage) },
    { title: 'agent', spare: true, text: ({ agents }) => agents.join(', ') || '-' },
    {
      title: 'outcome',
      text: ({ title, why }) => (why === null ? title : `${title}: ${why}`),
      paint: (text, { title, tone }) => `${p[tone](text.slice(0, title.length))}${text.slice(title.length)}`,
    },
  ]
}

function costOf({ usd, calls, unpriced, estimated }: ListedRun['usage']): string {
  return formatSpentCell({ usd: usd ?? 0, unknown: unpriced, estimated }, calls)
}
