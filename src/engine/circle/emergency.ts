/**
 * The one door outside the circle: a row could not be written, or the core threw. No new effect is begun, every child is ended,
 * the old state stays as it is, and one sentence is left beside the logs.
 */
import { join } from 'node:path'
import { messageOf, RalphError } from '../../domain/error.ts'
import type { House } from '../../domain/state/state.ts'
import { ensureFolder, writeLoose } from '../../system/files/files.ts'
import { isoTime } from '../../system/clock.ts'
import { removeIndexes } from '../../workspace/snapshot/private-index.ts'
import { isInline, type PerformedEffect } from './handler.ts'
import type { Performing } from './performing.ts'
import { endChildren, type World } from '../world.ts'

/**
 * Nothing more is begun, and whatever was started in this run's name is ended, our own git included. What may run is what the house has
 * open after its last row: only what a row asked for is ever started, and what it does not wait for any more was told to end.
 */
export async function shut(world: World, performing: Performing, house: House | null): Promise<void> {
  const open = openIn(house)
  await Promise.all([performing.close(world.clock), endChildren(world, open, { agentsGraceMs: 0 })])
  for (const { repo } of world.places()) removeIndexes(repo)
}

/** What a handler was asked to do and has not answered. */
export function openIn(house: House | null): PerformedEffect[] {
  return Object.values(house?.run.open ?? {}).filter((effect) => !isInline(effect))
}

export function leaveNote(world: World, error: unknown): void {
  const lost = error instanceof RalphError && error.code === 'store-damaged'
  const next = lost
    ? 'Its record is damaged, so it cannot go on. Begin a new one: ralph loop'
    : `The run can be taken up again: ralph resume ${world.run}`
  const text = `${isoTime(world.clock.at())} run ${world.run}: ${messageOf(error)}\n${next}\n`
  try {
    const folder = join(world.folder, 'logs')
    ensureFolder(folder)
    writeLoose(join(folder, 'emergency.txt'), text)
  } catch {
    // The disk may be the very thing that is broken; stderr has the sentence as well.
  }
}
