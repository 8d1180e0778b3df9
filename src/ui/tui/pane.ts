/** A pane: one object with everything that the screen and the keys need from it. `panes.ts` lists them. */
import type { DashboardScene } from './dashboard-scene.ts'
import type { ScreenLine, Size, Span } from './screen-line.ts'

/** `size` is always the space of the pane itself, below its title. */
export interface PaneView {
  /** Absent: the name of the pane. */
  title?: (scene: DashboardScene, tone: 'bold' | 'dim') => Span[]
  /** Further parts of the title; empty texts are omitted. */
  notes?: (scene: DashboardScene, size: Size) => string[]
  lines: (scene: DashboardScene, size: Size) => ScreenLine[]
  /** Its keys for the help line; the text after the last space says what a key does. */
  keys: readonly string[]
  /** Its own keys come before those that steer the run. */
  keysFirst?: true
  /** The number of rows it would fill; absent: as many as there are. */
  wants?: (scene: DashboardScene, size: Size) => number
  /** Moves this many lines up (negative) or down; absent: it does not scroll. */
  scroll?: (scene: DashboardScene, lines: number, size: Size) => DashboardScene
  /** What a search here looks through; absent together with `search`. */
  searches?: (scene: DashboardScene) => string
  /** Moves to the next match of the search, or to the previous one; absent: the agent's messages are searched. */
  search?: (scene: DashboardScene, way: { on: boolean }, size: Size) => DashboardScene
  /** Keys with a meaning of their own in this pane. */
  press?: Readonly<Record<string, (scene: DashboardScene) => DashboardScene>>
}
