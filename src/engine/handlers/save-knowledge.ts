/** Saves the knowledge of an agent. An entry that cannot be written is reported, and the others are written. */
import { RalphError } from '../../core/error.ts'
import { preparePageSave } from '../../core/memory/prepare-page-save.ts'
import type { ReportedKnowledge } from '../../core/agent-output/agent-report.ts'
import type { EffectOf } from '../../core/state/effect.ts'
import type { TaskId } from '../../core/tasks/task.ts'
import { oneLine } from '../../core/text/sanitize.ts'
import { isoTime } from '../../system/clock.ts'
import { errorCodeOf } from '../../system/files/file-error.ts'
import { knowledgePath, writeKnowledge } from '../../workspace/knowledge-files.ts'
import type { Handler } from '../runtime/handler.ts'
import type { WorkerContext } from '../handler-context.ts'

export function saveKnowledgeHandler(world: WorkerContext): Handler<EffectOf<'save-knowledge'>> {
  const { root } = world.project
  return {
    async perform(effect, put) {
      const { worker, id, task, said } = effect
      const feature = await featureOf(task)
      const kept = new Set<string>()
      const refused: string[] = []
      for (const one of said) {
        const done = keep(one, feature)
        if ('file' in done) kept.add(done.file)
        else refused.push(`"${oneLine(world.mask.text(one.title), TITLE_TOLD)}": ${done.why}`)
      }
      put({ type: 'knowledge-saved', worker, effect: id, kept: [...kept], refused })
    },
    // Writing the same entry again changes nothing.
    recoverAnswer: async () => ({ is: 'not-begun' }),
  }

  /** Null: the task has no feature, or was deleted meanwhile. */
  async function featureOf(task: TaskId | undefined): Promise<string | null> {
    if (task === undefined) return null
    try {
      return (await world.taskTexts(task)).feature?.name ?? null
    } catch (error) {
      if (error instanceof RalphError && error.code === 'not-found') return null
      throw error
    }
  }

  /** Reads the pages again for each entry: two entries may be about the same thing. */
  function keep(said: ReportedKnowledge, feature: string | null): { file: string } | { why: string } {
    const { title, tags, body } = said
    const masked = {
      title: world.mask.text(title),
      tags: tags.map((tag) => world.mask.text(tag)),
      body: world.mask.text(body),
    }
    try {
      const at = isoTime(world.clock.at())
      const placed = writeKnowledge(root, (there) => preparePageSave(there, masked, { at, feature, by: 'agent' }))
      if (placed.is === 'refused') return { why: placed.why }
      return { file: knowledgePath(placed.name) }
    } catch (error) {
      if (!(error instanceof RalphError)) throw error
      // A full disk affects more than this entry; a missing permission does not.
      if (error.code === 'disk' && !FORBIDDEN.has(errorCodeOf(error.cause))) throw error
      return { why: error.message }
    }
  }
}

const FORBIDDEN = new Set(['EACCES', 'EPERM', 'EROFS'])
const TITLE_TOLD = 80
