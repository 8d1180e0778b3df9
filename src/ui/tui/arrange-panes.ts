/**
 * Decides which panes are shown where at this size. Wide screens have two columns: on the left the run, its plan and the events, on the
 * right the iterations and one of them in detail. Others have the run on top and the pane with the focus below it.
 */
import { lastIterationPosition } from './iterations.ts'
import { layOutPanes, type PaneLayout, type LayoutSpec, type SizeNeeds } from './layout.ts'
import type { Size } from './screen-line.ts'
import { runPaneHeight } from './panes/run.ts'
import { paneViewOf } from './panes.ts'
import { isRunOver, type PaneName, type DashboardScene } from './dashboard-scene.ts'

/** The minimum size for two columns. */
const TWO_COLUMNS: Size = { columns: 100, rows: 18 }
/** From this height on, the iterations are shown between the run and the pane with the focus. */
const THREE_STACKED = 20
/** Output and detail are both shown below the iterations if each has this many rows. */
const BOTH = 12
/** A smaller pane shows too little to be useful. */
const LEAST = 4
/** The title line above each pane. */
const TITLE = 1

export function arrangePanes(scene: DashboardScene, body: Size): PaneLayout<PaneName> {
  return layOutPanes(shape(scene, body), body)
}

function shape(scene: DashboardScene, body: Size): LayoutSpec<PaneName> {
  const { focus, zoomed } = scene.ui
  if (zoomed) return alone(focus)
  if (hasColumns(body)) return columns(scene, body)
  return focus === 'run' ? alone('run') : stacked(scene, body)
}

function hasColumns(body: Size): boolean {
  return body.columns >= TWO_COLUMNS.columns && body.rows >= TWO_COLUMNS.rows
}

function alone(pane: PaneName): LayoutSpec<PaneName> {
  return { ...toSizeNeeds({ min: 1, grow: 1 }), pane }
}

/** The run is above another pane, and needs no title: its rows have labels. */
export function isStacked({ ui }: DashboardScene, body: Size): boolean {
  return !ui.zoomed && !hasColumns(body) && ui.focus !== 'run'
}

/** While the run is running, its current activity matters more than its other facts; afterwards its outcome does. */
const FACTS_GOING = 8
const FACTS_OVER = 11

function stacked(scene: DashboardScene, body: Size): LayoutSpec<PaneName> {
  const { focus, main } = scene.ui
  const facts = runPaneHeight(scene, body.columns)
  const three = body.rows >= THREE_STACKED
  const most = three ? (isRunOver(scene) ? FACTS_OVER : FACTS_GOING) : Math.floor(body.rows / 2)
  const run: LayoutSpec<PaneName> = { ...toSizeNeeds({ min: Math.min(facts, most), gives: 0 }), pane: 'run' }
  const lowest = focus === 'iterations' ? (three ? main : focus) : focus
  const rest: LayoutSpec<PaneName> = { ...toSizeNeeds({ min: LEAST, grow: 1, gives: 0 }), pane: lowest }
  if (!three) return { ...toSizeNeeds({ min: 1 }), rows: [run, rest] }
  const listed = focus === 'iterations' ? Math.floor((body.rows - most) / 2) : LEAST + TITLE
  const list: LayoutSpec<PaneName> = { ...iterationsRoom(scene, listed), pane: 'iterations' }
  return { ...toSizeNeeds({ min: 1 }), rows: [run, list, rest] }
}

function leftWidth(columns: number): number {
  return Math.max(46, Math.min(72, Math.floor(columns * 0.42)))
}

function columns(scene: DashboardScene, body: Size): LayoutSpec<PaneName> {
  const width = leftWidth(body.columns)
  const inner = { columns: width, rows: body.rows }
  const keep = (pane: PaneName, gives: number): number => (scene.ui.focus === pane ? -1 : gives)
  const part = (pane: PaneName, space: Partial<SizeNeeds> & { gives: number }): LayoutSpec<PaneName> => {
    const want = (paneViewOf(pane, scene).wants?.(scene, inner) ?? 0) + TITLE
    return { ...toSizeNeeds({ min: LEAST, want, ...space }), pane }
  }
  const left = [
    {
      ...toSizeNeeds({ min: Math.min(runPaneHeight(scene, width) + TITLE, Math.floor(body.rows / 2)) }),
      pane: 'run' as const,
    },
    part('plan', { gives: keep('plan', 2) }),
    part('decisions', { gives: keep('decisions', 3) }),
    part('events', { gives: keep('events', 4), grow: 1 }),
  ]
  return {
    ...toSizeNeeds({ min: 1 }),
    columns: [
      { ...toSizeNeeds({ min: width }), rows: left },
      { ...toSizeNeeds({ min: 1, grow: 1 }), rows: right(scene, body) },
    ],
  }
}

function right(scene: DashboardScene, body: Size): LayoutSpec<PaneName>[] {
  const { focus, main } = scene.ui
  const most = Math.floor(body.rows / (focus === 'iterations' ? 2 : 3))
  const list: LayoutSpec<PaneName> = { ...iterationsRoom(scene, most), pane: 'iterations' }
  const near = (pane: 'messages' | 'detail'): LayoutSpec<PaneName> => ({
    ...toSizeNeeds({ min: BOTH, grow: 1, gives: pane === main ? -1 : 9 }),
    pane,
  })
  // If only one of them fits, it needs no more space than any other pane.
  const both = body.rows - Math.min(most, list.want) >= 2 * BOTH
  return both ? [list, near('messages'), near('detail')] : [list, { ...near(main), min: LEAST }]
}

function iterationsRoom(scene: DashboardScene, most: number): SizeNeeds {
  const want = Math.max(LEAST, Math.min(most, lastIterationPosition(scene) + TITLE))
  return toSizeNeeds({ min: LEAST, want, gives: scene.ui.focus === 'iterations' ? -1 : 5 })
}

function toSizeNeeds({ min, want = min, grow = 0, gives = 0 }: Partial<SizeNeeds> & { min: number }): SizeNeeds {
  return { min, want, grow, gives }
}
