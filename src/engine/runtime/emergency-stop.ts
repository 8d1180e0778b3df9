/**
 * The one door outside the runtime: a row could not be written, or the core threw. No new effect is begun, every child is ended,
 * the old state stays as it is, and one sentence is left beside the logs.
 */
import { join } from 'node:path'
import { messageOf, RalphError } from '../../core/error.ts'
import type { RunState } from '../../core/state/state.ts'
import { ensureFolder, writeWithoutSync } from '../../system/files/files.ts'
import { isoTime } from '../../system/clock.ts'
import { removeSnapshotIndexes } from '../../workspace/snapshot/snapshot-index.ts'
import { isInlineEffect, type HandledEffect } from './handler.ts'
import type { RunningEffects } from './running-effects.ts'
import { endLeftovers, type World } from '../handler-world.ts'

/**
 * Nothing more is begun, and whatever was started in this run's name is ended, our own git included. What may run is what the state has
 * open after its last row: only what a row asked for is ever started, and what it does not wait for any more was told to end.
 */
export async function emergencyStop(
  world: World,
  runningEffects: RunningEffects,
  state: RunState | null,
): Promise<void> {
  const open = openEffectsOf(state)
  await Promise.all([runningEffects.close(world.clock), endLeftovers(world, open, { agentsGraceMs: 0 })])
  for (const { repo } of world.workspaces()) removeSnapshotIndexes(repo)
}

/** What a handler was asked to do and has not answered. */
export function openEffectsOf(state: RunState | null): HandledEffect[] {
  return Object.values(state?.run.open ?? {}).filter((effect) => !isInlineEffect(effect))
}

export function writeCrashNote(world: World, error: unknown): void {
  const lost = error instanceof RalphError && error.code === 'store-damaged'
  const next = lost
    ? 'Its record is damaged, so it cannot go on. Begin a new one: ralph loop'
    : `The run can be taken up again: ralph resume ${world.run}`
  const text = `${isoTime(world.clock.at())} run ${world.run}: ${messageOf(error)}\n${next}\n`
  try {
    const folder = join(world.folder, 'logs')
    ensureFolder(folder)
    writeWithoutSync(join(folder, 'emergency.txt'), text)
  } catch {
    // The disk may be the very thing that is broken; stderr has the sentence as well.
  }
}
