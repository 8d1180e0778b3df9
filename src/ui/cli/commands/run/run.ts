/** `ralph run`: works on tasks, one after the other, each proven before it counts as done. */
import { findScope } from '../../../../app/task/scope.ts'
import { checkModelStrategy } from '../../../../config/model-strategy.ts'
import { refuseUnsupportedSettings } from '../../../../config/resolve.ts'
import { importPendingRustTasks } from '../../../../app/task/import-rust-tasks.ts'
import { RalphError } from '../../../../core/error.ts'
import type { RuleKey } from '../../../../core/settings/rule-table.ts'
import type { Rules } from '../../../../core/state/rules.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import { openProject, type OpenProject } from '../../framework/open-project.ts'
import type { RUN } from '../../command-table/run-commands.ts'
import { startRun } from './start-run.ts'

export const run: CommandHandler<typeof RUN> = async (input, io) => {
  const { target } = input.args
  const { all, once, limit } = input.flags
  if (all && target !== null)
    throw new RalphError('usage', `--all and ${target} cannot be used together`, {
      hint: `--all runs every task. To run only some: ralph run ${target}`,
    })
  if (once && limit !== null && limit > 0)
    throw new RalphError('usage', '--once and --limit cannot be used together', { hint: 'Use one of them' })
  const project = await openProject(input, io)
  refuseUnsupportedSettings(project.settings)
  checkModelStrategy(project.settings)
  await importPendingRustTasks({ root: project.root, notice: (text) => io.err(`${text}\n`) })
  const tasks = await findScope(project.root, target)
  const rules = taskRunRules(project, input.flags)
  if (project.settings.values['loop.dry_run']) {
    const { dryRunTasks } = await import('./dry-run.ts')
    return dryRunTasks({ project, rules, tasks }, io)
  }
  const typedRules = typedRulesOf(input.flags)
  return startRun({ project, rules, typedRules, input, tasks, words: 'run' }, io)
}

type RuleFlags = Pick<CommandInput<typeof RUN>['flags'], 'once' | 'limit' | 'maxRetries' | 'noVerify'>

function typedRulesOf({ limit, maxRetries, noVerify }: RuleFlags): RuleKey[] {
  return [
    ...(limit === null ? [] : ['loop.max_iterations' as const]),
    ...(maxRetries === null ? [] : ['task.max_retries' as const]),
    ...(noVerify ? ['task.verify' as const] : []),
  ]
}

/** Retries already limit each task: a limit of iterations applies only if the user chose one. */
export function taskRunRules({ settings }: OpenProject, flags: RuleFlags): Rules {
  const rules = settings.rules()
  if (rules.agent.order.length === 0)
    throw new RalphError('bad-setting', 'agent.order is empty: name at least one agent')
  const isChosen = (key: 'loop.max_iterations' | 'loop.commit'): boolean => settings.origin(key).from !== 'default'
  const usual = isChosen('loop.max_iterations') ? rules.loop.iterationsMax : 0
  return {
    ...rules,
    loop: {
      ...rules.loop,
      iterationsMax: flags.once ? 1 : (flags.limit ?? usual),
      commit: isChosen('loop.commit') ? rules.loop.commit : 'iteration',
      ...(flags.once ? { once: true } : {}),
    },
    task: {
      ...rules.task,
      maxRetries: flags.maxRetries ?? rules.task.maxRetries,
      verify: rules.task.verify && !flags.noVerify,
    },
  }
}
