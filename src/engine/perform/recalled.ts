/** What the project knows, as a task is told it: read at the first visit of a claim and kept, so that what is learnt meanwhile leaves the prompt as it was. */
import { dirname } from 'node:path'
import { aboutTask, readRecalled, type Recalled } from '../../domain/memory/recall.ts'
import type { TaskTexts } from '../../domain/prompt/task-texts.ts'
import type { EffectOf } from '../../domain/state/effect.ts'
import { ensureFolder, readIfThere, writeLoose } from '../../system/files/files.ts'
import { recallFrom } from '../../workspace/knowledge-files.ts'
import { recalledFile } from '../../workspace/log-folders.ts'
import type { Here } from '../world.ts'

export function recalled(
  world: Here,
  { worker, task }: Pick<EffectOf<'run-agent'>, 'worker' | 'task'>,
  texts: TaskTexts,
): Recalled {
  const file = task === undefined ? null : recalledFile(world, worker, task)
  const kept = file === null ? null : readIfThere(file)
  const before = kept === null ? null : readRecalled(kept)
  if (before !== null) return before
  const now = recallFrom(world.project.root, aboutTask(texts), { at: world.clock.at(), mask: world.mask })
  if (file !== null) {
    ensureFolder(dirname(file))
    writeLoose(file, JSON.stringify(now))
  }
  return now
}
