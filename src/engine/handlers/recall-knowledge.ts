/** The knowledge for a task's prompt: read in the first iteration of a claim and saved, so that later changes leave the prompt as it is. */
import { dirname } from 'node:path'
import { queryForTask, parseRecalledKnowledge, type RecalledKnowledge } from '../../core/memory/recall.ts'
import type { TaskTexts } from '../../core/prompt/task-texts.ts'
import type { EffectOf } from '../../core/state/effect.ts'
import { ensureFolder, readIfExists, writeWithoutSync } from '../../system/files/files.ts'
import { recallProjectKnowledge } from '../../workspace/knowledge-files.ts'
import { recallFilePath } from '../../workspace/log-folders.ts'
import type { WorkerContext } from '../handler-context.ts'

export function recallKnowledge(
  world: WorkerContext,
  { worker, task }: Pick<EffectOf<'run-agent'>, 'worker' | 'task'>,
  texts: TaskTexts,
): RecalledKnowledge {
  const file = task === undefined ? null : recallFilePath(world, worker, task)
  const kept = file === null ? null : readIfExists(file)
  const before = kept === null ? null : parseRecalledKnowledge(kept)
  if (before !== null) return before
  const now = recallProjectKnowledge(world.project.root, queryForTask(texts), {
    at: world.clock.at(),
    mask: world.mask,
  })
  if (file !== null) {
    ensureFolder(dirname(file))
    writeWithoutSync(file, JSON.stringify(now))
  }
  return now
}
