/** A second agent's word: it can veto a completion, never turn a red gate green. */
import type { Tag } from '../reply/tags/tag-scan.ts'

export type Opinion = { is: 'pass' } | { is: 'fail'; why: string } | { is: 'none' }

export function readOpinion({ told }: { told: { opinion?: Opinion } }): Opinion {
  return told.opinion ?? { is: 'none' }
}

/** Whoever says both has not said that it is well: a veto stands, and of several the last. */
export function readOpinionTags(tags: Tag[]): Opinion {
  const against = tags.findLast(({ name }) => name === 'verify-fail')
  if (against !== undefined) return veto(against.body)
  return tags.some(({ name }) => name === 'verify-pass') ? { is: 'pass' } : { is: 'none' }
}

function veto(said: string): Opinion {
  return { is: 'fail', why: said.replace(/\s+/g, ' ').trim().slice(0, 500) || 'no reason given' }
}
