/** `ralph inspect signals`: the exit decision after each of these replies in turn. */
import { resolve } from 'node:path'
import { inspectSignals } from '../../../../app/doctor/inspect.ts'
import { signalsScreen } from '../../../plain/screens/inspect.ts'
import { paint } from '../../../plain/colours.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { INSPECT_SIGNALS } from '../../table/inspect-commands.ts'
import { readOptionsFrom, settingsOrDefaults } from './read-options.ts'

export const run: CommandCode<typeof INSPECT_SIGNALS> = async (input, io) => {
  const settings = await settingsOrDefaults(input, io)
  const paths = input.args.files.map((file) => resolve(io.cwd, file))
  const facts = await inspectSignals(paths, readOptionsFrom(input, settings), settings.rules())
  return answer(facts, () => signalsScreen(facts, paint(io.colour)), { json: input.flags.json, io })
}
