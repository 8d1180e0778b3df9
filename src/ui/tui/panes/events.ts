/** Events and the decisions about them, with their time and full reason. */
import type { Instant } from '../../../core/ids.ts'
import { decisionTone, lineText } from '../../../core/presentation/narrator.ts'
import { toSpan, type ScreenLine, type Size, type SpanTone } from '../screen-line.ts'
import { moveCursor } from '../list-window.ts'
import type { PaneView } from '../pane.ts'
import { scrolledBackHint, scrollPaneTo, type DashboardScene } from '../dashboard-scene.ts'
import { timeOfDay } from '../time-of-day.ts'
import { toPrintable, wrapText } from '../text-width.ts'

export const DECISIONS_PANE = timedPane('decisions', decisionLines, ({ view }) => view?.decisions.length ?? 0)
export const EVENTS_PANE = timedPane('events', eventLines, ({ events }) => events.length)

/** Newest at the bottom; follows new ones until the user scrolls back. */
function timedPane(
  pane: 'decisions' | 'events',
  lines: PaneView['lines'],
  lengthOf: (scene: DashboardScene) => number,
): PaneView {
  return {
    notes: (scene) => [scrolledBackHint(scene, pane)],
    lines,
    keys: ['[ ] iteration'],
    wants: (scene, size) => lines(scene, size).length,
    scroll(scene, by) {
      const last = lengthOf(scene) - 1
      if (last < 0) return scene
      const entry = moveCursor(scene.ui.at[pane]?.entry ?? last, by, last + 1)
      return scrollPaneTo(scene, pane, entry === last ? null : entry)
    },
  }
}

function decisionLines(scene: DashboardScene, size: Size): ScreenLine[] {
  const decisions = scene.view?.decisions ?? []
  if (decisions.length === 0) return [[toSpan('No decisions yet.', 'dim')]]
  const items = decisions.map((one) => ({
    at: one.at,
    lead: `${one.by}: `,
    text: one.why,
    tone: decisionTone(one) === 'warn' ? ('warn' as const) : undefined,
  }))
  return timed(items, scene, { size, at: scene.ui.at.decisions?.entry })
}

function eventLines(scene: DashboardScene, size: Size): ScreenLine[] {
  if (scene.events.length === 0) return [[toSpan('No events yet.', 'dim')]]
  const items = scene.events.map((one) => ({
    at: one.at,
    lead: one.mark === undefined ? '' : `${one.mark.glyph} `,
    text: lineText(one),
    tone: one.tone ?? one.mark?.tone,
  }))
  return timed(items, scene, { size, at: scene.ui.at.events?.entry })
}

interface Timed {
  at: Instant
  lead: string
  text: string
  tone: SpanTone | undefined
}

const TIME = '00:00 '.length

/** As many as fit, from the last one shown upwards. */
function timed(
  items: Timed[],
  { zone }: DashboardScene,
  { size, at }: { size: Size; at: number | undefined },
): ScreenLine[] {
  const lines: ScreenLine[] = []
  const last = Math.min(items.length - 1, at ?? items.length - 1)
  for (let index = last; index >= 0 && lines.length < size.rows; index -= 1) {
    const item = items[index]
    if (item === undefined) break
    const parts = wrapText(toPrintable(`${item.lead}${item.text}`), Math.max(1, size.columns - TIME))
    lines.unshift(
      ...parts.map((part, row): ScreenLine => {
        const time = row === 0 ? `${timeOfDay(item.at, zone)} ` : ' '.repeat(TIME)
        return [toSpan(time, 'dim'), toSpan(part, item.tone)]
      }),
    )
  }
  return lines.slice(-size.rows)
}
