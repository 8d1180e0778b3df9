/** Rung 6: a last look, and what the whole climb amounts to. */
import { count } from '../../text/amounts.ts'
import { BASE_LOST, isAboutTree } from '../acceptance.ts'
import { sortingOf, type Ladder, type LadderMove, type Needed } from '../rung.ts'
import { membersOf, rangesOf } from '../search.ts'
import { LISTED, listed } from './climbed.ts'

export function lastLook(ladder: Ladder): LadderMove {
  return { is: 'look', ladder: { ...ladder, rung: { is: 'last-look' } }, say: null }
}

export function lookedAgain(ladder: Ladder, changed: string[]): LadderMove {
  if (changed.length > 0) {
    return {
      is: 'refused',
      ladder,
      say: null,
      verdict: 'failed',
      why: `the tree changed after the gates had passed on it: ${listed(changed)}`,
      tell: `While the claim was tried, these files changed: ${listed(changed)}. Leave nothing running when you say that you are done. If a gate writes them, they belong in .gitignore.`,
      lines: ['These files changed while the claim was tried:', ...changed.slice(0, LISTED)],
    }
  }
  const open = unpermitted(ladder)
  if (open !== null)
    return {
      is: 'accept',
      ladder,
      say: null,
      why: whyAccept(ladder, open),
      needed: open,
      ignored: [],
      tell: null,
    }
  return { is: 'proven', ladder, say: null, why: summary(ladder) }
}

function whyAccept(ladder: Ladder, { changes, exact }: Needed): string {
  const { unclear } = sortingOf(ladder)
  const isWhole = isAboutTree({ unclear })
  const files = membersOf(changes).length + unclear.length - (isWhole ? 1 : 0)
  const passes = `the work passes only with ${exact ? '' : 'one or more of '}${files === 1 ? 'this' : 'these'} changed`
  if (!isWhole) return passes
  return files === 0 ? BASE_LOST : `${BASE_LOST}; and ${passes}`
}

export const NOTHING_NEEDED: Needed = { changes: [], exact: true, red: null }

/** What the work needs changed and nobody has allowed; null: nothing. Also what no trial could put back. */
export function unpermitted(ladder: Ladder): Needed | null {
  const { permitted, unclear } = sortingOf(ladder)
  const needed = ladder.needed ?? NOTHING_NEEDED
  const left = membersOf(needed.changes).filter((change) => change >= permitted)
  if (left.length === 0 && unclear.length === 0) return null
  return { ...needed, changes: rangesOf(left) }
}

/** A sentence of praise stays short. */
const SUMMED = 3

function summary(ladder: Ladder): string {
  const { needed, climbed } = ladder
  const numbers = membersOf(needed?.changes ?? [])
  const { names } = sortingOf(ladder)
  const first = numbers.slice(0, SUMMED).flatMap((at) => names.judge[at] ?? [])
  const more = numbers.length - first.length
  const which = `${first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const changed = numbers.length === 0 ? '' : `, judge changed as allowed: ${which}`
  const rungs = climbed.filter(({ durationMs }) => durationMs > 0).length
  return `proven in a clean room in ${count(rungs, 'trial')}${changed}`
}

/** The gates pass and prove nothing. Where they pass only by what nobody has allowed, a person is asked about that, and hears this too. */
export function unproven(ladder: Ladder, { why, tell }: { why: string; tell: string | null }): LadderMove {
  const open = unpermitted(ladder)
  if (open === null) return { is: 'unproven', ladder, say: null, why, tell }
  const needed = { ...open, blind: why }
  return { is: 'accept', ladder, say: null, why: whyAccept(ladder, open), needed, ignored: [], tell }
}
