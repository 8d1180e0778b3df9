/** Describes the first iteration without starting it. */
import { driverFor } from '../../agents/registry.ts'
import type { Settings } from '../../config/resolve.ts'
import { initialModel } from '../../core/calls/choose-model.ts'
import { isPlanComplete } from '../../core/tree/change.ts'
import type { Rules } from '../../core/state/rules.ts'
import { ownEnvironment } from '../../system/environment.ts'
import { NO_OP_MASKER } from '../../system/mask/mask.ts'
import { openRepo } from '../../workspace/repo/git.ts'
import { storeFolder, untrustedTreeRoot } from '../../workspace/repo/find-repo.ts'
import { firstAgentRequest } from '../handlers/run-agent.ts'
import { mcpServerConfig } from '../handlers/mcp-server.ts'
import { readPlanCheckboxes } from '../handlers/take-snapshot.ts'
import { runPreflight, type PreflightResult } from './preflight.ts'
import { rulesWithSetupCommand } from './setup-command.ts'

export interface DryRun {
  facts: PreflightResult
  /** Every checkbox of the plan is ticked: no agent would be started. */
  ticked: boolean
  prompt: string
  argv: string[]
  /** The first model and why it is chosen; null: the strategy is `fixed`, and `facts.model` is used. */
  model: string | null
}

export async function prepareDryRun(options: {
  root: string
  settings: Settings
  rules: Rules
  /** For a run of tasks: the prompt about the first one. */
  taskPrompt?: string
}): Promise<DryRun> {
  const { root, settings, taskPrompt } = options
  const rules = rulesWithSetupCommand(options.rules, root)
  const repo = await openRepo(root)
  const { HOME, USERPROFILE } = ownEnvironment()
  const mayStart = { outside: untrustedTreeRoot(root, HOME ?? USERPROFILE) }
  const kind = taskPrompt === undefined ? 'loop' : 'tasks'
  const facts = await runPreflight({ root, repo, settings, rules, mayStart, kind })
  const folder = storeFolder(repo, root)
  const driver = driverFor(facts.agent.name, settings.agents)
  const request = firstAgentRequest(
    { project: { root }, root, repo, folder, programs: settings.programs, terminal: settings.values['agent.terminal'] },
    facts.rules,
    taskPrompt,
  )
  const wanted = settings.values['agent.mcp'] === 'auto'
  const mcp = mcpServerConfig({ folder, token: '' }, { role: 'work', driver, wanted })
  const { argv, stdin } = driver.command(mcp === null ? request : { ...request, mcp })
  // Only the checkboxes are compared, so nothing needs to be masked.
  const { checkboxes } = readPlanCheckboxes({ root, loop: rules.loop, mask: NO_OP_MASKER })
  const isFixed = facts.rules.model.strategy === 'fixed'
  const model = isFixed ? null : initialModel(facts.rules, facts.agent.name).why
  return { facts, ticked: isPlanComplete(checkboxes), prompt: stdin, argv, model }
}
