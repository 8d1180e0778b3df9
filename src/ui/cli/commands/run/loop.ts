/** `ralph loop`: sends PROMPT.md again and again until the gates prove the work done. */
import { RalphError, EXIT } from '../../../../core/error.ts'
import { findProject } from '../../../../config/find-project.ts'
import { checkModelStrategy } from '../../../../config/model-strategy.ts'
import { refuseUnsupportedSettings } from '../../../../config/resolve.ts'
import type { Rules } from '../../../../core/state/rules.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { LOOP } from '../../command-table/run-commands.ts'
import { runActionFlag } from '../../bash-commands/action-flags.ts'
import { homeOf, openProject, type OpenProject } from '../../framework/open-project.ts'
import { startRun } from './start-run.ts'

export const run: CommandHandler<typeof LOOP> = async (input, io) => {
  const done = await runActionFlag(input, io)
  if (done !== null) return done
  if (findProject(io.cwd, { home: homeOf(io) }).kind === 'none' && io.asks) {
    const { offerInit } = await import('../project/init.ts')
    if (!(await offerInit(io))) return EXIT.nothing
  }
  const project = await openProject(input, io)
  refuseUnsupportedSettings(project.settings)
  checkModelStrategy(project.settings)
  const rules = rulesFor(project, { once: input.flags.once })
  if (project.settings.values['loop.dry_run']) {
    const { dryRun } = await import('./dry-run.ts')
    return dryRun({ project, rules }, io)
  }
  return startRun({ project, rules, input, words: 'loop' }, io)
}

function rulesFor({ settings }: OpenProject, { once }: { once: boolean }): Rules {
  const rules = settings.rules()
  if (rules.agent.order.length === 0)
    throw new RalphError('bad-setting', 'agent.order is empty: name at least one agent')
  return once ? { ...rules, loop: { ...rules.loop, iterationsMax: 1, once: true } } : rules
}
