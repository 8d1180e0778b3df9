/** The items of the plan. */
import { planCountText } from '../../../core/presentation/charts/spark-line.ts'
import { clipLine, toSpan, type ScreenLine, type Size, type SpanTone } from '../screen-line.ts'
import { moveCursor } from '../list-window.ts'
import type { PaneView } from '../pane.ts'
import { scrollPaneTo, type DashboardScene } from '../dashboard-scene.ts'
import { changedSinceRun, planProgress } from '../plan-progress.ts'

export const PLAN_PANE: PaneView = {
  notes(scene) {
    const counts = planProgress(scene)
    return [counts === null ? '' : planCountText(counts), changedSinceRun(scene) ? 'changed since the run' : '']
  },
  lines: planLines,
  keys: ['[ ] iteration'],
  wants: ({ plan }) => Math.max(1, plan?.length ?? 0),
  scroll(scene, by, { rows }) {
    const length = scene.plan?.length ?? 0
    return scrollPaneTo(scene, 'plan', moveCursor(firstVisibleItem(scene, rows), by, Math.max(1, length - rows + 1)))
  },
}

/** Unless the user scrolled, the next item is visible, with some finished ones above it. */
function firstVisibleItem({ plan, ui }: DashboardScene, rows: number): number {
  const items = plan ?? []
  const open = items.findIndex((item) => !item.done)
  const wanted = ui.at.plan?.entry ?? (open === -1 ? items.length : open) - Math.floor(rows / 3)
  return Math.max(0, Math.min(wanted, items.length - rows))
}

function planLines(scene: DashboardScene, { columns, rows }: Size): ScreenLine[] {
  const items = scene.plan ?? []
  if (items.length === 0) return [[toSpan('The plan has no items.', 'dim')]]
  const open = items.findIndex((item) => !item.done)
  const first = firstVisibleItem(scene, rows)
  return items.slice(first, first + rows).map(({ text, done }, index) => {
    const isNext = first + index === open
    const tone: SpanTone | undefined = done ? 'dim' : isNext ? 'bold' : undefined
    return clipLine([toSpan(`${done ? '[x]' : isNext ? '[▸]' : '[ ]'} ${text}`, tone)], columns)
  })
}
