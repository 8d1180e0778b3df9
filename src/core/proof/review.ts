/** A second agent's word: it can veto a completion, never turn a red gate green. */
import type { Tag } from '../agent-output/tags/tag-scan.ts'

export type Review = { is: 'pass' } | { is: 'fail'; why: string } | { is: 'none' }

export function readReview({ told }: { told: { review?: Review } }): Review {
  return told.review ?? { is: 'none' }
}

/** Whoever says both has not said that it is well: a veto stands, and of several the last. */
export function readReviewTags(tags: Tag[]): Review {
  const against = tags.findLast(({ name }) => name === 'verify-fail')
  if (against !== undefined) return veto(against.body)
  return tags.some(({ name }) => name === 'verify-pass') ? { is: 'pass' } : { is: 'none' }
}

function veto(said: string): Review {
  return { is: 'fail', why: said.replace(/\s+/g, ' ').trim().slice(0, 500) || 'no reason given' }
}
