/**
 * The dashboard as it runs: looks at the run four times a second, draws at most ten times a second and only what changed,
 * and carries out what the keys wish. It is a client of the run: whatever happens to it, the run goes on.
 */
import { never } from '../../domain/machine.ts'
import type { View } from '../../domain/tell/view.ts'
import type { Watch } from '../../watch/watch.ts'
import { clockNow, openDrawing, type Easel } from './drawing.ts'
import { keysOf } from './keys.ts'
import { press, type Wish } from './press.ts'
import { openReading, sentence, type Past, type PastReading } from './reading.ts'
import { isOver, newScene, takeLook, withNotice, type Pane, type Ui } from './scene.ts'
import type { Looks } from './line.ts'
import { openScreen } from './screen.ts'
import type { Terminal } from '../../system/terminal/full-screen.ts'

/** What can be asked of the run; each gives a sentence about what became of it. */
export interface Steering {
  pause(): Promise<string>
  resume(): Promise<string>
  steer(text: string): Promise<string>
  stop(): Promise<string>
}

export interface DashboardOptions extends Looks {
  watch: Pick<Watch, 'look' | 'hear'>
  past: Past
  terminal: Terminal
  steering: Steering
  leaving: Ui['leaving']
  only: Pane | null
}

export interface DashboardEnd {
  /** As last seen. */
  view: View | null
  /** `gone`: the terminal went away, or a signal came. */
  how: 'left' | 'stopped' | 'gone'
}

const LOOK_MS = 250
/** An ended run says nothing new; only another iteration's words may be asked for. */
const LOOK_ENDED_MS = 1_000
const CLOCK_MS = 1_000

export async function runDashboard(options: DashboardOptions): Promise<DashboardEnd> {
  const { watch, past, terminal } = options
  const screen = openScreen((text) => terminal.write(text), options)
  const nap = napping()
  const stage: Easel = {
    scene: newScene({ ...clockNow(), leaving: options.leaving, only: options.only }),
    isDone: false,
    later: () => drawing.later(),
    notice(text, { bad }) {
      stage.scene = withNotice({ ...stage.scene, now: Date.now() }, { text, bad })
      stage.later()
    },
  }
  const reading = openReading(stage, { watch, past, terminal, wake: () => nap.wake() })
  const drawing = openDrawing(stage, { screen, terminal, drawn: () => reading.readWanted() })
  let end: (how: DashboardEnd['how']) => void = () => {}
  const over = new Promise<DashboardEnd['how']>((resolve) => (end = resolve))
  const wishes: Wishes = { ...options, stage, screen, reading, nap, end, leaves: false }

  terminal.listen({
    input(text) {
      for (const key of keysOf(text)) {
        const pressed = press(stage.scene, key, terminal.size())
        stage.scene = pressed.scene
        if (pressed.wish !== null) grant(pressed.wish, wishes)
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
    if (!isOver(stage.scene) || stage.scene.ui.notice !== null) stage.later()
  }, CLOCK_MS)
  stage.later()
  try {
    const how = await Promise.race([over, looking(wishes).then(() => over)])
    return { view: stage.scene.view, how }
  } finally {
    stage.isDone = true
    clearInterval(second)
    drawing.stop()
    reading.stop()
    nap.wake()
  }
}

/** What keys can set in motion. */
interface Wishes extends Pick<DashboardOptions, 'watch' | 'terminal' | 'steering'> {
  stage: Easel
  screen: ReturnType<typeof openScreen>
  reading: PastReading
  nap: Nap
  end: (how: DashboardEnd['how']) => void
  /** The run was stopped by somebody who wanted to leave: its end is waited for. */
  leaves: boolean
}

async function looking(wishes: Wishes): Promise<void> {
  const { watch, stage, nap, end } = wishes
  while (!stage.isDone) {
    const last = wishes.leaves
    const look = await watch.look()
    const quiet =
      look.rows.length === 0 &&
      look.words.every((words) => words.events.length === 0) &&
      look.servedBy === stage.scene.servedBy &&
      look.plan === stage.scene.plan &&
      look.tasks === stage.scene.tasks
    stage.scene = takeLook(stage.scene, look)
    if (!quiet) stage.later()
    // Only a look that began after the stop has seen how the run ended.
    if (last && !look.more) return end('stopped')
    if (!look.more) await nap.sleep(isOver(stage.scene) ? LOOK_ENDED_MS : LOOK_MS)
  }
}

function grant(wish: Wish, wishes: Wishes): void {
  const { steering, terminal, screen, reading, end } = wishes
  switch (wish.do) {
    case 'detach':
      return end('left')
    case 'stop':
      return ask('Stopping …', steering.stop(), wishes, () => (wishes.leaves = wish.thenLeave))
    case 'pause':
      return ask('Asking for a pause …', steering.pause(), wishes)
    case 'resume':
      return ask('Asking to go on …', steering.resume(), wishes)
    case 'steer':
      return ask('Telling it …', steering.steer(wish.text), wishes)
    case 'hear':
      return reading.hearChosen()
    case 'suspend':
      terminal.suspend()
      return screen.forget()
    case 'redraw':
      return screen.forget()
    default:
      return never(wish)
  }
}

function ask(
  meanwhile: string,
  answer: Promise<string>,
  { stage, nap }: Wishes,
  then: () => void = () => {},
): void {
  stage.notice(meanwhile, { bad: false })
  answer.then(
    (text) => {
      stage.notice(text, { bad: false })
      then()
      nap.wake()
    },
    (error: unknown) => stage.notice(sentence(error), { bad: true }),
  )
}

/** A sleep that can be ended early. */
interface Nap {
  sleep(ms: number): Promise<void>
  wake(): void
}

function napping(): Nap {
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
