/**
 * The emergency stop, for when a row could not be written or the core threw: starts no new effect, ends every child, leaves the saved
 * state as it is, and writes a note beside the logs.
 */
import { join } from 'node:path'
import { messageOf, RalphError } from '../../core/error.ts'
import type { RunState } from '../../core/state/state.ts'
import { ensureFolder, writeWithoutSync } from '../../system/files/files.ts'
import { isoTime } from '../../system/clock.ts'
import { removeSnapshotIndexes } from '../../workspace/snapshot/snapshot-index.ts'
import { isInlineEffect, type HandledEffect } from './handler.ts'
import type { RunningEffects } from './running-effects.ts'
import { endProcessesOfEffects, type HandlerContext } from '../handler-context.ts'

/**
 * Starts nothing more and ends everything that this run started, including git. Only the open effects of the last row can still run:
 * effects start only after their row, and closed ones were already aborted.
 */
export async function emergencyStop(
  world: HandlerContext,
  runningEffects: RunningEffects,
  state: RunState | null,
): Promise<void> {
  const open = openEffectsOf(state)
  await Promise.all([runningEffects.close(world.clock), endProcessesOfEffects(world, open, { agentsGraceMs: 0 })])
  for (const { repo } of world.workspaces()) removeSnapshotIndexes(repo)
}

/** Effects that a handler has not answered yet. */
export function openEffectsOf(state: RunState | null): HandledEffect[] {
  return Object.values(state?.run.open ?? {}).filter((effect) => !isInlineEffect(effect))
}

export function writeCrashNote(world: HandlerContext, error: unknown): void {
  const lost = error instanceof RalphError && error.code === 'store-damaged'
  const next = lost
    ? 'Its record is damaged, so it cannot resume. Start a new run: ralph loop'
    : `Resume it: ralph resume ${world.run}`
  const text = `${isoTime(world.clock.at())} run ${world.run}: ${messageOf(error)}\n${next}\n`
  try {
    const folder = join(world.folder, 'logs')
    ensureFolder(folder)
    writeWithoutSync(join(folder, 'emergency.txt'), text)
  } catch {
    // The disk itself may be broken; stderr has the message too.
  }
}
