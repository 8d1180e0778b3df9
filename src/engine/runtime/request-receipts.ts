/** Answers requests in the transaction that records them, so a receipt always matches the record. */
import type { Row } from '../../core/state/row.ts'
import { answerRequest, markRequestAccepted } from '../../store/requests.ts'
import type { Sql } from '../../store/db/sql.ts'

export async function writeRequestReceipts(tx: Sql, row: Row): Promise<void> {
  if (row.event.type === 'request-received' && row.event.request.id !== null) {
    const { id } = row.event.request
    await markRequestAccepted(tx, id)
    const refusal = row.decisions.find((decision) => decision.what === 'refuse' || decision.what === 'ignore')
    if (refusal !== undefined) await answerRequest(tx, id, 'refused', refusal.why, null)
    // A steering message waits for the next prompt; everything else has taken effect with this row.
    else if (row.event.request.do !== 'steer')
      await answerRequest(tx, id, 'applied', row.decisions[0]?.why ?? null, null)
  }
  for (const effect of row.effects) {
    if (effect.type !== 'run-agent') continue
    // A steering message is applied when a prompt contains it.
    for (const id of effect.steered ?? []) await answerRequest(tx, id, 'applied', null, effect.iteration)
  }
}
