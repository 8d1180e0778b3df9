/** A completion on its way through the protected files, one row a rule, through the front door of the core. */
import { describe, expect, test } from 'vitest'
import type { Evidence, Gate } from '../../proof/evidence.ts'
import type { TrialResult } from '../../proof/trial.ts'
import type { EffectOf } from '../../state/effect.ts'
import type { Event } from '../../state/event.ts'
import type { Rules } from '../../state/rules.ts'
import {
  answer,
  requestedEffectTypes,
  startedRun,
  decisionNames,
  openEffectOf,
  afterTurn,
  withRules,
  send,
  someEvidence,
  until,
  workerAt,
  working,
  type RunMoment,
  type AgentTurn,
} from '../../../../test/kit/core.ts'

const DONE: AgentTurn = { files: 1, done: true, green: true, checkboxes: { open: 0, done: 3 } }
const QUICK = withRules({ proof: { level: 'quick' } })
const PAUSE: Event = { type: 'request-received', request: { id: 1, from: 'ann', do: 'pause' } }
const STOP: Event = { type: 'request-received', request: { id: 1, from: 'ann', do: 'stop', now: false } }

function gate(name: string, change: Partial<Gate> = {}): Gate {
  return { name, run: `npm run ${name}`, timeoutMs: 60_000, when: 'completion', cwd: '.', env: {}, ...change }
}

function words({ rows }: RunMoment, what: string): string[] {
  return rows.flatMap(({ decisions }) => decisions).flatMap((one) => (one.what === what ? [one.why] : []))
}

function outcome({ state }: RunMoment): unknown {
  const { is, reason, verdict, cause } = state.run.outcome ?? {}
  return { is, reason, verdict, ...(cause === undefined ? {} : { cause }) }
}

/** The work is claimed to be done, and the first gate runs. */
function claimed(rules?: (rules: Rules) => Rules, turn: AgentTurn = DONE): RunMoment {
  return afterTurn(working(rules === undefined ? {} : { rules }), turn)
}

function ended(moment: RunMoment, turn: AgentTurn = DONE): RunMoment {
  return until(moment, ({ is }) => is === 'finished' || is === 'working', turn)
}

describe('the gates where the work was made', () => {
  test('run one after the other on the tree that was seen', () => {
    const rules = (usual: Rules): Rules => ({
      ...QUICK(usual),
      gates: [gate('test'), gate('lint', { when: 'task' })],
    })
    const first = claimed(rules)
    expect(openEffectOf(first)).toMatchObject({
      type: 'run-gate',
      gate: { name: 'test' },
      iteration: 1,
      tree: 'tree1',
      purpose: 'completion',
    })
    expect(words(first, 'check')).toEqual(['the agent says it is done; running the gates'])
    expect(workerAt(first).measured).toBe(false)
    const second = answer(first, DONE)
    expect([openEffectOf(second), workerAt(second).measured]).toMatchObject([{ gate: { name: 'lint' } }, false])
    expect(outcome(answer(second, DONE))).toEqual({
      is: 'project_complete',
      reason: 'test and lint pass; proof.level = quick needs no further proof',
      verdict: 'gates-passed',
    })
  })

  test('without any, completion is unproven', () => {
    const none = (usual: Rules): Rules => ({ ...usual, gates: [] })
    expect(outcome(claimed(none))).toEqual({
      is: 'plan_complete',
      reason: 'no gate is configured, so nothing was checked',
      verdict: 'unproven',
    })
  })

  test.each<[what: string, gate: Partial<Evidence>, why: string]>([
    ['red', {}, 'test failed (exit 1)'],
    ['not there', { missing: true, exit: null, summary: '' }, 'test could not start: command not found'],
    ['out of time', { timedOut: true, exit: null }, 'test timed out'],
    ['killed', { exit: null, signal: 'SIGKILL' }, 'test was killed by SIGKILL'],
    ['ended by nobody knows what', { exit: null }, 'test was killed by a signal'],
    ['restless', { exit: 0, unstable: true }, 'test keeps changing the files it checks'],
  ])('one that is %s refuses', (_, change, why) => {
    const moment = answer(claimed(), { ...DONE, green: false, gate: change })
    expect(words(moment, 'refuse')).toEqual([why])
    expect(workerAt(moment)).toMatchObject({
      rejections: 1,
      exitCounts: { testOnly: 0, done: 0, indicators: 0, claims: 0 },
      phase: { is: 'working' },
    })
    const [told = ''] = workerAt(moment).corrections
    expect(told.startsWith(`Ralph rejected your completion. Gate ${why}, command: npm run test.`)).toBe(true)
  })

  test('what it said is told, the telling lines first', () => {
    const moment = answer(claimed(), { ...DONE, green: false, gate: { summary: ' not ok 1 - adds \nmore ' } })
    expect(workerAt(moment).corrections).toEqual([
      'Ralph rejected your completion. Gate test failed (exit 1), command: npm run test. Its output:\nnot ok 1 - adds\nmore\n\nnot ok 1 - adds \nmore',
    ])
    const long = answer(claimed(), { ...DONE, green: false, gate: { summary: `x${'y'.repeat(3_000)}` } })
    expect(workerAt(long).corrections[0]?.length).toBeLessThan(1_300)
    const silent = answer(claimed(), { ...DONE, green: false, gate: { summary: '' } })
    expect(workerAt(silent).corrections).toEqual([
      'Ralph rejected your completion. Gate test failed (exit 1), command: npm run test.',
    ])
  })

  test('as it was before the run, or worse', () => {
    const rules = withRules({ proof: { baseline: 'start', reruns: 0 } })
    const red = (failing: string[], before: AgentTurn): string[] => {
      const start = until(startedRun({ rules }), ({ is }) => is === 'working', before)
      return words(answer(afterTurn(start, DONE), { ...DONE, green: false, gate: { failing } }), 'refuse')
    }
    const was = 'test failed (exit 1)'
    const broken: AgentTurn = { gate: { failing: ['a'] }, trial: trialOf({ failing: ['a'], exit: 1 }) }
    expect(red(['a'], { green: true })).toEqual([`${was}; it passed before this run`])
    expect(red(['a'], broken)).toEqual([`${was}, as before this run`])
    expect(red(['b'], broken)).toEqual([was])
    expect(red(['a', 'b'], broken)).toEqual([was])
  })

  test('the tree that a gate leaves is the one that is judged', () => {
    const moment = answer(claimed(), { ...DONE, gate: { tree: 'formatted' } })
    expect(workerAt(moment).seen?.tree).toBe('formatted')
  })

  test('that judged different trees prove nothing', () => {
    const rules = (usual: Rules): Rules => ({ ...usual, gates: [gate('test'), gate('lint')] })
    const moment = answer(answer(claimed(rules), DONE), { ...DONE, gate: { tree: 'other' } })
    expect(words(moment, 'refuse')).toEqual(['a gate changed the tree, so the gates did not run on the same files'])
  })

  test('quarantined tests do not count', () => {
    const rules = withRules({ proof: { level: 'quick', quarantine: ['shaky *'] } })
    const red = (failing: string[]): unknown =>
      answer(claimed(rules), { ...DONE, green: false, gate: { failing } }).state.run.outcome?.verdict
    expect([red(['shaky one']), red(['shaky one', 'other']), red([])]).toEqual(['gates-passed', undefined, undefined])
  })
})

describe('a gate that failed', () => {
  const RERUN = withRules({ proof: { level: 'quick', reruns: 2 } })

  function tried(results: boolean[], rules = RERUN): RunMoment {
    let moment = claimed(rules)
    for (const green of results) moment = answer(moment, { ...DONE, green })
    return moment
  }

  test.each<[results: boolean[], is: string, again: number]>([
    [[false], 'proving', 1],
    [[false, false], 'proving', 2],
    [[false, false, false], 'working', 2],
    [[false, true], 'proving', 2],
    [[false, true, true], 'finished', 2],
    [[false, true, false], 'working', 2],
    [[false, false, true, true], 'finished', 3],
    [[true], 'finished', 0],
  ])('tried as %j', (results, is, again) => {
    const moment = tried(results)
    expect([workerAt(moment).phase.is, words(moment, 'again').length]).toEqual([is, again])
  })

  test('and then passes twice is flaky, and says so', () => {
    const moment = tried([false, true, true])
    expect(words(moment, 'flaky')).toEqual(['test is flaky: it failed, then passed twice in a row'])
    expect(words(moment, 'again')).toEqual([
      'test failed; retrying',
      'test passed after a failure; running it once more',
    ])
    expect(moment.state.run.outcome?.reason).toContain('; flaky: test; proof.level = quick')
  })

  test('passes and fails is refused as flaky', () => {
    const rules = withRules({ proof: { level: 'quick', reruns: 2, rejections: 1 } })
    expect(outcome(tried([false, true, false], rules))).toMatchObject({
      is: 'cannot_prove',
      verdict: 'flaky',
      reason: 'test is flaky: it passes and fails on the same files',
    })
  })

  test.each([{ timedOut: true }, { missing: true }, { unstable: true }])('%j is not run again', (change) => {
    const moment = answer(claimed(RERUN), { ...DONE, green: false, gate: { ...change, exit: null } })
    expect(words(moment, 'again')).toEqual([])
  })
})

describe('a refused completion', () => {
  test('in a row so often ends the run with the last reason', () => {
    const rules = withRules({ proof: { rejections: 2 } })
    let moment = claimed(rules)
    moment = ended(moment, { ...DONE, green: false })
    expect(workerAt(moment)).toMatchObject({ rejections: 1, phase: { is: 'working' } })
    moment = ended(afterTurn(moment, { ...DONE, green: false }), { ...DONE, green: false })
    expect(outcome(moment)).toEqual({
      is: 'cannot_prove',
      reason: 'test failed (exit 1) (2 rejections in a row)',
      verdict: 'failed',
      cause: { is: 'refused', gate: 'test', lines: ['not ok 1'] },
    })
  })

  test('never ends the run where the rule is off', () => {
    let moment = ended(claimed(withRules({ proof: { rejections: 0 } })), { ...DONE, green: false })
    for (let n = 0; n < 3; n++) moment = ended(afterTurn(moment, { ...DONE, green: false }), { ...DONE, green: false })
    expect(workerAt(moment)).toMatchObject({ rejections: 4, phase: { is: 'working' } })
  })

  test('for files in no commit, where commits are required', () => {
    const rules = withRules({ loop: { commitRequired: true } })
    const look = (uncommitted: number): AgentTurn => ({
      ...DONE,
      look: {
        snapshot: {
          tree: 'tree1',
          head: 'h',
          branch: 'main',
          ref: null,
          unstored: [],
          busy: null,
          uncommitted,
        },
      },
    })
    const start = until(startedRun({ rules }), ({ is }) => is === 'working', { look: look(1).look ?? {} })
    const at = (files: number): RunMoment => afterTurn(start, look(files))
    expect(words(at(2), 'refuse')).toEqual(['1 file uncommitted (commits.require)'])
    expect(words(at(3), 'refuse')).toEqual(['2 files uncommitted (commits.require)'])
    expect(words(at(1), 'refuse')).toEqual([])
    expect(workerAt(at(2)).corrections).toEqual([
      'Ralph rejected your completion. Commit your work first: 1 file uncommitted. Add files that must not be committed to .gitignore.',
    ])
    const lenient = until(startedRun(), ({ is }) => is === 'working', { look: look(1).look ?? {} })
    expect(words(afterTurn(lenient, look(9)), 'refuse')).toEqual([])
  })
})

function trialOf(change: Partial<Evidence> = {}, more: Partial<Extract<TrialResult, { is: 'ran' }>> = {}): TrialResult {
  const results = [{ ...someEvidence('test', { green: true }), tests: 3, ...change }]
  return {
    is: 'ran',
    durationMs: 1_500,
    results,
    named: [],
    sharedPaths: [],
    writtenFiles: [],
    unremovableTests: [],
    ...more,
  }
}

describe('the ladder', () => {
  function purposes(moment: RunMoment): string[] {
    return moment.rows
      .flatMap(({ effects }) => effects)
      .filter((effect): effect is EffectOf<'run-trial'> => effect.type === 'run-trial')
      .map(({ purpose }) => purpose)
  }

  test('passes the proof steps, and the base moves there', () => {
    const moment = ended(claimed())
    expect(purposes(moment)).toEqual(['clean-room-check', 'room', 'source-loaded', 'mutation', 'expects'])
    expect(workerAt(moment).base).toEqual({ tree: 'w:1', plan: null, refs: null, from: 'proven' })
    expect(moment.state.run.outcome).toMatchObject({ is: 'project_complete', verdict: 'proven', exit: 0 })
    expect(words(moment, 'proof-step').map((one) => one.split(':')[0])).toEqual([
      'clean room',
      'original tests',
      'gates load the changed files',
      'mutation',
      'assertions',
      'final tree',
    ])
    expect(words(moment, 'accept')).toEqual([moment.state.run.outcome?.reason])
  })

  test('asks for what lies in the room, with what was shared', () => {
    const classification = claimedAt('classify-changes')
    expect(openEffectOf(classification)).toMatchObject({
      type: 'classify-changes',
      iteration: 1,
      base: { tree: 'w:0' },
      tree: 'tree1',
      gates: [{ name: 'test' }],
    })
    const room = claimedAt('run-trial')
    expect(openEffectOf(room)).toMatchObject({
      iteration: 1,
      purpose: 'room',
      trialLayout: { is: 'final', broken: 'nothing', ignored: false },
      classification: { file: '/logs/k7f3qa/1/changes.json', hash: 'h', final: 'w:1' },
      sharedTools: 'nothing',
      all: false,
    })
    expect(openEffectOf(claimedAt('check-final-tree'))).toMatchObject({ final: 'w:1' })
  })

  function claimedAt(type: string, turn: AgentTurn = DONE): RunMoment {
    return until(claimed(), (_, effect) => effect?.type === type, turn)
  }

  test('what somebody might wonder about is told', () => {
    const moment = answer(claimedAt('classify-changes'), {
      ...DONE,
      classification: { notes: ['a test is skipped'] },
    })
    expect(words(moment, 'note')).toContain('a test is skipped')
  })

  test('a tree that changed meanwhile is refused', () => {
    const moment = answer(claimedAt('check-final-tree'), { ...DONE, changed: ['src/a.js'] })
    expect(words(moment, 'refuse')).toEqual([expect.stringContaining('src/a.js')])
  })

  test('red in the clean room is refused, with the lines', () => {
    const moment = answer(claimedAt('run-trial'), {
      ...DONE,
      trial: trialOf({ exit: 1, summary: 'not ok 1 - x' }),
    })
    expect(workerAt(moment).rejections).toBeLessThanOrEqual(1)
    expect(workerAt(moment).phase.is).not.toBe('finished')
  })

  test('a room that fails ends the run, unproven', () => {
    const moment = ended(claimedAt('run-trial'), {
      ...DONE,
      trial: { is: 'room-failed', durationMs: 1, why: 'no disk' },
    })
    expect(outcome(moment)).toMatchObject({
      is: 'room_failed',
      verdict: 'unproven',
      reason: expect.stringContaining('no disk') as string,
    })
  })

  test('gates that notice nothing are told to the agent, then the claim ends unproven', () => {
    const proofGap: AgentTurn = { ...DONE, trial: trialOf() }
    const sent = ended(claimedAt('run-trial'), proofGap)
    expect(workerAt(sent)).toMatchObject({ rejections: 1, phase: { is: 'working' } })
    expect(words(sent, 'refuse')[0]).toMatch(/^unproven: /)
    const last = ended(
      until(claimed(withRules({ proof: { rejections: 1 } })), (_, effect) => effect?.type === 'run-trial', DONE),
      proofGap,
    )
    expect(last.state.run.outcome).toMatchObject({
      is: 'project_complete',
      verdict: 'unproven',
      cause: { is: 'blind' },
    })
  })

  test('changes of the protected files that are needed are asked about', () => {
    const moment = ended(claimedAt('classify-changes'), {
      ...DONE,
      classification: { unclear: [{ path: 'test/a.test.js', why: 'it is binary' }] },
    })
    expect(moment.state.run.outcome).toMatchObject({
      is: 'needs_acceptance',
      verdict: 'needs-review',
      acceptance: {
        file: '/logs/k7f3qa/1/changes.json',
        hash: 'h',
        final: 'w:1',
        names: ['test/a.test.js'],
        count: 1,
      },
    })
    expect(moment.state.run.outcome?.reason).toBe('Ralph could not check the changes to test/a.test.js')
    expect(decisionNames(moment)).toEqual(['proof/proof-step', 'proof/ask', 'exit/end'])
  })

  test.each([
    ['a stop', STOP, 'finished'],
    ['a pause', PAUSE, 'paused'],
  ])('%s on the way', (_, event, is) => {
    const moment = until(
      send(claimedAt('run-trial'), event),
      (phase) => phase.is === is || phase.is === 'finished',
      DONE,
    )
    expect(workerAt(moment).phase.is).toBe(is === 'paused' ? 'finished' : is)
    expect(moment.state.run.outcome?.is).toBe(is === 'paused' ? 'project_complete' : 'stopped')
  })

  test('without a room that is fit, completion is unproven and says why', () => {
    const unfit: AgentTurn = { trial: { is: 'room-failed', durationMs: 1, why: 'no tools' } }
    const start = until(startedRun(), ({ is }) => is === 'working', {
      ...unfit,
      base: { cleanRoomCheck: null },
    })
    expect(workerAt(start).room).toEqual({ is: 'clean-room-unusable', why: 'no tools' })
    expect(outcome(ended(afterTurn(start, DONE)))).toMatchObject({
      is: 'project_complete',
      verdict: 'unproven',
      reason: "the gates pass here, but the gates can't run in the clean room: no tools",
      cause: { is: 'blind' },
    })
  })
})

describe('before the first iteration', () => {
  const START = withRules({ proof: { baseline: 'start' } })
  const UNKNOWN: AgentTurn = { base: { cleanRoomCheck: null, sharedTools: 'nothing' } }

  function at(type: string, turn: AgentTurn = UNKNOWN, rules = START): RunMoment {
    return until(startedRun({ rules }), (_, effect) => effect?.type === type, turn)
  }

  test('the base is found, the gates run once, the room must show the same', () => {
    const moment = until(startedRun({ rules: START }), ({ is }) => is === 'working', {
      ...UNKNOWN,
      green: true,
    })
    expect(moment.rows.flatMap(({ effects }) => effects).map(({ type }) => type)).toEqual([
      'snapshot',
      'resolve-base',
      'run-gate',
      'run-trial',
      'admit-call',
      'run-agent',
    ])
    expect(words(moment, 'baseline')).toEqual(['baseline: test pass'])
    expect(words(moment, 'room')).toEqual(['clean room ready'])
    expect(workerAt(moment)).toMatchObject({
      baseline: { test: { passed: true, failing: [], exit: 0 } },
      room: { is: 'fit', sharedTools: 'nothing', tests: 3, base: 'w:0', writtenFiles: [] },
      cleanRoomKey: 'key',
    })
  })

  test('asks for the base of what it sees, and the room for the base', () => {
    expect(openEffectOf(at('resolve-base'))).toMatchObject({
      base: null,
      since: null,
      now: { tree: 'tree0', plan: null },
      gates: [{ name: 'test' }],
    })
    expect(openEffectOf(at('run-gate'))).toMatchObject({ iteration: 0, tree: 'tree0', purpose: 'baseline' })
    expect(workerAt(at('run-gate')).measured).toBe(false)
    const room = openEffectOf(at('run-trial', { base: { ...UNKNOWN.base, now: 'w:9' } }))
    expect(room).toMatchObject({
      iteration: 0,
      purpose: 'clean-room-check',
      trialLayout: { is: 'base' },
      base: { tree: 'w:9' },
      classification: null,
      gates: [{ name: 'test' }],
      sharedTools: 'nothing',
      all: true,
    })
  })

  test('a room that is known to be fit is only made ready', () => {
    const known = { is: 'fit', sharedTools: 'tools', tests: 9, base: 'w:0', writtenFiles: ['x'] } as const
    const moment = at('run-trial', { base: { cleanRoomCheck: { ...known, writtenFiles: ['x'] } } })
    expect(openEffectOf(moment)).toMatchObject({ gates: [], sharedTools: 'tools' })
    expect(workerAt(answer(moment, {})).room).toEqual(known)
    expect(words(answer(moment, {}), 'room')).toEqual(['clean room ready, with copied tool folders'])
  })

  test('more is lent step by step, until it shows the same or all has been lent', () => {
    let moment = at('run-trial', { ...UNKNOWN, green: true })
    const lends: unknown[] = []
    for (let n = 0; n < 4; n++) {
      const effect = openEffectOf(moment)
      lends.push(effect.type === 'run-trial' && effect.sharedTools)
      moment = answer(moment, { trial: trialOf({ exit: 1, summary: 'no tools\nat all' }) })
    }
    expect(lends).toEqual(['nothing', 'tools', 'ignored', 'neighbours'])
    expect(words(moment, 'room').map((one) => one.split('; ').at(-1))).toEqual([
      'with copied ignored files',
      'with copied neighbour folders',
    ])
    expect(workerAt(moment).room).toEqual({
      is: 'clean-room-unusable',
      why: 'test failed (exit 1) in the clean room, but passes in the working tree:\nno tools\nat all',
    })
    expect(words(moment, 'clean-room-unusable')[0]).toContain('so the result will be unproven: test failed')
    expect(workerAt(moment).phase.is).toBe('working')
  })

  test('a set-up that fails is told at once', () => {
    const moment = answer(at('run-trial'), {
      trial: { is: 'room-failed', durationMs: 1, why: 'npm ci failed' },
    })
    expect(words(moment, 'room')).toEqual(['npm ci failed; with copied tool folders'])
  })

  test.each<[what: string, gate: Partial<Evidence>, said: string]>([
    ['red', { exit: 1 }, 'baseline: test fail'],
    ['slow', { exit: null, timedOut: true }, 'baseline: test timed out'],
  ])('a gate that is %s already is told', (_, change, said) => {
    expect(words(answer(at('run-gate'), { gate: change }), 'baseline')).toEqual([said])
  })

  test('a program that is missing ends the run', () => {
    const missing = (summary: string): RunMoment =>
      answer(at('run-gate'), { gate: { missing: true, exit: null, summary } })
    expect(missing('sh: 1: go: not found').state.run.outcome).toMatchObject({
      is: 'program_missing',
      reason: 'gate test (npm run test) needs go, which is not installed',
      cause: { is: 'missing', gate: 'test', program: 'go' },
    })
    expect(missing('bash: cargo: command not found').state.run.outcome?.cause).toMatchObject({
      program: 'cargo',
    })
    expect(missing('no such file').state.run.outcome).toBeNull()
  })

  test('a gate that is green and ran nothing is told, or nothing begins', () => {
    const empty: AgentTurn = { green: true, gate: { tests: 0 } }
    expect(words(answer(at('run-gate'), empty), 'empty')).toEqual([
      'gate test (npm run test) passes but runs 0 tests, so it proves nothing yet',
    ])
    const strict = at('run-gate', UNKNOWN, withRules({ proof: { baseline: 'start', noTests: 'refuse' } }))
    expect(answer(strict, empty).state.run.outcome).toMatchObject({ is: 'not_started' })
    expect(words(answer(at('run-gate'), { green: true, gate: { tests: 1 } }), 'empty')).toEqual([])
    expect(words(answer(at('run-gate'), { green: false, gate: { tests: 0 } }), 'empty')).toEqual([])
  })

  test('a pause holds it up, and it is resumed', () => {
    for (const type of ['resolve-base', 'run-gate', 'run-trial']) {
      const paused = answer(send(at(type), PAUSE), { ...UNKNOWN, green: true, trial: trialOf({ exit: 1 }) })
      expect([type, workerAt(paused).phase.is]).toEqual([type, 'paused'])
    }
  })

  test('where the gates are quick, nothing is prepared but the baseline', () => {
    const moment = until(
      startedRun({ rules: withRules({ proof: { baseline: 'start', level: 'quick' } }) }),
      ({ is }) => is === 'working',
    )
    expect(requestedEffectTypes({ effects: moment.rows.flatMap(({ effects }) => effects) })).toEqual([
      'snapshot',
      'run-gate',
      'run-agent',
    ])
  })
})

describe('the base', () => {
  test('moves by what a person changed between two iterations', () => {
    const waiting = afterTurn(working({ rules: withRules({ loop: { pauseMs: 1_000 } }) }), { files: 1 })
    const snapshot = { tree: 'edited', head: 'h', branch: 'main', ref: null, unstored: [], busy: null }
    const change = { paths: [], files: 2, added: 1, removed: 0, commits: [] }
    const looked = answer(answer(waiting), { look: { snapshot, change, plan: 'p2' } })
    expect(openEffectOf(looked)).toMatchObject({
      type: 'resolve-base',
      base: { tree: 'w:0' },
      since: { tree: 'tree1', plan: null },
      now: { tree: 'edited', plan: 'p2' },
    })
    expect(words(looked, 'note').at(-1)).toBe('2 files changed between iterations (not by the agent)')
    const news = {
      moved: ['a', 'b'],
      movedCount: 4,
      inherited: [],
      inheritedCount: 0,
      rejected: [],
      warnings: ['look here'],
    }
    const taken = answer(looked, {
      base: { base: { tree: 'w:5', plan: 'p2', refs: null, from: 'first' }, news },
    })
    expect([
      words(taken, 'base'),
      words(taken, 'note').at(-1),
      workerAt(taken).base?.tree,
      workerAt(taken).phase.is,
    ]).toEqual([
      ['a, b and 2 more changed while no agent was running; Ralph counts it as your change'],
      'look here',
      'w:5',
      'working',
    ])
  })

  test('does not move while an orphan may be at work', () => {
    const waiting = afterTurn(working({ rules: withRules({ loop: { pauseMs: 1_000 } }) }), { files: 1 })
    const hasOrphans = {
      ...waiting,
      state: { ...waiting.state, workers: { '1': { ...workerAt(waiting), hasOrphans: true } } },
    }
    const snapshot = { tree: 'edited', head: 'h', branch: 'main', ref: null, unstored: [], busy: null }
    expect(openEffectOf(answer(answer(hasOrphans), { look: { snapshot } })).type).toBe('run-agent')
  })

  test.each<[what: string, change: object, what2: string, said: string]>([
    [
      'one file of a person',
      { moved: ['a'], movedCount: 1 },
      'base',
      'a changed while no agent was running; Ralph counts it as your change',
    ],
    [
      'one file of an earlier run',
      { inherited: ['a'], inheritedCount: 1 },
      'base',
      'a carries unverified changes from an earlier run; they will be checked too',
    ],
    [
      'files of an earlier run',
      { inherited: ['a', 'b'], inheritedCount: 2 },
      'base',
      'a, b carry unverified changes from an earlier run; they will be checked too',
    ],
  ])('%s', (_, change, what, said) => {
    const news = {
      moved: [],
      movedCount: 0,
      inherited: [],
      inheritedCount: 0,
      rejected: [],
      warnings: [],
      ...change,
    }
    const moment = until(startedRun(), (phase) => phase.is === 'working', { base: { news } })
    expect(words(moment, what)).toEqual([said])
  })

  test('what a person did not accept is told to the agent', () => {
    const news = {
      moved: [],
      movedCount: 0,
      inherited: [],
      inheritedCount: 0,
      rejected: ['test/a.js', '.'],
      warnings: [],
    }
    const moment = until(startedRun(), (phase) => phase.is === 'working', { base: { news } })
    expect(workerAt(moment).corrections).toEqual([
      'A person did not accept your changes to test/a.js. Restore these files and make the work pass with them.',
    ])
  })

  test('that was lost is told when the run begins', () => {
    const moment = until(startedRun(), (phase) => phase.is === 'working', {
      base: { base: { tree: 'w:0', plan: null, refs: null, from: 'lost' } },
    })
    expect(words(moment, 'note')[0]).toContain('asks you to accept that tree at the end')
  })
})
