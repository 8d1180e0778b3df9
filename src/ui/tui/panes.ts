/** Each pane in one place: what it shows, what its title says, which keys help in it and how many rows it would fill. */
import { focus } from '../../core/presentation/focused-worker.ts'
import { detailIteration, iterationName, lastIteration } from './iterations.ts'
import { toSpan, type ScreenLine, type Size, type Span } from './line.ts'
import { visibleRangeText } from './list-window.ts'
import { detailLines, detailPane, detailTop } from './panes/detail.ts'
import { iterationsPane, iterationsTop } from './panes/iterations.ts'
import { planPane, planRows } from './panes/plan.ts'
import { runPane } from './panes/run.ts'
import { decisionsPane, eventsPane } from './panes/events.ts'
import { tasksPane, tasksRows } from './panes/tasks.ts'
import { outputPane } from './panes/output.ts'
import { isRunOver, PARTS, type Pane, type DashboardScene } from './dashboard-scene.ts'

interface PaneView {
  /** Absent: the name of the pane. */
  title?: (scene: DashboardScene, tone: 'bold' | 'dim') => Span[]
  /** More of the title; empty texts are left out. */
  notes: (scene: DashboardScene, size: Size) => string[]
  lines(scene: DashboardScene, size: Size): ScreenLine[]
  /** Keys of use in it, each with what it does after the last space. */
  keys: readonly string[]
  /** Its own keys stand before those that steer the run. */
  keysFirst?: true
  /** Rows that it would fill; absent: as many as there are. */
  wants?(scene: DashboardScene, size: Size): number
}

/** The tasks, if the run has any, stand where the plan would. */
export function viewOf(pane: Pane, { tasks }: DashboardScene): PaneView {
  return pane === 'plan' && tasks !== null ? TASKS : VIEWS[pane]
}

const VIEWS: Readonly<Record<Pane, PaneView>> = {
  words: {
    notes: ({ ui, outputSource, words }) => [
      outputSource === null ? '' : `iteration ${outputSource.iteration}`,
      liveNote({ ui }),
      backNote({ ui }, 'words'),
      ui.search === '' ? '' : `"${ui.search}"`,
      ui.expanded ? 'expanded' : '',
      words.gone > 0 && ui.at.words === undefined ? `${words.gone} lines gone` : '',
    ],
    lines: outputPane,
    keys: ['/ search', 'o unfold', '[ ] iteration', 'd diff'],
  },
  decisions: {
    notes: (scene) => [backNote(scene, 'decisions')],
    lines: decisionsPane,
    keys: ['[ ] iteration'],
    wants: (scene, size) => decisionsPane(scene, size).length,
  },
  events: {
    notes: (scene) => [backNote(scene, 'events')],
    lines: eventsPane,
    keys: ['[ ] iteration'],
    wants: (scene, size) => eventsPane(scene, size).length,
  },
  plan: {
    notes: (scene) => {
      const checkboxes = focus(scene.view)?.checkboxes
      const done = scene.plan?.filter((checkbox) => checkbox.done).length
      const changed =
        checkboxes != null && scene.plan !== null && isRunOver(scene) && checkboxes.done !== done
      return [changed ? 'as it stands now' : '']
    },
    lines: planPane,
    keys: ['[ ] iteration'],
    wants: planRows,
  },
  run: {
    notes: () => [],
    lines: runPane,
    keys: ['[ ] iteration'],
  },
  iterations: {
    notes: (scene, { rows }) => [
      visibleRangeText(iterationsTop(scene, rows), { length: lastIteration(scene), rows }),
      liveNote(scene),
    ],
    lines: iterationsPane,
    keys: ['↑↓ choose', 'd diff', 't gates', 'e evidence', 'w words'],
    keysFirst: true,
  },
  detail: {
    // The name of each of its parts; the one that is shown stands in brackets.
    title: ({ ui }, tone) =>
      PARTS.flatMap((part, index) => [
        toSpan(index === 0 ? '' : ' '),
        part === ui.part ? toSpan(`[${part}]`, tone) : toSpan(part, 'dim'),
      ]),
    notes: (scene, size) => {
      const n = detailIteration(scene)
      const length = detailLines(scene, size.columns).length
      return [
        n === 0 ? '' : `iteration ${iterationName(scene, n)}`,
        visibleRangeText(detailTop(scene, size), { length, rows: size.rows }),
      ]
    },
    lines: detailPane,
    keys: ['←→ part', '[ ] iteration', 'w words', '/ search'],
    keysFirst: true,
  },
}

const TASKS: PaneView = {
  title: (_scene, tone) => [toSpan('tasks', tone)],
  notes: ({ ui }) => [ui.filter === 'all' ? '' : `only ${ui.filter} ones, f: others`],
  lines: tasksPane,
  keys: ['←→ fold', 'f filter', '↑↓ choose'],
  keysFirst: true,
  wants: tasksRows,
}

function backNote({ ui }: Pick<DashboardScene, 'ui'>, pane: Pane): string {
  return ui.at[pane] === undefined ? '' : 'scrolled back, G: newest'
}

function liveNote({ ui }: Pick<DashboardScene, 'ui'>): string {
  return ui.chosen === null ? '' : 'esc: live again'
}
