/** Prints what happened to a request to a running engine. */
import type { Receipt } from '../../../app/steer/engine-requests.ts'
import { EXIT, type ExitCode } from '../../../core/error.ts'
import type { Io } from './io.ts'
import { printResult } from './print-result.ts'

export function printReceipt(receipt: Receipt, { io, json }: { io: Io; json: boolean }): number {
  return printResult(receipt, () => `${receiptText(receipt)}\n`, { json, io, exit: receiptExit(receipt) })
}

export function receiptText({ state, note }: Receipt): string {
  return `${state}: ${note ?? 'delivered to the run'}`
}

export function receiptExit({ state }: Receipt): ExitCode {
  return state === 'refused' || state === 'expired' ? EXIT.error : EXIT.done
}
