/** The panes by their names: to add one, add its file in `panes/`, its name in `PANE_NAMES` and its row here. */
import type { DashboardScene, PaneName } from './dashboard-scene.ts'
import type { PaneView } from './pane.ts'
import { DETAIL_PANE } from './panes/detail.ts'
import { DECISIONS_PANE, EVENTS_PANE } from './panes/events.ts'
import { ITERATIONS_PANE } from './panes/iterations.ts'
import { OUTPUT_PANE } from './panes/output.ts'
import { PLAN_PANE } from './panes/plan.ts'
import { RUN_PANE } from './panes/run.ts'
import { TASKS_PANE } from './panes/tasks.ts'

const VIEWS: Readonly<Record<PaneName, PaneView>> = {
  messages: OUTPUT_PANE,
  decisions: DECISIONS_PANE,
  events: EVENTS_PANE,
  plan: PLAN_PANE,
  run: RUN_PANE,
  iterations: ITERATIONS_PANE,
  detail: DETAIL_PANE,
}

/** A run through tasks shows its tasks in place of the plan. */
export function paneViewOf(pane: PaneName, { tasks }: DashboardScene): PaneView {
  return pane === 'plan' && tasks !== null ? TASKS_PANE : VIEWS[pane]
}

/** `/` searches the messages, unless the pane with the focus can be searched itself. */
export function searchedPane(scene: DashboardScene): PaneName {
  return paneViewOf(scene.ui.focus, scene).search === undefined ? 'messages' : scene.ui.focus
}
