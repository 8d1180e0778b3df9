import { emptyAgentReport } from '../../core/agent-output/agent-report.ts'
import { describe, expect, test } from 'vitest'
import type { Decision } from '../../core/state/decision.ts'
import type { Row } from '../../core/state/row.ts'
import { renderFrame, SMALLEST_SIZE } from './render-frame.ts'
import { toAnsi, lineWidth } from './screen-line.ts'
import {
  sampleUpdate,
  sampleRow,
  sampleScene,
  frameText,
  ended,
  gateEnded,
  pressKeys,
  runEnded,
  runStarted,
  textEvent,
  SMALL,
  surveyed,
  WIDE,
  working,
  type SceneSample,
  iterationEnded,
} from '../../../test/kit/tui.ts'
import { applyWatchUpdate, type DashboardScene } from './dashboard-scene.ts'

const PLAN = ['Read dates', 'Write dates', 'Leap years', 'Weeks'].map((text, index) => ({
  text,
  done: index < 1,
}))

function going(given: Partial<SceneSample> = {}): SceneSample {
  const decisions = [iterationEnded(1, 'two boxes are open')]
  return {
    rows: [
      runStarted({ usd: 5 }),
      surveyed({ done: 1, open: 3 }, 'Write dates'),
      ...working(1),
      ended({ after: 60, decisions }),
      ...working(2, { after: 62 }),
    ],
    words: [
      { type: 'thought', text: 'The parser comes first.\nThen the rest.' },
      textEvent('I will read the plan and go on with the parser.'),
      { type: 'tool', id: 't1', name: 'Bash', input: 'npm test', paths: [] },
      { type: 'tool-ended', id: 't1', ok: false, output: '2 failed\n1 passed' },
      { type: 'tool', id: 't2', name: 'Edit', input: 'src/dates.ts', paths: ['src/dates.ts'] },
    ],
    iteration: 2,
    plan: PLAN,
    ...given,
  }
}

const PROVEN = {
  is: 'plan_complete',
  reason: 'every box is ticked and gate test passed',
  verdict: 'proven',
  exit: 0,
}

describe('what a person sees', () => {
  test('a run under way in the smallest terminal', () => {
    expect(frameText(sampleScene(going(), { seconds: 95 }), SMALL)).toMatchInlineSnapshot(`
      "Ralph · run k7f3qa · /home/ann/shop              going 14:16
      state    working 0:33 · iteration 2 of 20
      why      two boxes are open
      spent    1:35 · 12.1k tokens
      budget   █░░░░░░░░░░░░░░ 4 % $0.21 of $5.00
      proof    not asked yet: test
      next     Write dates
      ─▸words · iteration 2 ──────────────────────────────────────
      ─ iteration 2 · claude
      · The parser comes first. …
        I will read the plan and go on with the parser.
      ✗ Bash npm test +
      ▸ Edit src/dates.ts

      q leave  p pause  s steer  x stop  tab pane  z zoom  ? keys"
    `)
  })

  test('a run under way where there is room for all panes', () => {
    expect(frameText(sampleScene(going(), { seconds: 95 }), WIDE)).toMatchInlineSnapshot(`
      "Ralph · run k7f3qa · /home/ann/shop                                                                          going 14:16
      ──run ────────────────────────────────────────────│──iterations ────────────────────────────────────────────────────────
      state    working 0:33 · iteration 2 of 20         │ 1 · claude 0:58 $0.21 nothing changed: the parser reads dates
      why      two boxes are open                       │›2 ▸ claude 0:33       working …
      agent    claude · opus-4 · conversation 1f0c9a2b  │
      breaker  closed                                   │─▸words · iteration 2 ───────────────────────────────────────────────
      quota    13 of 100 calls · new hour in 43:25      │─ iteration 2 · claude
      spent    1:35 · 12.1k tokens                      │· The parser comes first. …
      budget   █░░░░░░░░░░░ 4 % $0.21 of $5.00          │  I will read the plan and go on with the parser.
      proof    not asked yet: test                      │✗ Bash npm test +
      next     Write dates                              │▸ Edit src/dates.ts
      ──plan ───────────────────────────────────────────│
      ███░░░░░░░░░ 25 % 1 of 4 boxes                    │
      [x] Read dates                                    │
      [▸] Write dates                                   │
      [ ] Leap years                                    │
      [ ] Weeks                                         │
      ──decisions ──────────────────────────────────────│──[diff] gates evidence · iteration 1 ───────────────────────────────
      14:16 iteration: two boxes are open               │Reading iteration 1 …
                                                        │
                                                        │
      ──events ─────────────────────────────────────────│
            reads dates" · $0.21 · 12.1k tokens · two   │
            boxes are open                              │
      14:16 call 13 of this hour                        │
      14:16 iteration 2: claude begins afresh           │
      14:16 process 4802, words in                      │
            /logs/k7f3qa/2/agent.log                    │
      14:16 conversation 1f0c9a2b-77aa, model opus-4    │
      q leave  p pause  s steer  x stop  tab pane  z zoom  / search  o unfold  [ ] iteration  d diff  ? keys"
    `)
  })

  test('a run that is proven done', () => {
    const rows = [...(going().rows ?? []), ended({ after: 80 }), gateEnded('test'), runEnded(PROVEN)]
    expect(frameText(sampleScene(going({ rows, runBy: null }), { seconds: 400 }), SMALL)).toMatchInlineSnapshot(`
      "Ralph · run k7f3qa · /home/ann/shop        PROVEN DONE 14:21
      state    PROVEN DONE · 2 iterations
      why      every box is ticked and gate test passed
      spent    1:30 · 24.2k tokens
      budget   █░░░░░░░░░░░░░░ 8 % $0.42 of $5.00
      proof    proven by test
      next     ralph show k7f3qa (look at what was done)
      ─▸words · iteration 2 ──────────────────────────────────────
      ─ iteration 2 · claude
      · The parser comes first. …
        I will read the plan and go on with the parser.
      ✗ Bash npm test +
      ▸ Edit src/dates.ts

      q quit  tab pane  z zoom  / search  o unfold  ? keys"
    `)
  })

  test('a claim on the ladder: which trial runs, and what the last rung showed', () => {
    const proofStep = { by: 'proof' as const, what: 'proof-step' as const, why: 'clean room: green, 2.3 s' }
    const rows = [
      ...(going().rows ?? []),
      ended({ after: 70 }),
      sampleRow(
        {
          type: 'trial-ended',
          trial: {
            is: 'ran',
            durationMs: 2300,
            results: [],
            named: [],
            sharedPaths: [],
            unremovableTests: [],
          },
        },
        { after: 80, decisions: [proofStep], effects: [{ type: 'run-trial', purpose: 'original-tests' }] },
      ),
    ]
    const lines = frameText(sampleScene(going({ rows }), { seconds: 95 }), SMALL).split('\n')
    expect(lines.filter((line) => /^(state|why|proof)/.test(line))).toEqual([
      'state    trying: judge as it was 0:15 · iteration 2 of 20',
      'why      clean room: green, 2.3 s',
      'proof    judge as it was',
    ])
  })

  test('a run that a person has to settle', () => {
    const red = { why: 'gate test (npm test) failed with exit 1', lines: 'not ok 1' }
    const outcome = {
      is: 'needs_acceptance',
      reason: 'done, if you accept 2 files: the work passes only with these changed: a.csv, b.csv',
      verdict: 'needs-review',
      exit: 5,
      acceptance: { count: 2, names: ['a.csv', 'b.csv'], unclear: [], ignored: [], red },
    }
    const rows = [...(going().rows ?? []), ended({ after: 80 }), runEnded(outcome)]
    const lines = frameText(sampleScene(going({ rows, runBy: null }), { seconds: 400 }), SMALL).split('\n')
    expect(lines.filter((line) => /^(Ralph|state|why|proof|next)/.test(line))).toEqual([
      'Ralph · run k7f3qa · /hom… DONE, IF YOU ACCEPT 2 FILES 14:21',
      'state    DONE, IF YOU ACCEPT 2 FILES · 2 iterations',
      'why      the work passes only with these changed: a.csv, b.…',
      'proof    without them: gate test (npm test) failed with exi…',
      'next     ralph accept (see each change and decide)',
    ])
  })

  test('a run that nobody serves any more', () => {
    expect(frameText(sampleScene(going({ runBy: null }), { seconds: 95 }), SMALL)).toMatchInlineSnapshot(`
      "Ralph · run k7f3qa · /home/ann/shop            CUT OFF 14:16
      state    cut off: no process serves it
      why      two boxes are open
      spent    1:02 · 12.1k tokens
      budget   █░░░░░░░░░░░░░░ 4 % $0.21 of $5.00
      proof    not asked yet: test
      next     ralph resume (go on where it was cut off)
      ─▸words · iteration 2 ──────────────────────────────────────
      ─ iteration 2 · claude
      · The parser comes first. …
        I will read the plan and go on with the parser.
      ✗ Bash npm test +
      ▸ Edit src/dates.ts

      q quit  tab pane  z zoom  / search  o unfold  ? keys"
    `)
  })

  test('a run that waits for a usage limit counts down', () => {
    const wait = {
      type: 'wait',
      until: sampleRow({ type: 'x' }, { after: 695 }).at,
      forMs: null,
      why: 'claude is limited until 14:26',
    }
    const rows = [
      ...(going().rows ?? []),
      sampleRow(
        {
          type: 'agent-ended',
          reply: {
            told: emptyAgentReport(),
            usage: null,
            conversation: null,
            failure: null,
            signals: { summary: '' },
          },
        },
        { after: 64, effects: [wait] },
      ),
    ]
    const [, state] = frameText(sampleScene(going({ rows }), { seconds: 95 }), SMALL).split('\n')
    expect(state).toBe('state    waits 10:00: claude is limited until 14:26')
  })

  test('a wait of days shows its date and how long', () => {
    const wait = {
      type: 'wait',
      until: sampleRow({ type: 'x' }, { after: 3 * 86_400 }).at,
      forMs: null,
      why: 'limit',
    }
    const reply = {
      told: emptyAgentReport(),
      usage: null,
      conversation: null,
      failure: null,
      signals: { summary: '' },
    }
    const rows = [...(going().rows ?? []), sampleRow({ type: 'agent-ended', reply }, { after: 64, effects: [wait] })]
    const [, state] = frameText(sampleScene(going({ rows }), { seconds: 95 }), SMALL).split('\n')
    expect(state).toMatch(/^state {4}waits until \w{3} \d+ \w{3}, \d\d:\d\d, in 3 days: limit/)
  })

  test('all limits of a budget, with how full they are', () => {
    const scene = sampleScene(
      going({ rows: [runStarted({ usd: 0.3, tokens: 20_000, minutes: 10 }), ...working(1), ended()] }),
      { seconds: 95 },
    )
    const lines = frameText(pressKeys(scene, ['5']).scene, SMALL).split('\n')
    expect(lines.filter((line) => line.startsWith('budget'))).toEqual([
      'budget   ███████████░░░░ 70 % $0.21 of $0.30',
      'budget   █████████░░░░░░ 60 % 12.1k of 20k tokens',
      'budget   ██░░░░░░░░░░░░░ 15 % 1:35 of 10 min',
    ])
  })

  test('help names every key', () => {
    expect(frameText(pressKeys(sampleScene(going()), ['?']).scene, SMALL)).toMatchInlineSnapshot(`
      "Ralph · run k7f3qa · /home/ann/shop              going 14:15
      q, Ctrl+C      leave; the run goes on, or is asked about
      p  r  x        pause after this iteration, go on, stop
      s              tell the agent something, next prompt
      tab, 1 to 7    words, decisions, events, plan, run,
                     iterations, detail; z: one alone, and back
      ↑ ↓ PgUp PgDn  scroll or choose, also j k; g G: ends
      [  ]           an iteration back, forth; esc: live
      d  t  e  w     its diff, gate output, evidence; words
      enter, ← →     list to diff, parts; tasks fold; f: filter
      /  n  N        search words or detail; on, and back
      o              unfold what tools printed, and thoughts
      Ctrl+L, Ctrl+Z redraw, suspend
      ✓ moved  · nothing changed  ✗ refused
      any key closes this"
    `)
  })

  test('a terminal that is too small says how large it must be', () => {
    expect(frameText(sampleScene(going()), { columns: 40, rows: 8 }).trimEnd()).toBe(
      'This terminal has 40×8;\nthe dashboard needs 60×15.\nMake it larger, or press q.',
    )
  })

  test('no gate: it is said that nothing will be proven', () => {
    const lines = frameText(sampleScene({ rows: [runStarted({ gates: [] }), ...working(1)] }), WIDE).split('\n')
    expect(lines.find((line) => line.startsWith('proof'))).toContain('no gate, so outcomes are unproven')
  })

  test('a log that was deleted by hand is said to be missing', () => {
    const rows = [runStarted(), ...working(1), ended(), runEnded(PROVEN)]
    expect(frameText(sampleScene({ rows, words: [], there: false }), WIDE)).toContain(
      'The log of iteration 1 is not there any more',
    )
  })

  test('rows of a newer Ralph are counted, and the rest is shown', () => {
    const scene = sampleScene({ rows: [runStarted(), sampleRow({ type: 'from-the-future' }), ...working(1)] })
    expect(frameText(scene, SMALL).split('\n')[0]).toBe('Ralph · run k7f3qa · /ho… 1 newer rows not shown going 14:15')
    expect(scene.view?.workers['1']?.iteration).toBe(1)
  })
})

describe('frames hold whatever is in them', () => {
  const hostile = [
    '\u001b]0;owned\u0007\u001b[2Jcleared\u001b[31m red \u009b5A up \u202e backwards',
    '日本語のとても長い文章はどこで折り返されるのでしょうか。日本語のとても長い文章。',
    '👨‍👩‍👧‍👦 family ✅ done é combined',
    'x'.repeat(5000),
    'tab\there\r\nand\rthere\b\b',
  ]

  function hostileScene(): DashboardScene {
    const rows: Row[] = [
      runStarted(),
      ...working(1),
      ...hostile.map((text) =>
        sampleRow(
          { type: 'remark', about: text, text },
          { decisions: [{ by: 'loop', what: text, why: text } as unknown as Decision] },
        ),
      ),
    ]
    const words = hostile.flatMap((text) => [
      textEvent(text),
      { type: 'tool' as const, id: null, name: text, input: text, paths: [] },
    ])
    return sampleScene({ rows, words, plan: hostile.map((text) => ({ text, done: false })) })
  }

  const sizes = [
    SMALLEST_SIZE,
    { columns: 61, rows: 40 },
    { columns: 100, rows: 20 },
    { columns: 200, rows: 70 },
    { columns: 10, rows: 2 },
  ]

  test.each(sizes)(
    'no line is wider than the terminal, and there are as many as it has rows: $columns×$rows',
    (size) => {
      for (const pane of ['1', '2', '3', '4', '5', '6', '7']) {
        for (const more of [[], ['z'], ['o']]) {
          const lines = renderFrame(pressKeys(hostileScene(), [pane, ...more], size).scene, size)
          expect(lines.length).toBe(size.rows)
          expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(size.columns)
        }
      }
    },
  )

  test('nothing an agent says reaches the terminal as a control sequence', () => {
    const bytes = renderFrame(pressKeys(hostileScene(), ['o']).scene, WIDE)
      .map((line) => toAnsi(line, { colour: false, unicode: true }))
      .join('')
    // Our own column marks are all that is left.
    // oxlint-disable-next-line no-control-regex
    expect(bytes.replaceAll(/\u001b\[\d+G/g, '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
  })

  test('a look without a word changes no line but the clock', () => {
    const scene = sampleScene(going())
    expect(frameText(applyWatchUpdate(scene, sampleUpdate({ plan: PLAN })), WIDE)).toBe(frameText(scene, WIDE))
  })
})
