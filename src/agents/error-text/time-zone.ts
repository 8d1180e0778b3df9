/** Time zones as vendors write them: `Europe/Berlin`, `PST`, `UTC+2`, "Pacific Time". */
import type { Instant } from '../../core/ids.ts'

/**
 * Minutes east of UTC. If a name is ambiguous, the meaning that a vendor most likely intends: CST is Chicago's and not China's, IST is
 * India's and not Ireland's or Israel's, BST is Britain's summer and not Bangladesh. PST means PST in summer too.
 */
const FIXED: Record<string, number> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  WET: 0,
  WEST: 60,
  BST: 60,
  CET: 60,
  CEST: 120,
  EET: 120,
  EEST: 180,
  MSK: 180,
  IST: 330,
  ICT: 420,
  SGT: 480,
  HKT: 480,
  AWST: 480,
  JST: 540,
  KST: 540,
  ACST: 570,
  AEST: 600,
  ACDT: 630,
  AEDT: 660,
  NZST: 720,
  NZDT: 780,
  BRT: -180,
  ART: -180,
  AST: -240,
  ADT: -180,
  EST: -300,
  EDT: -240,
  CST: -360,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
  AKST: -540,
  AKDT: -480,
  HST: -600,
}

/** Names with different offsets in winter and summer. */
const SEASONAL: Record<string, string> = {
  PT: 'America/Los_Angeles',
  PACIFIC: 'America/Los_Angeles',
  MT: 'America/Denver',
  MOUNTAIN: 'America/Denver',
  CT: 'America/Chicago',
  CENTRAL: 'America/Chicago',
  ET: 'America/New_York',
  EASTERN: 'America/New_York',
}

const SHIFTED = /^(?:UTC|GMT)?\s?([+-])(\d{1,2})(?::?(\d\d))?$/i

/** Whether this word is a zone; any word of the form `Area/City` counts, even an unknown one. */
export function isTimeZone(word: string): boolean {
  const name = word.toUpperCase()
  return word.includes('/') || name in FIXED || name in SEASONAL || SHIFTED.test(word)
}

/** A zone's offset in minutes east of UTC at an instant; undefined: an unknown zone. */
export function utcOffsetOf(zone: string, instant: Instant): number | undefined {
  const fixed = FIXED[zone.toUpperCase()]
  if (fixed !== undefined) return fixed
  const shifted = SHIFTED.exec(zone)
  if (shifted !== null) return signed(shifted[1], Number(shifted[2]) * 60 + Number(shifted[3] ?? 0))
  try {
    const name = new Intl.DateTimeFormat('en-US', {
      timeZone: SEASONAL[zone.toUpperCase()] ?? zone,
      timeZoneName: 'longOffset',
    })
      .formatToParts(instant)
      .find((part) => part.type === 'timeZoneName')?.value
    const found = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(name ?? '')
    return found === null ? undefined : signed(found[1], Number(found[2] ?? 0) * 60 + Number(found[3] ?? 0))
  } catch {
    return undefined
  }
}

function signed(sign: string | undefined, minutes: number): number {
  return sign === '-' ? -minutes : minutes
}
