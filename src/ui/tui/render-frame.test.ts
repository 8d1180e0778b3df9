import { PURPOSE_TITLES } from '../../core/proof/trial.ts'
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
  iteration,
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
      "Ralph · run k7f3qa · /home/ann/shop          running · 14:16
      state    working 0:33 · iteration 2 of 20
      plan     ████░░░░░░░░░░░ 1 of 4 items done
      why      two boxes are open
      budget   █░░░░░░░░░░░░░░ 4% $0.21 of $5.00
      proof    test: runs when the agent says it's done
      next     Write dates
      ─▸messages · iteration 2 ───────────────────────────────────
      ─ iteration 2 · claude
      · The parser comes first. …
        I will read the plan and go on with the parser.
      ✗ Bash npm test +
      ▸ Edit src/dates.ts

      q quit  p pause  s steer  x stop  tab pane  z zoom  ? keys"
    `)
  })

  test('a run under way where there is room for all panes', () => {
    expect(frameText(sampleScene(going(), { seconds: 95 }), WIDE)).toMatchInlineSnapshot(`
      "Ralph · run k7f3qa · /home/ann/shop                                                                      running · 14:16
      ──run ────────────────────────────────────────────│──iterations ────────────────────────────────────────────────────────
      state    working 0:33 · iteration 2 of 20         │ 1 · claude 0:58 $0.21 nothing changed: the parser reads dates
      plan     ███░░░░░░░░░ 1 of 4 items done           │›2 ▸ claude 0:33       working …
      why      two boxes are open                       │
      agent    claude · opus-4 · conversation 1f0c9a2b  │─▸messages · iteration 2 ────────────────────────────────────────────
      breaker  closed                                   │─ iteration 2 · claude
      quota    13 of 100 calls · resets in 43:25        │· The parser comes first. …
      spent    1:35 · 12.1k tokens                      │  I will read the plan and go on with the parser.
      budget   █░░░░░░░░░░░ 4% $0.21 of $5.00           │✗ Bash npm test +
      proof    test: runs when the agent says it's done │▸ Edit src/dates.ts
      next     Write dates                              │
      ──plan · 1 of 4 items done ───────────────────────│
      [x] Read dates                                    │
      [▸] Write dates                                   │
      [ ] Leap years                                    │
      [ ] Weeks                                         │
      ──decisions ──────────────────────────────────────│──[diff] gates evidence · iteration 1 ───────────────────────────────
      14:16 iteration: two boxes are open               │Loading iteration 1 …
                                                        │
                                                        │
      ──events ─────────────────────────────────────────│
      14:16 · 1  0:58  no changes · "the parser reads   │
            dates" · $0.21 · 12.1k tokens · two boxes   │
            are open                                    │
      14:16 call 13 this hour                           │
      14:16 iteration 2: claude starts a new session    │
      14:16 process 4802, log: /logs/k7f3qa/2/agent.log │
      14:16 session 1f0c9a2b-77aa, model opus-4         │
      q quit  p pause  s steer  x stop  tab pane  z zoom  / search  o unfold  [ ] iteration  d diff  ? keys"
    `)
  })

  test('a run that is proven done', () => {
    const rows = [...(going().rows ?? []), ended({ after: 80 }), gateEnded('test'), runEnded(PROVEN)]
    expect(frameText(sampleScene(going({ rows, runBy: null }), { seconds: 400 }), SMALL)).toMatchInlineSnapshot(`
      "Ralph · run k7f3qa · /home/ann/shop      PROVEN DONE · 14:21
      state    PROVEN DONE · 2 iterations
      plan     ████░░░░░░░░░░░ 1 of 4 items done
      why      every box is ticked and gate test passed
      budget   █░░░░░░░░░░░░░░ 8% $0.42 of $5.00
      proof    ✓ proven: test passed in the clean room
      next     git show (review it, then push or open a pull requ…
      ─▸messages · iteration 2 ───────────────────────────────────
      ─ iteration 2 · claude
      · The parser comes first. …
        I will read the plan and go on with the parser.
      ✗ Bash npm test +
      ▸ Edit src/dates.ts

      q quit  tab pane  z zoom  / search  o unfold  ? keys"
    `)
  })

  test('a proof: the current step, and the result of the last one', () => {
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
    const lines = frameText(sampleScene(going({ rows }), { seconds: 95 }), { columns: 80, rows: 15 }).split('\n')
    expect(lines.filter((line) => /^(state|why|proof)/.test(line))).toEqual([
      `state    clean room: ${PURPOSE_TITLES['original-tests']} 0:15 · iteration 2 of 20`,
      'why      clean room: green, 2.3 s',
      `proof    clean room: ${PURPOSE_TITLES['original-tests']}`,
    ])
  })

  test('a run that a person has to settle', () => {
    const red = { why: 'test failed (exit 1)', lines: 'not ok 1' }
    const outcome = {
      is: 'needs_acceptance',
      reason: 'the gates pass only because a.csv, b.csv were changed',
      verdict: 'needs-review',
      exit: 5,
      acceptance: { count: 2, names: ['a.csv', 'b.csv'], unclear: [], ignored: [], red },
    }
    const rows = [...(going().rows ?? []), ended({ after: 80 }), runEnded(outcome)]
    const lines = frameText(sampleScene(going({ rows, runBy: null }), { seconds: 400 }), SMALL).split('\n')
    expect(lines.filter((line) => /^(Ralph|state|why|proof|next)/.test(line))).toEqual([
      'Ralph · run k7f3qa · /home/ann/s… DONE, NEEDS REVIEW · 14:21',
      'state    DONE, NEEDS REVIEW · 2 iterations',
      'why      the gates pass only because a.csv, b.csv were chan…',
      'proof    with the original files: test failed (exit 1) · no…',
      'next     ralph accept (review each change and decide)',
    ])
  })

  test('a run that nobody serves any more', () => {
    expect(frameText(sampleScene(going({ runBy: null }), { seconds: 95 }), SMALL)).toMatchInlineSnapshot(`
      "Ralph · run k7f3qa · /home/ann/shop      INTERRUPTED · 14:16
      state    interrupted (not running)
      plan     ████░░░░░░░░░░░ 1 of 4 items done
      why      two boxes are open
      budget   █░░░░░░░░░░░░░░ 4% $0.21 of $5.00
      proof    test: runs when the agent says it's done
      next     ralph resume (continue where it stopped)
      ─▸messages · iteration 2 ───────────────────────────────────
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
      'budget   ███████████░░░░ 70% $0.21 of $0.30',
      'budget   █████████░░░░░░ 60% 12.1k of 20k tokens',
      'budget   ██░░░░░░░░░░░░░ 15% 1:35 of 10 min',
    ])
  })

  test('help names every key', () => {
    expect(frameText(pressKeys(sampleScene(going()), ['?']).scene, SMALL)).toMatchInlineSnapshot(`
      "Ralph · run k7f3qa · /home/ann/shop          running · 14:15
      q, Ctrl+C      quit (the run keeps going, or Ralph asks)
      p  r  x        pause after this iteration, resume, stop
      s              send the agent a message (next prompt)
      tab, 1 to 7    pane: messages, decisions, events, plan,
                     run, iterations, detail; z: zoom
      ↑ ↓ PgUp PgDn  scroll or select (j k); g G: top, bottom
      [  ]           previous, next iteration; esc: newest
      d  t  e  m     diff, gate output, evidence, messages
      enter, ← →     open, switch part; tasks: fold, f: filter
      /  n  N        search messages or detail; next, previous
      o              show tool output and complete thoughts
      Ctrl+L, Ctrl+Z redraw, suspend
      ✓ progress  · nothing changed  ✗ rejected  ▸ running
      press any key to close"
    `)
  })

  test('a terminal that is too small says how large it must be', () => {
    expect(frameText(sampleScene(going()), { columns: 40, rows: 8 }).trimEnd()).toBe(
      'This terminal has 40×8;\nthe dashboard needs 60×15.\nMake it larger, or press q.',
    )
  })

  test('no gate: it is said that nothing will be proven', () => {
    const lines = frameText(sampleScene({ rows: [runStarted({ gates: [] }), ...working(1)] }), WIDE).split('\n')
    expect(lines.find((line) => line.startsWith('proof'))).toContain('none: no gate is configured')
  })

  test("the plan's count, its list and the next item agree while an agent works", () => {
    const plan = ['Read dates', 'Write dates', 'Leap years'].map((text, n) => ({ text, done: n < 2 }))
    const screen = frameText(sampleScene(going({ plan }), { seconds: 95 }), WIDE)
    // The last snapshot counted one finished item of four.
    expect(screen).toMatch(/^plan .* 2 of 3 items done/m)
    expect(screen).toContain('──plan · 2 of 3 items done ─')
    expect(screen).toMatch(/^next {5}Leap years/m)
  })

  test('after the end, a plan that somebody edited says so', () => {
    const rows = [...(going().rows ?? []), ended({ after: 80 }), runEnded(PROVEN)]
    const plan = [{ text: 'Read dates', done: true }]
    expect(frameText(sampleScene(going({ rows, plan, runBy: null })), { columns: 120, rows: 40 })).toMatch(
      /──plan · 1 of 1 item done · changed since the run/,
    )
  })

  test.each([
    ['a run that ended before any gate ran', [], { verdict: 'unproven', exit: 4 }, 'none: test never ran'],
    [
      'a failed gate',
      [gateEnded('test', { exit: 1 })],
      { verdict: 'unproven', exit: 4 },
      '✗ test failed after iteration 2',
    ],
    ['a proof', [gateEnded('test')], PROVEN, '✓ proven: test passed in the clean room'],
    [
      'no clean room',
      [gateEnded('test')],
      { verdict: 'gates-passed', exit: 0 },
      'test passed, but not in a clean room',
    ],
  ])('after %s, "proof" says what was proven', (_, more, outcome, proof) => {
    const end = runEnded({ is: 'stopped', reason: 'x', ...outcome })
    const rows = [...(going().rows ?? []), ended({ after: 80 }), ...more, end]
    expect(frameText(sampleScene(going({ rows, runBy: null })), SMALL)).toContain(`proof    ${proof}\n`)
  })

  test('cost and changed lines of the iterations are a chart, if there is something to compare', () => {
    const one = iteration(1, { at: 2, took: 5, usd: 0.1, says: 'a', change: [1, 3, 1] })
    const two = iteration(2, { at: 10, took: 5, usd: 0.25, says: 'b', change: [1, 90, 10] })
    const chart = (rows: SceneSample['rows'] = []): string | undefined =>
      frameText(sampleScene({ rows: [runStarted(), ...rows] }), { columns: 80, rows: 24 })
        .split('\n')
        .find((line) => line.startsWith('trend'))
    expect(chart(one)).toBeUndefined()
    expect(chart([...one, ...two])).toBe('trend    cost ▄█ max $0.25 · lines ▂█ max 100')
  })

  test("an agent's open question stays until somebody answers it", () => {
    const questions = [
      { id: 'q7b1df8', text: 'Should emoji stay?' },
      { id: 'q1', text: 'Which port?' },
    ]
    const screen = frameText(sampleScene(going({ questions }), { seconds: 95 }), { columns: 120, rows: 40 })
    expect(screen).toMatch(/^asks {5}Should emoji stay\? · ralph answer q7b1df8/m)
    expect(screen).toContain('and 1 more')
    expect(frameText(sampleScene(going(), { seconds: 95 }), WIDE)).not.toMatch(/^asks/m)
  })

  test('a log that was deleted by hand is said to be missing', () => {
    const rows = [runStarted(), ...working(1), ended(), runEnded(PROVEN)]
    expect(frameText(sampleScene({ rows, words: [], there: false }), WIDE)).toContain('The log of iteration 1 is gone')
  })

  test('rows of a newer Ralph are counted, and the rest is shown', () => {
    const scene = sampleScene({ rows: [runStarted(), sampleRow({ type: 'from-the-future' }), ...working(1)] })
    expect(frameText(scene, SMALL).split('\n')[0]).toBe('Ralph · run k7f… 1 unknown event not shown · running · 14:15')
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
