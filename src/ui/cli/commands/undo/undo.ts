/** `ralph undo`: reverts a run and nothing else; `--undo` reverts that. It shows the changes first, and asks. */
import { planUndo, applyUndo, type UndoOptions, type UndoResult, type UndoPlan } from '../../../../app/undo/undo.ts'
import { undoCommandFor, undoTargetName } from '../../../../app/undo/undo-target.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { escapeInvisible } from '../../../../core/text/sanitize.ts'
import { createPaint } from '../../../plain/colours.ts'
import { undoResultText, undoPreview } from '../../../plain/screens/undo.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { UNDO } from '../../command-table/control-commands.ts'
import { homeOf, openProject } from '../../framework/open-project.ts'
import { askYesNo } from '../../asking/terminal-prompts.ts'

export const run: CommandHandler<typeof UNDO> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const { yes, json, undo: back, dryRun: dry } = input.flags
  const asked: UndoOptions = {
    run: input.args.run,
    task: input.flags.task,
    back,
    prompt: settings.values['loop.prompt'],
    plan: settings.values['loop.plan'],
    env: io.env,
    home: homeOf(io),
  }
  const plan = await planUndo(root, asked)
  const printFacts = (done: UndoResult | null): void => io.out(`${JSON.stringify(facts(plan, done))}\n`)
  if (!json) io.out(undoPreview(plan, { paint: createPaint(io.colour), columns: io.columns() }))
  if (dry || (!yes && !io.asks)) {
    if (json) printFacts(null)
    if (dry) return EXIT.done
    if (json) return EXIT.usage
    throw new RalphError('usage', 'nothing was changed: undo needs your confirmation, and there is no terminal', {
      hint: `Confirm it with: ${undoCommandFor(plan, asked)} --yes`,
    })
  }
  if (yes) refuseBlindly(plan)
  const what = undoTargetName(plan)
  const question = plan.is === 'back' ? `Revert the undo of ${what}?` : `Undo ${what}?`
  const isConfirmed = yes || (await askYesNo(question))
  if (isConfirmed !== true) {
    io.out('Nothing was changed.\n')
    return isConfirmed === null ? EXIT.interrupted : EXIT.done
  }
  const done = await applyUndo(root, plan, asked)
  if (json) printFacts(done)
  else io.out(undoResultText(plan, done, io.columns()))
  return EXIT.done
}

/** After a crash Ralph cannot attribute these commits; a person who sees them can. */
function refuseBlindly({ run: id, is, whole, plan: { commits } }: UndoPlan): void {
  if (is !== 'undo' || !whole || commits.gone.length === 0) return
  const names = commits.gone.map(({ sha, subject }) => `${sha.slice(0, 10)} ${escapeInvisible(subject)}`)
  throw new RalphError(
    'inseparable',
    `the last agent of run ${id} was interrupted before Ralph took a snapshot. These commits may be from the agent or from you, so Ralph changed nothing: ${names.slice(0, 5).join('; ')}`,
    { hint: `To see them and decide, type on a terminal: ralph undo ${id}` },
  )
}

/** The JSON; `done`: whether anything was changed. */
function facts(undoing: UndoPlan, done: UndoResult | null): object {
  const { run: id, task, is, plan, warnings, checkboxes, lines } = undoing
  const { now, goal, commits, stays } = plan
  const { restored, removed, kept } = done?.files ?? plan.files
  return {
    run: id,
    is,
    done: done !== null,
    commits,
    files: { restored, removed, left: kept },
    checkboxes,
    control: lines,
    head: { branch: goal.branch, from: now.snapshot.head, to: goal.head },
    stays,
    warnings,
    ref: done?.ref ?? null,
    undo: done === null || is === 'back' ? null : undoCommandFor(undoing, { back: true }),
    task,
  }
}
