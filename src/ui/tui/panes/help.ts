/** The keys. */
import { clipLine, toSpan, type ScreenLine, type Size } from '../screen-line.ts'

const KEYS: [string, string][] = [
  ['q, Ctrl+C', 'leave; the run goes on, or is asked about'],
  ['p  r  x', 'pause after this iteration, go on, stop'],
  ['s', 'tell the agent something, next prompt'],
  ['tab, 1 to 7', 'words, decisions, events, plan, run,'],
  ['', 'iterations, detail; z: one alone, and back'],
  ['↑ ↓ PgUp PgDn', 'scroll or choose, also j k; g G: ends'],
  ['[  ]', 'an iteration back, forth; esc: live'],
  ['d  t  e  w', 'its diff, gate output, evidence; words'],
  ['enter, ← →', 'list to diff, parts; tasks fold; f: filter'],
  ['/  n  N', 'search words or detail; on, and back'],
  ['o', 'unfold what tools printed, and thoughts'],
  ['Ctrl+L, Ctrl+Z', 'redraw, suspend'],
]

/** What the marks before an iteration mean. */
const MARKS = '✓ moved  · nothing changed  ✗ refused'

export function helpLines({ columns }: Size): ScreenLine[] {
  const lines = KEYS.map(([keys, what]): ScreenLine => [toSpan(keys.padEnd(15), 'bold'), toSpan(what)])
  return [...lines, [toSpan(MARKS, 'dim')]].map((line) => clipLine(line, columns))
}
