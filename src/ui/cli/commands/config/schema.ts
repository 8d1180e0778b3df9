/** `ralph config schema`: the JSON schema of the settings file, for editors. */
import { settingsSchema } from '../../../../config/schema.ts'
import { EXIT } from '../../../../core/error.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { CONFIG_SCHEMA } from '../../table/setup-commands.ts'

export const run: CommandCode<typeof CONFIG_SCHEMA> = async (_input, io) => {
  io.out(`${JSON.stringify(settingsSchema(), null, 2)}\n`)
  return EXIT.done
}
