/** An overview of a project without a run: its prompt, plan, agents and gates, and what would prevent a run. Starts nothing. */
import { join } from 'node:path'
import { parseCheckboxes, nextOpenCheckbox } from '../../core/plan/fix-plan.ts'
import type { Settings } from '../../config/resolve.ts'
import type { CheckboxCounts } from '../../core/tree/change.ts'
import { readIfExists } from '../../system/files/files.ts'

/** Part of `ralph status --json`. */
export interface ProjectOverview {
  prompt: { file: string; there: boolean }
  /** Null: no plan is configured, or it does not exist. */
  plan: { file: string; checkboxes: CheckboxCounts; next: string | null } | null
  /** In the order in which they take over. */
  agents: string[]
  gates: { name: string; run: string }[]
  /** What to fix before a run; empty: no known problems. */
  problems: string[]
}

/** `tasks`: tasks describe the work, so a missing prompt or plan is no problem. */
export function projectOverviewOf(root: string, settings: Settings, { tasks }: { tasks: boolean }): ProjectOverview {
  const { values, gates } = settings
  const prompt = {
    file: values['loop.prompt'],
    there: (readIfExists(join(root, values['loop.prompt'])) ?? '').trim() !== '',
  }
  const plan = planOf(root, values['loop.plan'], values['loop.optional_sections'])
  const problems = [
    ...(tasks || prompt.there ? [] : [`${prompt.file} is missing or empty: describe the work there`]),
    ...(!tasks && values['loop.plan'] !== null && plan === null
      ? [`${values['loop.plan']} (the plan) does not exist, so only the agent can say when the work is done`]
      : []),
    ...(gates.length === 0 ? ['no gate is configured: nothing can be proven'] : []),
    ...settings.refused.map(({ where, why }) => `${where} is not supported, so Ralph cannot start a run: ${why}`),
    ...settings.remarks,
  ]
  return { prompt, plan, agents: values['agent.order'], gates: gates.map(({ name, run }) => ({ name, run })), problems }
}

function planOf(root: string, file: string | null, optional: string[]): ProjectOverview['plan'] {
  const text = file === null ? null : readIfExists(join(root, file))
  if (file === null || text === null) return null
  const { open, done } = parseCheckboxes(text, optional)
  return { file, checkboxes: { open, done }, next: nextOpenCheckbox(text, optional) }
}
