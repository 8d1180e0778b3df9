/** `ralph steer`: guidance for the agent of the running loop or, between runs, for that of the next one. */
import { saveGuidance } from '../../store/questions.ts'
import { systemClock } from '../../system/clock.ts'
import { withStore } from '../open-store.ts'
import { liveRunIn, sendRequestToRun, type Receipt } from './engine-requests.ts'

export type GuidanceTarget = { to: 'run'; receipt: Receipt } | { to: 'next' }

export function giveGuidance(root: string, text: string): Promise<GuidanceTarget> {
  return withStore(root, async (store): Promise<GuidanceTarget> => {
    const live = await liveRunIn(store, root)
    if (live !== null) {
      const request = { from: 'ralph steer', do: 'steer', text } as const
      return { to: 'run', receipt: await sendRequestToRun(store.sql, live.run, request) }
    }
    await store.sql.transaction((tx) => saveGuidance(tx, { workspace: root, text, at: systemClock().at() }))
    return { to: 'next' }
  })
}
