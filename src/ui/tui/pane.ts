/** What a pane is: one object with all that the screen and the keys ask of it. `panes.ts` lists them. */
import type { DashboardScene } from './dashboard-scene.ts'
import type { ScreenLine, Size, Span } from './screen-line.ts'

/** `size` is always the space of the pane itself, below its title. */
export interface PaneView {
  /** Absent: the name of the pane. */
  title?(scene: DashboardScene, tone: 'bold' | 'dim'): Span[]
  /** More of the title; empty texts are left out. */
  notes?(scene: DashboardScene, size: Size): string[]
  lines(scene: DashboardScene, size: Size): ScreenLine[]
  /** Keys of use in it, each with what it does after the last space. */
  keys: readonly string[]
  /** Its own keys stand before those that steer the run. */
  keysFirst?: true
  /** Rows that it would fill; absent: as many as there are. */
  wants?(scene: DashboardScene, size: Size): number
  /** So many lines up (negative) or down; absent: it does not move. */
  scroll?(scene: DashboardScene, lines: number, size: Size): DashboardScene
  /** To the next place that has the searched words, or back to the one before; absent: the agent's words are searched. */
  search?(scene: DashboardScene, way: { on: boolean }, size: Size): DashboardScene
  /** Keys that mean something else here, or nothing elsewhere. */
  press?: Readonly<Record<string, (scene: DashboardScene) => DashboardScene>>
}
