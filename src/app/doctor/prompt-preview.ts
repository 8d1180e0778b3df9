/** The prompt an agent would get for a task, built by the function that a run uses. */
import { driverFor } from '../../agents/registry.ts'
import { createRunMasker } from '../../config/run-masker.ts'
import type { Settings } from '../../config/resolve.ts'
import type { Role } from '../../core/calls/role.ts'
import { initialModel, canHintModel } from '../../core/calls/choose-model.ts'
import { tierModelsOf, describeModel } from '../../core/models/model-strategy.ts'
import { queryForTask } from '../../core/memory/recall.ts'
import type { Prompt } from '../../core/prompt/prompt-part.ts'
import { TASK_PROMPT_FILES, buildTaskPrompt } from '../../core/prompt/task-prompt.ts'
import type { TaskId } from '../../core/tasks/task.ts'
import { findTaskByPrefix } from '../../store/task/find-task.ts'
import { loadTaskPromptTexts } from '../../store/task/prompt-texts.ts'
import { systemClock } from '../../system/clock.ts'
import { recallProjectKnowledge } from '../../workspace/knowledge-files.ts'
import { readRolePrompt, readPromptDocument } from '../../workspace/prompt-files.ts'
import { withStore } from '../open-store.ts'

/** `inspect prompt --json`. */
export interface PromptPreview extends Prompt {
  task: { id: TaskId; title: string }
  role: Role
  /** The agent that would get it first, and the model it would use. */
  agent: string
  model: string
}

type AskedBy = Pick<Settings, 'agents' | 'gates' | 'models' | 'values' | 'rules'>

/** The prompt of a new claim: feedback from earlier attempts is known only to the run. */
export function buildPromptPreview(
  root: string,
  typed: string,
  { role, settings }: { role: Role; settings: AskedBy },
): Promise<PromptPreview> {
  const { agent, model, hints } = firstAsked(role, settings)
  return withStore(root, async ({ sql }) => {
    const task = await findTaskByPrefix(sql, typed)
    const mask = createRunMasker(settings, root)
    const texts = await loadTaskPromptTexts(sql, task.id, { document: (path) => readPromptDocument(root, path), mask })
    const own = readRolePrompt(root, TASK_PROMPT_FILES[role])
    const { id, title } = texts.task
    const knowledge = recallProjectKnowledge(root, queryForTask(texts), { at: systemClock().at(), mask })
    const prompt = buildTaskPrompt(role, { ...texts, own, knowledge }, { context: null, hints })
    return { task: { id, title }, role, agent, model, ...prompt }
  })
}

/** Assumes that every agent of the order is installed. No model is chosen for a reviewer. */
function firstAsked(role: Role, settings: AskedBy): Pick<PromptPreview, 'agent' | 'model'> & { hints: boolean } {
  const said = settings.rules()
  const [agent = ''] = said.agent.order
  if (role === 'review') return { agent, model: describeModel(null), hints: false }
  const models = tierModelsOf([driverFor(agent, settings.agents)], settings)
  const rules = { ...said, agent: { ...said.agent, models } }
  return { agent, model: initialModel(rules, agent).why, hints: canHintModel(rules, agent) }
}
