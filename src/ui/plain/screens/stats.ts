/** Statistics as a table, with bars on a terminal. */
import { formatSpentCell } from '../../../core/text/format-amounts.ts'
import type { Stats, StatsRow } from '../../../core/presentation/stats.ts'
import { oneLine } from '../../../core/text/sanitize.ts'
import { formatElapsed, formatCompact } from '../format-values.ts'
import type { Paint } from '../colours.ts'
import { textBar, formatTable, type Column } from '../table.ts'

const KEY_MAX = 40
const BAR = 16

const ofRuns: Column<StatsRow>[] = [
  { title: 'proven runs', right: true, text: ({ proven, runs }) => `${proven} of ${runs}` },
]
const ofTasks: Column<StatsRow>[] = [
  { title: 'runs', right: true, spare: true, text: ({ runs }) => String(runs) },
  { title: 'done', right: true, text: ({ settled }) => String(settled?.done ?? 0) },
  { title: 'failed', right: true, text: ({ settled }) => String(settled?.failed ?? 0) },
]

export function statsTable(
  { by, rows, total }: Stats,
  { bars, p, width }: { bars: boolean; p: Paint; width?: number },
): string {
  if (rows.length === 0) return 'No iterations yet.\n'
  const most = Math.max(...rows.map((row) => row.durationMs))
  const columns: Column<StatsRow>[] = [
    { title: by, text: ({ key, title }) => oneLine(title === undefined ? key : `${key} ${title}`, KEY_MAX) },
    ...(total.settled === undefined ? ofRuns : ofTasks),
    { title: 'iterations', right: true, text: ({ iterations }) => String(iterations) },
    {
      // Calls of the agent that failed: a crash, an outage, a limit. Whether the work is good, only the proof tells.
      title: 'agent errors',
      right: true,
      spare: true,
      text: ({ succeeded, iterations }) => String(iterations - succeeded),
    },
    { title: 'agent time', right: true, text: ({ durationMs }) => formatElapsed(durationMs) },
    { title: 'tokens', right: true, spare: true, text: ({ tokens }) => (tokens === 0 ? '-' : formatCompact(tokens)) },
    {
      title: 'cost',
      right: true,
      // Reviews may report a cost where iterations do not: then the sum is too low, not unknown.
      text: (row) => formatSpentCell(row, row.usd > 0 ? 0 : row.iterations),
    },
  ]
  const shares: Column<StatsRow> = {
    title: '',
    text: ({ key, durationMs }) => (key === total.key ? '' : textBar(durationMs / Math.max(1, most), BAR)),
  }
  const lines = formatTable([...rows, total], bars ? [...columns, shares] : columns, {
    p,
    ...(width === undefined ? {} : { width }),
  })
  const unknown = total.unknown === 0 ? [] : [p.dim('? cost unknown: the agent does not report it')]
  const estimated = total.estimated === 0 ? [] : [p.dim('~ estimated from tokens and list prices')]
  return `${[...lines, ...unknown, ...estimated].join('\n')}\n`
}
