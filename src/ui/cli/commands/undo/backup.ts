/** `ralph backup` and `ralph rollback`: create backups of the working tree and restore them. */
import { listAllBackups, createBackup, restoreBackup } from '../../../../app/undo/backup.ts'
import { plural } from '../../../plain/format-values.ts'
import type { CommandHandler } from '../../framework/command.ts'
import { printResult, createPrintCommand } from '../../framework/print-result.ts'
import { homeOf, openProject } from '../../framework/open-project.ts'
import type { BACKUP, ROLLBACK } from '../../command-table/control-commands.ts'

/** Creates a backup of the working tree. */
export const backup: CommandHandler<typeof BACKUP> = createPrintCommand(
  async (input, io) => ({ name: await createBackup((await openProject(input, io)).root) }),
  ({ name }) => `Saved as ${name}. To restore it: ralph rollback ${name}\n`,
)

/** Lists the backups, or restores one of them. */
export const rollback: CommandHandler<typeof ROLLBACK> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const { json } = input.flags
  const { name } = input.args
  if (name === null) {
    const list = await listAllBackups(root)
    return printResult(list, () => backupLines(list), { json, io })
  }
  const plan = settings.values['loop.plan']
  const done = await restoreBackup(root, name, { plan, env: io.env, home: homeOf(io) })
  const left =
    done.kept.length === 0
      ? ''
      : `Left unchanged, because a snapshot lacks their old or new content: ${done.kept.join(', ')}\n`
  const screen = (): string =>
    `Restored ${name}: ${plural(done.restored.length, 'file')} restored, ${plural(done.removed.length, 'file')} removed. No branch moved.\n${left}Ralph saved the previous state as ${done.ref}.\n`
  return printResult(done, screen, { json, io })
}

/** Prints at most a screen of them; `--json` has all. */
const SHOWN = 30

function backupLines(list: Awaited<ReturnType<typeof listAllBackups>>): string {
  if (list.length === 0) return 'There are no backups yet. Make one: ralph backup, or ralph loop --backup.\n'
  const lines = list.slice(0, SHOWN).map(({ at, from, name }) => {
    const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
    return `${time}  ${from.padEnd(9)} ${name}`
  })
  return `${lines.join('\n')}\n`
}
