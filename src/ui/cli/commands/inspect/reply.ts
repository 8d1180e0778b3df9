/** `ralph inspect reply`: what an agent's saved output amounts to, and why. */
import { resolve } from 'node:path'
import { inspectReply } from '../../../../app/doctor/inspect.ts'
import { replyScreen } from '../../../plain/screens/inspect.ts'
import { paint } from '../../../plain/colours.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { INSPECT_REPLY } from '../../table/inspect-commands.ts'
import { readOptionsFrom, settingsOrDefaults } from './read-options.ts'

export const run: CommandCode<typeof INSPECT_REPLY> = async (input, io) => {
  const settings = await settingsOrDefaults(input, io)
  const facts = await inspectReply(resolve(io.cwd, input.args.file), readOptionsFrom(input, settings))
  return answer(facts, () => replyScreen(facts, paint(io.colour)), { json: input.flags.json, io })
}
