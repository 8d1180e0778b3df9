/** What the project knows, as a task is told it: read at the first visit of a claim and kept, so that what is learnt meanwhile leaves the prompt as it was. */
import { dirname } from 'node:path'
import { aboutTask, readRecalled, type Recalled } from '../../domain/memory/recall.ts'
import type { TaskTexts } from '../../domain/prompt/task-texts.ts'
import type { EffectOf } from '../../domain/run/effect.ts'
import { ensureFolder, readIfThere, writeLoose } from '../../system/files/files.ts'
import type { Masker } from '../../system/mask/mask.ts'
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
  // What is kept is masked as all logs are; sent otherwise, the second visit would be told something else.
  const now = masked(recallFrom(world.project.root, aboutTask(texts), world.clock.at()), world.mask)
  if (file !== null) {
    ensureFolder(dirname(file))
    writeLoose(file, JSON.stringify(now))
  }
  return now
}

function masked({ entries, remarks }: Recalled, mask: Masker): Recalled {
  return {
    entries: entries.map((entry) => ({
      ...entry,
      title: mask.text(entry.title),
      body: mask.text(entry.body),
    })),
    remarks,
  }
}
