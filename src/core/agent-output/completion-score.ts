/**
 * Heuristics over plain text, used only where no status block was found. Each distinct phrase adds a few points; only a reply with many
 * such phrases, or with phrases and a measured change, counts as complete.
 */
import { proseOf } from './prose.ts'

export interface CompletionScore {
  confidence: number
  /** The score is high enough to call the reply complete. */
  complete: boolean
  testOnly: boolean
  noWork: boolean
  /** What was found, and the points for it. */
  reasons: string[]
}

const POINTS = { phrase: 10, noWork: 15, change: 20, decline: 10 } as const

/** Not reachable without completion phrases: everything else adds up to 45. */
export const CONFIDENCE_THRESHOLD = 70

const COMPLETION = ['done', 'complete', 'finished', 'all tasks complete', 'project complete', 'ready for review']
const NO_WORK = ['nothing to do', 'no changes', 'already implemented', 'up to date']

export function scoreCompletionText(text: string, facts: { change: boolean; declined: boolean }): CompletionScore {
  const prose = proseOf(text).replace(/[’‘]/g, "'")
  const said = COMPLETION.filter((phrase) => claims(prose, phrase))
  const idle = NO_WORK.find((phrase) => claims(prose, phrase))
  const parts = [
    ...said.map((phrase) => ({ points: POINTS.phrase, why: `says "${phrase}"` })),
    ...(idle === undefined ? [] : [{ points: POINTS.noWork, why: `says "${idle}"` }]),
    ...(facts.change ? [{ points: POINTS.change, why: 'changed something' }] : []),
    ...(facts.declined ? [{ points: POINTS.decline, why: 'wrote less than half of last time' }] : []),
  ]
  const confidence = parts.reduce((sum, part) => sum + part.points, 0)
  return {
    confidence,
    complete: said.length > 0 && confidence >= CONFIDENCE_THRESHOLD,
    testOnly: RUNS_TESTS.test(prose) && !BUILDS.test(prose),
    noWork: idle !== undefined,
    reasons: parts.map((part) => `${part.why} (+${part.points})`),
  }
}

/** The points that a change measured after the reply adds. */
export const CHANGE_POINTS = POINTS.change

/** The prose contains the phrase as whole words, at least once without a negation before it. */
function claims(prose: string, phrase: string): boolean {
  const words = phrase.replaceAll(' ', String.raw`\s+`)
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}_-])${words}(?![\p{L}\p{N}_-]|\.\w)`, 'giu')
  for (const match of prose.matchAll(pattern)) {
    if (!DENIED.test(prose.slice(Math.max(0, match.index - 60), match.index))) return true
  }
  return false
}

/** A word shortly before the phrase, in the same clause, that negates or postpones it. */
const DENIED =
  /(?:\b(?:not|never|cannot|until|once|when|if|before|almost|nearly|partly|partially|half|isn't|aren't|wasn't|hasn't|haven't|can't|couldn't|won't))(?:[^\S\n]+[^\s.,;:!?]+){0,3}[^\S\n]*$/i

const RUNS_TESTS = /\b(?:running tests|ran the tests|npm (?:run )?test|bats|pytest|jest|vitest|cargo test|go test)\b/i
const BUILDS =
  /\b(?:implement\w*|creat(?:e|ed|es|ing)|writ(?:e|es|ing|ten)|wrote|add(?:ed|s|ing)?|fix(?:ed|es|ing)?|refactor\w*|function|class)\b/i
