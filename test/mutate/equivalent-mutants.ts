/**
 * Faults that change nothing anybody could notice, each with its reason: one fault of one line, named by what stands on the line. An
 * excuse that fits no fault any more is said so, and fails the run.
 */
export interface EquivalentMutant {
  /** Relative to `src/core`. */
  file: string
  /** What stands on the line, without the spaces around it. */
  line: string
  was: string
  becomes: string
  why: string
}

/** Several faults of one line, for one reason. */
function each(
  on: Pick<EquivalentMutant, 'file' | 'line' | 'why'>,
  faults: readonly (readonly [was: string, becomes: string])[],
): EquivalentMutant[] {
  return faults.map(([was, becomes]) => ({ ...on, was, becomes }))
}

const NAMES = 'who asks for names alone saves the time of a search'
const SHORT = 'a short way to what the patterns say too'
const NARROWER = 'a narrower short way: what is not on it goes the long one'

export const EQUIVALENT_MUTANTS: EquivalentMutant[] = [
  ...each(
    {
      file: 'proof/failures.ts',
      line: "return failuresIn(cleanLines(output), 'names').map(({ name }) => name)",
      why: NAMES,
    },
    [["'names'", "''"]],
  ),
  ...each(
    {
      file: 'proof/failures.ts',
      line: "said.set(found.name, want === 'names' ? null : (found.said ?? saidBelow(lines, at)))",
      why: NAMES,
    },
    [["want === 'names'", 'false']],
  ),
  ...[
    'if (PLAIN.test(text)) return text.length',
    'if (PLAIN.test(text)) return text.slice(0, Math.max(0, max))',
  ].flatMap((line) => each({ file: 'text/cells.ts', line, why: SHORT }, [['PLAIN.test(text)', 'false']])),
  ...each(
    {
      file: 'text/cells.ts',
      line: 'if (NARROW.some(([from, to]) => code >= from && code <= to)) return 1',
      why: NARROWER,
    },
    [
      ['NARROW.some(([from, to]) => code >= from && code <= to)', 'false'],
      ['some', 'NARROW.every(([from, to]) => code >= from && code <= to)'],
      ['code >= from', '(code) > (from)'],
      ['code <= to', '(code) < (to)'],
    ],
  ),
  ...each({ file: 'text/cells.ts', line: 'const NARROW: readonly [number, number][] = [', why: NARROWER }, [
    ['[ [0x20, 0x7e], [0xae, 0x2ff], [0x2010, 0x2027], [0x2190, 0…', '[]'],
  ]),
  ...(
    [
      ['[0x20, 0x7e]', '0x20', '33'],
      ['[0xae, 0x2ff]', '0xae', '348'],
      ['[0x2010, 0x2027]', '0x2010', '16416'],
      ['[0x2190, 0x2319]', '0x2190', '17184'],
      ['[0x270c, 0x2727]', '0x270c', '19992'],
    ] as const
  ).flatMap(([range, from, later]) =>
    each({ file: 'text/cells.ts', line: `${range},`, why: NARROWER }, [
      [range, '[]'],
      [from, later],
    ]),
  ),
]
