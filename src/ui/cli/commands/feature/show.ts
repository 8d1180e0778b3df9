/** `ralph feature show`: one feature from near, and what was drafted and not accepted. */
import { readDrafted, type Drafted } from '../../../../desk/feature/drafted.ts'
import { featureHere, type FeatureFacts } from '../../../../desk/feature/features.ts'
import type { TaskPlace } from '../../../../desk/task/task-store.ts'
import { draftedScreen } from '../../../plain/screens/feature-draft.ts'
import { featureScreen } from '../../../plain/screens/feature.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { FEATURE_SHOW } from '../../table/feature-papers.ts'
import { lookOf, placeOf } from '../task/place.ts'

export const run: Code<typeof FEATURE_SHOW> = async (input, io) => {
  const place = placeOf(io)
  const feature = await featureHere(place, input.args.feature)
  const draft = await draftOf(place, feature)
  const look = lookOf(io)
  const screen = (): string =>
    `${featureScreen(feature, look)}${draft === null ? '' : `\n${draftedScreen(draft, look)}`}`
  return answer({ ...feature, draft }, screen, { json: input.flags.json, io })
}

/** Null: there is none to be read, or it was accepted as it is. */
async function draftOf(place: TaskPlace, { name, papers, accepted }: FeatureFacts): Promise<Drafted | null> {
  const document = papers.find(({ paper }) => paper === 'tasks')
  const isRead = document?.is === 'whole' || document?.is === 'unfinished'
  return isRead && !accepted ? readDrafted(place, name) : null
}
