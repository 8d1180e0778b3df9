/** A second agent's word: it can veto a completion, never turn a red gate green. */
import type { Tag } from '../reply/tags/tag-scan.ts'

export type Opinion = { is: 'pass' } | { is: 'fail'; why: string } | { is: 'none' }

/** What a reply holds of it. */
interface Answered {
  told?: { opinion?: Opinion }
  lastWords: string
}

export function readOpinion({ told, lastWords }: Answered): Opinion {
  return told === undefined ? readOldOpinion(lastWords) : (told.opinion ?? { is: 'none' })
}

/** Whoever says both has not said that it is well: a veto stands, and of several the last. */
export function readOpinionTags(tags: Tag[]): Opinion {
  const against = tags.findLast(({ name }) => name === 'verify-fail')
  if (against !== undefined) return veto(against.body)
  return tags.some(({ name }) => name === 'verify-pass') ? { is: 'pass' } : { is: 'none' }
}

/** Of a reply that an earlier version read, which kept no more than its last words. */
function readOldOpinion(text: string): Opinion {
  const verdicts = [...text.matchAll(/<verify-pass\s*\/>|<verify-fail>([\s\S]*?)<\/verify-fail>/g)]
  const last = verdicts.at(-1)
  if (last === undefined) return { is: 'none' }
  return last[1] === undefined ? { is: 'pass' } : veto(last[1])
}

function veto(said: string): Opinion {
  return { is: 'fail', why: said.replace(/\s+/g, ' ').trim().slice(0, 500) || 'no reason given' }
}
