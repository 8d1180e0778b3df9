/** Delivers a person's answers and guidance from between runs to the next run. */
import type { SteeringMessage } from '../../core/state/state.ts'
import { answerToAgentText } from '../../core/presentation/answer-to-agent.ts'
import { undeliveredAnswers } from '../../store/questions.ts'
import type { Inbox } from '../runtime/inbox.ts'
import type { LockedTreeContext } from './locked-tree.ts'

/** `known`: messages that the run has already received. */
export async function deliverAnswers(
  { store, root }: LockedTreeContext,
  { inbox, known }: { inbox: Pick<Inbox, 'put'>; known: SteeringMessage[] },
): Promise<void> {
  for (const { id, text, answer } of await undeliveredAnswers(store.sql, root)) {
    if (known.some(({ answers }) => answers === id)) continue
    const message =
      text === ''
        ? { from: 'ralph steer', text: answer }
        : { from: 'ralph answer', text: answerToAgentText(text, answer) }
    inbox.put({ type: 'request-received', request: { id: null, do: 'steer', ...message, answers: id } })
  }
}
