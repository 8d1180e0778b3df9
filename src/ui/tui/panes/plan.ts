/** The plan's checkboxes. */
import { focusedWorker } from '../../../core/presentation/focused-worker.ts'
import { plural } from '../../plain/format-values.ts'
import { clipLine, toSpan, type ScreenLine, type Size, type SpanTone } from '../screen-line.ts'
import { moveCursor } from '../list-window.ts'
import type { PaneView } from '../pane.ts'
import { isRunOver, scrollPaneTo, type DashboardScene } from '../dashboard-scene.ts'
import { progressBar } from './run.ts'

export const PLAN_PANE: PaneView = {
  notes(scene) {
    const checkboxes = focusedWorker(scene.view)?.checkboxes
    const done = scene.plan?.filter((checkbox) => checkbox.done).length
    const changed = checkboxes != null && scene.plan !== null && isRunOver(scene) && checkboxes.done !== done
    return [changed ? 'as it stands now' : '']
  },
  lines: planLines,
  keys: ['[ ] iteration'],
  wants: ({ plan, view }) => (focusedWorker(view)?.checkboxes == null ? 1 : (plan?.length ?? 0) + 1),
  scroll(scene, by) {
    const length = scene.plan?.length ?? 0
    return length === 0 ? scene : scrollPaneTo(scene, 'plan', moveCursor(scene.ui.at.plan?.entry ?? 0, by, length))
  },
}

/** The first open checkbox is visible; done ones above it, open ones below. */
function planLines(scene: DashboardScene, { columns, rows }: Size): ScreenLine[] {
  const checkboxes = focusedWorker(scene.view)?.checkboxes ?? null
  if (checkboxes === null) return [[toSpan('The plan has no boxes.', 'dim')]]
  const all = checkboxes.done + checkboxes.open
  const head: ScreenLine = [
    ...progressBar(all === 0 ? 0 : checkboxes.done / all, columns).map((span, index) =>
      index === 0 ? { ...span, tone: 'good' as const } : span,
    ),
    toSpan(` ${checkboxes.done} of ${plural(all, 'box', 'boxes')}`),
  ]
  const items = scene.plan ?? []
  const open = items.findIndex((item) => !item.done)
  const room = Math.max(0, rows - 1)
  const middle = Math.max(0, (open === -1 ? items.length : open) - Math.floor(room / 3))
  const first = scene.ui.at.plan?.entry ?? Math.min(middle, Math.max(0, items.length - room))
  const listed = items.slice(first, first + room).map(({ text, done }, index): ScreenLine => {
    const next = first + index === open
    const tone: SpanTone | undefined = done ? 'dim' : next ? 'bold' : undefined
    const words = `${done ? '[x]' : next ? '[▸]' : '[ ]'} ${text}`
    return [toSpan(words, tone)]
  })
  return [head, ...listed].map((line) => clipLine(line, columns))
}
