/** What became of a request to a running engine, told to whoever asked. */
import type { Receipt } from '../../../app/steer/engine-requests.ts'
import { EXIT } from '../../../core/error.ts'
import type { Io } from './io.ts'

export function printReceipt(receipt: Receipt, { io, json }: { io: Io; json: boolean }): number {
  const code = receipt.state === 'refused' || receipt.state === 'expired' ? EXIT.error : EXIT.done
  if (json) io.out(`${JSON.stringify(receipt)}\n`)
  else io.out(`${receipt.state}: ${receipt.note ?? 'the run has it'}\n`)
  return code
}
