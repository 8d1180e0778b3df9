/** `ralph feature acceptDraft`: the drafted tasks, looked at and added. */
import { askToAccept } from '../../asking/accept-draft.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { FEATURE_ACCEPT } from '../../table/feature-documents.ts'
import { storeLocationOf } from '../task/task-io.ts'

export const run: CommandCode<typeof FEATURE_ACCEPT> = async (input, io) => {
  const end = await askToAccept(
    { location: storeLocationOf(io), name: input.args.feature, input, canRevise: false },
    io,
  )
  return end.exit
}
