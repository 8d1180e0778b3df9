/** A second agent's word: it can veto a completion, never turn a red gate green. */

export type Opinion = { is: 'pass' } | { is: 'fail'; why: string } | { is: 'none' }

/** The last verdict in its reply counts; a reply without one is no opinion. */
export function readOpinion(text: string): Opinion {
  const verdicts = [...text.matchAll(/<verify-pass\s*\/>|<verify-fail>([\s\S]*?)<\/verify-fail>/g)]
  const last = verdicts.at(-1)
  if (last === undefined) return { is: 'none' }
  if (last[1] === undefined) return { is: 'pass' }
  return { is: 'fail', why: last[1].replace(/\s+/g, ' ').trim().slice(0, 500) || 'no reason given' }
}
