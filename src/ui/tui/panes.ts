/** The smaller panes: the plan's boxes, decisions with their reasons, recent events, and the keys. */
import type { Instant } from '../../domain/ids.ts'
import { count } from '../plain/format.ts'
import { clipLine, say, type Line, type Size, type Tone } from './line.ts'
import { bar } from './pane-run.ts'
import type { Scene } from './scene.ts'
import { timeOfDay } from './time-of-day.ts'
import { shown, wrap } from './width.ts'

/** The first open box stands in sight; done ones above it, open ones below. */
export function planPane(scene: Scene, { columns, rows }: Size): Line[] {
  const boxes = scene.view?.workers['1']?.boxes ?? null
  if (boxes === null) return [[say('The plan has no boxes.', 'dim')]]
  const all = boxes.done + boxes.open
  const head: Line = [
    ...bar(all === 0 ? 0 : boxes.done / all, columns).map((span, index) =>
      index === 0 ? { ...span, tone: 'good' as const } : span,
    ),
    say(` ${boxes.done} of ${count(all, 'box', 'boxes')}`),
  ]
  const items = scene.plan ?? []
  const open = items.findIndex((item) => !item.done)
  const room = Math.max(0, rows - 1)
  const middle = Math.max(0, (open === -1 ? items.length : open) - Math.floor(room / 3))
  const first = scene.ui.at.plan?.entry ?? Math.min(middle, Math.max(0, items.length - room))
  const listed = items.slice(first, first + room).map(({ text, done }, index): Line => {
    const next = first + index === open
    const tone: Tone | undefined = done ? 'dim' : next ? 'bold' : undefined
    const words = `${done ? '[x]' : next ? '[▸]' : '[ ]'} ${text}`
    return [tone === undefined ? say(words) : say(words, tone)]
  })
  return [head, ...listed].map((line) => clipLine(line, columns))
}

export function planRows({ plan, view }: Scene): number {
  return view?.workers['1']?.boxes == null ? 1 : (plan?.length ?? 0) + 1
}

/** Newest at the bottom, with the whole reason. */
export function decisionsPane(scene: Scene, size: Size): Line[] {
  const decisions = scene.view?.decisions ?? []
  if (decisions.length === 0) return [[say('Nothing was decided yet.', 'dim')]]
  const items = decisions.map((one) => ({
    at: one.at,
    lead: `${one.by}: `,
    text: one.why,
    tone: LOUD.has(one.what) ? ('warn' as const) : undefined,
  }))
  return timed(items, scene, { size, at: scene.ui.at.decisions?.entry })
}

const LOUD = new Set([
  'refuse',
  'open',
  'half-open',
  'rest',
  'switch',
  'abort',
  'trouble',
  'pause',
  'stop',
  'warn',
  'unfit',
  'note',
])

export function eventsPane(scene: Scene, size: Size): Line[] {
  if (scene.events.length === 0) return [[say('Nothing has happened yet.', 'dim')]]
  const items = scene.events.map((one) => ({ at: one.at, lead: '', text: one.text, tone: one.tone }))
  return timed(items, scene, { size, at: scene.ui.at.events?.entry })
}

interface Timed {
  at: Instant
  lead: string
  text: string
  tone: Tone | undefined
}

const TIME = '00:00 '.length

/** From the last one shown upwards, as many as fit. */
function timed(
  items: Timed[],
  { zone }: Scene,
  { size, at }: { size: Size; at: number | undefined },
): Line[] {
  const lines: Line[] = []
  const last = Math.min(items.length - 1, at ?? items.length - 1)
  for (let index = last; index >= 0 && lines.length < size.rows; index -= 1) {
    const item = items[index]
    if (item === undefined) break
    const parts = wrap(shown(`${item.lead}${item.text}`), Math.max(1, size.columns - TIME))
    lines.unshift(
      ...parts.map((part, row): Line => {
        const time = row === 0 ? `${timeOfDay(item.at, zone)} ` : ' '.repeat(TIME)
        return [say(time, 'dim'), item.tone === undefined ? say(part) : say(part, item.tone)]
      }),
    )
  }
  return lines.slice(-size.rows)
}

const KEYS: [string, string][] = [
  ['q, Ctrl+C', 'leave; the run goes on, or is asked about'],
  ['p  r  x', 'pause after this iteration, go on, stop'],
  ['s', 'tell the agent something, next prompt'],
  ['tab, 1 to 7', 'words, decisions, events, plan, run,'],
  ['', 'iterations, detail; z: one alone, and back'],
  ['↑ ↓ PgUp PgDn', 'scroll or choose, also j k; g G: ends'],
  ['[  ]', 'an iteration back, forth; esc: live'],
  ['d  t  e  w', 'its diff, gate output, evidence; words'],
  ['enter, ← →', 'from the list to its diff; diff to gates …'],
  ['/  n  N', 'search words or detail; on, and back'],
  ['o', 'unfold what tools printed, and thoughts'],
  ['Ctrl+L, Ctrl+Z', 'redraw, suspend'],
]

/** What the marks before an iteration mean. */
const MARKS = '✓ moved  · nothing changed  ✗ refused'

export function helpPane({ columns }: Size): Line[] {
  const lines = KEYS.map(([keys, what]): Line => [say(keys.padEnd(15), 'bold'), say(what)])
  return [...lines, [say(MARKS, 'dim')]].map((line) => clipLine(line, columns))
}
