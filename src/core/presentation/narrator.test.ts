/** What each row says to a person, and how loud; sentences are compared whole, as the screens show them. */
import { describe, expect, test } from 'vitest'
import { NO_BASE_CHANGES } from '../proof/base.ts'
import type { Trial } from '../proof/trial.ts'
import type { Effect } from '../state/effect.ts'
import type { Event, Request } from '../state/event.ts'
import type { Outcome } from '../state/outcome.ts'
import { emptyAgentReport } from '../agent-output/agent-report.ts'
import { playRun, someEvidence, someClassification } from '../../../test/kit/core.ts'
import { narrate, describeDecision, type NarratedLine } from './narrator.ts'

const NIGHT = playRun([{ files: 1, done: true, green: true, checkboxes: { open: 0, done: 3 } }])
const [FIRST] = NIGHT
if (FIRST === undefined) throw new Error('the night is empty')
const ROW = { ...FIRST, effects: [], decisions: [] }
const ABOUT = { worker: '1', effect: 'e1' }

/** An event of this type from a night, with these fields changed. */
function of(type: Event['type'], change: object = {}): Event {
  const found = NIGHT.find(({ event }) => event.type === type)?.event
  return { ...found, type, ...change } as Event
}

function told(event: Event, effects: Effect[] = []): NarratedLine[] {
  return narrate({ ...ROW, event, effects })
}

const OUTCOME: Outcome = { is: 'project_complete', reason: 'it is done', verdict: 'proven', exit: 0 }
const RAN: Extract<Trial, { is: 'ran' }> = {
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
  return { type: 'request-received', request: { id: 1, from: 'ann', ...given } as Request }
}

test.each<[event: Event, text: string | null, tone?: NarratedLine['tone']]>([
  [of('run-started'), 'the run began (process 4711)'],
  [
    { type: 'run-resumed', pid: 9, after: 'crash', version: '1' },
    'taken up after a crash (process 9)',
    'warn',
  ],
  [look(null), null],
  [look('a rebase is in progress'), 'git is busy: a rebase is in progress', 'warn'],
  [
    of('call-deferred', { ...ABOUT, why: 'the hour is full', until: 0 }),
    'held back: the hour is full',
    'warn',
  ],
  [of('agent-started', { ...ABOUT, pid: 8 }), 'the agent runs (process 8)'],
  [of('conversation-known', { ...ABOUT, conversation: 'c1', model: null }), 'conversation c1'],
  [of('conversation-known', { ...ABOUT, conversation: 'c1', model: 'opus' }), 'conversation c1 with opus'],
  [of('agent-denied', { ...ABOUT, denial: { tool: 'Bash' } }), 'denied: Bash', 'warn'],
  [of('agent-denied', { ...ABOUT, denial: { tool: 'Bash', command: 'rm x' } }), 'denied: Bash rm x', 'warn'],
  [of('spend-threshold-crossed', { ...ABOUT, tenth: 7 }), '70 % of what is left is spent', 'dim'],
  [of('spend-threshold-crossed', { ...ABOUT, tenth: 8 }), '80 % of what is left is spent', 'warn'],
  [reply({}), 'the agent ended after 1 min · $0.50 · 1k tokens', 'dim'],
  [reply({ end: 'silent', usage: null }), 'the agent ended: silent after 1 min · cost unknown', 'bad'],
  [
    reply({ end: 'failed', failure: { kind: 'network', message: 'no route' }, usage: null }),
    'the agent ended: no route after 1 min · cost unknown',
    'bad',
  ],
  [
    of('gate-ended', { ...ABOUT, evidence: someEvidence('test', { green: true }) }),
    'gate test passed in 1.2 s',
    'good',
  ],
  [
    of('gate-ended', { ...ABOUT, evidence: someEvidence('test', { green: false }) }),
    'gate test (npm run test) failed with exit 1',
    'bad',
  ],
  [of('base-resolved', { ...ABOUT, news: NO_BASE_CHANGES }), null],
  [
    of('base-resolved', { ...ABOUT, news: { ...NO_BASE_CHANGES, warnings: ['one', 'two'] } }),
    'one; two',
    'warn',
  ],
  [
    of('changes-classified', { ...ABOUT, classification: someClassification({ work: 2, judge: 1 }) }),
    '2 files of the work changed, 1 file of the judge',
  ],
  [
    of('changes-classified', {
      ...ABOUT,
      classification: someClassification({ work: 1, judge: 1, unclear: [{ path: 'x', why: 'y' }] }),
    }),
    '1 file of the work changed, 2 files of the judge',
  ],
  [
    of('trial-ended', { ...ABOUT, trial: { is: 'room-failed', why: 'no space' } }),
    'the clean room failed: no space',
    'bad',
  ],
  [of('trial-ended', { ...ABOUT, trial: RAN }), 'the clean room is ready after 1 min'],
  [
    of('trial-ended', {
      ...ABOUT,
      trial: { ...RAN, results: [someEvidence('test', { green: true, purpose: 'source-loaded' })] },
    }),
    'work made to fail: every gate passed (1 min)',
  ],
  [
    of('trial-ended', {
      ...ABOUT,
      trial: {
        ...RAN,
        results: [
          someEvidence('test', { green: false, purpose: 'room' }),
          someEvidence('lint', { green: true, purpose: 'room' }),
        ],
      },
    }),
    'clean room: gate test (npm run test) failed with exit 1 (1 min)',
  ],
  [of('final-tree-checked', { ...ABOUT, changed: [] }), null],
  [
    of('final-tree-checked', { ...ABOUT, changed: ['a', 'b', 'c', 'd', 'e', 'f'] }),
    'changed while it was tried: a, b, c, d, e',
    'bad',
  ],
  [of('committed', { ...ABOUT, sha: null, files: 0, problem: null }), null],
  [
    of('committed', { ...ABOUT, sha: '0123456789abcdef', files: 2, problem: null }),
    'committed 2 files as 0123456789',
  ],
  [
    of('committed', { ...ABOUT, sha: null, files: 0, problem: 'a hook refused it' }),
    'could not commit: a hook refused it',
    'bad',
  ],
  [of('run-ended', { ...ABOUT, outcome: OUTCOME }), 'the run ended: it is done', 'good'],
  [
    of('run-ended', { ...ABOUT, outcome: { ...OUTCOME, is: 'breaker', verdict: 'unproven', exit: 4 } }),
    'the run ended: it is done',
    'bad',
  ],
  [
    of('run-suspended', { ...ABOUT, outcome: { ...OUTCOME, reason: 'no network' } }),
    'the run was left unfinished: no network',
    'warn',
  ],
  [{ type: 'effect-failed', ...ABOUT, problem: 'no disk', hint: null }, 'no disk', 'bad'],
  [{ type: 'effect-lost', ...ABOUT }, 'nobody knows what became of a step that was cut off', 'warn'],
  [request({ do: 'stop', now: false }), 'ann: stop', 'head'],
  [request({ do: 'stop', now: true }), 'ann: stop now', 'head'],
  [request({ do: 'pause' }), 'ann: pause', 'head'],
  [request({ do: 'resume' }), 'ann: resume', 'head'],
  [request({ do: 'abandon' }), 'ann: abandon', 'head'],
  [request({ do: 'steer', text: 'keep it small' }), 'ann: "keep it small"', 'head'],
  [request({ do: 'set', key: 'loop.pause', value: '5s' }), 'ann: loop.pause=5s', 'head'],
  [{ type: 'clock-jumped', by: 60_000 }, 'the clock jumped by 1 min', 'warn'],
  [{ type: 'clock-jumped', by: -60_000 }, 'the clock jumped by 1 min backwards', 'warn'],
  [{ type: 'remark', about: 'claude', text: 'a line nobody knows' }, 'claude: a line nobody knows'],
  [of('admitted', ABOUT), null],
  [of('wait-ended', ABOUT), null],
  [of('aborted', ABOUT), null],
])('%j', (event, text, tone) => {
  expect(told(event)).toEqual(text === null ? [] : [tone === undefined ? { text } : { text, tone }])
})

describe('what begins is told behind what happened', () => {
  const asks = (change: object): Effect => ({ id: 'e9', worker: '1', ...change }) as Effect

  test.each<[effect: Effect, line: NarratedLine | null]>([
    [
      asks({ type: 'run-agent', role: 'work', agent: 'claude', iteration: 3 }),
      { text: 'iteration 3 begins with claude', tone: 'bold' },
    ],
    [
      asks({ type: 'run-agent', role: 'review', agent: 'codex', iteration: 3 }),
      { text: 'codex is asked for its opinion', tone: 'bold' },
    ],
    [asks({ type: 'run-trial', purpose: 'source-loaded' }), { text: 'trial: work made to fail' }],
    [
      asks({ type: 'run-gate', purpose: 'completion', gate: { name: 'test', run: 'npm test' } }),
      { text: 'gate test (completion): npm test' },
    ],
    [asks({ type: 'snapshot', for: 'after' }), null],
    [asks({ type: 'wait' }), null],
  ])('%j', (effect, line) => {
    const lines = line === null ? [] : [line]
    expect(told({ type: 'remark', about: 'x', text: 'y' }, [effect])).toEqual([{ text: 'x: y' }, ...lines])
    expect(told(of('admitted', ABOUT), [effect])).toEqual(lines)
  })
})

test('a decision says who decided, and is loud where a person should see it', () => {
  expect(describeDecision({ by: 'breaker', what: 'open', why: 'nothing moved' })).toEqual({
    text: 'breaker: nothing moved',
    loud: true,
  })
  expect(describeDecision({ by: 'steer', what: 'accept', why: 'goes into the next prompt' })).toMatchObject({
    text: 'steer: goes into the next prompt',
  })
  expect(describeDecision({ by: 'loop', what: 'ignore', why: 'late' })?.loud).toBe(false)
  expect(describeDecision({ by: 'exit', what: 'end', why: 'failed: no disk' })).toBe(null)
})

test('what an agent asked is shown with the id of the question', () => {
  const event = of('agent-ended')
  if (event.type !== 'agent-ended') throw new Error('no agent ended')
  const asks = [{ id: 'q1a2b3c', text: 'Which\nof both?' }]
  const asking = { ...event, reply: { ...event.reply, told: { ...emptyAgentReport(), asks } } }
  expect(told(asking).slice(1)).toEqual([{ text: 'the agent asks (q1a2b3c): Which of both?', tone: 'warn' }])
})
