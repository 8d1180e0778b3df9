/** `ralph feature`, `ralph feature list`: all features. */
import { listFeatureFacts } from '../../../../app/feature/features.ts'
import { featureLines, NO_FEATURES } from '../../../plain/screens/feature.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { FEATURE_LIST } from '../../table/feature-documents.ts'
import { screenStyleOf, storeLocationOf } from '../task/task-io.ts'

export const run: CommandCode<typeof FEATURE_LIST> = async (input, io) => {
  const features = await listFeatureFacts(storeLocationOf(io))
  const screen = (): string =>
    features.length === 0 ? NO_FEATURES : featureLines(features, screenStyleOf(io))
  return answer(features, screen, { json: input.flags.json, io })
}
