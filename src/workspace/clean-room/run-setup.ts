/**
 * Sets the clean room up: the project's own command brings the tools that its lock files name, run as a gate is run. What it made there is
 * told, so that it can be fingerprinted and kept for the next trial.
 */
import { join } from 'node:path'
import { readIfExists } from '../../system/files/files.ts'
import { folderEntries } from '../../system/files/folder-files.ts'
import { type GateOptions, type GateRun, runGate } from '../run-gate.ts'
import type { CleanRoom } from './clean-room.ts'
import { type BlockedScripts, setupSteps } from './setup-steps.ts'
import { words } from '../../core/text/words.ts'

/** `env` is that of the trial. */
export interface SetupOptions extends Omit<GateOptions, 'root' | 'mark'> {
  command: string
  room: CleanRoom
  /** For all of it; 15 minutes unless told otherwise. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Null: install scripts run as they always did. */
  ignoreScripts: BlockedScripts | null
}

export type SetupResult =
  | {
      ok: true
      /** What was not there before, from the clean room's top: whole folders, tool folders that were changed, and single files. */
      made: string[]
    }
  | { ok: false; why: 'failed' | 'timed-out' | 'not-found'; step: string; lines: string[] }

const TIMEOUT_MS = 15 * 60_000

/** Throws when it is called off. */
export async function runSetup(options: SetupOptions): Promise<SetupResult> {
  const { command, room, signal, timeoutMs = TIMEOUT_MS } = options
  const before = folderEntries(room.top, isLookedInto)
  const packageJson = readIfExists(join(room.root, 'package.json')) ?? ''
  const steps = setupSteps(command, { held: options.ignoreScripts, packageJson })
  let durationMs = 0
  for (const { run, env } of steps) {
    signal?.throwIfAborted()
    const left = Math.max(1, timeoutMs - durationMs)
    const result = await oneStep(run, { ...options, env: { ...options.env, ...env }, timeoutMs: left })
    signal?.throwIfAborted()
    if (result.exit !== 0) return failure(run, result)
    durationMs += result.durationMs
  }
  return { ok: true, made: madeSince(before, room.top) }
}

async function oneStep(run: string, options: SetupOptions & { timeoutMs: number }): Promise<GateRun> {
  const { room, signal, timeoutMs } = options
  const gate = { name: 'set-up', run, timeoutMs, when: 'completion', cwd: '.', env: {} } as const
  const mark = { name: 'TMPDIR', value: room.tmp }
  const running = runGate(gate, { ...options, root: room.root, mark })
  const callOff = () => void running.stop()
  signal?.addEventListener('abort', callOff)
  try {
    return await running.done
  } finally {
    signal?.removeEventListener('abort', callOff)
  }
}

function failure(step: string, { timedOut, missing, summary }: GateRun): SetupResult {
  const why = timedOut ? 'timed-out' : missing ? 'not-found' : 'failed'
  return { ok: false, why, step, lines: summary.split('\n') }
}

/** Folders that package managers fill and change as a whole. */
const TOOL_FOLDERS = new Set(
  words(`
    node_modules .venv venv .yarn .bundle .tox .nox .dart_tool __pypackages__ bower_components Pods
    deps
  `),
)

function isLookedInto(path: string): boolean {
  return path !== '.git' && !path.endsWith('/.git')
}

/** The topmost names that are new. A tool folder that was there already is named whole if anything in it is new or was changed. */
function madeSince(before: ReadonlyMap<string, string>, top: string): string[] {
  const after = folderEntries(top, (path) => isLookedInto(path) && before.has(path))
  const made = new Set<string>()
  for (const [path, stamp] of after) {
    const then = before.get(path)
    const tools = toolFolderOf(path)
    if (then === undefined) made.add(tools ?? path)
    else if (tools !== null && then !== stamp) made.add(tools)
  }
  for (const path of before.keys()) {
    const tools = toolFolderOf(path)
    if (tools !== null && !after.has(path) && after.has(tools)) made.add(tools)
  }
  return [...made].toSorted()
}

/** The outermost tool folder around a path, or the path itself; null: there is none. */
function toolFolderOf(path: string): string | null {
  const parts = path.split('/')
  const at = parts.findIndex((part) => TOOL_FOLDERS.has(part))
  return at < 0 ? null : parts.slice(0, at + 1).join('/')
}
