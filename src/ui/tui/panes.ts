/** The panes by their names: to add one, add its file in `panes/`, its name in `PANE_NAMES` and its row here. */
import type { DashboardScene, PaneName } from './dashboard-scene.ts'
import type { PaneView } from './pane.ts'
import { DETAIL } from './panes/detail.ts'
import { DECISIONS, EVENTS } from './panes/events.ts'
import { ITERATIONS } from './panes/iterations.ts'
import { OUTPUT } from './panes/output.ts'
import { PLAN } from './panes/plan.ts'
import { RUN } from './panes/run.ts'
import { TASKS } from './panes/tasks.ts'

const VIEWS: Readonly<Record<PaneName, PaneView>> = {
  words: OUTPUT,
  decisions: DECISIONS,
  events: EVENTS,
  plan: PLAN,
  run: RUN,
  iterations: ITERATIONS,
  detail: DETAIL,
}

/** A run through tasks shows its tasks in place of the plan. */
export function paneViewOf(pane: PaneName, { tasks }: DashboardScene): PaneView {
  return pane === 'plan' && tasks !== null ? TASKS : VIEWS[pane]
}
