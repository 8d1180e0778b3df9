/** `ralph prune`: deletes old runs and files that the settings do not keep. Every run does the same at its end. */
import { EXIT } from '../../../../core/error.ts'
import { pruneProject } from '../../../../listeners/prune.ts'
import { formatSize, plural } from '../../../plain/format-values.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { PRUNE } from '../../command-table/setup-commands.ts'
import { openProject } from '../../framework/open-project.ts'

export const run: CommandHandler<typeof PRUNE> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const dry = input.flags.dryRun
  const { runs, logs, bytes, orphans } = await pruneProject({ root, settings, dry })
  if (input.flags.json) {
    io.out(`${JSON.stringify({ dryRun: dry, runs, logs, bytes, deletedProjects: orphans.length })}\n`)
    return EXIT.done
  }
  if (runs.length === 0 && logs.length === 0 && orphans.length === 0)
    io.out('Nothing to prune: everything is within the limits (keep.runs, keep.logs_gb).\n')
  if (runs.length > 0) io.out(`${dry ? 'Would delete' : 'Deleted'} ${plural(runs.length, 'run')}: ${runs.join(', ')}\n`)
  if (logs.length > 0)
    io.out(`${dry ? 'Would delete' : 'Deleted'} the logs of ${plural(logs.length, 'run')}: ${logs.join(', ')}\n`)
  if (orphans.length > 0)
    io.out(
      `${dry ? 'Would remove' : 'Removed'} clean rooms and tree copies of ${plural(orphans.length, 'deleted project')}.\n`,
    )
  if (bytes > 0) io.out(`${dry ? 'Would free' : 'Freed'} ${formatSize(bytes)} of logs.\n`)
  return EXIT.done
}
