/**
 * The one door outside the circle: a row could not be written, or the core threw. No new effect is begun, every child is ended,
 * the old state stays as it is, and one sentence is left beside the logs.
 */
import { join } from 'node:path'
import { messageOf } from '../domain/error.ts'
import { ensureFolder, writeLoose } from '../system/files.ts'
import { isoTime } from '../system/clock.ts'
import { endMarked } from '../system/process.ts'
import { markOf, notesOf, type World } from './world.ts'

/** Ends whatever was started in this run's name. `openEffects` may be more than really run: none is missed. */
export async function endChildren(world: World, openEffects: string[]): Promise<void> {
  await Promise.all(
    openEffects.map((effect) =>
      endMarked(markOf(world, effect), { graceMs: 0, notes: notesOf(world, effect) }),
    ),
  )
}

export function leaveNote(world: World, error: unknown): void {
  const text = `${isoTime(world.clock.at())} run ${world.run}: ${messageOf(error)}\nThe run can be taken up again: ralph resume ${world.run}\n`
  try {
    const folder = join(world.folder, 'logs')
    ensureFolder(folder)
    writeLoose(join(folder, 'emergency.txt'), text)
  } catch {
    // The disk may be the very thing that is broken; stderr has the sentence as well.
  }
}
