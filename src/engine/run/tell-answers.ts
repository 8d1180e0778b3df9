/** What a person answered while nobody was there to be told goes to the run that is served next. */
import type { Steered } from '../../domain/state/state.ts'
import { answerWords } from '../../domain/tell/answer.ts'
import { untoldAnswers } from '../../store/questions.ts'
import type { Inbox } from '../circle/inbox.ts'
import type { HeldTree } from './held-tree.ts'

/** `known`: what the run has been told already. */
export async function tellAnswers(
  { store, root }: HeldTree,
  { inbox, known }: { inbox: Pick<Inbox, 'put'>; known: Steered[] },
): Promise<void> {
  for (const { id, text, answer } of await untoldAnswers(store.sql, root)) {
    if (known.some(({ answers }) => answers === id)) continue
    const words = { text: answerWords(text, answer), answers: id }
    inbox.put({
      type: 'request-received',
      request: { id: null, from: 'ralph answer', do: 'steer', ...words },
    })
  }
}
