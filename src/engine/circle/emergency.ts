/**
 * The one door outside the circle: a row could not be written, or the core threw. No new effect is begun, every child is ended,
 * the old state stays as it is, and one sentence is left beside the logs.
 */
import { join } from 'node:path'
import { messageOf, RalphError } from '../../domain/error.ts'
import { ensureFolder, writeLoose } from '../../system/files/files.ts'
import { isoTime } from '../../system/clock.ts'
import { removeIndexes } from '../../workspace/snapshot/private-index.ts'
import type { PerformedEffect } from './handler.ts'
import type { Performing } from './performing.ts'
import { CLEANING, endGit, endLeft, type World } from '../world.ts'

/** Nothing more is begun, and whatever was started in this run's name is ended, our own git included. */
export async function shut(world: World, performing: Performing): Promise<void> {
  const effects = performing.effects()
  await Promise.all([performing.close(world.clock), endChildren(world, effects), endGit(world, CLEANING)])
  removeIndexes(world.repo)
}

/** Effects may be more than really run: none is missed. */
export async function endChildren(world: World, effects: PerformedEffect[]): Promise<void> {
  await Promise.all(effects.map((effect) => endLeft(world, effect)))
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
