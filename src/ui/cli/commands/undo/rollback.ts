/** `ralph rollback`: lists the backups, or puts the working tree back to one of them. */
import { allBackups, restoreBackup } from '../../../../app/undo/backup.ts'
import { EXIT } from '../../../../core/error.ts'
import { count } from '../../../plain/format-time.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { ROLLBACK } from '../../table/control-commands.ts'
import { homeOf, openProject } from '../../frame/project.ts'

/** More than a screen of them helps nobody; `--json` has all. */
const SHOWN = 30

export const run: CommandCode<typeof ROLLBACK> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const json = input.flags.json
  const name = input.args.name
  if (name === null) {
    const list = await allBackups(root)
    if (json) io.out(`${JSON.stringify(list)}\n`)
    else if (list.length === 0)
      io.out('There is no backup yet. Make one: ralph backup, or run with --backup.\n')
    else
      io.out(
        `${list
          .slice(0, SHOWN)
          .map(
            (one) =>
              `${new Date(one.at).toISOString().slice(0, 19).replace('T', ' ')}  ${one.from.padEnd(9)} ${one.name}`,
          )
          .join('\n')}\n`,
      )
    return EXIT.done
  }
  const done = await restoreBackup(root, name, {
    plan: settings.values['loop.plan'],
    env: io.env,
    home: homeOf(io),
  })
  if (json) io.out(`${JSON.stringify(done)}\n`)
  else {
    io.out(
      `Back to ${name}: ${count(done.restored.length, 'file')} restored, ${count(done.removed.length, 'file')} removed; no branch was moved.\n`,
    )
    if (done.kept.length > 0)
      io.out(`Left as they are, since one of their versions is not stored: ${done.kept.join(', ')}\n`)
    io.out(`What was here before is kept as ${done.ref}.\n`)
  }
  return EXIT.done
}
