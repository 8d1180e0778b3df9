/** What the tests of the dashboard share: rows of a record as they are quickly written down, and frames as text. */
import type { IterationPart, LoadedIterationPart } from '../../src/app/run/history.ts'
import { emptyAgentReport } from '../../src/core/agent-output/agent-report.ts'
import type { AgentEvent } from '../../src/core/calls/agent-io.ts'
import type { Effect } from '../../src/core/state/effect.ts'
import type { Event } from '../../src/core/state/event.ts'
import type { Instant, WorkerId } from '../../src/core/ids.ts'
import type { Decision, IterationEndDecision } from '../../src/core/state/decision.ts'
import type { Row } from '../../src/core/state/row.ts'
import type { WatchUpdate } from '../../src/watch/watch.ts'
import { renderFrame } from '../../src/ui/tui/render-frame.ts'
import { detailIterationPosition, iterationAt } from '../../src/ui/tui/iterations.ts'
import type { Key } from '../../src/ui/tui/parse-keys.ts'
import { plainText, type Size } from '../../src/ui/tui/screen-line.ts'
import { handleKey, type KeyAction } from '../../src/ui/tui/handle-key.ts'
import { createScene, applyWatchUpdate, type DashboardScene, type ViewState } from '../../src/ui/tui/dashboard-scene.ts'

/** A quarter past two in the afternoon, Greenwich. */
export const START: Instant = Date.UTC(2027, 2, 10, 14, 15, 0)

interface Happening {
  effects?: object[]
  decisions?: Decision[]
  /** Seconds since the start. */
  after?: number
}

let seq = 0

/** Holds what a screen reads of a row and no more: the rest is other rooms' business. */
export function sampleRow(
  event: { type: string } & Record<string, unknown>,
  { effects = [], decisions = [], after = 0 }: Happening = {},
): Row {
  seq += 1
  return {
    run: 'k7f3qa',
    seq,
    at: START + after * 1000,
    up: after * 1000,
    rules: 1,
    event: { worker: '1', effect: 'e1', ...event } as unknown as Event,
    effects: effects.map((effect) => ({ worker: '1', id: 'e1', ...effect }) as unknown as Effect),
    decisions,
  }
}

export interface Limits {
  usd?: number
  tokens?: number
  minutes?: number
  gates?: string[]
}

export function runStarted({ usd, tokens, minutes, gates = ['test'] }: Limits = {}): Row {
  const rules = {
    loop: { iterationsMax: 20, plan: '.ralph/fix_plan.md', optionalSections: [] },
    agent: { model: null },
    model: { strategy: 'fixed' },
    quota: { callsPerHour: 100, tokensPerHour: 0 },
    budget: { usd: usd ?? null, tokens: tokens ?? null, minutes: minutes ?? null, reserveUsd: 1 },
    gates: gates.map((name) => ({ name, run: `npm run ${name}` })),
  }
  return sampleRow({
    type: 'run-started',
    project: '/home/ann/shop',
    command: 'ralph loop',
    version: '0.1.0',
    pid: 4711,
    rules,
  })
}

export function surveyed(checkboxes: { done: number; open: number }, nextCheckbox: string | null): Row {
  return sampleRow(
    {
      type: 'snapshot-taken',
      snapshot: { tree: 'abc', branch: 'main', busy: null },
      change: null,
      checkboxes,
      nextCheckbox,
    },
    { after: 1 },
  )
}

const NO_CONTEXT = { corrections: [] }

/** An iteration whose agent is at work. */
export function working(iteration: number, { after = 2, agent = 'claude' } = {}): Row[] {
  const log = `/logs/k7f3qa/${iteration}/agent.log`
  return [
    sampleRow(
      { type: 'admitted', callsThisHour: 11 + iteration, tokensThisHour: 0 },
      {
        after,
        effects: [{ type: 'run-agent', iteration, agent, role: 'work', resume: null, context: NO_CONTEXT }],
      },
    ),
    sampleRow({ type: 'agent-started', pid: 4800 + iteration, log }, { after }),
    sampleRow({ type: 'conversation-known', conversation: '1f0c9a2b-77aa', model: 'opus-4' }, { after }),
  ]
}

export function ended({ after = 60, usd = 0.21, decisions = [] as Decision[] } = {}): Row {
  const reply = {
    told: emptyAgentReport(),
    end: 'success',
    failure: null,
    usage: { input: 9000, output: 3100, usd },
    conversation: null,
    signals: { summary: 'the parser reads dates' },
    tools: 4,
    durationMs: 58_000,
  }
  return sampleRow({ type: 'agent-ended', reply }, { after, decisions })
}

export interface IterationSample {
  /** Seconds after the start. */
  at: number
  took: number
  usd?: number
  agent?: string
  end?: string
  limited?: boolean
  failure?: string
  says: string
  /** Files, lines added, lines removed. */
  change?: [number, number, number]
  /** Done, open. */
  checkboxes?: [number, number]
  decides?: Decision[]
}

/** A whole iteration: begun, ended and measured. */
export function iteration(n: number, went: IterationSample): Row[] {
  const { at, took, usd, agent = 'claude', end = 'success', change = [0, 0, 0], checkboxes } = went
  const reply = {
    told: emptyAgentReport(),
    end,
    failure: went.failure === undefined ? null : { kind: 'limit', message: went.failure },
    limit: went.limited === true ? 'usage-limit' : null,
    usage: usd === undefined ? null : { input: 9000 * n, output: 3100, usd },
    conversation: null,
    signals: { summary: went.says },
    tools: 4,
    durationMs: took * 1000,
  }
  const [files, added, removed] = change
  const [done, open] = checkboxes ?? [0, 0]
  const measured = {
    type: 'snapshot-taken',
    effect: `s${n}`,
    snapshot: { tree: 'abc', branch: 'main', busy: null },
    change: { paths: [], files, added, removed, commits: [] },
    checkboxes: checkboxes === undefined ? null : { done, open },
    nextCheckbox: null,
  }
  return [
    ...working(n, { after: at, agent }),
    sampleRow(
      { type: 'agent-ended', reply },
      { after: at + took, effects: [{ type: 'snapshot', id: `s${n}`, for: 'after' }] },
    ),
    sampleRow(measured, {
      after: at + took + 1,
      decisions: [iterationEnded(n, `${open} boxes are open`), ...(went.decides ?? [])],
    }),
  ]
}

export function iterationEnded(n: number, why: string, worker: WorkerId = '1'): IterationEndDecision {
  return { by: 'iteration', what: 'ended', worker, n, outcome: 'progress', why }
}

export function gateEnded(gate: string, { exit = 0, after = 70 } = {}): Row {
  const evidence = {
    gate,
    command: `npm run ${gate}`,
    tree: 'abc',
    exit,
    signal: null,
    timedOut: false,
    missing: false,
    unstable: false,
    durationMs: 1234,
    purpose: 'completion',
    failing: [],
    summary: '',
  }
  return sampleRow({ type: 'gate-ended', evidence }, { after })
}

export function runEnded(outcome: { is: string; reason: string; verdict: string; exit: number }, after = 90): Row {
  return sampleRow({ type: 'run-ended', outcome }, { after })
}

export interface SceneSample {
  rows?: Row[]
  words?: AgentEvent[]
  iteration?: number
  plan?: WatchUpdate['plan']
  tasks?: WatchUpdate['tasks']
  questions?: WatchUpdate['questions']
  runBy?: number | null
  missed?: number
  there?: boolean
}

/** One look's worth. */
export function sampleUpdate({
  rows = [],
  words,
  iteration = 1,
  plan = null,
  tasks = null,
  questions = [],
  runBy = 4711,
  missed = 0,
  there = true,
}: SceneSample): WatchUpdate {
  const heard = {
    worker: '1',
    iteration,
    agent: 'claude',
    log: `/logs/k7f3qa/${iteration}/agent.log`,
    events: words ?? [],
    missed,
    there,
  }
  return { rows, more: false, words: words === undefined ? [] : [heard], runBy, plan, tasks, questions }
}

export function sampleScene(
  given: SceneSample,
  { seconds = 30, leaving = 'asks' }: { seconds?: number; leaving?: ViewState['leaving'] } = {},
): DashboardScene {
  const scene = createScene({ now: START + seconds * 1000, zone: 0, leaving, only: null })
  return applyWatchUpdate(scene, sampleUpdate(given))
}

/** As if the diff of what is in sight had been read. */
export function withDetail(
  scene: DashboardScene,
  { part, lines }: { part: IterationPart; lines: string[] },
): DashboardScene {
  const at = detailIterationPosition(scene)
  const patch = ['diff --git a/x b/x', '@@ -1 +1 @@', ...lines].join('\n')
  const shown = {
    run: 'k7f3qa',
    iteration: at,
    reply: {},
    change: { files: 1, added: lines.length, removed: 0, commits: [] },
    patch: { stat: '', patch, cut: false },
  }
  const read = { part, shown, outputs: [] } as unknown as LoadedIterationPart
  return { ...scene, detail: { at, part, seen: iterationAt(scene, at), is: 'there', read } }
}

export const SMALL: Size = { columns: 60, rows: 15 }
export const WIDE: Size = { columns: 120, rows: 30 }

export function frameText(scene: DashboardScene, size: Size): string {
  return renderFrame(scene, size).map(plainText).join('\n')
}

/** Presses one key after the other: characters, or names in angle brackets. */
export function pressKeys(
  scene: DashboardScene,
  keys: (string | Key)[],
  size: Size = SMALL,
): { scene: DashboardScene; actions: KeyAction[] } {
  const actions: KeyAction[] = []
  let now = scene
  for (const key of keys) {
    const done = handleKey(now, typeof key === 'string' ? { is: 'char', char: key } : key, size)
    now = done.scene
    if (done.action !== null) actions.push(done.action)
  }
  return { scene: now, actions }
}

export function textEvent(text: string): AgentEvent {
  return { type: 'text', text, delta: false }
}
