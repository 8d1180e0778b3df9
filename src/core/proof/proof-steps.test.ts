import { describe, expect, test } from 'vitest'
import { someEvidence, someRules, someClassification } from '../../../test/kit/core.ts'
import type { Base } from './base.ts'
import type { Gate } from './evidence.ts'
import { firstProofMove, nextProofMove } from './proof-steps.ts'
import type { ProofSubject, ProofInput, ProofMove } from './proof-types.ts'
import { rangeMembers } from './needed-changes-search.ts'
import type { TrialLayout, ClassifiedChangesSummary, TrialResult } from './trial.ts'

const BY: ProofInput = {
  gates: someRules().gates,
  base: { tree: 'w:0', plan: null, refs: null, from: 'first' },
  about: 'work',
  testsAtBase: 3,
  writtenAtBase: [],
  reruns: 1,
  trials: 12,
}

interface Claim extends Partial<ClassifiedChangesSummary> {
  /** How the gates do on an arrangement. */
  green: (trialLayout: TrialLayout, run: number) => boolean
  /** How many tests they tell. */
  tests?: (trialLayout: TrialLayout) => number | null
  changed?: string[]
  /** What changes while the gates run. */
  writtenFiles?: (trialLayout: TrialLayout) => string[]
  by?: Partial<ProofInput>
  cleanRoomFails?: string
}

/** Climbs to the end; gives it, and what was tried on the way. */
function play({
  green,
  tests = () => 3,
  changed = [],
  writtenFiles = () => [],
  by = {},
  cleanRoomFails,
  ...classification
}: Claim): {
  end: ProofMove
  tried: string[]
  /** Each trial whole. */
  tries: Extract<ProofMove, { is: 'try' }>[]
} {
  const rules = { ...BY, ...by }
  const tried: string[] = []
  const tries: Extract<ProofMove, { is: 'try' }>[] = []
  let move = firstProofMove()
  for (let n = 0; n < 60; n++) {
    if (move.is === 'sort')
      move = nextProofMove(move.progress, { is: 'sorted', classification: someClassification(classification) }, rules)
    else if (move.is === 'look') move = nextProofMove(move.progress, { is: 'looked', changed }, rules)
    else if (move.is === 'try') {
      const { trialLayout } = move
      tried.push(named(trialLayout))
      tries.push(move)
      const ok = green(trialLayout, tried.length)
      const results = move.gates.map((gate) => ({
        ...someEvidence(gate.name, { green: ok }),
        tests: tests(trialLayout),
      }))
      const trial: TrialResult =
        cleanRoomFails === undefined
          ? {
              is: 'ran',
              durationMs: 10,
              results,
              named: [],
              sharedPaths: ['.env'],
              writtenFiles: writtenFiles(trialLayout),
              unremovableTests: [],
            }
          : { is: 'room-failed', durationMs: 10, why: cleanRoomFails }
      move = nextProofMove(move.progress, { is: 'tried', trial }, rules)
    } else return { end: move, tried, tries }
  }
  throw new Error('it climbs for ever')
}

function named(trialLayout: TrialLayout): string {
  if (trialLayout.is === 'base') return 'base'
  const work = trialLayout.broken === 'nothing' ? '' : ` ${trialLayout.broken}`
  if (trialLayout.is === 'final') return `final${work}${trialLayout.ignored ? ' with ignored' : ''}`
  const keep = rangeMembers(trialLayout.keep)
  return `old judge${keep.length === 0 ? '' : ` keeping ${keep.join(',')}`}${work}`
}

function isAsIs(trialLayout: TrialLayout): boolean {
  return trialLayout.is === 'base' || trialLayout.broken === 'nothing'
}

/** Passes only with these changes of the protected files kept. */
function needs(...changes: number[]): Claim['green'] {
  return (trialLayout) => {
    if (!isAsIs(trialLayout)) return false
    if (trialLayout.is !== 'original-tests') return true
    const kept = rangeMembers(trialLayout.keep)
    return changes.every((change) => kept.includes(change))
  }
}

describe('an honest claim', () => {
  test('that changed only work is proven in four trials', () => {
    const { end, tried } = play({ green: isAsIs })
    expect(tried).toEqual(['final', 'final source-fails', 'final source-mutated', 'final assertions-mutated'])
    expect(end).toMatchObject({ is: 'proven', why: 'npm run test passes, here and in the clean room (5 steps)' })
  })

  test('that changed the protected files harmlessly is proven with the original tests', () => {
    const { end, tried } = play({ protectedFiles: 3, green: isAsIs })
    expect(tried).toEqual([
      'final',
      'old judge',
      'old judge source-fails',
      'old judge source-mutated',
      'old judge assertions-mutated',
    ])
    expect(end.is).toBe('proven')
  })

  test('of a new file with its new test is proven by its own tests', () => {
    const green = (trialLayout: TrialLayout): boolean => isAsIs(trialLayout) || trialLayout.is === 'original-tests'
    const { end, tried } = play({ protectedFiles: 1, green })
    expect(tried).toEqual([
      'final',
      'old judge',
      'old judge source-fails',
      'final source-fails',
      'final source-mutated',
      'final assertions-mutated',
    ])
    expect(end.is).toBe('proven')
  })

  test('is not blamed for a test that fails once', () => {
    const { end } = play({
      protectedFiles: 1,
      green: (trialLayout, run) => run !== 1 && run !== 3 && isAsIs(trialLayout),
    })
    expect(end.is).toBe('proven')
  })

  test('needs no trial of mistakes where nothing can be made wrong or no gate tells its tests', () => {
    expect(play({ isMutable: false, mutableTests: 0, green: isAsIs }).tried).toEqual(['final', 'final source-fails'])
    expect(play({ tests: () => null, mutableTests: 0, green: isAsIs }).tried).toEqual(['final', 'final source-fails'])
  })

  test('with an allowance for what it needs is proven, and says so', () => {
    const names = { work: ['src/a.js'], protectedFiles: ['test/a.js', 'test/b.js'] }
    const { end, tried } = play({ protectedFiles: 2, allowedCount: 1, names, green: needs(0) })
    expect(end).toMatchObject({ is: 'proven' })
    expect(end.is === 'proven' && end.why).toMatch(/, with the allowed changes to test\/a\.js$/)
    expect(tried.at(-1)).toBe('old judge keeping 0 assertions-mutated')
  })

  test('with an allowance for many says the first three, and how many more', () => {
    const protectedFiles = Array.from({ length: 60 }, (_, at) => `test/${at}.js`)
    const green = needs(...Array.from({ length: 50 }, (_, at) => at))
    const { end } = play({
      protectedFiles: 60,
      allowedCount: 60,
      by: { trials: 0 },
      names: { work: ['src/a.js'], protectedFiles: protectedFiles.slice(0, 40) },
      green,
    })
    expect(end.is === 'proven' && end.why).toMatch(
      /with the allowed changes to test\/0\.js, test\/1\.js, test\/2\.js and 57 more$/,
    )
  })
})

test('tests that no gate runs are no reason to doubt a claim', () => {
  const green = (one: TrialLayout): boolean =>
    one.is === 'base' ||
    one.broken === 'nothing' ||
    one.broken.startsWith('assertions') ||
    one.broken.startsWith('tests')
  const { end, tried } = play({ green })
  expect(tried.slice(-2)).toEqual(['final assertions-mutated', 'final tests-fail'])
  expect(end.is).toBe('proven')
})

describe('a claim that needs protected files changed', () => {
  test('asks for exactly the needed changes', () => {
    const { end } = play({ protectedFiles: 9, by: { trials: 40 }, green: needs(2, 7) })
    expect(end.is === 'accept' && rangeMembers(end.needed.changes)).toEqual([2, 7])
  })

  test('tells the search in a line of its own, with its time', () => {
    const names = { work: ['src/a.js'], protectedFiles: ['a', 'b', 'c', 'd'] }
    const { end, tried } = play({ protectedFiles: 4, names, green: needs(2) })
    const afterSearchTrial = tried.filter((one) => /^old judge keeping [\d,]+$/.test(one)).length
    const line = end.progress.stepResults.find(({ proofStep }) => proofStep === 'needed')
    expect(line).toEqual({
      proofStep: 'needed',
      mark: 'warning',
      said: `needed test or config changes: c (${afterSearchTrial} trials)`,
      durationMs: afterSearchTrial * 10,
    })
    expect(end.progress.stepResults.find(({ proofStep }) => proofStep === 'source-loaded')?.durationMs).toBe(10)
  })

  test('asks for one or more of many when the search was cut short', () => {
    const { end } = play({ protectedFiles: 64, by: { trials: 2 }, green: needs(3, 40) })
    expect(end).toMatchObject({ is: 'accept', needed: { exact: false } })
  })

  test.each([
    ['only documents', { work: 1, documents: 1 }],
    ['nothing', { work: 0 }],
  ])('asks for them where %s of the work changed: there is nothing to break', (_, more) => {
    const { end, tried } = play({ ...more, breakableCount: 0, protectedFiles: 1, green: needs(0) })
    expect(end.is === 'accept' && rangeMembers(end.needed.changes)).toEqual([0])
    expect(tried).toEqual(['final', 'old judge', 'old judge'])
  })

  test('asks also for what no trial can revert', () => {
    const unclear = [{ path: 'src/lib.rs', why: 'edited inner tests' }]
    expect(play({ unclear, green: isAsIs }).end.is).toBe('accept')
  })
})

describe('a claim that needs protected files changed and is proven by nothing even then', () => {
  const names = { work: ['src/a.js'], protectedFiles: ['package.json', 'test/b.js'] }
  const withFirst = (one: TrialLayout): boolean => one.is !== 'original-tests' || one.keep.some(([from]) => from === 0)

  test.each<[string, Partial<Claim>, string]>([
    [
      'the gates do not look at the work',
      { green: withFirst },
      'the gates pass even if Ralph breaks the changed files on purpose',
    ],
    [
      'the gates notice no mistake',
      { green: (one) => withFirst(one) && (one.is === 'base' || !one.broken.startsWith('source-fails')) },
      'the tests pass even with a broken version of the change',
    ],
    [
      'the gates run no test',
      { green: withFirst, tests: (one) => (one.is === 'base' ? 3 : 0) },
      'the gates pass but ran 0 tests',
    ],
  ])('asks for the change and says so: %s', (_, claim, proofGap) => {
    const { end } = play({ protectedFiles: 2, names, green: isAsIs, ...claim })
    expect(end).toMatchObject({
      is: 'accept',
      needed: { changes: [[0, 0]], proofGap: expect.stringContaining(proofGap) as string },
    })
    expect(end.is === 'accept' && end.tell, 'the agent may mend it first').not.toBeNull()
  })

  test('with an allowance for the change it is unproven', () => {
    expect(play({ protectedFiles: 2, allowedCount: 2, names, green: withFirst }).end.is).toBe('unproven')
  })
})

describe('a claim against a base that was lost', () => {
  const by = { base: { ...BY.base, from: 'lost' } } as const

  test('is tried as ever, and holds only if a person confirms the tree', () => {
    const { end, tried } = play({ by, green: isAsIs })
    expect(tried).toEqual(['final', 'final source-fails', 'final source-mutated', 'final assertions-mutated'])
    expect(end).toMatchObject({ is: 'accept', needed: { changes: [] } })
    expect(end.is === 'accept' && end.why).toContain('cannot tell what earlier runs changed')
  })

  test('names what it needs besides', () => {
    const { end } = play({ by, protectedFiles: 2, green: needs(1) })
    expect(end.is === 'accept' && rangeMembers(end.needed.changes)).toEqual([1])
    expect(end.is === 'accept' && end.why).toMatch(
      /cannot tell what earlier runs changed; the gates pass only because \S+ \S* ?was changed$/,
    )
  })

  test.each<ProofSubject>(['work', 'state', 'changed-state'])(
    'asks about the tree where nothing has changed since: %s',
    (about) => {
      const { end } = play({ work: 0, breakableCount: 0, by: { ...by, about }, green: isAsIs })
      expect(end.is).toBe('accept')
    },
  )
})

describe('a claim is refused', () => {
  test('that is red in the clean room, with ignored files as well', () => {
    const { end, tried } = play({ green: () => false })
    expect(tried).toEqual(['final', 'final', 'final with ignored'])
    expect(end).toMatchObject({ is: 'refused', verdict: 'failed' })
  })

  test('whose work writes over the protected files while the gates run, unless they did so before', () => {
    const writtenFiles = (): string[] => ['test/b.test.js']
    expect(play({ writtenFiles, green: isAsIs }).end).toMatchObject({ is: 'refused', verdict: 'tampered' })
    expect(play({ writtenFiles, by: { writtenAtBase: writtenFiles() }, green: isAsIs }).end.is).toBe('proven')
  })

  test('whose tree changed meanwhile', () => {
    expect(play({ changed: ['src/a.js'], green: isAsIs }).end).toMatchObject({ is: 'refused' })
  })

  test('that lost boxes of the plan, before anything is tried', () => {
    const { end, tried } = play({ droppedCheckboxes: ['write sub'], green: isAsIs })
    expect(tried).toEqual([])
    expect(end.is === 'refused' && end.why).toContain('write sub')
  })
})

describe('a tree in which nothing has changed', () => {
  const proven = { ...BY.base, from: 'proven' } as const

  test.each<[ProofSubject, Base['from'], ProofMove['is'], boolean]>([
    ['work', 'first', 'unproven', true],
    ['work', 'proven', 'unproven', true],
    ['state', 'first', 'unproven', false],
    ['state', 'proven', 'proven', false],
    ['state', 'accepted', 'proven', false],
    ['changed-state', 'proven', 'unproven', false],
  ])('asked about as %s since it was %s is %s; told to the agent: %s', (about, from, is, isTold) => {
    const { end, tried } = play({ work: 0, by: { about, base: { ...proven, from } }, green: isAsIs })
    expect([end.is, end.is === 'unproven' && end.tell !== null, tried]).toEqual([is, isTold, []])
  })
})

describe('a claim is unproven', () => {
  test.each<[string, Claim, string]>([
    ['nothing changed', { work: 0, green: isAsIs }, 'nothing has changed'],
    ['only documents changed', { work: 1, documents: 1, breakableCount: 0, green: isAsIs }, 'no gate reads them'],
    [
      'only tests changed',
      { work: 0, breakableCount: 0, protectedFiles: 1, green: isAsIs },
      'the gates prove nothing about it',
    ],
    [
      'fewer tests run than before although nothing of the judge changed',
      { tests: () => 2, green: isAsIs },
      'only 2 of the 3 original tests still run',
    ],
    [
      'the old judge runs no test, and none is new',
      {
        protectedFiles: 1,
        by: { testsAtBase: 0 },
        tests: (one) => (one.is === 'original-tests' ? 0 : 1),
        green: isAsIs,
      },
      'run 0 of the original tests',
    ],
    ['no test ran', { tests: () => 0, green: isAsIs }, '0 tests'],
    ['the gates do not look', { protectedFiles: 1, green: () => true }, 'pass even if Ralph breaks the changed files'],
    [
      'the gates see no mistake',
      {
        protectedFiles: 1,
        green: (one) => one.is === 'base' || (one.broken !== 'source-fails' && one.broken !== 'source-fails-first'),
      },
      'pass even with a broken version of the change',
    ],
    [
      'the tests pass even with wrong expected values',
      {
        green: (one) => one.is === 'base' || one.broken === 'nothing' || one.broken === 'assertions-mutated',
      },
      'even with wrong expected values',
    ],
    [
      'the work keeps old tests from running',
      { protectedFiles: 1, tests: (one) => (one.is === 'original-tests' ? 1 : 4), green: isAsIs },
      'only 1 of the 3 original tests still run',
    ],
  ])('when %s', (_, claim, why) => {
    const { end } = play(claim)
    expect(end.is === 'unproven' && end.why).toContain(why)
  })
})

test('what passes only with ignored files is asked about, with their names', () => {
  const { end } = play({ green: (one) => one.is === 'final' && one.ignored })
  expect(end).toMatchObject({ is: 'accept', ignored: ['.env'] })
})

test('a room that fails proves nothing either way', () => {
  expect(play({ green: isAsIs, cleanRoomFails: 'npm ci: no network' }).end).toMatchObject({
    is: 'room-failed',
    why: 'npm ci: no network',
  })
})

/** What a person and the agent read of an end. */
function words(claim: Claim): { why: string; tell: string | null; lines: string[] } {
  const { end } = play(claim)
  if (end.is === 'sort' || end.is === 'look' || end.is === 'try') throw new Error('it goes on')
  return {
    why: end.why,
    tell: 'tell' in end ? end.tell : null,
    lines: end.is === 'refused' ? end.lines : [],
  }
}

const MANY = Array.from({ length: 12 }, (_, i) => `f${i}`)

describe('a refusal names what to fix', () => {
  test.each<[string, Claim, Partial<ReturnType<typeof words>>]>([
    [
      'a box',
      { droppedCheckboxes: ['sing'], green: isAsIs },
      {
        why: '1 open item disappeared from the plan: sing',
        lines: ['Restore these items in the plan:', '- [ ] sing'],
      },
    ],
    [
      'boxes, the first few of them',
      { droppedCheckboxes: MANY, green: isAsIs },
      {
        why: '12 open items disappeared from the plan: f0; f1; f2',
        lines: ['Restore these items in the plan:', ...MANY.slice(0, 10).map((name) => `- [ ] ${name}`)],
      },
    ],
    [
      'files that changed meanwhile',
      { changed: MANY, green: isAsIs },
      {
        why: 'files changed during the proof: f0, f1, f2, f3, f4 and 7 more',
        lines: ['These files changed during the proof:', ...MANY.slice(0, 10)],
      },
    ],
    [
      'five files, all of them',
      { changed: MANY.slice(0, 5), green: isAsIs },
      { why: 'files changed during the proof: f0, f1, f2, f3, f4' },
    ],
    [
      'what the work writes over',
      { writtenFiles: () => MANY, green: isAsIs },
      {
        why: 'the code under test changed f0, f1, f2, f3, f4 and 7 more while the gates ran',
        lines: [
          'The code under test writes to these files. Remove that code, and restore the files if they changed:',
          ...MANY.slice(0, 10),
        ],
      },
    ],
    [
      'what it writes over with the judge as it was',
      {
        protectedFiles: 1,
        writtenFiles: (one) => (one.is === 'original-tests' ? ['test/a.js'] : []),
        green: isAsIs,
      },
      { why: 'the code under test changed test/a.js while the gates ran' },
    ],
    [
      'what the gates say in the clean room',
      { green: () => false },
      {
        why: 'gates pass in the working tree but fail in the clean room: test failed (exit 1)',
        lines: ['not ok 1'],
      },
    ],
  ])('%s', (_, claim, told) => {
    expect(words(claim)).toMatchObject(told)
  })
})

describe('what is unproven tells the agent what to do', () => {
  const names = { work: ['src/a.js'], protectedFiles: ['package.json'] }
  test.each<[string, Claim, string]>([
    [
      'no test ran',
      { tests: () => 0, green: isAsIs },
      'Write tests that check the work, where the test runner finds them.',
    ],
    ['the gates do not look', { green: () => true }, 'Ralph breaks the files you changed (src/a.js)'],
    [
      'with a way out',
      { green: () => true },
      'Write tests that use these files, and put them where the gates find them.',
    ],
    [
      'a change of the judge is why',
      { protectedFiles: 1, names, green: (one) => one.is !== 'original-tests' || one.keep.length > 0 },
      'They pass only because you changed package.json: restore it, and make your work pass with it.',
    ],
    [
      'no mistake is seen',
      { green: (one) => one.is === 'base' || !one.broken.startsWith('source-fails') },
      'Add tests that fail when these lines are wrong.',
    ],
    [
      'any expectation will do',
      { green: (one) => isAsIs(one) || (one.is !== 'base' && one.broken === 'assertions-mutated') },
      'makes every comparison true',
    ],
    [
      'tests are missing',
      { tests: () => 2, green: isAsIs },
      'only 2 of 3 tests run: something you changed keeps the others from running',
    ],
    [
      'the old tests do not run',
      {
        protectedFiles: 1,
        by: { testsAtBase: 0 },
        tests: (one) => (one.is === 'original-tests' ? 0 : 1),
        green: isAsIs,
      },
      'the gates run 0 tests',
    ],
  ])('%s', (_, claim, tell) => {
    expect(words(claim).tell).toContain(tell)
  })
})

test.each<[ProofSubject, Base['from'], string]>([
  ['work', 'first', 'nothing has changed since the work began, so the gates prove nothing'],
  ['state', 'proven', 'nothing has changed since the last proven state'],
  ['state', 'accepted', 'nothing has changed since the last accepted state'],
  [
    'changed-state',
    'proven',
    'only you changed files since the last proven state; to check your changes: ralph verify --since REF',
  ],
])('nothing has changed: %s since %s', (about, from, why) => {
  const claim: Claim = { work: 0, by: { about, base: { ...BY.base, from } }, green: isAsIs }
  expect(words(claim).why).toBe(why)
  expect(play(claim).end.progress.tests).toBe(3)
})

describe('the proof steps tell how it went', () => {
  const stepResults = (claim: Claim): string[] =>
    play(claim).end.progress.stepResults.map(({ mark, said, durationMs }) => `${mark} ${durationMs}: ${said}`)
  const broken = (one: TrialLayout): string => (one.is === 'base' ? 'nothing' : one.broken)

  test.each<[string, Claim, string[]]>([
    [
      'work alone',
      { green: isAsIs },
      [
        'good 10: clean room: pass',
        'skipped 0: original tests: skipped (tests and config unchanged)',
        'good 10: gates load the changed files',
        'good 10: mutation: tests catch a broken version of the change',
        'good 10: assertions: tests fail if expected values change',
        'good 0: final tree: unchanged',
      ],
    ],
    [
      'red at first, each with all of its time',
      { protectedFiles: 1, green: (one, run) => run !== 1 && run !== 3 && isAsIs(one) },
      [
        'warning 20: clean room: pass after a failure (flaky?)',
        'good 20: original tests: pass',
        'good 10: gates load the changed files',
        'good 10: mutation: tests catch a broken version of the change',
        'good 10: assertions: tests fail if expected values change',
        'good 0: final tree: unchanged',
      ],
    ],
    [
      'red in the room',
      { green: () => false },
      ['bad 20: clean room: failed (exit 1)', 'bad 10: clean room with ignored files: failed (exit 1)'],
    ],
    [
      'green with ignored files',
      { green: (one) => one.is === 'final' && one.ignored },
      ['bad 20: clean room: failed (exit 1)', 'warning 10: clean room with ignored files: pass'],
    ],
    [
      'a base that nobody has counted yet',
      { by: { testsAtBase: null }, green: isAsIs, isMutable: false, mutableTests: 0 },
      [
        'good 10: clean room: pass',
        'good 10: tests before the change: 3 ran',
        'skipped 0: original tests: skipped (tests and config unchanged)',
        'good 10: gates load the changed files',
        'skipped 0: mutation: skipped (nothing to mutate on the changed lines)',
        'skipped 0: assertions: skipped (no test has an expected value to change)',
        'good 0: final tree: unchanged',
      ],
    ],
    [
      'a base that does not tell',
      {
        by: { testsAtBase: null },
        tests: (one) => (one.is === 'base' ? null : 3),
        green: isAsIs,
        isMutable: false,
        mutableTests: 0,
      },
      [
        'good 10: clean room: pass',
        'skipped 10: tests before the change: no test count in the output',
        'skipped 0: original tests: skipped (tests and config unchanged)',
        'good 10: gates load the changed files',
        'skipped 0: mutation: skipped (nothing to mutate on the changed lines)',
        'skipped 0: assertions: skipped (no test has an expected value to change)',
        'good 0: final tree: unchanged',
      ],
    ],
    [
      'gates that do not tell their tests, so nobody counts at the base',
      { by: { testsAtBase: null }, tests: () => null, green: isAsIs, mutableTests: 0 },
      [
        'good 10: clean room: pass',
        'skipped 0: original tests: skipped (tests and config unchanged)',
        'good 10: gates load the changed files',
        'skipped 0: mutation: skipped (no test count in the output)',
        'skipped 0: assertions: skipped (no test has an expected value to change)',
        'good 0: final tree: unchanged',
      ],
    ],
    [
      'blind gates, broken first in another way',
      { green: () => true },
      [
        'good 10: clean room: pass',
        'skipped 0: original tests: skipped (tests and config unchanged)',
        "bad 20: gates don't load the changed files",
      ],
    ],
    [
      'blind gates, and no expectation that could show it',
      { green: () => true, mutableTests: 0 },
      [
        'good 10: clean room: pass',
        'skipped 0: original tests: skipped (tests and config unchanged)',
        "bad 10: gates don't load the changed files",
      ],
    ],
    [
      'a mistake that neither judge sees',
      { protectedFiles: 1, green: (one) => !broken(one).startsWith('source-fails') },
      [
        'good 10: clean room: pass',
        'good 10: original tests: pass',
        'good 10: gates load the changed files',
        'bad 20: mutation: tests miss a broken version of the change',
      ],
    ],
    [
      'any expectation will do',
      { green: (one) => ['nothing', 'assertions-mutated'].includes(broken(one)) },
      [
        'good 10: clean room: pass',
        'skipped 0: original tests: skipped (tests and config unchanged)',
        'good 10: gates load the changed files',
        'good 10: mutation: tests catch a broken version of the change',
        'bad 20: assertions: tests pass even if expected values change',
      ],
    ],
    [
      'tests that no gate runs',
      { green: (one) => broken(one) === 'nothing' || /^(?:assertions|tests)/.test(broken(one)) },
      [
        'good 10: clean room: pass',
        'skipped 0: original tests: skipped (tests and config unchanged)',
        'good 10: gates load the changed files',
        'good 10: mutation: tests catch a broken version of the change',
        'skipped 20: assertions: skipped (the gates run none of these tests)',
        'good 0: final tree: unchanged',
      ],
    ],
    [
      'no work to break, and the judge changed',
      { work: 0, breakableCount: 0, protectedFiles: 1, green: needs(0) },
      [
        'good 10: clean room: pass',
        'bad 20: original tests: failed (exit 1)',
        'skipped 0: gates load the changed files: skipped (no changed file to break)',
        'good 0: final tree: unchanged',
      ],
    ],
  ])('%s', (_, claim, told) => {
    expect(stepResults(claim)).toEqual(told)
    // With its indentation, mark and duration a line fits 80 columns.
    expect(told.filter((line) => line.replace(/^\w+ \d+: /, '').length > 66)).toEqual([])
  })

  test.each<[string, Partial<Claim>, number[], RegExp]>([
    ['comes to its end', { by: { trials: 12 } }, [3], /^needed test or config changes: f3 \(\d trials\)$/],
    [
      'is cut short',
      { by: { trials: 1 } },
      [0, 3],
      /^needed test or config changes: one or more of f0, f1, f2, change 4 \(1 trial\)$/,
    ],
  ])('a search that %s', (_, claim, needed, said) => {
    const names = { work: [], protectedFiles: needed.length === 1 ? MANY : MANY.slice(0, 3) }
    const { end } = play({ protectedFiles: 4, names, ...claim, green: needs(...needed) })
    expect(end.progress.stepResults.find(({ proofStep }) => proofStep === 'needed')?.said).toMatch(said)
  })

  test('before it runs again what was red, and before it restores the original tests, it says so', () => {
    const { tries } = play({
      protectedFiles: 2,
      names: { work: [], protectedFiles: ['a', 'b'] },
      green: (one, run) => run !== 1 && run !== 3 && isAsIs(one),
    })
    expect(tries.slice(0, 4).map(({ say }) => say)).toEqual([
      null,
      'gates fail in the clean room; retrying in case they are flaky',
      'running the gates with the original a, b',
      "gates fail with the original tests; retrying once in case they're flaky",
    ])
  })

  test('each trial says what it is for', () => {
    const { tries } = play({ protectedFiles: 2, by: { testsAtBase: null }, green: needs(1) })
    expect([...new Set(tries.map(({ purpose }) => purpose))]).toEqual([
      'room',
      'base',
      'original-tests',
      'needed',
      'source-loaded',
      'mutation',
      'expects',
    ])
  })
})

test.each([
  ['a program that is missing', { missing: true }],
  ['one that ran out of time', { timedOut: true }],
])('%s is not tried again', (_, more) => {
  const afterClassification = nextProofMove(
    firstProofMove().progress,
    { is: 'sorted', classification: someClassification() },
    BY,
  )
  const results = [{ ...someEvidence('test', { green: false }), ...more }]
  const trial: TrialResult = {
    is: 'ran',
    durationMs: 10,
    results,
    named: [],
    sharedPaths: [],
    writtenFiles: [],
    unremovableTests: [],
  }
  const then = nextProofMove(afterClassification.progress, { is: 'tried', trial }, BY)
  expect(then.is === 'try' && then.purpose).toBe('ignored')
})

describe('broken work may hang', () => {
  const gate = (timeoutMs: number): Gate => ({ ...(BY.gates[0] as Gate), timeoutMs })
  test.each([
    ['a quick gate without a limit', 0, 10, 20_000],
    ['a slow gate without a limit', 0, 10_000, 40_000],
    ['a gate with a limit of its own', 15_000, 10_000, 15_000],
    ['a gate with a limit that is longer', 900_000, 10_000, 40_000],
  ])('%s', (_, timeoutMs, gateMs, wanted) => {
    const by = { ...BY, gates: [gate(timeoutMs)] }
    const afterClassification = nextProofMove(
      firstProofMove().progress,
      { is: 'sorted', classification: someClassification() },
      by,
    )
    const results = [{ ...someEvidence('test', { green: true }), durationMs: gateMs, tests: 3 }]
    const trial: TrialResult = {
      is: 'ran',
      durationMs: 10,
      results,
      named: [],
      sharedPaths: [],
      writtenFiles: [],
      unremovableTests: [],
    }
    const broken = nextProofMove(afterClassification.progress, { is: 'tried', trial }, by)
    expect(broken.is === 'try' && broken.gates.map((one) => one.timeoutMs)).toEqual([wanted])
  })
})

test('mistakes are shown only to gates that tell their tests, failures to all', () => {
  const [test1] = BY.gates
  if (test1 === undefined) throw new Error('there is a gate')
  const by = { ...BY, gates: [test1, { ...test1, name: 'lint' }] }
  const ran = (green: boolean): TrialResult => ({
    is: 'ran',
    durationMs: 10,
    results: [
      { ...someEvidence('test', { green }), tests: 3 },
      { ...someEvidence('lint', { green }), tests: null },
    ],
    named: [],
    sharedPaths: [],
    writtenFiles: [],
    unremovableTests: [],
  })
  const asked = (move: ProofMove): string[] => (move.is === 'try' ? move.gates.map(({ name }) => name) : [])
  const room = nextProofMove(firstProofMove().progress, { is: 'sorted', classification: someClassification() }, by)
  const looks = nextProofMove(room.progress, { is: 'tried', trial: ran(true) }, by)
  const mistake = nextProofMove(looks.progress, { is: 'tried', trial: ran(false) }, by)
  const expects = nextProofMove(mistake.progress, { is: 'tried', trial: ran(false) }, by)
  expect([room, looks, mistake, expects].map(asked)).toEqual([
    ['test', 'lint'],
    ['test', 'lint'],
    ['test'],
    ['test', 'lint'],
  ])
})

describe('what a person is asked', () => {
  const lost = { ...BY.base, from: 'lost' } as const
  const unclear = [{ path: 'src/lib.rs', why: 'edited inner tests' }]
  test.each<[string, Claim, RegExp]>([
    ['one change', { protectedFiles: 2, green: needs(1) }, /^the gates pass only because 1 file was changed$/],
    ['several', { protectedFiles: 2, green: needs(0, 1) }, /^the gates pass only because 2 files were changed$/],
    [
      'some of several',
      { protectedFiles: 64, by: { trials: 2 }, green: needs(3, 40) },
      /^the gates pass only because one or more of these changed: \d+ files$/,
    ],
    ['what no trial reverts', { unclear, green: isAsIs }, /^Ralph could not check the changes to src\/lib\.rs$/],
    ['a base that was lost', { by: { base: lost }, green: isAsIs }, /cannot tell what earlier runs changed$/],
    [
      'that, and more',
      { by: { base: lost }, unclear, green: isAsIs },
      /cannot tell what earlier runs changed; Ralph could not check the changes to src\/lib\.rs$/,
    ],
  ])('%s', (_, claim, why) => {
    const { end } = play(claim)
    expect(end.is === 'accept' && end.why).toMatch(why)
  })

  test('comes with what the gates said without the change', () => {
    const { end } = play({ protectedFiles: 2, green: needs(1) })
    expect(end.is === 'accept' && end.needed.red).toEqual({
      why: 'test failed (exit 1)',
      lines: 'not ok 1',
    })
  })
})
