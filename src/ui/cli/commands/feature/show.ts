/** `ralph feature show`: one feature from near, and what was drafted and not accepted. */
import { readTaskDraft, type TaskDraft } from '../../../../app/feature/task-draft.ts'
import { featureFactsOf, type FeatureFacts } from '../../../../app/feature/features.ts'
import type { StoreLocation } from '../../../../app/task/task-store.ts'
import { taskDraftScreen } from '../../../plain/screens/feature-draft.ts'
import { featureScreen } from '../../../plain/screens/feature.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { FEATURE_SHOW } from '../../table/feature-documents.ts'
import { screenStyleOf, storeLocationOf } from '../task/task-io.ts'

export const run: CommandCode<typeof FEATURE_SHOW> = async (input, io) => {
  const location = storeLocationOf(io)
  const feature = await featureFactsOf(location, input.args.feature)
  const draft = await draftOf(location, feature)
  const look = screenStyleOf(io)
  const screen = (): string =>
    `${featureScreen(feature, look)}${draft === null ? '' : `\n${taskDraftScreen(draft, look)}`}`
  return answer({ ...feature, draft }, screen, { json: input.flags.json, io })
}

/** Null: there is none to be read, or it was accepted as it is. */
async function draftOf(
  location: StoreLocation,
  { name, documents, accepted }: FeatureFacts,
): Promise<TaskDraft | null> {
  const document = documents.find(({ document }) => document === 'tasks')
  const isRead = document?.is === 'whole' || document?.is === 'unfinished'
  return isRead && !accepted ? readTaskDraft(location, name) : null
}
