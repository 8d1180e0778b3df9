/** `--dry-run`: does everything up to the first call and shows the prompt. It starts no agent and writes nothing. */
import { nextPrompt } from '../../../../app/task/next-prompt.ts'
import { prepareDryRun, type DryRun } from '../../../../engine/startup/dry-run.ts'
import { EXIT } from '../../../../core/error.ts'
import type { Rules } from '../../../../core/state/rules.ts'
import type { TaskScope } from '../../../../core/tasks/task.ts'
import { escapeInvisible } from '../../../../core/text/sanitize.ts'
import { createPaint } from '../../../plain/colours.ts'
import { preflightBlock } from '../../../plain/screens/preflight.ts'
import { VERSION } from '../../../version.ts'
import { outputWidth, type Io } from '../../framework/io.ts'
import type { OpenProject } from '../../framework/open-project.ts'

interface Asked {
  project: OpenProject
  rules: Rules
}

export async function dryRun({ project, rules }: Asked, io: Io): Promise<number> {
  const would = await prepareDryRun({ root: project.root, settings: project.settings, rules })
  printBlock(would, project, io)
  if (would.ticked)
    io.out(
      `Every item of ${escapeInvisible(rules.loop.plan ?? 'the plan')} is checked off, so no agent would start; a run would only check the work. If an item were open:\n`,
    )
  return printCommand(would, io)
}

/** For a run through tasks: which tasks it would work on, and the prompt for the first. */
export async function dryRunTasks({ project, rules, tasks }: Asked & { tasks: TaskScope }, io: Io): Promise<number> {
  const { root, settings } = project
  const { next, prompt } = await nextPrompt(root, tasks, settings)
  const [first] = next
  if (first === undefined) {
    io.out('No task is ready, so no agent would start. List all tasks: ralph task\n')
    return EXIT.done
  }
  const would = await prepareDryRun({ root, settings, rules, taskPrompt: prompt })
  printBlock(would, project, io)
  io.out(`Ready, in this order:\n${next.map(({ id, title }) => `  ${id}  ${escapeInvisible(title)}\n`).join('')}`)
  io.out(`Then the tasks that they unblock. The command and prompt for ${first.id}:\n\n`)
  return printCommand(would, io)
}

function printBlock({ facts }: DryRun, { settings }: OpenProject, io: Io): void {
  const style = { p: createPaint(io.colour), columns: outputWidth(io), verbose: settings.values['ui.verbose'] }
  io.out(preflightBlock({ ...facts, run: '(dry run)' }, VERSION, style))
}

function printCommand({ prompt, argv, model }: DryRun, io: Io): number {
  if (model !== null) io.out(`Model: ${escapeInvisible(model)}\n`)
  io.out(
    `Would start: ${escapeInvisible(argv.join(' '))}\nWith this prompt on its stdin (${prompt.length} characters):\n\n${prompt}\n`,
  )
  return EXIT.done
}
