/** The keys. */
import { clipLine, toSpan, type ScreenLine, type Size } from '../screen-line.ts'

const KEYS: [string, string][] = [
  ['q, Ctrl+C', 'quit (the run keeps going, or Ralph asks)'],
  ['p  r  x', 'pause after this iteration, resume, stop'],
  ['s', 'send the agent a message (next prompt)'],
  ['tab, 1 to 7', 'pane: messages, decisions, events, plan,'],
  ['', 'run, iterations, detail; z: zoom'],
  ['↑ ↓ PgUp PgDn', 'scroll or select (j k); g G: top, bottom'],
  ['[  ]', 'previous, next iteration; esc: newest'],
  ['d  t  e  m', 'diff, gate output, evidence, messages'],
  ['enter, ← →', 'open, switch part; tasks: fold, f: filter'],
  ['/  n  N', 'search messages or detail; next, previous'],
  ['o', 'show tool output and complete thoughts'],
  ['Ctrl+L, Ctrl+Z', 'redraw, suspend'],
]

/** What the marks before an iteration mean. */
const MARKS = '✓ progress  · nothing changed  ✗ rejected  ▸ running'

export function helpLines({ columns }: Size): ScreenLine[] {
  const lines = KEYS.map(([keys, what]): ScreenLine => [toSpan(keys.padEnd(15), 'bold'), toSpan(what)])
  return [...lines, [toSpan(MARKS, 'dim')]].map((line) => clipLine(line, columns))
}
