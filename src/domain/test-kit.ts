/** A night for tests: the real core, driven by turns that are quickly written down. What comes out is a record as a run leaves it. */
import type { Usage } from './call/agent.ts'
import type { Boxes, Change } from './iteration/change.ts'
import type { Effect, EffectOf } from './run/effect.ts'
import type { Event } from './run/event.ts'
import type { House } from './run/house.ts'
import { RULES, step } from './run/step.ts'
import { NO_NEWS } from './proof/base.ts'
import type { Evidence } from './proof/evidence.ts'
import type { Sorting, Trial } from './proof/trial.ts'
import type { Denial, Reply, ReplyFailure } from './reply/reply.ts'
import type { Row } from './run/row.ts'
import type { Rules } from './run/rules.ts'

export interface Turn {
  /** Files the agent changes. */
  files?: number
  commits?: string[]
  boxes?: Boxes
  /** Of the first turn: what the run finds before it. */
  found?: Pick<Turn, 'boxes' | 'green'>
  /** The boxes as a look before the next iteration finds them: somebody else was at the plan. */
  meanwhile?: Boxes
  nextBox?: string | null
  /** The explicit exit signal. */
  done?: boolean
  usage?: Usage | null
  tools?: number
  summary?: string
  denials?: Denial[]
  /** It says that it only tested. */
  testOnly?: boolean
  /** What the gates show after it. */
  green?: boolean
  /** The call fails instead. */
  fails?: ReplyFailure
  /** What second agents say about it, one call after the other: words, or how the call failed. */
  opinions?: (string | ReplyFailure)[]
}

/** Half past nine in the evening, Greenwich. */
export const EVENING = Date.UTC(2027, 2, 10, 21, 30)

const MINUTE = 60_000

/** Plays the turns; the last one repeats until the run ends, or until `rowsMax`. Each agent takes a minute. */
export function aNight(
  turns: Turn[],
  change: (rules: Rules) => Rules = (rules) => rules,
  rowsMax = 300,
): Row[] {
  const rules = change(someRules())
  const rows: Row[] = []
  let house: House | null = null
  let turn = -1
  let opinion = 0
  let up = 0
  const now = (): { at: number; up: number } => ({ at: EVENING + up, up })
  const at = (): Turn => turns[Math.min(Math.max(turn, 0), turns.length - 1)] ?? {}
  const queue: Event[] = [
    {
      type: 'run-started',
      run: 'k7f3qa',
      rules,
      workers: 1,
      project: '/home/ann/shop',
      command: 'ralph loop',
      breaker: null,
      conversation: null,
      limited: {},
      pid: 4711,
      version: '0.1.0',
    },
  ]
  for (let event = queue.shift(); event !== undefined && rows.length < rowsMax; event = queue.shift()) {
    const stepped = step(house, event, now())
    house = stepped.house
    rows.push({
      run: 'k7f3qa',
      seq: rows.length + 1,
      ...now(),
      rules: RULES,
      event,
      effects: stepped.effects,
      decisions: stepped.decisions,
    })
    for (const effect of stepped.effects) {
      if (effect.type === 'run-agent' && effect.role === 'opinion') {
        up += MINUTE
        queue.push(anOpinion(effect, at().opinions?.[opinion++]))
        continue
      }
      if (effect.type === 'run-agent') {
        turn += 1
        opinion = 0
        up += MINUTE
      }
      if (effect.type === 'wait') up += effect.forMs ?? Math.max(0, effect.until - now().at)
      queue.push(
        answerTo(
          effect,
          turn < 0 ? { ...at(), files: 0, green: false, boxes: firstBoxes(turns), ...turns[0]?.found } : at(),
          turn,
        ),
      )
    }
  }
  return rows
}

function anOpinion(effect: Effect, said: NonNullable<Turn['opinions']>[number] = '<verify-pass/>'): Event {
  const answer = { type: 'agent-ended' as const, worker: effect.worker, effect: effect.id }
  if (typeof said !== 'string') return { ...answer, reply: aReply({ fails: said, usage: null, tools: 0 }) }
  if (isEnd(said)) return { ...answer, reply: { ...aReply({}), end: said } }
  return { ...answer, reply: aReply({ summary: said }) }
}

function isEnd(said: string): said is Reply['end'] {
  return ['over-budget', 'interrupted', 'silent', 'timed-out', 'failed'].includes(said)
}

function firstBoxes(turns: Turn[]): Boxes {
  const boxes = turns[0]?.boxes ?? { open: 3, done: 0 }
  return { open: boxes.open + boxes.done, done: 0 }
}

function answerTo(effect: Effect, turn: Turn, n: number): Event {
  const answer = { worker: effect.worker, effect: effect.id }
  const snapshot = {
    tree: `tree${n + 1}`,
    head: `head${n + 1}`,
    branch: 'main',
    ref: null,
    unstored: [],
    busy: null,
  }
  switch (effect.type) {
    case 'survey':
      return {
        type: 'surveyed',
        ...answer,
        snapshot,
        change: effect.since === null ? null : aChange(turn, n),
        boxes: (effect.for === 'before' ? turn.meanwhile : undefined) ?? turn.boxes ?? { open: 3, done: 0 },
        nextBox: turn.nextBox ?? 'the next box',
      }
    case 'admit-iteration':
      return { type: 'admitted', ...answer, callsThisHour: n + 2, tokensThisHour: 0 }
    case 'run-agent':
      return { type: 'agent-ended', ...answer, reply: aReply(turn) }
    case 'run-gate':
      return {
        type: 'gate-ended',
        ...answer,
        evidence: someEvidence(effect.gate.name, {
          green: turn.green === true,
          tree: snapshot.tree,
          purpose: effect.purpose,
        }),
      }
    case 'take-base':
      return {
        type: 'base-taken',
        ...answer,
        base: effect.base ?? { tree: 'w:0', plan: null, refs: null, from: 'first' },
        news: NO_NEWS,
        fitness: { is: 'fit', lend: 'nothing', tests: 3, base: 'w:0', wrote: [] },
        now: effect.base?.tree ?? 'w:0',
        room: 'key',
        lend: 'nothing',
      }
    case 'sort-changes':
      return { type: 'changes-sorted', ...answer, sorting: someSorting({ final: `w:${n + 1}` }) }
    case 'try-room':
      return { type: 'room-tried', ...answer, trial: aTrial(effect) }
    case 'look-again':
      return { type: 'looked-again', ...answer, changed: [] }
    case 'guard':
    case 'restore':
      throw new Error(`${effect.type} is never asked any more`)
    case 'commit':
      return { type: 'committed', ...answer, sha: `c${n}`, files: turn.files ?? 0, problem: null }
    case 'wait':
      return { type: 'wait-over', ...answer }
    case 'abort':
      return { type: 'aborted', ...answer }
    case 'end-run':
      return { type: 'run-ended', ...answer, outcome: effect.outcome }
    case 'leave-run':
      return { type: 'run-left', ...answer, outcome: effect.outcome }
  }
}

/** A claim that changed one file of the work and nothing of the judge. */
export function someSorting(change: Partial<Sorting> = {}): Sorting {
  return {
    file: '/logs/k7f3qa/1/changes.json',
    hash: 'h',
    final: 'w:1',
    plan: null,
    refs: null,
    work: 1,
    documents: 0,
    breakable: 1,
    wrongable: true,
    testable: 1,
    judge: 0,
    judgeAdded: 0,
    permitted: 0,
    unclear: [],
    lostBoxes: [],
    names: { work: ['src/a.js'], judge: [] },
    notes: [],
    ...change,
  }
}

/** Gates that look closely: green as the work is, red when it is broken. */
function aTrial({ gates, purpose, arrangement }: EffectOf<'try-room'>): Trial {
  const green = arrangement.is === 'base' || arrangement.broken === 'nothing'
  const results = gates.map((gate) => ({ ...someEvidence(gate.name, { green, purpose }), tests: 3 }))
  return { is: 'ran', durationMs: 1_000, results, named: [], lent: [], wrote: [], excused: [] }
}

function aChange({ files = 1, commits = [] }: Turn, n: number): Change {
  const paths = Array.from({ length: files }, (_, i) => ({ path: `f${n}-${i}`, kind: 'changed' as const }))
  return {
    paths,
    files,
    added: files * 10,
    removed: files,
    commits: commits.map((subject, i) => ({ sha: `${n}${i}`.padEnd(40, 'a'), subject })),
  }
}

function aReply({
  done,
  summary = 'worked',
  usage = { input: 900, output: 100, usd: 0.5 },
  tools = 3,
  denials = [],
  testOnly = false,
  fails,
}: Turn): Reply {
  return {
    end: fails === undefined ? 'success' : 'failed',
    failure: fails ?? null,
    limit: null,
    signals: {
      from: 'block',
      block: null,
      exitSignal: done ?? false,
      complete: done ?? false,
      testOnly,
      noWork: false,
      questions: 0,
      errors: [],
      confidence: 0,
      summary,
      because: {},
    },
    denials,
    usage,
    conversationUsage: null,
    conversation: null,
    model: 'opus-4',
    tools,
    textLength: 100,
    lastWords: summary,
    remarks: 0,
    durationMs: MINUTE,
    log: { path: '/logs/k7f3qa/1/agent.log', bytes: 100 },
  }
}

export function someEvidence(
  gate: string,
  {
    green,
    tree = 'tree1',
    purpose = 'completion',
  }: { green: boolean; tree?: string; purpose?: Evidence['purpose'] },
): Evidence {
  return {
    gate,
    purpose,
    command: `npm run ${gate}`,
    tree,
    guarded: 'h',
    exit: green ? 0 : 1,
    signal: null,
    timedOut: false,
    missing: false,
    durationMs: 1_200,
    at: EVENING,
    log: '/logs/k7f3qa/1/gate-test.log',
    summary: green ? '' : 'not ok 1',
    unsettled: false,
    failing: [],
  }
}

/** Rules as they are by default, near enough; a test changes what it is about. */
export function someRules(): Rules {
  return {
    agent: {
      order: ['claude'],
      model: null,
      effort: null,
      tools: null,
      permission: null,
      resume: true,
      conversationMaxAgeMs: 3_600_000,
      maxTurns: null,
      limits: { idleMs: 0, wallMs: 0, completionGraceMs: 0, stopGraceMs: 0 },
      output: 'json',
    },
    loop: {
      prompt: '.ralph/PROMPT.md',
      plan: '.ralph/fix_plan.md',
      iterationsMax: 20,
      pauseMs: 0,
      commit: 'agent',
      optionalSections: [],
    },
    quota: { callsPerHour: 100, tokensPerHour: 0 },
    budget: { usd: null, tokens: null, minutes: null, reserveUsd: 1 },
    breaker: {
      noProgress: 3,
      sameError: 5,
      denials: 2,
      outputDecline: 0,
      halfOpenAt: 2,
      cooldownMs: 1_800_000,
      autoReset: false,
      wait: false,
    },
    exit: { testOnly: 3, doneSignals: 2, safety: 5, confirm: null, plan: 'require', denial: 'halt' },
    retry: { firstMs: 5_000, maxMs: 300_000, limitWaitMs: 3_600_000, outageMs: 7_200_000 },
    proof: {
      required: false,
      refusals: 3,
      baseline: 'off',
      reruns: 0,
      level: 'full',
      work: [],
      protect: [],
      mayChange: { tests: [], judge: [] },
      trials: 12,
      copy: [],
      quarantine: [],
      setup: null,
      opinion: null,
    },
    gates: [{ name: 'test', run: 'npm run test', timeoutMs: 60_000, when: 'completion', cwd: '.', env: {} }],
  }
}
