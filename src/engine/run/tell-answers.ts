/** What a person answered while nobody was there to be told goes to the run that is served next. */
import type { SteeringMessage } from '../../domain/state/state.ts'
import { answerPrompt } from '../../domain/tell/answer.ts'
import { undeliveredAnswers } from '../../store/questions.ts'
import type { Inbox } from '../circle/inbox.ts'
import type { LockedTree } from './held-tree.ts'

/** `known`: what the run has been told already. */
export async function deliverAnswers(
  { store, root }: LockedTree,
  { inbox, known }: { inbox: Pick<Inbox, 'put'>; known: SteeringMessage[] },
): Promise<void> {
  for (const { id, text, answer } of await undeliveredAnswers(store.sql, root)) {
    if (known.some(({ answers }) => answers === id)) continue
    const words = { text: answerPrompt(text, answer), answers: id }
    inbox.put({
      type: 'request-received',
      request: { id: null, from: 'ralph answer', do: 'steer', ...words },
    })
  }
}
