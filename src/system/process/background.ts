/**
 * Two ways to start a program that Ralph does not end: in the background, in a session of its own that outlives us and any terminal; and
 * on the terminal, which belongs to it until it ends.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { messageOf } from '../../core/error.ts'
import { withFileError } from '../files/file-error.ts'

export interface BackgroundEnd {
  code: number | null
  /** Why it could not be started. */
  problem: string | null
}

export interface BackgroundProcess {
  /** 0 if it could not be started. */
  pid: number
  /** How it ended, if it ends during our lifetime; never rejects, and does not keep us alive. */
  ended: Promise<BackgroundEnd>
}

export interface BackgroundOptions {
  argv: string[]
  cwd: string
  env: Record<string, string>
  /** The file that receives both of its streams. */
  log: string
}

export function startBackground({ argv, cwd, env, log }: BackgroundOptions): BackgroundProcess {
  const [program = '', ...args] = argv
  // Private like all of Ralph's files: the last output of an engine may name things that the project keeps private.
  const output = withFileError({ activity: 'write', path: log }, () => openSync(log, 'a', 0o600))
  try {
    const child = spawn(program, args, {
      cwd,
      env,
      detached: true,
      windowsHide: true,
      stdio: ['ignore', output, output],
    })
    child.unref()
    return { pid: child.pid ?? 0, ended: endOf(child) }
  } finally {
    closeSync(output)
  }
}

/** Keys that the terminal turns into signals for its whole foreground group. */
const KEYS = ['SIGINT', 'SIGQUIT'] as const

/** Gives the program our terminal and waits until it ends. Ctrl+C meanwhile is meant for the program: if we ended, it and the shell
 *  would both read the keys. */
export async function runOnTerminal(argv: string[], options: { env: Record<string, string> }): Promise<BackgroundEnd> {
  const [program = '', ...args] = argv
  const notOurs = (): void => undefined
  for (const key of KEYS) process.on(key, notOurs)
  try {
    return await endOf(spawn(program, args, { env: options.env, stdio: 'inherit' }))
  } finally {
    for (const key of KEYS) process.off(key, notOurs)
  }
}

function endOf(child: ReturnType<typeof spawn>): Promise<BackgroundEnd> {
  return new Promise((resolve) => {
    child.once('error', (thrown) => resolve({ code: null, problem: messageOf(thrown) }))
    child.once('exit', (code) => resolve({ code, problem: null }))
  })
}
