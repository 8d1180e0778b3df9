/** The review of a second agent: it can veto a completion, never overrule a failed gate. */
import type { Tag } from '../agent-output/tags/tag-scan.ts'

export type Review = { is: 'pass' } | { is: 'fail'; why: string } | { is: 'none' }

export function reportedReview({ told }: { told: { review?: Review } }): Review {
  return told.review ?? { is: 'none' }
}

/** A review that says both yes and no is a veto; of several vetoes the last counts. */
export function parseReviewTags(tags: Tag[]): Review {
  const against = tags.findLast(({ name }) => name === 'verify-fail')
  if (against !== undefined)
    return { is: 'fail', why: against.body.replace(/\s+/g, ' ').trim().slice(0, 500) || 'no reason given' }
  return tags.some(({ name }) => name === 'verify-pass') ? { is: 'pass' } : { is: 'none' }
}
