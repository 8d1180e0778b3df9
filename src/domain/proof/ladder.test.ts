import { describe, expect, test } from 'vitest'
import { someEvidence, someRules, someSorting } from '../test-kit.ts'
import type { Base } from './base.ts'
import { beginClimb, climb } from './ladder.ts'
import type { About, Climb, LadderMove } from './rung.ts'
import { membersOf } from './search.ts'
import type { Arrangement, Sorting, Trial } from './trial.ts'

const BY: Climb = {
  gates: someRules().gates,
  base: { tree: 'w:0', plan: null, refs: null, from: 'first' },
  about: 'work',
  testsAtBase: 3,
  wroteAtBase: [],
  reruns: 1,
  trials: 12,
}

interface Claim extends Partial<Sorting> {
  /** How the gates do on an arrangement. */
  green: (arrangement: Arrangement, run: number) => boolean
  /** How many tests they tell. */
  tests?: (arrangement: Arrangement) => number | null
  changed?: string[]
  /** What changes while the gates run. */
  wrote?: (arrangement: Arrangement) => string[]
  by?: Partial<Climb>
  roomFails?: string
}

/** Climbs to the end; gives it, and what was tried on the way. */
function play({
  green,
  tests = () => 3,
  changed = [],
  wrote = () => [],
  by = {},
  roomFails,
  ...sorting
}: Claim): {
  end: LadderMove
  tried: string[]
} {
  const rules = { ...BY, ...by }
  const tried: string[] = []
  let move = beginClimb()
  for (let n = 0; n < 60; n++) {
    if (move.is === 'sort') move = climb(move.ladder, { is: 'sorted', sorting: someSorting(sorting) }, rules)
    else if (move.is === 'look') move = climb(move.ladder, { is: 'looked', changed }, rules)
    else if (move.is === 'try') {
      const { arrangement } = move
      tried.push(named(arrangement))
      const ok = green(arrangement, tried.length)
      const results = move.gates.map((gate) => ({
        ...someEvidence(gate.name, { green: ok }),
        tests: tests(arrangement),
      }))
      const trial: Trial =
        roomFails === undefined
          ? {
              is: 'ran',
              durationMs: 10,
              results,
              named: [],
              lent: ['.env'],
              wrote: wrote(arrangement),
              excused: [],
            }
          : { is: 'room-failed', durationMs: 10, why: roomFails }
      move = climb(move.ladder, { is: 'tried', trial }, rules)
    } else return { end: move, tried }
  }
  throw new Error('it climbs for ever')
}

function named(arrangement: Arrangement): string {
  if (arrangement.is === 'base') return 'base'
  const work = arrangement.broken === 'nothing' ? '' : ` ${arrangement.broken}`
  if (arrangement.is === 'final') return `final${work}${arrangement.ignored ? ' with ignored' : ''}`
  const keep = membersOf(arrangement.keep)
  return `old judge${keep.length === 0 ? '' : ` keeping ${keep.join(',')}`}${work}`
}

function isAsIs(arrangement: Arrangement): boolean {
  return arrangement.is === 'base' || arrangement.broken === 'nothing'
}

/** Passes only with these changes of the judge kept. */
function needs(...changes: number[]): Claim['green'] {
  return (arrangement) => {
    if (!isAsIs(arrangement)) return false
    if (arrangement.is !== 'old-judge') return true
    const kept = membersOf(arrangement.keep)
    return changes.every((change) => kept.includes(change))
  }
}

describe('an honest claim', () => {
  test('that changed only work is proven in four trials', () => {
    const { end, tried } = play({ green: isAsIs })
    expect(tried).toEqual(['final', 'final work-fails', 'final work-wrong', 'final tests-wrong'])
    expect(end).toMatchObject({ is: 'proven', why: 'proven in a clean room in 4 trials' })
  })

  test('that changed the judge harmlessly is proven with the judge as it was', () => {
    const { end, tried } = play({ judge: 3, green: isAsIs })
    expect(tried).toEqual([
      'final',
      'old judge',
      'old judge work-fails',
      'old judge work-wrong',
      'old judge tests-wrong',
    ])
    expect(end.is).toBe('proven')
  })

  test('of a new file with its new test is proven by its own judge', () => {
    const green = (arrangement: Arrangement): boolean => isAsIs(arrangement) || arrangement.is === 'old-judge'
    const { end, tried } = play({ judge: 1, green })
    expect(tried).toEqual([
      'final',
      'old judge',
      'old judge work-fails',
      'final work-fails',
      'final work-wrong',
      'final tests-wrong',
    ])
    expect(end.is).toBe('proven')
  })

  test('is not blamed for a test that fails once', () => {
    const { end } = play({
      judge: 1,
      green: (arrangement, run) => run !== 1 && run !== 3 && isAsIs(arrangement),
    })
    expect(end.is).toBe('proven')
  })

  test('needs no trial of mistakes where nothing can be made wrong or no gate tells its tests', () => {
    expect(play({ wrongable: false, testable: 0, green: isAsIs }).tried).toEqual([
      'final',
      'final work-fails',
    ])
    expect(play({ tests: () => null, testable: 0, green: isAsIs }).tried).toEqual([
      'final',
      'final work-fails',
    ])
  })

  test('with leave for what it needs is proven, and says so', () => {
    const names = { work: ['src/a.js'], judge: ['test/a.js', 'test/b.js'] }
    const { end, tried } = play({ judge: 2, permitted: 1, names, green: needs(0) })
    expect(end).toMatchObject({ is: 'proven' })
    expect(end.is === 'proven' && end.why).toMatch(/, judge changed as allowed: test\/a\.js$/)
    expect(tried.at(-1)).toBe('old judge keeping 0 tests-wrong')
  })

  test('with leave for many says the first three, and how many more', () => {
    const judge = Array.from({ length: 60 }, (_, at) => `test/${at}.js`)
    const green = needs(...Array.from({ length: 50 }, (_, at) => at))
    const { end } = play({
      judge: 60,
      permitted: 60,
      by: { trials: 0 },
      names: { work: ['src/a.js'], judge: judge.slice(0, 40) },
      green,
    })
    expect(end.is === 'proven' && end.why).toMatch(
      /judge changed as allowed: test\/0\.js, test\/1\.js, test\/2\.js and 57 more$/,
    )
  })
})

test('tests that no gate runs are no reason to doubt a claim', () => {
  const green = (one: Arrangement): boolean =>
    one.is === 'base' || one.broken === 'nothing' || one.broken.startsWith('tests')
  const { end, tried } = play({ green })
  expect(tried.slice(-2)).toEqual(['final tests-wrong', 'final tests-fail'])
  expect(end.is).toBe('proven')
})

describe('a claim that needs its judge changed', () => {
  test('asks for exactly the needed changes', () => {
    const { end } = play({ judge: 9, by: { trials: 40 }, green: needs(2, 7) })
    expect(end.is === 'accept' && membersOf(end.needed.changes)).toEqual([2, 7])
  })

  test('tells the search in a line of its own, with its time', () => {
    const names = { work: ['src/a.js'], judge: ['a', 'b', 'c', 'd'] }
    const { end, tried } = play({ judge: 4, names, green: needs(2) })
    const searched = tried.filter((one) => /^old judge keeping [\d,]+$/.test(one)).length
    const line = end.ladder.climbed.find(({ rung }) => rung === 'needed')
    expect(line).toEqual({
      rung: 'needed',
      said: `c, found in ${searched} trials`,
      durationMs: searched * 10,
    })
    expect(end.ladder.climbed.find(({ rung }) => rung === 'looks')?.durationMs).toBe(10)
  })

  test('asks for one or more of many when the search was cut short', () => {
    const { end } = play({ judge: 64, by: { trials: 2 }, green: needs(3, 40) })
    expect(end).toMatchObject({ is: 'accept', needed: { exact: false } })
  })

  test.each([
    ['only documents', { work: 1, documents: 1 }],
    ['nothing', { work: 0 }],
  ])('asks for them where %s of the work changed: there is nothing to break', (_, more) => {
    const { end, tried } = play({ ...more, breakable: 0, judge: 1, green: needs(0) })
    expect(end.is === 'accept' && membersOf(end.needed.changes)).toEqual([0])
    expect(tried).toEqual(['final', 'old judge', 'old judge'])
  })

  test('asks also for what no trial can put back', () => {
    const unclear = [{ path: 'src/lib.rs', why: 'edited inner tests' }]
    expect(play({ unclear, green: isAsIs }).end.is).toBe('accept')
  })
})

describe('a claim that needs its judge changed and is proven by nothing even then', () => {
  const names = { work: ['src/a.js'], judge: ['package.json', 'test/b.js'] }
  const withFirst = (one: Arrangement): boolean =>
    one.is !== 'old-judge' || one.keep.some(([from]) => from === 0)

  test.each<[string, Partial<Claim>, string]>([
    ['the gates do not look at the work', { green: withFirst }, 'the gates pass with the work broken'],
    [
      'the gates notice no mistake',
      { green: (one) => withFirst(one) && (one.is === 'base' || !one.broken.startsWith('work-fails')) },
      'the gates do not notice when the change is wrong',
    ],
    [
      'the gates run no test',
      { green: withFirst, tests: (one) => (one.is === 'base' ? 3 : 0) },
      'the gates pass and ran 0 tests',
    ],
  ])('asks for the change and says so: %s', (_, claim, blind) => {
    const { end } = play({ judge: 2, names, green: isAsIs, ...claim })
    expect(end).toMatchObject({
      is: 'accept',
      needed: { changes: [[0, 0]], blind: expect.stringContaining(blind) as string },
    })
    expect(end.is === 'accept' && end.tell, 'the agent may mend it first').not.toBeNull()
  })

  test('with leave for the change it is unproven', () => {
    expect(play({ judge: 2, permitted: 2, names, green: withFirst }).end.is).toBe('unproven')
  })
})

describe('a claim against a base that was lost', () => {
  const by = { base: { ...BY.base, from: 'lost' } } as const

  test('is tried as ever, and holds only if a person confirms the tree', () => {
    const { end, tried } = play({ by, green: isAsIs })
    expect(tried).toEqual(['final', 'final work-fails', 'final work-wrong', 'final tests-wrong'])
    expect(end).toMatchObject({ is: 'accept', needed: { changes: [] } })
    expect(end.is === 'accept' && end.why).toContain('what earlier runs changed is no longer known')
  })

  test('names what it needs besides', () => {
    const { end } = play({ by, judge: 2, green: needs(1) })
    expect(end.is === 'accept' && membersOf(end.needed.changes)).toEqual([1])
    expect(end.is === 'accept' && end.why).toMatch(/no longer known.*passes only with this changed$/)
  })

  test.each<About>(['work', 'state', 'changed-state'])(
    'asks about the tree where nothing has changed since: %s',
    (about) => {
      const { end } = play({ work: 0, breakable: 0, by: { ...by, about }, green: isAsIs })
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

  test('whose work writes over the judge while the gates run, unless they did so before', () => {
    const wrote = (): string[] => ['test/b.test.js']
    expect(play({ wrote, green: isAsIs }).end).toMatchObject({ is: 'refused', verdict: 'tampered' })
    expect(play({ wrote, by: { wroteAtBase: wrote() }, green: isAsIs }).end.is).toBe('proven')
  })

  test('whose tree changed meanwhile', () => {
    expect(play({ changed: ['src/a.js'], green: isAsIs }).end).toMatchObject({ is: 'refused' })
  })

  test('that lost boxes of the plan, before anything is tried', () => {
    const { end, tried } = play({ lostBoxes: ['write sub'], green: isAsIs })
    expect(tried).toEqual([])
    expect(end.is === 'refused' && end.why).toContain('write sub')
  })
})

describe('a tree in which nothing has changed', () => {
  const proven = { ...BY.base, from: 'proven' } as const

  test.each<[About, Base['from'], LadderMove['is'], boolean]>([
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
    [
      'only documents changed',
      { work: 1, documents: 1, breakable: 0, green: isAsIs },
      'no gate reads documents',
    ],
    ['only tests changed', { work: 0, breakable: 0, judge: 1, green: isAsIs }, 'nothing judges those'],
    [
      'fewer tests run than before although nothing of the judge changed',
      { tests: () => 2, green: isAsIs },
      'only 2 of 3 tests run',
    ],
    [
      'the old judge runs no test, and none is new',
      { judge: 1, by: { testsAtBase: 0 }, tests: (one) => (one.is === 'old-judge' ? 0 : 1), green: isAsIs },
      'run 0 tests',
    ],
    ['no test ran', { tests: () => 0, green: isAsIs }, '0 tests'],
    ['the gates do not look', { judge: 1, green: () => true }, 'pass with the work broken'],
    [
      'the gates see no mistake',
      {
        judge: 1,
        green: (one) =>
          one.is === 'base' || (one.broken !== 'work-fails' && one.broken !== 'work-fails-first'),
      },
      'do not notice when the change is wrong',
    ],
    [
      'the gates pass whatever the tests expect',
      { green: (one) => one.is === 'base' || one.broken === 'nothing' || one.broken === 'tests-wrong' },
      'whatever the tests expect',
    ],
    [
      'the work keeps old tests from running',
      { judge: 1, tests: (one) => (one.is === 'old-judge' ? 1 : 4), green: isAsIs },
      'only 1 of 3 tests run',
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
  expect(play({ green: isAsIs, roomFails: 'npm ci: no network' }).end).toMatchObject({
    is: 'room-failed',
    why: 'npm ci: no network',
  })
})
