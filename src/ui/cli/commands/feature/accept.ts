/** `ralph feature acceptDraft`: the drafted tasks, looked at and added. */
import { askToAccept } from '../../asking/accept.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { FEATURE_ACCEPT } from '../../table/feature-papers.ts'
import { storeLocationOf } from '../task/place.ts'

export const run: CommandCode<typeof FEATURE_ACCEPT> = async (input, io) => {
  const end = await askToAccept(
    { location: storeLocationOf(io), name: input.args.feature, input, canRevise: false },
    io,
  )
  return end.exit
}
