/** A bar per iteration as inline SVG, with a title and a description for readers who do not see it. */
import { escapeHtml } from './html-text.ts'

export interface BarChart {
  /** Unique on the page. */
  id: string
  title: string
  bars: { name: string; value: number | null }[]
  format: (value: number) => string
}

const HEIGHT = 100
const SLOT = 10
const GAP = 2
/** With fewer bars than this, each would be a block. */
const SLOTS_MIN = 24
/** A value above zero is visible. */
const LEAST = 2

/** Null: there is nothing to compare. */
export function barChartHtml({ id, title, bars, format }: BarChart): string | null {
  const known = bars.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))
  const most = known.reduce((max, one) => (one.value > max.value ? one : max), { name: '', value: 0 })
  if (known.length < 2 || most.value <= 0) return null
  const slots = Math.max(bars.length, SLOTS_MIN)
  const rects = bars.map(({ name, value }, index) => {
    if (value === null || value <= 0) return ''
    const height = Math.max(LEAST, Math.round((value / most.value) * HEIGHT))
    const tip = `iteration ${name}: ${format(value)}`
    return `<rect x="${index * SLOT + GAP / 2}" y="${HEIGHT - height}" width="${SLOT - GAP}" height="${height}"><title>${escapeHtml(tip)}</title></rect>`
  })
  const range = `iterations ${known[0]?.name ?? ''} to ${known.at(-1)?.name ?? ''}`
  const summary = `most: ${format(most.value)} in iteration ${most.name}`
  return `<figure><figcaption><b>${escapeHtml(title)}</b> <span>${escapeHtml(summary)}</span></figcaption>
<svg role="img" aria-labelledby="${id}-title ${id}-desc" viewBox="0 0 ${slots * SLOT} ${HEIGHT}" preserveAspectRatio="none"><title id="${id}-title">${escapeHtml(title)}</title><desc id="${id}-desc">${escapeHtml(`A bar for each of ${range}; ${summary}.`)}</desc>${rects.join('')}</svg></figure>`
}
