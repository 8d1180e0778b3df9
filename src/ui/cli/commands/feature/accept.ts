/** `ralph feature accept`: the drafted tasks, looked at and added. */
import { askToAccept } from '../../asking/accept.ts'
import type { Code } from '../../frame/command.ts'
import type { FEATURE_ACCEPT } from '../../table/feature-papers.ts'
import { placeOf } from '../task/place.ts'

export const run: Code<typeof FEATURE_ACCEPT> = async (input, io) => {
  const end = await askToAccept({ place: placeOf(io), name: input.args.feature, input, mends: false }, io)
  return end.exit
}
