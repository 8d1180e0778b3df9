/** Each step of the upgrade by itself, on as much of a state as it knows; whole states of each release are in `test/records`. */
import { describe, expect, test } from 'vitest'
import { HOUSE_VERSION, houseFrom } from './upgrade.ts'

type Old = Record<string, unknown>

/** A state of the first version: one worker, with these fields. */
function first({ run = {}, worker = {} }: { run?: Old; worker?: Old } = {}): Old {
  return {
    run: {
      limited: {},
      open: {},
      steering: [],
      budget: { usd: 1 },
      rules: { retry: { firstMs: 5 }, proof: { refusals: 3, onTamper: 'pause', editedTests: 'refuse' } },
      ...run,
    },
    workers: {
      '1': {
        id: '1',
        iteration: 4,
        phase: { is: 'working', effect: 'e1' },
        seen: null,
        conversation: null,
        guard: 'g',
        ...worker,
      },
    },
  }
}

function upgraded(house: Old, version = 1): { run: Old; worker: Old } {
  const { run, workers } = houseFrom({ version, house }, 'k7f3qa') as unknown as {
    run: Old
    workers: Record<string, Old>
  }
  const { '1': worker } = workers
  if (worker === undefined) throw new Error('the worker is gone')
  return { run, worker }
}

test('a state of the first version, as a whole', () => {
  expect(upgraded(first())).toEqual({
    run: {
      open: {},
      rests: {},
      unusable: {},
      budget: { usd: 1, recentTokens: [], reservedTokens: {} },
      rules: {
        retry: { firstMs: 5, outageMs: 7_200_000 },
        proof: {
          refusals: 3,
          level: 'full',
          setup: null,
          work: [],
          mayChange: { tests: [], judge: [] },
          trials: 12,
          copy: [],
        },
        task: { maxRetries: 3, verify: true, failuresMax: 3, leaseMs: 120_000, failed: 'put-back' },
        model: { strategy: 'fixed' },
      },
      tasks: null,
    },
    worker: {
      id: '1',
      iteration: 4,
      phase: { is: 'working', effect: 'e1' },
      seen: null,
      conversation: null,
      footing: null,
      base: null,
      room: null,
      roomKey: null,
      measured: false,
      orphaned: false,
      job: { is: 'loop' },
      line: { at: 'work', visits: { work: 1 } },
      held: null,
      told: null,
      steering: [],
      author: null,
      tries: { visits: 1, failed: 0, failing: false, stuck: false },
      smooth: 0,
      nextModel: null,
      tier: null,
    },
  })
})

test('a state of today is left as it is, and one of tomorrow is refused', () => {
  const house = { run: { is: 'going' }, workers: {} }
  expect(houseFrom({ version: HOUSE_VERSION, house }, 'r')).toBe(house)
  expect(HOUSE_VERSION).toBe(8)
  expect(() => houseFrom({ version: HOUSE_VERSION + 1, house }, 'r')).toThrow('a newer Ralph')
})

test('of a draft that was cut off nothing is put back by looks of two kinds', () => {
  const job = {
    is: 'draft',
    feature: 'f-a',
    folder: '.ralph/features/a',
    own: { before: {}, after: {}, mixed: false },
  }
  const open = { e1: { worker: '1', type: 'survey' }, e2: { worker: '1', type: 'wait' } }
  const house = { run: { is: 'going', open }, workers: { '1': { id: '1', job } } }
  expect(houseFrom({ version: 7, house }, 'r')).toEqual({
    run: { is: 'going', open: { ...open, e1: { ...open.e1, writes: ['.ralph/features/a/'] } } },
    workers: { '1': { id: '1', job: { ...job, own: null } } },
  })
})

test('a state that has gone part of the way goes the rest of it', () => {
  const { worker } = upgraded(
    {
      run: { open: {}, budget: {}, steering: [] },
      workers: { '1': { footing: 'f', phase: { is: 'paused' } } },
    },
    4,
  )
  expect(worker).toMatchObject({ footing: 'f', job: { is: 'loop' } })
  expect(worker).not.toHaveProperty('base')
})

describe('agents at their limit', () => {
  test('are at rest', () => {
    expect(upgraded(first({ run: { limited: { claude: 77 } } })).run).toMatchObject({
      rests: { claude: { is: 'usage-limit', until: 77, tries: 1 } },
    })
    expect(upgraded(first({ run: { limited: { claude: 77 } } })).run).not.toHaveProperty('limited')
  })

  test.each([
    ['quota', 'balance'],
    ['network', 'network'],
  ])('a failure that was called %s is called %s', (kind, now) => {
    const phase = { is: 'measuring', effect: 'e1', reply: { end: 'failed', failure: { kind, message: 'm' } } }
    expect(upgraded(first({ worker: { phase } })).worker['phase']).toEqual({
      ...phase,
      reply: { end: 'failed', failure: { kind: now, message: 'm' } },
    })
  })
})

describe('who was at the judge', () => {
  test.each([
    ['accept', ['**']],
    ['refuse', []],
  ])('tests that may be edited: %s', (editedTests, tests) => {
    const rules = { retry: {}, proof: { editedTests } }
    expect(upgraded(first({ run: { rules } })).run).toMatchObject({
      rules: { proof: { mayChange: { tests, judge: [] } } },
    })
  })

  test.each(['guarding', 'baselining', 'proving'])('in %s looks at the tree anew', (is) => {
    const other = { id: 'e2', worker: '1', type: 'wait' }
    const { run, worker } = upgraded(
      first({
        run: { open: { e2: other } },
        worker: { phase: { is, effect: 'e1' }, seen: { tree: 't', head: 'h', fresh: true } },
      }),
    )
    expect(worker['phase']).toEqual({ is: 'surveying', effect: 'e1', for: 'start' })
    expect(worker['seen']).toEqual({ tree: 't', head: 'h', fresh: true, plan: null })
    expect(run['open']).toEqual({
      e2: other,
      e1: {
        id: 'e1',
        worker: '1',
        type: 'survey',
        for: 'start',
        iteration: 4,
        since: 't',
        sinceHead: 'h',
      },
    })
  })

  test('and had not looked yet, looks from the beginning', () => {
    const { run } = upgraded(first({ worker: { phase: { is: 'baselining', effect: 'e1' } } }))
    expect(run['open']).toMatchObject({ e1: { since: null, sinceHead: null } })
  })

  test.each([{ is: 'working', effect: 'e1' }, { is: 'guarding' }, { is: 'paused', why: 'lunch' }])(
    '%j is not there, and stays',
    (phase) => {
      const { run, worker } = upgraded(first({ worker: { phase } }))
      expect([worker['phase'], run['open']]).toEqual([phase, {}])
    },
  )
})

describe('calls, and what is held', () => {
  const WORK = { at: 'work', visits: { work: 1 } }
  const PROVE = { at: 'prove', visits: { work: 1, prove: 1 } }
  const claim = { is: 'plan_complete', why: 'w' }
  const held = { completion: claim, unless: { is: 'plan_complete' }, tree: 't', failures: 0 }

  /** A state of the version before. */
  function fourth(worker: Old, run: Old = {}): Old {
    return {
      run: { open: {}, budget: {}, steering: ['s'], ...run },
      workers: { '1': { seen: null, ...worker } },
    }
  }

  test('what a person said waits for each worker, and who worked is remembered', () => {
    const { run, worker } = upgraded(
      fourth({ phase: { is: 'paused' }, conversation: { agent: 'codex', id: 'c' } }),
      4,
    )
    expect(run).not.toHaveProperty('steering')
    expect(worker).toMatchObject({ steering: ['s'], author: 'codex', line: WORK, told: null, held: null })
    expect(upgraded(fourth({ phase: { is: 'paused' } }), 4).worker['author']).toBe(null)
  })

  test.each<[what: string, phase: Old, now: Old]>([
    [
      'admission is for the work',
      { is: 'admitting', effect: 'e1', agent: 'a' },
      { line: WORK, held: null, phase: { is: 'admitting', effect: 'e1', agent: 'a', role: 'work' } },
    ],
    [
      'a gate of a completion',
      { is: 'proving', effect: 'e1', claim, proof: { at: { is: 'gates', left: ['test'] } } },
      {
        line: PROVE,
        held: null,
        phase: {
          is: 'proving',
          effect: 'e1',
          completion: claim,
          proof: { at: { is: 'gates', left: ['test'] } },
        },
      },
    ],
    [
      'a second opinion',
      { is: 'proving', effect: 'e1', claim, proof: { at: { is: 'opinion', unless: held.unless } } },
      { line: PROVE, held, phase: { is: 'reviewing', effect: 'e1', agent: 'codex', aborting: null } },
    ],
    [
      'a second opinion of somebody nobody knows',
      { is: 'proving', effect: 'gone', claim, proof: { at: { is: 'opinion', unless: held.unless } } },
      { held, phase: { is: 'reviewing', effect: 'gone', agent: 'the second agent', aborting: null } },
    ],
    [
      'whether its reader kept to reading',
      {
        is: 'proving',
        effect: 'e1',
        claim,
        proof: { at: { is: 'opinion-check', unless: held.unless, opinion: 'o' } },
      },
      {
        held,
        phase: {
          is: 'checking',
          effect: 'e1',
          agent: 'the second agent',
          heard: { is: 'opinion', opinion: 'o' },
        },
      },
    ],
    [
      'a reader that said nothing',
      {
        is: 'proving',
        effect: 'e1',
        claim,
        proof: { at: { is: 'opinion-check', unless: held.unless, opinion: { is: 'none' } } },
      },
      {
        held,
        phase: {
          is: 'checking',
          effect: 'e1',
          agent: 'the second agent',
          heard: { is: 'failed', why: 'it gave no verdict' },
        },
      },
    ],
  ])('%s', (_, phase, now) => {
    const house = fourth({ phase, seen: { tree: 't' } }, { open: { e1: { agent: 'codex' } } })
    const { worker } = upgraded(house, 4)
    expect(worker).toMatchObject(now)
    expect(worker['phase']).toEqual(now['phase'])
  })

  test('a completion of which the tree is not known is held without one', () => {
    const phase = { is: 'proving', effect: 'e1', claim, proof: { at: { is: 'opinion' } } }
    expect(upgraded(fourth({ phase }), 4).worker['held']).toMatchObject({ tree: '' })
  })
})
