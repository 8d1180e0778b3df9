/** One thing that `ralph doctor` looked at. */

export interface Finding {
  /** `bad`: a run would not start or not work; `warn`: it would, but perhaps not as meant. */
  level: 'ok' | 'warn' | 'bad'
  /** What was looked at: `node`, `agent claude`, `gate test`. */
  about: string
  what: string
  /** What to do about it; null: nothing. */
  retryPolicy: string | null
}

export function ok(about: string, what: string): Finding {
  return { level: 'ok', about, what, retryPolicy: null }
}

export function warn(about: string, what: string, retryPolicy: string): Finding {
  return { level: 'warn', about, what, retryPolicy }
}

export function bad(about: string, what: string, retryPolicy: string): Finding {
  return { level: 'bad', about, what, retryPolicy }
}
