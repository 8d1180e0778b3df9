/**
 * The running dashboard: polls the run four times a second, draws at most ten times a second and only changes, and
 * sends the requests of the keys. It is a client of the run: the run continues whatever happens to the dashboard.
 */
import { assertNever } from '../../core/assert-never.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import type { Watch } from '../../watch/watch.ts'
import { clockNow, openDrawLoop, type DashboardState } from './draw-loop.ts'
import { parseKeys } from './parse-keys.ts'
import { handleKey, type KeyAction } from './handle-key.ts'
import { openHistoryLoader, errorSentence, type HistoryReader, type HistoryLoader } from './read-history.ts'
import {
  isRunOver,
  createScene,
  applyWatchUpdate,
  sceneWithNotice,
  type PaneName,
  type ViewState,
} from './dashboard-scene.ts'
import type { TerminalFeatures } from './screen-line.ts'
import { createScreenDrawer } from './draw-screen.ts'
import type { FullScreenTerminal } from '../../system/terminal/full-screen.ts'

/** The requests to the run; each resolves to a sentence about its result. */
export interface RunControls {
  pause(): Promise<string>
  resume(): Promise<string>
  steer(text: string): Promise<string>
  stop(): Promise<string>
}

export interface DashboardOptions extends TerminalFeatures {
  watch: Pick<Watch, 'look' | 'hear' | 'read'>
  past: HistoryReader
  terminal: FullScreenTerminal
  steering: RunControls
  leaving: ViewState['leaving']
  only: PaneName | null
}

export interface DashboardResult {
  /** The last known view. */
  view: RunView | null
  /** `gone`: the terminal was closed, or a signal arrived. */
  how: 'left' | 'stopped' | 'gone'
}

const LOOK_MS = 250
/** Polls an ended run less often: only another iteration's output can still be requested. */
const LOOK_ENDED_MS = 1_000
const CLOCK_MS = 1_000

export async function runDashboard(options: DashboardOptions): Promise<DashboardResult> {
  const { watch, past, terminal } = options
  const screen = createScreenDrawer((text) => terminal.write(text), options)
  const nap = createNap()
  const stage: DashboardState = {
    scene: createScene({ ...clockNow(), leaving: options.leaving, only: options.only }),
    isDone: false,
    later: () => drawing.later(),
    notice(text, { bad }) {
      stage.scene = sceneWithNotice({ ...stage.scene, now: Date.now() }, { text, bad })
      stage.later()
    },
  }
  const reading = openHistoryLoader(stage, { watch, past, terminal, wake: () => nap.wake() })
  const drawing = openDrawLoop(stage, { screen, terminal, drawn: () => reading.loadMissing() })
  let end: (how: DashboardResult['how']) => void = () => {}
  const over = new Promise<DashboardResult['how']>((resolve) => (end = resolve))
  const actions: ActionContext = { ...options, stage, screen, reading, nap, end, leaves: false }

  terminal.listen({
    input(text) {
      for (const key of parseKeys(text)) {
        const pressed = handleKey(stage.scene, key, terminal.size())
        stage.scene = pressed.scene
        if (pressed.action !== null) performAction(pressed.action, actions)
      }
      stage.later()
    },
    resized: () => {
      screen.forget()
      stage.later()
    },
    gone: () => end('gone'),
  })
  const second = setInterval(() => {
    if (!isRunOver(stage.scene) || stage.scene.ui.notice !== null) stage.later()
  }, CLOCK_MS)
  stage.later()
  try {
    const how = await Promise.race([over, pollRun(actions).then(() => over)])
    return { view: stage.scene.view, how }
  } finally {
    stage.isDone = true
    clearInterval(second)
    drawing.stop()
    reading.stop()
    nap.wake()
  }
}

/** The actions of keys. */
interface ActionContext extends Pick<DashboardOptions, 'watch' | 'terminal' | 'steering'> {
  stage: DashboardState
  screen: ReturnType<typeof createScreenDrawer>
  reading: HistoryLoader
  nap: Nap
  end: (how: DashboardResult['how']) => void
  /** The user stopped the run in order to quit: wait for its end. */
  leaves: boolean
}

async function pollRun(actions: ActionContext): Promise<void> {
  const { watch, stage, nap, end } = actions
  while (!stage.isDone) {
    const last = actions.leaves
    const look = await watch.look()
    const quiet =
      look.rows.length === 0 &&
      look.words.every((words) => words.events.length === 0) &&
      look.runBy === stage.scene.runBy &&
      look.plan === stage.scene.plan &&
      look.tasks === stage.scene.tasks &&
      look.questions === stage.scene.questions
    stage.scene = applyWatchUpdate(stage.scene, look)
    if (!quiet) stage.later()
    // Only a poll that began after the stop can know how the run ended.
    if (last && !look.more) return end('stopped')
    if (!look.more) await nap.sleep(isRunOver(stage.scene) ? LOOK_ENDED_MS : LOOK_MS)
  }
}

function performAction(action: KeyAction, actions: ActionContext): void {
  const { steering, terminal, screen, reading, end } = actions
  switch (action.do) {
    case 'detach':
      return end('left')
    case 'stop':
      return ask('Stopping …', steering.stop(), actions, () => (actions.leaves = action.thenLeave))
    case 'pause':
      return ask('Pausing …', steering.pause(), actions)
    case 'resume':
      return ask('Resuming …', steering.resume(), actions)
    case 'steer':
      return ask('Sending …', steering.steer(action.text), actions)
    case 'hear':
      return reading.loadChosenOutput()
    case 'seek':
      return reading.searchOtherIterations()
    case 'suspend':
      terminal.suspend()
      return screen.forget()
    case 'redraw':
      return screen.forget()
    default:
      return assertNever(action)
  }
}

function ask(
  meanwhile: string,
  answer: Promise<string>,
  { stage, nap }: ActionContext,
  then: () => void = () => {},
): void {
  stage.notice(meanwhile, { bad: false })
  answer.then(
    (text) => {
      stage.notice(text, { bad: false })
      then()
      nap.wake()
    },
    (error: unknown) => stage.notice(errorSentence(error), { bad: true }),
  )
}

/** A sleep that can be ended early. */
interface Nap {
  sleep(ms: number): Promise<void>
  wake(): void
}

function createNap(): Nap {
  let wake = (): void => {}
  return {
    sleep: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
    wake: () => wake(),
  }
}
