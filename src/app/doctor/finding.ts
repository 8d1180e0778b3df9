/** One result of `ralph doctor`. */

export interface Finding {
  /** `bad`: a run would not start or not work; `warn`: it would, but perhaps not as intended. */
  level: 'ok' | 'warn' | 'bad'
  /** What was checked: `node`, `agent claude`, `gate test`. */
  about: string
  what: string
  /** How to fix it; null: nothing to fix. */
  fix: string | null
}

export function okFinding(about: string, what: string): Finding {
  return { level: 'ok', about, what, fix: null }
}

export function warnFinding(about: string, what: string, fix: string): Finding {
  return { level: 'warn', about, what, fix }
}

export function badFinding(about: string, what: string, fix: string): Finding {
  return { level: 'bad', about, what, fix }
}
