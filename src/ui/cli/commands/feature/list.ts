/** `ralph feature`, `ralph feature list`: all features. */
import { featuresHere } from '../../../../desk/feature/features.ts'
import { featureLines, NO_FEATURES } from '../../../plain/screens/feature.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { FEATURE_LIST } from '../../table/feature-papers.ts'
import { lookOf, placeOf } from '../task/place.ts'

export const run: Code<typeof FEATURE_LIST> = async (input, io) => {
  const features = await featuresHere(placeOf(io))
  const screen = (): string => (features.length === 0 ? NO_FEATURES : featureLines(features, lookOf(io)))
  return answer(features, screen, { json: input.flags.json, io })
}
