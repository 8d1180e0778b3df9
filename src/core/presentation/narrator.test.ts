/** What each row says to a person, and how loud; sentences are compared whole, as the screens show them. */
import { describe, expect, test } from 'vitest'
import { NO_BASE_CHANGES } from '../proof/base.ts'
import type { ProofStepMark, ProofStepResult } from '../proof/proof-types.ts'
import type { TrialResult } from '../proof/trial.ts'
import type { Effect } from '../state/effect.ts'
import type { Event, PersonRequest } from '../state/event.ts'
import type { Outcome } from '../state/outcome.ts'
import { emptyAgentReport } from '../agent-output/agent-report.ts'
import { playRun, someEvidence, someClassification, START_TIME } from '../../../test/kit/core.ts'
import type { Decision } from '../state/decision.ts'
import { foldView, type RunView } from './run-view.ts'
import { lineText, narrate, type NarratedLine } from './narrator.ts'

const NIGHT = playRun([{ files: 1, done: true, green: true, checkboxes: { open: 0, done: 3 } }])
const [FIRST] = NIGHT
if (FIRST === undefined) throw new Error('the night is empty')
const ROW = { ...FIRST, effects: [], decisions: [] }
const VIEW = foldView(null, FIRST)
const local = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')
const ABOUT = { worker: '1', effect: 'e1' }

/** An event of this type from a night, with these fields changed. */
function of(type: Event['type'], change: object = {}): Event {
  const found = NIGHT.find(({ event }) => event.type === type)?.event
  return { ...found, type, ...change } as Event
}

function told(event: Event, effects: Effect[] = [], view: RunView = VIEW): NarratedLine[] {
  return narrate({ ...ROW, event, effects }, view, local)
}

/** What is compared of a line. */
function brief(line: NarratedLine): unknown[] {
  return [line.level, line.is, lineText(line), line.tone ?? line.mark?.tone]
}

const OUTCOME: Outcome = { is: 'project_complete', reason: 'it is done', verdict: 'proven', exit: 0 }
const RAN: Extract<TrialResult, { is: 'ran' }> = {
  is: 'ran',
  durationMs: 61_000,
  results: [],
  named: [],
  sharedPaths: [],
  writtenFiles: [],
  unremovableTests: [],
}

function look(busy: string | null): Event {
  const event = of('snapshot-taken')
  if (event.type !== 'snapshot-taken') throw new Error('nobody looked')
  return { ...event, snapshot: { ...event.snapshot, busy } }
}

function reply(change: object): Event {
  const event = of('agent-ended')
  if (event.type !== 'agent-ended') throw new Error('no agent ended')
  return { ...event, reply: { ...event.reply, ...change } }
}

function request(given: object): Event {
  return { type: 'request-received', request: { id: 1, from: 'ann', ...given } as PersonRequest }
}

test.each<[event: Event, ...line: unknown[]]>([
  [of('run-started'), 'trace', 'run', 'run started (process 4711)', undefined],
  [{ type: 'run-resumed', pid: 9, after: 'crash', version: '1' }, 'normal', 'run', 'run resumed', 'head'],
  [of('admitted', { ...ABOUT, callsThisHour: 3 }), 'verbose', 'detail', 'call 3 this hour', 'dim'],
  [of('agent-started', { ...ABOUT, pid: 8, log: '/logs/8' }), 'verbose', 'detail', 'process 8, log: /logs/8', 'dim'],
  [of('conversation-known', { ...ABOUT, conversation: 'c1', model: null }), 'verbose', 'detail', 'session c1', 'dim'],
  [
    of('conversation-known', { ...ABOUT, conversation: 'c1', model: 'opus' }),
    'verbose',
    'detail',
    'session c1, model opus',
    'dim',
  ],
  [of('agent-denied', { ...ABOUT, denial: { tool: 'Bash' } }), 'verbose', 'detail', 'denied: Bash', 'warn'],
  [
    of('agent-denied', { ...ABOUT, denial: { tool: 'Bash', command: 'rm x' } }),
    'verbose',
    'detail',
    'denied: Bash rm x',
    'warn',
  ],
  [
    of('spend-threshold-crossed', { ...ABOUT, tenth: 7 }),
    'trace',
    'detail',
    '70% of the remaining budget spent',
    'dim',
  ],
  [
    of('spend-threshold-crossed', { ...ABOUT, tenth: 8 }),
    'trace',
    'detail',
    '80% of the remaining budget spent',
    'warn',
  ],
  [
    of('changes-classified', {
      ...ABOUT,
      classification: someClassification({ work: 2, protectedFiles: 1 }),
    }),
    'trace',
    'detail',
    '2 source files changed, 1 test or config file',
    undefined,
  ],
  [
    of('changes-classified', {
      ...ABOUT,
      classification: someClassification({ work: 1, protectedFiles: 1, unclear: [{ path: 'x', why: 'y' }] }),
    }),
    'trace',
    'detail',
    '1 source file changed, 2 test or config files',
    undefined,
  ],
  [
    of('committed', { ...ABOUT, sha: '0123456789abcdef', files: 2, problem: null }),
    'verbose',
    'detail',
    'commit 0123456789, 2 files',
    'dim',
  ],
  [of('run-ended', { ...ABOUT, outcome: OUTCOME }), 'trace', 'run', 'Proven done: it is done', 'good'],
  [
    of('run-ended', { ...ABOUT, outcome: { ...OUTCOME, is: 'breaker', verdict: 'unproven', exit: 4 } }),
    'trace',
    'run',
    'Not done: circuit breaker open: it is done',
    'bad',
  ],
  [
    of('run-suspended', { ...ABOUT, outcome: { ...OUTCOME, reason: 'no network' } }),
    'trace',
    'run',
    'Interrupted: no network; the same command resumes it',
    'warn',
  ],
  [request({ do: 'stop', now: false }), 'trace', 'run', 'ann: stop', 'head'],
  [request({ do: 'stop', now: true }), 'trace', 'run', 'ann: stop now', 'head'],
  [request({ do: 'pause' }), 'trace', 'run', 'ann: pause', 'head'],
  [request({ do: 'resume' }), 'trace', 'run', 'ann: resume', 'head'],
  [request({ do: 'abandon' }), 'trace', 'run', 'ann: abandon', 'head'],
  [request({ do: 'steer', text: 'keep it small' }), 'trace', 'run', 'ann: "keep it small"', 'head'],
  [request({ do: 'set', key: 'loop.pause', value: '5s' }), 'trace', 'run', 'ann: loop.pause=5s', 'head'],
  [{ type: 'clock-jumped', by: 60_000 }, 'verbose', 'detail', 'the clock jumped by 1 min', 'warn'],
  [{ type: 'clock-jumped', by: -60_000 }, 'verbose', 'detail', 'the clock jumped by 1 min backwards', 'warn'],
  [
    { type: 'remark', about: 'claude', text: 'a line nobody knows' },
    'verbose',
    'detail',
    'claude: a line nobody knows',
    'dim',
  ],
])('%j', (event, ...line) => {
  expect(told(event).map(brief)).toEqual([line])
})

/** The decisions of their rows say it. */
test.each<Event>([
  look(null),
  look('a rebase is in progress'),
  reply({}),
  of('call-deferred', { ...ABOUT, why: 'the hour is full', until: 0 }),
  of('base-resolved', { ...ABOUT, news: { ...NO_BASE_CHANGES, warnings: ['one', 'two'] } }),
  of('trial-ended', { ...ABOUT, trial: { is: 'room-failed', why: 'no space' } }),
  of('trial-ended', { ...ABOUT, trial: RAN }),
  of('final-tree-checked', { ...ABOUT, changed: ['a', 'b', 'c', 'd', 'e', 'f'] }),
  of('committed', { ...ABOUT, sha: null, files: 0, problem: 'a hook refused it' }),
  { type: 'effect-failed', ...ABOUT, problem: 'no disk', hint: null },
  { type: 'effect-lost', ...ABOUT },
  of('wait-ended', ABOUT),
  of('aborted', ABOUT),
])('%j has no line of its own', (event) => {
  expect(told(event)).toEqual([])
})

describe('a gate', () => {
  const ended = (green: boolean, change: object = {}): unknown[] =>
    told(of('gate-ended', { ...ABOUT, evidence: someEvidence('test', { green, ...change }) })).map((line) => [
      ...brief(line),
      ...(line.mark === undefined ? [] : [line.mark.glyph]),
    ])

  test('has a line with its mark, and where its output is', () => {
    expect(ended(true)).toEqual([
      ['normal', 'gate', expect.stringMatching(/^test: pass · 1\.2 s$/), 'good', '✓'],
      ['verbose', 'detail', expect.stringMatching(/^output: /), 'dim'],
    ])
    expect(ended(false)[0]).toEqual([
      'normal',
      'gate',
      expect.stringMatching(/^test: failed \(exit 1\) · 1\.2 s$/),
      'bad',
      '✗',
    ])
  })

  test('of a trial is a detail, for its step says what it showed', () => {
    const results = [someEvidence('test', { green: true, purpose: 'source-loaded' })]
    expect(told(of('trial-ended', { ...ABOUT, trial: { ...RAN, results } })).map(brief)).toEqual([
      [
        'verbose',
        'detail',
        expect.stringMatching(/^gates load the changed files: test: pass, but should fail, output: /),
        'dim',
      ],
    ])
  })
})

describe('a step of the proof', () => {
  test.each<[ProofStepMark, number, string, string, string]>([
    ['good', 1300, '✓', 'good', 'clean room: pass · 1.3 s'],
    ['bad', 400, '✗', 'bad', 'clean room: pass · 400 ms'],
    ['skipped', 0, '–', 'dim', 'clean room: pass'],
    ['warning', 20_000, '!', 'warn', 'clean room: pass · 20 s'],
  ])('%s: its mark comes from the fact', (mark, durationMs, glyph, tone, text) => {
    const said = 'clean room: pass'
    const step: ProofStepResult = { proofStep: 'room', mark, said, durationMs }
    const decision: Decision = { by: 'proof', what: 'proof-step', why: said, worker: '1', step }
    const lines = narrate({ ...ROW, event: of('wait-ended', ABOUT), decisions: [decision] }, VIEW, local)
    expect(lines).toMatchObject([{ is: 'proof', level: 'normal', mark: { glyph, tone }, text }])
    expect(lines).toHaveLength(1)
  })
})

describe('what begins is told behind what happened', () => {
  const asks = (change: object): Effect => ({ id: 'e9', worker: '1', ...change }) as Effect
  const call = { type: 'run-agent', iteration: 3, resume: null, context: { corrections: [] } }

  test.each<[effect: Effect, ...lines: unknown[][]]>([
    [
      asks({ ...call, role: 'work', agent: 'claude' }),
      ['verbose', 'detail', 'iteration 3: claude starts a new session', 'bold'],
    ],
    [
      asks({ ...call, role: 'work', agent: 'claude', resume: 'c1', context: { corrections: ['mind\nit'] } }),
      ['verbose', 'detail', 'iteration 3: claude resumes its session', 'bold'],
      ['verbose', 'detail', 'added to the prompt: mind it', 'dim'],
    ],
    [
      asks({ ...call, role: 'review', agent: 'codex' }),
      ['verbose', 'detail', 'iteration 3: codex reviews the work', 'bold'],
    ],
    [
      asks({ type: 'run-gate', purpose: 'completion', gate: { name: 'test', run: 'npm test' } }),
      ['verbose', 'detail', 'running test: npm test', 'dim'],
    ],
    [
      asks({ type: 'wait', until: START_TIME + 60_000, forMs: null, why: 'the hour is full' }),
      ['normal', 'wait', 'waits until 21:31: the hour is full', 'warn'],
    ],
    [
      asks({ type: 'wait', until: START_TIME + 60_000, forMs: 60_000, why: 'a pause' }),
      ['trace', 'wait', 'waits until 21:31: a pause', 'warn'],
    ],
    [asks({ type: 'snapshot', for: 'after' })],
    [asks({ type: 'run-trial', purpose: 'source-loaded' })],
  ])('%j', (effect, ...lines) => {
    expect(told({ type: 'remark', about: 'x', text: 'y' }, [effect]).map(brief)).toEqual([
      ['verbose', 'detail', 'x: y', 'dim'],
      ...lines,
    ])
    expect(told(of('wait-ended', ABOUT), [effect]).map(brief)).toEqual(lines)
  })
})

describe('a decision', () => {
  const decided = (decision: Decision): NarratedLine | undefined =>
    narrate({ ...ROW, event: of('wait-ended', ABOUT), decisions: [decision] }, VIEW, local)[0]

  test.each<[Decision, ...line: unknown[]]>([
    [{ by: 'breaker', what: 'open', why: 'nothing moved' }, 'normal', 'decision', 'breaker: nothing moved', 'warn'],
    [{ by: 'steer', what: 'accept', why: 'it is heard' }, 'normal', 'decision', 'steer: it is heard', 'dim'],
    [{ by: 'loop', what: 'ignore', why: 'late' }, 'normal', 'decision', 'loop: late', 'dim'],
    // The result says it.
    [{ by: 'exit', what: 'end', why: 'failed: no disk' }, 'verbose', 'decision', 'exit: failed: no disk', 'dim'],
    [
      { by: 'loop', what: 'pause', why: 'ann asked' },
      'normal',
      'decision',
      'loop: ann asked; resume: ralph resume',
      'warn',
    ],
  ])('%j', (decision, ...line) => {
    const found = decided(decision)
    expect(found === undefined ? null : brief(found)).toEqual(line)
    expect(found?.fact).toEqual({ is: 'decision', decision })
  })

  test('names its worker', () => {
    expect(decided({ by: 'breaker', what: 'open', why: 'idle', worker: '2' })?.worker).toBe('2')
  })

  test('that no clean room can be used has its reasons below', () => {
    const line = decided({ by: 'proof', what: 'clean-room-unusable', why: 'it differs:\na\nb' })
    expect([line?.text, line?.below]).toEqual(['it differs:', ['a', 'b']])
  })

  test('that only repeats the reason of the iteration that ends with it is left to those who show all', () => {
    const why = 'no box is open'
    const iteration = foldNight().iterations[0]
    if (iteration === undefined) throw new Error('no iteration')
    const ended: Decision = { by: 'iteration', what: 'ended', worker: '1', n: 1, outcome: 'progress', why }
    const row = {
      ...ROW,
      event: of('wait-ended', ABOUT),
      decisions: [ended, { by: 'loop', what: 'continue', why }] as Decision[],
    }
    const view = { ...VIEW, iterations: [{ ...iteration, why }] }
    expect(narrate(row, view, local).map(({ is, level }) => [is, level])).toEqual([
      ['iteration', 'normal'],
      ['decision', 'verbose'],
      ['decision', 'trace'],
    ])
  })
})

test('among several workers an iteration has the name that `ralph show` takes', () => {
  const night = foldNight()
  const ended = NIGHT.find(({ decisions }) => decisions.some(({ what }) => what === 'ended'))
  const second = night.workers['1']
  if (ended === undefined || second === undefined) throw new Error('no iteration ended')
  const alone = narrate(ended, night, local)[0]
  const among = narrate(ended, { ...night, workers: { ...night.workers, '2': second } }, local)[0]
  expect([alone?.text.split(' ')[0], among?.text.split(' ')[0]]).toEqual(['1', 'w1:1'])
})

test('a row that was ignored tells that it was, and nothing else', () => {
  const ignored: Decision = { by: 'loop', what: 'ignore', why: 'late' }
  const event = of('gate-ended', { ...ABOUT, evidence: someEvidence('test', { green: true }) })
  expect(narrate({ ...ROW, event, decisions: [ignored] }, VIEW, local).map(lineText)).toEqual(['loop: late'])
})

test('what an agent asked and found is shown with how to answer', () => {
  const asks = [{ id: 'q1a2b3c', text: 'Which\nof both?' }]
  const found = reply({ told: { ...emptyAgentReport(), asks, findings: ['a\nbug'] } })
  expect(told(found).map(brief)).toEqual([
    ['normal', 'question', 'the agent asks: Which of both? · answer: ralph answer q1a2b3c "…"', 'warn'],
    ['normal', 'finding', 'the agent found: a bug', undefined],
  ])
})

function foldNight(): RunView {
  return NIGHT.reduce<RunView | null>(foldView, null) ?? VIEW
}
