/** `ralph inspect breaker`: the breaker after each line of a JSONL file. */
import { resolve } from 'node:path'
import { inspectBreaker } from '../../../../app/doctor/inspect-breaker.ts'
import { breakerScreen } from '../../../plain/screens/inspect.ts'
import { paint } from '../../../plain/colours.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { INSPECT_BREAKER } from '../../table/inspect-commands.ts'
import { settingsOrDefaults } from './read-options.ts'

export const run: CommandCode<typeof INSPECT_BREAKER> = async (input, io) => {
  const settings = await settingsOrDefaults(input, io)
  const facts = inspectBreaker(resolve(io.cwd, input.args.file), settings.rules().breaker)
  return answer(facts, () => breakerScreen(facts, paint(io.colour)), { json: input.flags.json, io })
}
