/**
 * Runs a gate: the user's own command line, in the workspace it checks, with an environment without keys, a process group of its own and a
 * time limit. This is the only place that starts a shell, because a gate is a command as the user would type it.
 */
import { resolve } from 'node:path'
import type { Orphan } from '../core/tree/orphan.ts'
import { summarizeGateOutput } from '../core/proof/gate-output.ts'
import type { Gate } from '../core/proof/evidence.ts'
import { systemClock } from '../system/clock.ts'
import { IS_WINDOWS } from '../system/platform.ts'
import type { ProcessMark } from '../system/process/process-mark.ts'
import type { Masker } from '../system/mask/mask.ts'
import { type StartedProcess, startProcess } from '../system/process/process.ts'
import { openGateLog } from './gate-log.ts'

export interface GateOptions {
  /** The project's folder; the gate's own `cwd` is relative to it. */
  root: string
  /** The complete environment; only the gate's own `env` is added. */
  env: Record<string, string>
  /** File for the output. */
  log: string
  /** File that records its descendant processes; absent: they are recorded in memory only. */
  notes?: string
  /** Identifies its descendants when the environment contains no mark of Ralph. */
  mark?: ProcessMark
  now(): number
  /** Masks secrets in the output before it is saved or passed on. */
  mask: Masker
  /** Receives the output as it arrives, for a screen. */
  tail?: (chunk: Buffer) => void
}

export interface GateRunResult {
  exit: number | null
  signal: string | null
  timedOut: boolean
  /** The command could not be found or started. */
  missing: boolean
  durationMs: number
  summary: string
  /** Length of the whole output, including the part cut from the log. */
  bytes: number
  /** Processes without a parent that have worked in the project since then and are not known to descend from the gate. */
  orphans: Orphan[]
}

/** Time for a test runner to remove its temporary files after it is asked to stop; longer means it hangs. */
const STOP_GRACE_MS = 2000

export function runGate(gate: Gate, options: GateOptions): { done: Promise<GateRunResult>; stop(): Promise<void> } {
  const began = options.now()
  const log = openGateLog(options.log)
  const hear = (chunk: Buffer) => {
    log.write(chunk)
    options.tail?.(chunk)
  }
  const [stdout, stderr] = [options.mask.stream(hear), options.mask.stream(hear)]
  const child = startProcess({
    argv: shell(gate.run),
    cwd: resolve(options.root, gate.cwd),
    env: { ...options.env, ...gate.env },
    stdin: 'none',
    follow: { notes: options.notes ?? null },
    ...(options.mark === undefined ? {} : { mark: options.mark }),
    onStdout: (chunk) => stdout.push(chunk),
    onStderr: (chunk) => stderr.push(chunk),
  })
  const limit = guardTime(child, gate.timeoutMs)
  let stopped = false
  return {
    stop() {
      stopped = true
      return child.stop({ graceMs: STOP_GRACE_MS })
    },
    done: finish(),
  }

  async function finish(): Promise<GateRunResult> {
    const end = await child.ended
    const timedOut = limit.fired()
    // A program that exits with 0 because it was asked to stop has not succeeded.
    const exit = timedOut || stopped ? null : end.code
    limit.cancel()
    const durationMs = options.now() - began
    await child.stop({ graceMs: 0 }) // a server or a watcher that the gate left behind
    stdout.end()
    stderr.end()
    if (end.problem !== null) hear(Buffer.from(`${end.problem}\n`))
    const { bytes, tail } = await log.close()
    const missing = end.missing || end.problem !== null || end.code === 127 || end.code === 126
    const summary = summarizeGateOutput(tail)
    const orphans = child.orphans(options.root)
    return { exit, signal: end.signal, timedOut, missing, durationMs, summary, bytes, orphans }
  }
}

/** Waits for a gate, and stops it on abort. An aborted gate throws: it proves nothing either way. */
export async function waitForGate(
  gate: ReturnType<typeof runGate>,
  signal: AbortSignal | undefined,
): Promise<GateRunResult> {
  const stop = (): void => void gate.stop()
  signal?.addEventListener('abort', stop)
  const run = await gate.done
  signal?.removeEventListener('abort', stop)
  signal?.throwIfAborted()
  return run
}

function shell(command: string): string[] {
  return IS_WINDOWS ? ['cmd.exe', '/d', '/s', '/c', command] : ['sh', '-c', command]
}

/** 0: no limit. */
function guardTime(child: StartedProcess, timeoutMs: number): { cancel(): void; fired(): boolean } {
  let fired = false
  if (timeoutMs === 0) return { cancel: () => {}, fired: () => false }
  const timer = systemClock().after(timeoutMs, () => {
    fired = true
    void child.stop({ graceMs: STOP_GRACE_MS })
  })
  return { cancel: () => timer.cancel(), fired: () => fired }
}
