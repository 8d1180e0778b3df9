/** Sends one small message over HTTP. It never throws and never repeats the address: that may be a secret. */
import { RalphError } from '../core/error.ts'
import type { Millis } from '../core/ids.ts'

export interface PostResult {
  ok: boolean
  /** The server's answer, or why it was not reached. */
  detail: string
  /** Whether a retry may help. */
  canRetry: boolean
}

export interface PostOptions {
  headers: Record<string, string>
  body: string
  timeoutMs: Millis
  /** Aborted when the answer is no longer needed. */
  signal: AbortSignal
}

export async function postHttp(url: string, { headers, body, timeoutMs, signal }: PostOptions): Promise<PostResult> {
  try {
    const either = AbortSignal.any([AbortSignal.timeout(timeoutMs), signal])
    const answer = await fetch(url, { method: 'POST', headers, body, signal: either })
    // An unread answer would keep its connection open.
    await answer.body?.cancel()
    return { ok: answer.ok, detail: `it answered with HTTP status ${answer.status}`, canRetry: answer.status >= 500 }
  } catch (thrown) {
    if (signal.aborted) return { ok: false, detail: 'the request was cancelled', canRetry: false }
    return { ok: false, detail: whyNot(thrown, timeoutMs), canRetry: true }
  }
}

/** Checks that an address can be posted to; the error does not quote the address. */
export function checkUrl(url: string, name: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed !== null && (parsed.protocol === 'https:' || parsed.protocol === 'http:')) return
  throw new RalphError('bad-setting', `the value of ${name} is not an http or https URL`, {
    hint: `Set it like this: export ${name}=https://…`,
  })
}

function whyNot(thrown: unknown, timeoutMs: Millis): string {
  if (thrown instanceof Error && thrown.name === 'TimeoutError') return `it did not answer within ${timeoutMs / 1000} s`
  const cause = thrown instanceof Error ? thrown.cause : undefined
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : 'no connection'
  return `it could not be reached (${code})`
}
