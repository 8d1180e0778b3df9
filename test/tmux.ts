/** A terminal that a test can type into and read from: a tmux server of the test's own, gone when the test is over. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import type { TestProject } from './test-project.ts'

const execute = promisify(execFile)

export interface Tmux {
  /** What stands on the screen. */
  screen(): Promise<string>
  /** Until it shows the text; fails with the screen if it never does. */
  shows(text: string | RegExp): Promise<string>
  type(...keys: string[]): Promise<void>
  resize(columns: number, rows: number): Promise<void>
  /** As when the window is closed. */
  close(): Promise<void>
}

export async function hasTmux(): Promise<boolean> {
  return execute('tmux', ['-V']).then(
    () => true,
    () => false,
  )
}

/** Longer than anything takes on a busy machine; a test that needs it has failed. */
const PATIENCE_MS = 240_000
const LOOK_MS = 50

let count = 0

export interface TmuxOptions {
  columns?: number
  rows?: number
  /** Who clears up: the test that opened it, or the caller with `close`. */
  until?: 'test' | 'closed'
}

/** A shell in the test project's folder. */
export async function openTmux(
  testProject: TestProject,
  { columns = 100, rows = 30, until = 'test' }: TmuxOptions = {},
): Promise<Tmux> {
  count += 1
  const socket = `ralph-walk-${process.pid}-${count}`
  const env = { ...testProject.env, TERM: 'xterm-256color', LANG: 'C.UTF-8', PS1: '$ ' }
  const tmux = async (...args: string[]): Promise<string> =>
    (await execute('tmux', ['-L', socket, ...args], { env })).stdout
  const close = async (): Promise<void> => void (await tmux('kill-server').catch(() => ''))
  if (until === 'test') onTestFinished(close)
  const size = ['-x', String(columns), '-y', String(rows)]
  await tmux('-f', '/dev/null', '-u', 'new-session', '-d', ...size, '-c', testProject.path, 'sh')
  const screen = (): Promise<string> => tmux('capture-pane', '-p')
  return {
    screen,
    async shows(text) {
      const end = Date.now() + PATIENCE_MS
      for (;;) {
        const now = await screen()
        if (typeof text === 'string' ? now.includes(text) : text.test(now)) return now
        if (Date.now() > end) throw new Error(`the screen never showed ${text}:\n${now}`)
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
    },
    type: async (...keys) => void (await tmux('send-keys', ...keys)),
    resize: async (width, height) => void (await tmux('resize-window', '-x', String(width), '-y', String(height))),
    close,
  }
}
