/** `ralph runs`: what has run here, newest first. */
import { runsOf, type ListedRun } from '../../../desk/run-list.ts'
import { EXIT } from '../../../domain/error.ts'
import { clockTime, dollars } from '../../plain/format.ts'
import { paint, type Paint } from '../../plain/paint.ts'
import { table, type Column } from '../../plain/table.ts'
import type { Run } from '../command.ts'
import { numberFlag } from '../numbers.ts'
import { openProject } from '../project.ts'

const USUAL = 20

export const run: Run = async (input, io) => {
  const { root } = await openProject(input, io)
  const { runs, lost } = await runsOf(root, numberFlag(input, 'limit', { min: 1 }) ?? USUAL)
  if (input.flags['json'] === true) io.out(`${JSON.stringify(runs)}\n`)
  else io.out(`${table(runs, columns(paint(io.colour)), paint(io.colour)).join('\n')}\n`)
  if (lost !== null) io.err(`${lost}\n`)
  return EXIT.done
}

function columns(p: Paint): Column<ListedRun>[] {
  return [
    { title: 'run', text: ({ id, here }) => (here ? id : `${id} (other tree)`) },
    { title: 'started', text: ({ started }) => started },
    { title: 'time', right: true, text: ({ startedAt, lastAt }) => clockTime(lastAt - startedAt) },
    { title: 'iterations', right: true, text: ({ iterations }) => String(iterations) },
    {
      title: 'cost',
      right: true,
      text: ({ usage }) => (usage.usd === null ? '?' : dollars(usage.usd, usage)),
    },
    { title: 'agent', text: ({ agent }) => agent ?? '-' },
    { title: 'outcome', text: (one) => outcomeOf(one, p) },
  ]
}

function outcomeOf({ is, end }: ListedRun, p: Paint): string {
  if (end === null) return is === 'going' ? p.good('going on') : p.warn('unfinished: ralph resume')
  if (end.outcome === 'needs_acceptance')
    return end.verdict === 'proven' ? p.good('proven, accepted') : p.warn('done, if accepted: ralph accept')
  return `${end.verdict === 'proven' ? p.good('proven') : p.warn(end.verdict.replaceAll('-', ' '))}: ${end.outcome}`
}
