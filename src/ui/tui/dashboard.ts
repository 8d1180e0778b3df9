/**
 * The dashboard as it runs: looks at the run four times a second, draws at most ten times a second and only what changed,
 * and carries out what the keys wish. It is a client of the run: whatever happens to it, the run goes on.
 */
import { messageOf, RalphError } from '../../domain/error.ts'
import { never } from '../../domain/machine.ts'
import type { IterationView, View } from '../../domain/tell/view.ts'
import type { DetailWanted, IterationDetail, PageWanted } from '../../desk/run/past.ts'
import type { Watch } from '../../watch/watch.ts'
import { frame, roomOf } from './frame.ts'
import { detailWanted, pageWanted, withPage } from './iterations.ts'
import { keysOf } from './keys.ts'
import { iterationsTop } from './panes/iterations.ts'
import { press, type Wish } from './press.ts'
import { isOver, newScene, takeLook, withNotice, type Pane, type Scene, type Ui } from './scene.ts'
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

/** What the view does not hold: read when somebody looks at it. */
export interface Past {
  iterations(wanted: Omit<PageWanted, 'run'>): Promise<IterationView[]>
  /** Null: the run has no such iteration. */
  detail(wanted: Omit<DetailWanted, 'run'>): Promise<IterationDetail | null>
}

export interface DashboardOptions extends Looks {
  watch: Pick<Watch, 'look' | 'hear'>
  past: Past
  terminal: Terminal
  steering: Steering
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
/** Whoever runs down a list looks at where they stop, not at what they pass. */
const REST_MS = 150

export async function runDashboard(options: DashboardOptions): Promise<Left> {
  const { watch, past, terminal, steering } = options
  const screen = openScreen((text) => terminal.write(text), options)
  let scene = newScene({ ...clockNow(), leaving: options.leaving, only: options.only })
  let drawnAt = 0
  let drawTimer: NodeJS.Timeout | null = null
  let restTimer: NodeJS.Timeout | null = null
  let reading = false
  let unheard = false
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
    if (isWanting()) rest()
  }

  /** Something in sight is not there yet. */
  function isWanting(): boolean {
    return unheard || wantedPage() !== null || wantedDetail() !== null
  }

  function wantedPage(): ReturnType<typeof pageWanted> {
    const room = roomOf(scene, 'iterations', terminal.size())
    const from = room === null ? 0 : iterationsTop(scene, room.rows) + 1
    return pageWanted(scene, { from, to: from + (room?.rows ?? 0) - 1 })
  }

  function wantedDetail(): ReturnType<typeof detailWanted> {
    return roomOf(scene, 'detail', terminal.size()) === null ? null : detailWanted(scene)
  }

  /** Reads what is wanted once the keys have come to rest. */
  function rest(): void {
    if (reading || isDone) return
    if (restTimer !== null) clearTimeout(restTimer)
    restTimer = setTimeout(() => void read(), REST_MS)
  }

  async function read(): Promise<void> {
    restTimer = null
    reading = true
    const page = wantedPage()
    if (page !== null) await readPage(page)
    if (unheard && scene.ui.chosen?.agent !== '') {
      unheard = false
      watch.hear(scene.ui.chosen)
      wake()
    }
    const detail = wantedDetail()
    if (detail !== null) await readDetail(detail)
    reading = false
    later()
  }

  /** What cannot be read is said once and not asked for again. */
  async function readPage({ page, ...wanted }: NonNullable<ReturnType<typeof pageWanted>>): Promise<void> {
    const iterations = await past.iterations(wanted).catch((error: unknown) => {
      notice(sentence(error), true)
      return []
    })
    scene = withPage(scene, page, iterations)
  }

  async function readDetail({ fromRow, ...of }: NonNullable<ReturnType<typeof detailWanted>>): Promise<void> {
    const { iteration, part } = of
    try {
      const found = await past.detail({ iteration, part, fromRow })
      const none = { is: 'none' as const, why: `The record has no iteration ${iteration}.` }
      scene = { ...scene, detail: { ...of, ...(found === null ? none : { is: 'there', read: found }) } }
    } catch (error) {
      scene = { ...scene, detail: { ...of, is: 'none', why: sentence(error) } }
    }
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
        if (scene.ui.chosen === null) {
          unheard = false
          watch.hear(null)
          return wake()
        }
        unheard = true
        return rest()
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
    if (restTimer !== null) clearTimeout(restTimer)
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
