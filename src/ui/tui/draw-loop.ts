/** Draws the scene at most ten times a second, and only after a change. */
import type { FullScreenTerminal } from '../../system/terminal/full-screen.ts'
import { renderFrame } from './render-frame.ts'
import type { DashboardScene } from './dashboard-scene.ts'
import type { createScreenDrawer } from './draw-screen.ts'

/** The state that the parts of a dashboard share: the current scene, and functions that report changes. */
export interface DashboardState {
  scene: DashboardScene
  isDone: boolean
  /** Schedules a redraw. */
  later(): void
  /** Shows a sentence at the bottom for a while. */
  notice(text: string, how: { bad: boolean }): void
}

const FRAME_MS = 100

export interface DrawLoopOptions {
  screen: Pick<ReturnType<typeof createScreenDrawer>, 'draw'>
  terminal: Pick<FullScreenTerminal, 'ready' | 'size'>
  drawn: () => void
}

export function openDrawLoop(stage: DashboardState, { screen, terminal, drawn }: DrawLoopOptions) {
  let drawnAt = 0
  let timer: NodeJS.Timeout | null = null

  function later(): void {
    timer ??= setTimeout(draw, Math.max(0, drawnAt + FRAME_MS - Date.now()))
  }

  function draw(): void {
    timer = null
    if (stage.isDone) return
    if (!terminal.ready()) return later()
    drawnAt = Date.now()
    stage.scene = { ...stage.scene, ...clockNow() }
    const size = terminal.size()
    screen.draw(renderFrame(stage.scene, size), size)
    drawn()
  }

  return {
    later,
    stop() {
      if (timer !== null) clearTimeout(timer)
    },
  }
}

export function clockNow(): Pick<DashboardScene, 'now' | 'zone'> {
  const now = Date.now()
  return { now, zone: -new Date(now).getTimezoneOffset() }
}
