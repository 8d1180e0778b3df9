/**
 * The dashboard as it runs: looks at the run four times a second, draws at most ten times a second and only what changed,
 * and carries out what the keys wish. It is a client of the run: whatever happens to it, the run goes on.
 */
import { messageOf, RalphError } from '../../domain/error.ts'
import { never } from '../../domain/machine.ts'
import type { View } from '../../domain/view.ts'
import type { Watch } from '../../engine/watch.ts'
import { frame } from './frame.ts'
import { keysOf } from './keys.ts'
import { press, type Wish } from './press.ts'
import { isOver, newScene, takeLook, withNotice, type Pane, type Scene, type Ui } from './scene.ts'
import { openScreen } from './screen.ts'
import type { Terminal } from './terminal.ts'

/** What can be asked of the run; each gives a sentence about what became of it. */
export interface Steering {
  pause(): Promise<string>
  resume(): Promise<string>
  steer(text: string): Promise<string>
  stop(): Promise<string>
}

export interface DashboardOptions {
  watch: Pick<Watch, 'look' | 'hear'>
  terminal: Terminal
  steering: Steering
  colour: boolean
  leaving: Ui['leaving']
  only: Pane | null
}

export interface Left {
  /** As last seen. */
  view: View | null
  /** `gone`: the terminal went away, or a signal came. */
  how: 'left' | 'stopped' | 'gone'
}

const LOOK_MS = 250
/** An ended run says nothing new; only another iteration's words may be asked for. */
const LOOK_ENDED_MS = 1_000
const FRAME_MS = 100
const CLOCK_MS = 1_000

export async function runDashboard(options: DashboardOptions): Promise<Left> {
  const { watch, terminal, steering } = options
  const screen = openScreen((text) => terminal.write(text), options)
  let scene = newScene({ ...clockNow(), leaving: options.leaving, only: options.only })
  let drawnAt = 0
  let drawTimer: NodeJS.Timeout | null = null
  let wake: () => void = () => {}
  let end: (how: Left['how']) => void = () => {}
  const over = new Promise<Left['how']>((resolve) => (end = resolve))
  let isDone = false
  let stopped = false

  function draw(): void {
    drawTimer = null
    if (isDone) return
    if (!terminal.ready()) return later()
    drawnAt = Date.now()
    scene = { ...scene, ...clockNow() }
    const size = terminal.size()
    screen.draw(frame(scene, size), size)
  }

  function later(): void {
    drawTimer ??= setTimeout(draw, Math.max(0, drawnAt + FRAME_MS - Date.now()))
  }

  async function looking(): Promise<void> {
    while (!isDone) {
      const last = stopped
      const look = await watch.look()
      const quiet =
        look.rows.length === 0 &&
        look.words.every((words) => words.events.length === 0) &&
        look.servedBy === scene.servedBy &&
        look.plan === scene.plan
      scene = takeLook(scene, look)
      if (!quiet) later()
      // Only a look that began after the stop has seen how the run ended.
      if (last && !look.more) return end('stopped')
      if (!look.more) await pause(isOver(scene) ? LOOK_ENDED_MS : LOOK_MS)
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  function wish(wanted: Wish): void {
    switch (wanted.do) {
      case 'detach':
        return end('left')
      case 'stop':
        return ask('Stopping …', steering.stop(), () => (stopped = wanted.thenLeave))
      case 'pause':
        return ask('Asking for a pause …', steering.pause())
      case 'resume':
        return ask('Asking to go on …', steering.resume())
      case 'steer':
        return ask('Telling it …', steering.steer(wanted.text))
      case 'hear':
        watch.hear(scene.ui.chosen)
        return wake()
      case 'suspend':
        terminal.suspend()
        return screen.forget()
      case 'redraw':
        return screen.forget()
      default:
        return never(wanted)
    }
  }

  function ask(meanwhile: string, answer: Promise<string>, then: () => void = () => {}): void {
    notice(meanwhile, false)
    answer.then(
      (text) => {
        notice(text, false)
        then()
        wake()
      },
      (error: unknown) => notice(sentence(error), true),
    )
  }

  function notice(text: string, bad: boolean): void {
    scene = withNotice({ ...scene, now: Date.now() }, { text, bad })
    later()
  }

  terminal.listen({
    input(text) {
      for (const key of keysOf(text)) {
        const pressed = press(scene, key, terminal.size())
        scene = pressed.scene
        if (pressed.wish !== null) wish(pressed.wish)
      }
      later()
    },
    resized: () => {
      screen.forget()
      later()
    },
    gone: () => end('gone'),
  })
  const second = setInterval(() => {
    if (!isOver(scene)) later()
    else if (scene.ui.notice !== null) later()
  }, CLOCK_MS)
  later()
  try {
    const how = await Promise.race([over, looking().then(() => over)])
    return { view: scene.view, how }
  } finally {
    isDone = true
    clearInterval(second)
    if (drawTimer !== null) clearTimeout(drawTimer)
    wake()
  }
}

function clockNow(): Pick<Scene, 'now' | 'zone'> {
  const now = Date.now()
  return { now, zone: -new Date(now).getTimezoneOffset() }
}

function sentence(error: unknown): string {
  const hint = error instanceof RalphError && error.hint !== undefined ? ` ${error.hint}` : ''
  return `${messageOf(error)}.${hint}`
}
