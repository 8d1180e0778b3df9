/** `--dry-run`: everything up to the first spawn, and what would be sent. No call is made, nothing is written. */
import { openForDryRun } from '../../../../engine/before/dry-run.ts'
import { EXIT } from '../../../../domain/error.ts'
import type { Rules } from '../../../../domain/run/rules.ts'
import { visible } from '../../../../domain/text/text.ts'
import { paint } from '../../../plain/paint.ts'
import { preflightBlock } from '../../../plain/screens/preflight.ts'
import { VERSION } from '../../../version.ts'
import type { Io } from '../../frame/io.ts'
import type { OpenProject } from '../../frame/project.ts'

export async function dryRun(
  { project, rules }: { project: OpenProject; rules: Rules },
  io: Io,
): Promise<number> {
  const { facts, ticked, prompt, argv } = await openForDryRun({
    root: project.root,
    settings: project.settings,
    rules,
  })
  io.out(preflightBlock({ ...facts, run: '(dry run)' }, VERSION, paint(io.colour)))
  if (ticked)
    io.out(
      `Every box of ${visible(rules.loop.plan ?? 'the plan')} is ticked: the gates would judge that, and no agent would be started. With an open box:\n`,
    )
  io.out(
    `Would start: ${visible(argv.join(' '))}\nWith this prompt on its stdin (${prompt.length} characters):\n\n${prompt}\n`,
  )
  return EXIT.done
}
