/** The state of the breaker in words, the same in `status` and `circuit`. */
import type { Breaker } from '../../core/admission/breaker.ts'
import { oneLine } from '../../core/text/sanitize.ts'
import type { Paint } from './colours.ts'

export function breakerText(breaker: Breaker, p: Paint): string {
  if (breaker.is === 'closed') return p.good('closed')
  return `${breaker.is === 'open' ? p.bad('open') : p.warn('half-open')}: ${oneLine(breaker.reason, 200)}`
}
