/**
 * Sets up the clean room: the project's own command installs the tools of its lock files and runs like a gate. The result lists the paths
 * it created, so that they can be fingerprinted and kept for the next trial.
 */
import { join } from 'node:path'
import { readIfExists } from '../../system/files/files.ts'
import { listFolderStamps } from '../../system/files/folder-stamps.ts'
import { type GateOptions, type GateRunResult, runGate, waitForGate } from '../run-gate.ts'
import type { CleanRoom } from './clean-room.ts'
import { type InstallScriptPackages, setupSteps } from './setup-steps.ts'
import { splitWords } from '../../core/text/split-words.ts'

/** `env`: the environment of the trial. */
export interface SetupOptions extends Omit<GateOptions, 'root' | 'mark'> {
  command: string
  room: CleanRoom
  /** For the whole set-up; the default is 15 minutes. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Null: all install scripts run. */
  ignoreScripts: InstallScriptPackages | null
}

export type SetupResult =
  | {
      ok: true
      /** Created paths relative to the top of the clean room: new folders, changed tool folders and single files. */
      made: string[]
    }
  | { ok: false; why: 'failed' | 'timed-out' | 'not-found'; step: string; lines: string[] }

const TIMEOUT_MS = 15 * 60_000

/** Throws when it is aborted. */
export async function runSetup(options: SetupOptions): Promise<SetupResult> {
  const { command, room, signal, timeoutMs = TIMEOUT_MS } = options
  const before = listFolderStamps(room.top, isLookedInto)
  const packageJson = readIfExists(join(room.root, 'package.json')) ?? ''
  const steps = setupSteps(command, { held: options.ignoreScripts, packageJson })
  let durationMs = 0
  for (const { run, env } of steps) {
    signal?.throwIfAborted()
    const left = Math.max(1, timeoutMs - durationMs)
    const gate = { name: 'set-up', run, timeoutMs: left, when: 'completion', cwd: '.', env: {} } as const
    const mark = { name: 'TMPDIR', value: room.tmp }
    const running = runGate(gate, { ...options, env: { ...options.env, ...env }, root: room.root, mark })
    const result = await waitForGate(running, signal)
    if (result.exit !== 0) return failure(run, result)
    durationMs += result.durationMs
  }
  return { ok: true, made: madeSince(before, room.top) }
}

function failure(step: string, { timedOut, missing, summary }: GateRunResult): SetupResult {
  const why = timedOut ? 'timed-out' : missing ? 'not-found' : 'failed'
  return { ok: false, why, step, lines: summary.split('\n') }
}

/** Folders that package managers own as a whole. */
const TOOL_FOLDERS = new Set(
  splitWords(`
    node_modules .venv venv .yarn .bundle .tox .nox .dart_tool __pypackages__ bower_components Pods
    deps
  `),
)

function isLookedInto(path: string): boolean {
  return path !== '.git' && !path.endsWith('/.git')
}

/** The topmost new names. An existing tool folder is listed as a whole if anything in it is new or changed. */
function madeSince(before: ReadonlyMap<string, string>, top: string): string[] {
  const after = listFolderStamps(top, (path) => isLookedInto(path) && before.has(path))
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
