/** Whole screens, compared as they stand: every state a run can be in, at the four sizes people have. */
import { emptyAgentReport } from '../../core/agent-output/agent-report.ts'
import { describe, expect, test } from 'vitest'
import type { LoadedIterationPart } from '../../app/run/history.ts'
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import type { Row } from '../../core/state/row.ts'
import { findMissingDetail } from './iterations.ts'
import type { DashboardScene } from './dashboard-scene.ts'
import {
  sampleRow,
  sampleScene,
  frameText,
  gateEnded,
  iteration,
  iterationEnded,
  pressKeys,
  runEnded,
  runStarted,
  textEvent,
  START,
  surveyed,
  working,
  type SceneSample,
} from '../../../test/kit/tui.ts'

const SIZES = [
  { columns: 60, rows: 15 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 200, rows: 60 },
]

const CHECKBOXES = [
  'Read dates',
  'Write dates',
  'Leap years',
  'Weeks of the year',
  'Time zones',
  'Durations',
  'Ranges of dates',
  'Parse what people type',
]

function plan(done: number): { text: string; done: boolean }[] {
  return CHECKBOXES.map((text, index) => ({ text, done: index < done }))
}

/** Four hours: work, a claim that is refused, a limit, and work again. */
function night(): Row[] {
  return [
    runStarted({ usd: 10, gates: ['test', 'lint'] }),
    surveyed({ done: 0, open: 8 }, 'Read dates'),
    ...iteration(1, {
      at: 10,
      took: 412,
      usd: 0.42,
      says: 'dates are read, with tests',
      change: [3, 120, 4],
      checkboxes: [1, 7],
    }),
    ...iteration(2, {
      at: 440,
      took: 388,
      usd: 0.38,
      says: 'dates are written back',
      change: [2, 64, 12],
      checkboxes: [2, 6],
    }),
    ...iteration(3, {
      at: 840,
      took: 95,
      usd: 0.11,
      says: 'looked at leap years',
      change: [0, 0, 0],
      checkboxes: [2, 6],
    }),
    ...iteration(4, {
      at: 950,
      took: 530,
      usd: 0.61,
      says: 'everything is done',
      change: [5, 210, 31],
      checkboxes: [2, 6],
      decides: [
        {
          by: 'proof',
          worker: '1',
          what: 'refuse',
          why: 'test failed (exit 1)',
        },
      ],
    }),
    gateEnded('test', { exit: 1, after: 1490 }),
    ...iteration(5, {
      at: 1500,
      took: 12,
      end: 'failed',
      limited: true,
      says: '',
      failure: 'usage limit reached, resets at 15:00',
    }),
    ...iteration(6, {
      at: 2700,
      took: 640,
      usd: 0.73,
      agent: 'codex',
      says: 'leap years follow the Gregorian rule',
      change: [2, 41, 8],
      checkboxes: [3, 5],
    }),
    sampleRow(
      { type: 'remark', about: 'budget', text: 'a third of the budget is spent' },
      { after: 3345, decisions: [{ by: 'loop', what: 'note', why: '5 boxes are open' }] },
    ),
  ]
}

const WORDS: AgentEvent[] = [
  { type: 'thought', text: 'ISO weeks begin on Monday.\nThe first one has a Thursday in it.' },
  textEvent('Weeks of the year are next. I read the tests that are there first.'),
  { type: 'tool', id: 't1', name: 'Read', input: 'src/weeks.test.ts', paths: ['src/weeks.test.ts'] },
  { type: 'tool-ended', id: 't1', ok: true, output: '40 lines' },
  { type: 'tool', id: 't2', name: 'Bash', input: 'npm test -- weeks', paths: [] },
  { type: 'tool-ended', id: 't2', ok: false, output: '2 failed\n11 passed' },
  textEvent('Two fail, as they should: the function is not there yet.'),
  { type: 'tool', id: 't3', name: 'Edit', input: 'src/weeks.ts', paths: ['src/weeks.ts'] },
]

function running(more: Row[] = []): SceneSample {
  return {
    rows: [...night(), surveyed({ done: 3, open: 5 }, 'Weeks of the year'), ...working(7, { after: 3350 }), ...more],
    words: WORDS,
    iteration: 7,
    plan: plan(3),
  }
}

function over(outcome: object, { done = 8 } = {}): SceneSample {
  const last = iteration(7, {
    at: 3350,
    took: 300,
    usd: 0.5,
    says: 'weeks are counted',
    change: [2, 55, 3],
    checkboxes: [done, 8 - done],
  })
  return {
    ...running(),
    rows: [
      ...night(),
      ...last,
      gateEnded('test', { after: 3700 }),
      runEnded(outcome as Parameters<typeof runEnded>[0], 3720),
    ],
    plan: plan(done),
    runBy: null,
  }
}

const SEEN = 3400

function at(given: SceneSample, seconds = SEEN): DashboardScene {
  return withDetail(sampleScene(given, { seconds }))
}

/** As if what is wanted had been read. */
function withDetail(scene: DashboardScene): DashboardScene {
  const wanted = findMissingDetail(scene)
  if (wanted === null) return scene
  return { ...scene, detail: { ...wanted, is: 'there', read: detail(wanted.iteration, wanted.part) } }
}

const PATCH = `diff --git a/src/leap.ts b/src/leap.ts
index 2f08be9..854394f 100644
--- a/src/leap.ts
+++ b/src/leap.ts
@@ -1,4 +1,6 @@
 export function isLeap(year: number): boolean {
-  return year % 4 === 0
+  if (year % 400 === 0) return true
+  if (year % 100 === 0) return false
+  return year % 4 === 0 // a comment that is so long that it does not fit on one line of a small terminal
 }
diff --git a/src/leap.test.ts b/src/leap.test.ts
new file mode 100644
index 0000000..854394f
--- /dev/null
+++ b/src/leap.test.ts
@@ -0,0 +1,3 @@
+test('1900 had no 29 February', () => {
+\texpect(isLeap(1900)).toBe(false)
+})
`

const OUTPUT = `> shop@1.0.0 test
> vitest run

 ✓ src/dates.test.ts (12 tests) 31ms
 ❯ src/leap.test.ts (3 tests | 1 failed) 12ms
   × 1900 had no 29 February
     → expected true to be false

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 14 passed (15)
`

function detail(n: number, part: LoadedIterationPart['part']): LoadedIterationPart {
  const evidence = {
    gate: 'test',
    purpose: 'completion',
    command: 'npm run test',
    tree: '8f3a91c2d4e5f60718293a4b5c6d7e8f90a1b2c3',
    exit: 1,
    durationMs: 4_300,
    log: `/logs/k7f3qa/${n}/gate-test.log`,
    summary: '× 1900 had no 29 February\nexpected true to be false',
    tests: 15,
  }
  const change = {
    paths: [],
    files: 2,
    added: 6,
    removed: 1,
    commits: [{ sha: '0123456789abcdef', subject: 'leap years follow the Gregorian rule' }],
  }
  const shown = {
    run: 'k7f3qa',
    iteration: n,
    agent: 'codex',
    reply: {
      told: emptyAgentReport(),
      end: 'success',
      durationMs: 640_000,
      usage: { input: 9000, output: 3100, usd: 0.73 },
      tools: 14,
      signals: { summary: 'leap years follow the Gregorian rule' },
    },
    change,
    trees: { from: 'a', to: 'b' },
    patch: part === 'diff' ? { stat: '', patch: PATCH, cut: false } : null,
    evidence: [evidence, { ...evidence, gate: 'lint', command: 'npm run lint', exit: 0, tests: null }],
    decisions: [
      { by: 'proof', what: 'check', why: 'the agent claims to be done; the gates decide', at: START, seq: 1 },
      {
        by: 'proof',
        worker: '1',
        what: 'refuse',
        why: 'test failed (exit 1)',
        at: START + 60_000,
        seq: 2,
      },
    ],
  }
  const outputs = part === 'gates' ? [{ evidence, text: OUTPUT, before: 0 }] : []
  return { part, shown, outputs } as unknown as LoadedIterationPart
}

const WAIT = {
  type: 'wait',
  until: START + 7_200_000,
  forMs: null,
  why: 'claude is at its usage limit, and no other agent is left',
}

const REPLY = {
  told: emptyAgentReport(),
  usage: null,
  conversation: null,
  failure: null,
  signals: { summary: '' },
}

const PROVEN = {
  is: 'plan_complete',
  reason: 'every box is ticked and gates test, lint passed',
  verdict: 'proven',
  exit: 0,
}

const ASKED = {
  is: 'needs_acceptance',
  reason: 'done, if you accept 2 files: the work passes only with these changed: a.csv, b.csv',
  verdict: 'needs-review',
  exit: 5,
  acceptance: {
    count: 2,
    names: ['a.csv', 'b.csv'],
    unclear: [],
    ignored: [],
    red: { why: 'test failed (exit 1)', lines: 'not ok 1 - reads a.csv' },
  },
}

const LIMIT = {
  is: 'cost_limit',
  reason: '$0.40 of $10.00 is left and the next iteration may cost $0.73',
  verdict: 'unproven',
  exit: 4,
}

const WIDE = '日本語の長い要約です。🎉 絵文字も👨‍👩‍👧‍👦あります ✅ そして続きます、どこまでも'

function wide(): SceneSample {
  return {
    rows: [
      runStarted({ usd: 10, gates: ['試験'] }),
      surveyed({ done: 1, open: 2 }, WIDE),
      ...iteration(1, {
        at: 10,
        took: 412,
        usd: 0.42,
        says: WIDE,
        change: [3, 120, 4],
        checkboxes: [1, 2],
        agent: '私のエージェント',
      }),
      sampleRow(
        { type: 'remark', about: '🎉', text: WIDE },
        { after: 430, decisions: [{ by: 'loop', what: 'note', why: WIDE }] },
      ),
      ...working(2, { after: 440 }),
    ],
    words: [textEvent(WIDE), { type: 'tool', id: 't', name: 'Bash', input: WIDE, paths: [] }],
    iteration: 2,
    plan: [
      { text: WIDE, done: true },
      { text: '🎉🎉🎉 パーティー', done: false },
    ],
  }
}

const SCENES: Record<string, () => DashboardScene> = {
  running: () => at(running()),
  paused: () =>
    at(
      running([
        sampleRow(
          { type: 'agent-ended', reply: { ...REPLY, end: 'success', durationMs: 40_000, tools: 3 } },
          {
            after: 3390,
            decisions: [
              iterationEnded(7, 'nothing changed'),
              { by: 'loop', what: 'pause', why: 'asked for by a person', worker: '1' },
            ],
          },
        ),
      ]),
    ),
  'waiting for a limit': () =>
    at(
      running([
        sampleRow(
          {
            type: 'agent-ended',
            reply: { ...REPLY, end: 'failed', durationMs: 4_000, tools: 0, limit: 'usage' },
          },
          {
            after: 3360,
            effects: [WAIT],
            decisions: [
              iterationEnded(7, 'claude: 5-hour limit reached'),
              { by: 'limit', what: 'cooldown', why: 'claude rests until 16:15', worker: '1' },
            ],
          },
        ),
      ]),
    ),
  'the list of iterations': () => pressKeys(at(running()), ['6', { is: 'up' }, { is: 'up' }, { is: 'up' }]).scene,
  'a diff': () => withDetail(pressKeys(at(running()), ['6', { is: 'up' }, 'd']).scene),
  'what gates printed': () => withDetail(pressKeys(at(running()), ['[', '[', '[', 't']).scene),
  evidence: () => withDetail(pressKeys(at(running()), ['[', '[', '[', 'e']).scene),
  'the end, proven': () => at(over(PROVEN), 9000),
  'the end, to be accepted': () => at(over(ASKED, { done: 7 }), 9000),
  'the end, not done': () => at(over(LIMIT, { done: 4 }), 9000),
  'wide characters everywhere': () => withDetail(sampleScene(wide(), { seconds: 500 })),
  'an empty run': () => sampleScene({ rows: [runStarted()], plan: null }, { seconds: 1 }),
  help: () => pressKeys(at(running()), ['?']).scene,
}

describe.each(Object.entries(SCENES))('%s', (name, scene) => {
  test.each(SIZES)('$columns×$rows', async (size) => {
    const file = `./captures/${name.replaceAll(/[^a-z]+/g, '-')}-${size.columns}x${size.rows}.txt`
    await expect(`${frameText(scene(), size)}\n`).toMatchFileSnapshot(file)
  })
})
