/** Each pane in one place: what it shows, what its title says, which keys help in it and how many rows it would fill. */
import { focus } from '../../domain/tell/focus.ts'
import { detailed, iterationName, lastIteration } from './iterations.ts'
import { say, type ScreenLine, type Size, type Span } from './line.ts'
import { inSight } from './list.ts'
import { detailLines, detailPane, detailTop } from './panes/detail.ts'
import { iterationsPane, iterationsTop } from './panes/iterations.ts'
import { planPane, planRows } from './panes/plan.ts'
import { runPane } from './panes/run.ts'
import { decisionsPane, eventsPane } from './panes/story.ts'
import { tasksPane, tasksRows } from './panes/tasks.ts'
import { wordsPane } from './panes/words.ts'
import { isOver, PARTS, type Pane, type Scene } from './scene.ts'

interface PaneView {
  /** Absent: the name of the pane. */
  title?(scene: Scene, tone: 'bold' | 'dim'): Span[]
  /** More of the title; empty texts are left out. */
  notes(scene: Scene, size: Size): string[]
  lines(scene: Scene, size: Size): ScreenLine[]
  /** Keys of use in it, each with what it does after the last space. */
  keys: readonly string[]
  /** Its own keys stand before those that steer the run. */
  keysFirst?: true
  /** Rows that it would fill; absent: as many as there are. */
  wants?(scene: Scene, size: Size): number
}

/** The tasks, if the run has any, stand where the plan would. */
export function viewOf(pane: Pane, { tasks }: Scene): PaneView {
  return pane === 'plan' && tasks !== null ? TASKS : VIEWS[pane]
}

const VIEWS: Readonly<Record<Pane, PaneView>> = {
  words: {
    notes: ({ ui, hearing, words }) => [
      hearing === null ? '' : `iteration ${hearing.iteration}`,
      liveNote({ ui }),
      backNote({ ui }, 'words'),
      ui.search === '' ? '' : `"${ui.search}"`,
      ui.unfolded ? 'unfolded' : '',
      words.gone > 0 && ui.at.words === undefined ? `${words.gone} lines gone` : '',
    ],
    lines: wordsPane,
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
      const boxes = focus(scene.view)?.boxes
      const done = scene.plan?.filter((box) => box.done).length
      const changed = boxes != null && scene.plan !== null && isOver(scene) && boxes.done !== done
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
      inSight(iterationsTop(scene, rows), { length: lastIteration(scene), rows }),
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
        say(index === 0 ? '' : ' '),
        part === ui.part ? say(`[${part}]`, tone) : say(part, 'dim'),
      ]),
    notes: (scene, size) => {
      const n = detailed(scene)
      const length = detailLines(scene, size.columns).length
      return [n === 0 ? '' : `iteration ${iterationName(scene, n)}`, inSight(detailTop(scene, size), { length, rows: size.rows })]
    },
    lines: detailPane,
    keys: ['←→ part', '[ ] iteration', 'w words', '/ search'],
    keysFirst: true,
  },
}

const TASKS: PaneView = {
  title: (_scene, tone) => [say('tasks', tone)],
  notes: ({ ui }) => [ui.filter === 'all' ? '' : `only ${ui.filter} ones, f: others`],
  lines: tasksPane,
  keys: ['←→ fold', 'f filter', '↑↓ choose'],
  keysFirst: true,
  wants: tasksRows,
}

function backNote({ ui }: Pick<Scene, 'ui'>, pane: Pane): string {
  return ui.at[pane] === undefined ? '' : 'scrolled back, G: newest'
}

function liveNote({ ui }: Pick<Scene, 'ui'>): string {
  return ui.chosen === null ? '' : 'esc: live again'
}
