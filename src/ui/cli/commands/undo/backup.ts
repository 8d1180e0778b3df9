/** `ralph backup`: a backup of the tree as it is now. */
import { createBackup } from '../../../../app/undo/backup.ts'
import { EXIT } from '../../../../core/error.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { BACKUP } from '../../table/control-commands.ts'
import { openProject } from '../../frame/project.ts'

export const run: CommandCode<typeof BACKUP> = async (input, io) => {
  const { root } = await openProject(input, io)
  const name = await createBackup(root)
  if (input.flags.json) io.out(`${JSON.stringify({ name })}\n`)
  else io.out(`Kept as ${name}. Back to it: ralph rollback ${name}\n`)
  return EXIT.done
}
