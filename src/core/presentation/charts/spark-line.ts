/** Charts made of characters: a spark line for a series of numbers, a bar for a share. */
import { formatCompact, formatDollars } from '../../text/format-amounts.ts'
import type { IterationSeries } from './iteration-series.ts'

const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const
const UNKNOWN = '·'

/** One character per value, the newest `width` of them, from 0 to the largest one. */
export function sparkLine(values: readonly (number | null)[], width: number): string {
  const shown = newest(values, width)
  const max = largest(shown)
  return shown.map((value) => (value === null ? UNKNOWN : levelOf(value, max))).join('')
}

/** Zero is the lowest level; any other value is visibly more. */
function levelOf(value: number, max: number): string {
  if (value <= 0 || max <= 0) return LEVELS[0]
  return LEVELS[Math.max(1, Math.round((value / max) * (LEVELS.length - 1)))] ?? LEVELS[0]
}

export interface SparkRow {
  name: 'cost' | 'lines'
  chart: string
  /** What the highest point stands for. */
  max: string
}

/** A row for each series that has something to compare: two known values, one of them above zero. */
export function sparkRows({ usd, lines }: IterationSeries, width: number): SparkRow[] {
  const rows: (SparkRow & { values: readonly (number | null)[] })[] = [
    { name: 'cost', values: usd, chart: '', max: formatDollars(largest(newest(usd, width))) },
    { name: 'lines', values: lines, chart: '', max: formatCompact(largest(newest(lines, width))) },
  ]
  return rows
    .filter(({ values }) => isChartable(newest(values, width)))
    .map(({ name, values, max }) => ({ name, chart: sparkLine(values, width), max }))
}

function newest(values: readonly (number | null)[], width: number): readonly (number | null)[] {
  return values.slice(Math.max(0, values.length - width))
}

function isChartable(values: readonly (number | null)[]): boolean {
  return values.filter((value) => value !== null).length > 1 && largest(values) > 0
}

function largest(values: readonly (number | null)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0)
}

/** `▂▅█ max $0.25 per iteration`. */
export function sparkRowText({ name, chart, max }: SparkRow): string {
  return `${chart} max ${max}${name === 'lines' ? ' changed' : ''} per iteration`
}

/** A bar of `width` characters for a share between 0 and 1. */
export function barParts(share: number, width: number): { full: string; empty: string } {
  const held = Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 1
  const full = Math.round(held * width)
  return { full: '█'.repeat(full), empty: '░'.repeat(width - full) }
}

/** `██░░░░ 1 of 3 items done`. */
export function planBarText({ done, open }: { done: number; open: number }, width: number): string {
  const all = done + open
  const { full, empty } = barParts(all === 0 ? 0 : done / all, width)
  return `${full}${empty} ${planCountText({ done, open })}`
}

export function planCountText({ done, open }: { done: number; open: number }): string {
  const all = done + open
  return `${done} of ${all} ${all === 1 ? 'item' : 'items'} done`
}
