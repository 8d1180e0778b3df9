/** The plan's boxes. */
import { focus } from '../../../domain/tell/focus.ts'
import { count } from '../../plain/format.ts'
import { clipLine, say, type ScreenLine, type Size, type SpanTone } from '../line.ts'
import type { Scene } from '../scene.ts'
import { bar } from './run.ts'

/** The first open box stands in sight; done ones above it, open ones below. */
export function planPane(scene: Scene, { columns, rows }: Size): ScreenLine[] {
  const boxes = focus(scene.view)?.boxes ?? null
  if (boxes === null) return [[say('The plan has no boxes.', 'dim')]]
  const all = boxes.done + boxes.open
  const head: ScreenLine = [
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
  const listed = items.slice(first, first + room).map(({ text, done }, index): ScreenLine => {
    const next = first + index === open
    const tone: SpanTone | undefined = done ? 'dim' : next ? 'bold' : undefined
    const words = `${done ? '[x]' : next ? '[▸]' : '[ ]'} ${text}`
    return [tone === undefined ? say(words) : say(words, tone)]
  })
  return [head, ...listed].map((line) => clipLine(line, columns))
}

export function planRows({ plan, view }: Scene): number {
  return focus(view)?.boxes == null ? 1 : (plan?.length ?? 0) + 1
}
