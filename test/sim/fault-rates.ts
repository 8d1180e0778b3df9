/**
 * What a seed's world is like: the rules of the run, and how often each thing goes wrong. Most seeds know only some of the
 * faults, so that each fault also meets runs that are otherwise quiet.
 */
import type { Breaker } from '../../src/core/admission/breaker.ts'
import type { EventOf } from '../../src/core/state/event.ts'
import type { Instant } from '../../src/core/ids.ts'
import type { Gate } from '../../src/core/proof/evidence.ts'
import { MODEL_STRATEGIES } from '../../src/core/models/model-strategy.ts'
import type { Rules } from '../../src/core/state/rules.ts'
import type { SeededRandom } from './seeded-random.ts'

/** What one agent process does. */
export type AgentActionKind =
  | 'work'
  | 'finish'
  | 'lie'
  | 'say-complete'
  | 'only-test'
  | 'idle'
  | 'ask'
  | 'same-error'
  | 'untick'
  /** Claims of which the clean room has to find out what they are. */
  | 'change-judge'
  | 'sham'
  | 'lean-outside'
  | 'document'
  | 'drop-boxes'
  | 'hide-tests'
  | 'blur'
  | 'denied'
  | 'hang'
  | 'chatter'
  | 'limited'
  | 'outage'
  | 'fails'
  | 'unusable'
  | 'bad-conversation'
  | 'overflow'
  | 'killed'

export interface FaultRates {
  actionWeights: Record<AgentActionKind, number>
  agent: {
    throws: number
    twice: number
    unknownCost: number
    hugeCost: number
    tellsInFlight: number
    /** 1: all replies are as large as the record allows. */
    full: number
    /** Leaves a process behind that goes on changing files. */
    orphans: number
  }
  gate: {
    flaky: number
    timedOut: number
    missing: number
    unstable: number
    formats: number
    /** Green before the first iteration, and no test ran. */
    empty: number
    twice: number
    throws: number
  }
  snapshot: { fails: number; twice: number; deleted: number }
  commit: { problem: number; throws: number }
  /** Whole spells in which nobody's service answers: so often one begins. */
  spells: number
  /** `slow`: a look or a commit that takes minutes. */
  git: { busy: number; strays: number; slow: number }
  /** Finding the base, sorting a claim, looking once more: each may fail, and answer twice. */
  base: { throws: number; twice: number }
  sort: { throws: number; twice: number }
  look: { throws: number; twice: number }
  /** The clean room and what runs in it. `forgets`: an engine that died left no trace of it. */
  room: {
    throws: number
    twice: number
    fails: number
    slow: number
    flaky: number
    timedOut: number
    missing: number
    orphans: number
    forgets: number
    /** A gate tells how many tests it runs. */
    tells: number
    /** So many changes of the protected files at once that no state could list them. */
    crowds: number
  }
  /** Which changes of the protected files are allowed beforehand. */
  permits: 'none' | 'some' | 'all'
  /** Git ignores the plan, so that no tree shows it. */
  planIgnored: boolean
  /** The review: says no, says nothing, or writes although it may only read. */
  review: { vetoes: number; mumbles: number; writes: number }
  human: { edits: number; ticks: number; commits: number }
  clock: { jumps: number }
  crash: {
    beforeCommit: number
    afterCommit: number
    midPerform: number
    anyTime: number
    afterStop: number
    /** While a claim is tried. */
    inProofSteps: number
    most: number
  }
  requests: {
    stop: number
    stopInProofSteps: number
    pause: number
    resume: number
    steer: number
    set: number
  }
  /** Events that come so close together that the engine takes them at once. */
  crowd: number
  /** An unfinished run found after a crash is given up for a new one. */
  abandons: number
}

/** Every third world is about claims: whoever works there says soon that it is done, and little else goes wrong before it is judged. */
export function drawFaultRates(random: SeededRandom): FaultRates {
  const drawn = drawAnyManners(random)
  if (!random.is(0.35)) return drawn
  const { actionWeights, gate } = drawn
  const quieter = <K extends string>(group: Record<K, number>): Record<K, number> =>
    Object.fromEntries(Object.entries<number>(group).map(([key, often]) => [key, often * 0.15])) as Record<K, number>
  const claims = CLAIMS.map((kind): [string, number] => [kind, 0.3 + actionWeights[kind] * 2])
  return {
    ...drawn,
    actionWeights: {
      ...quieter(actionWeights),
      ...Object.fromEntries(claims),
      finish: 2 + actionWeights.finish,
    },
    gate: quieter(gate),
    spells: 0,
    crash: { ...drawn.crash, inProofSteps: random.next() * 0.15 },
    requests: { ...drawn.requests, stopInProofSteps: random.next() * 0.05 },
  }
}

const CLAIMS = [
  'change-judge',
  'sham',
  'lean-outside',
  'document',
  'drop-boxes',
  'hide-tests',
  'blur',
] as const satisfies AgentActionKind[]

function drawAnyManners(random: SeededRandom): FaultRates {
  const some = (most: number): number => (random.is(0.45) ? random.next() * most : 0)
  return {
    actionWeights: {
      work: 2 + random.next() * 8,
      finish: random.next() * 6,
      lie: some(3),
      'say-complete': some(5),
      'only-test': some(6),
      idle: some(5),
      ask: some(2),
      'same-error': some(5),
      untick: some(1),
      'change-judge': some(5),
      sham: some(3),
      'lean-outside': some(2),
      document: some(1),
      'drop-boxes': some(1),
      'hide-tests': some(2),
      blur: some(1),
      denied: some(3),
      hang: some(2),
      chatter: some(2),
      limited: some(4),
      outage: some(4),
      fails: some(3),
      unusable: some(1),
      'bad-conversation': some(2),
      overflow: some(1),
      killed: some(2),
    },
    agent: {
      throws: some(0.03),
      twice: some(0.4),
      unknownCost: some(0.6),
      hugeCost: some(0.2),
      tellsInFlight: random.is(0.6) ? random.next() : 0,
      full: random.is(0.1) ? 1 : 0,
      orphans: some(0.1),
    },
    gate: {
      flaky: some(0.4),
      timedOut: some(0.3),
      missing: some(0.2),
      unstable: some(0.3),
      formats: some(0.3),
      empty: some(0.1),
      twice: some(0.3),
      throws: some(0.03),
    },
    snapshot: { fails: some(0.15), twice: some(0.2), deleted: some(0.15) },
    commit: { problem: some(0.4), throws: some(0.02) },
    spells: some(0.1),
    git: { busy: some(0.03), strays: some(0.2), slow: some(0.2) },
    base: { throws: some(0.02), twice: some(0.2) },
    sort: { throws: some(0.02), twice: some(0.2) },
    look: { throws: some(0.02), twice: some(0.2) },
    room: {
      throws: some(0.02),
      twice: some(0.2),
      fails: some(0.05),
      slow: some(0.3),
      flaky: some(0.2),
      timedOut: some(0.1),
      missing: some(0.05),
      orphans: some(0.05),
      forgets: some(0.5),
      tells: random.is(0.7) ? 1 : 0,
      crowds: random.is(0.05) ? 0.5 : 0,
    },
    permits: random.weighted({ none: 4, some: 2, all: 1 }),
    planIgnored: random.is(0.3),
    review: { vetoes: some(0.5), mumbles: some(0.3), writes: some(0.3) },
    human: { edits: some(0.05), ticks: some(0.03), commits: some(0.1) },
    clock: { jumps: some(0.05) },
    crash: {
      beforeCommit: some(0.05),
      afterCommit: some(0.05),
      midPerform: some(0.05),
      anyTime: some(0.05),
      afterStop: some(0.4),
      inProofSteps: 0,
      most: random.int(0, 6),
    },
    requests: {
      stop: some(0.03),
      stopInProofSteps: 0,
      pause: some(0.03),
      resume: some(0.03),
      steer: some(0.04),
      set: some(0.04),
    },
    crowd: some(0.5),
    abandons: some(0.1),
  }
}

/** Most runs are a plain loop; some are as wide as a fleet will be. */
export function drawWorkers(random: SeededRandom): number {
  const width = random.weighted({ one: 10, few: 8, many: 2 })
  return width === 'one' ? 1 : width === 'few' ? random.int(2, 4) : random.int(5, WORKERS_MAX)
}

const WORKERS_MAX = 12

/** A test that fails now and then, and that some users put into quarantine. */
export const FLAKY_TEST = 'the shaky test'

const AGENTS = ['claude', 'codex', 'gemini'] as const

export function drawRules(random: SeededRandom): Rules {
  const maybe = (value: number): number | null => (random.is(0.35) ? value : null)
  const orOff = (value: number): number => (random.is(0.2) ? 0 : value)
  const wallMs = random.int(2, 30) * 60_000
  return {
    agent: {
      order: AGENTS.slice(0, random.int(1, 3)),
      model: null,
      effort: null,
      tools: random.is(0.5) ? ['Bash(git *)', 'Edit'] : null,
      permission: 'list',
      resume: random.is(0.7),
      conversationMaxAgeMs: random.int(0, 24) * 3_600_000,
      maxTurns: null,
      limits: {
        wallMs: random.is(0.1) ? 0 : wallMs,
        idleMs: random.is(0.2) ? 0 : random.int(1, 15) * 60_000,
        completionGraceMs: 60_000,
        stopGraceMs: random.int(0, 10_000),
        handshakeMs: 60_000,
      },
      output: random.is(0.8) ? 'json' : 'text',
      models: { codex: { light: 'small', medium: null, strong: 'large' } },
    },
    // By what is drawn already, as below.
    model: { strategy: MODEL_STRATEGIES[Math.floor(wallMs / 180_000) % MODEL_STRATEGIES.length] ?? 'fixed' },
    loop: {
      prompt: '.ralph/PROMPT.md',
      plan: '.ralph/fix_plan.md',
      iterationsMax: orOff(random.int(1, 12)),
      pauseMs: random.is(0.5) ? 0 : random.int(1, 60_000),
      commit: random.is(0.5) ? 'iteration' : 'agent',
      commitRequired: false,
      optionalSections: [],
    },
    quota: {
      callsPerHour: random.is(0.5) ? 0 : random.int(1, 8),
      tokensPerHour: random.is(0.7) ? 0 : random.int(1, 50) * 10_000,
    },
    budget: {
      usd: maybe(random.int(1, 400) / 10),
      tokens: maybe(random.int(1, 60) * 20_000),
      minutes: maybe(random.int(1, 240)),
      reserveUsd: random.int(1, 20) / 10,
    },
    // By what is drawn already: seeds without tasks stay the nights they were.
    task: {
      maxRetries: (wallMs / 60_000) % 4,
      giveUps: (wallMs / 60_000) % 3,
      verify: (wallMs / 60_000) % 3 === 0,
      failuresMax: (wallMs / 60_000) % 5,
      failed: 'revert',
      leaseMs: (1 + ((wallMs / 60_000) % 10)) * 60_000,
    },
    breaker: {
      noProgress: orOff(random.int(1, 5)),
      sameError: orOff(random.int(1, 6)),
      denials: orOff(random.int(1, 3)),
      outputDecline: orOff(random.int(30, 90)),
      halfOpenAt: random.int(0, 3),
      cooldownMs: random.int(0, 60) * 60_000,
      autoReset: random.is(0.5),
      wait: random.is(0.4),
    },
    exit: {
      testOnly: orOff(random.int(1, 4)),
      doneSignals: orOff(random.int(1, 3)),
      safety: orOff(random.int(2, 6)),
      confirm: random.is(0.5) ? null : random.int(1, 3),
      plan: random.is(0.7) ? 'require' : 'ignore',
      denial: random.pick(['halt', 'threshold', 'continue'] as const),
    },
    retry: {
      firstMs: random.int(1, 10) * 1_000,
      maxMs: 300_000,
      limitWaitMs: random.int(1, 90) * 60_000,
      outageMs: random.is(0.2) ? 0 : random.int(1, 120) * 60_000,
    },
    proof: {
      required: random.is(0.5),
      rejections: orOff(random.int(1, 4)),
      baseline: random.is(0.8) ? 'start' : 'off',
      ...(random.is(0.3) ? { noTests: 'refuse' as const } : {}),
      reruns: random.int(0, 2),
      level: random.is(0.85) ? 'full' : 'quick',
      setup: null,
      source: [],
      protect: [],
      mayChange: { tests: [], protectedFiles: [] },
      trials: random.is(0.1) ? random.int(0, 2) : random.int(6, 12),
      copy: [],
      quarantine: random.is(0.2) ? [FLAKY_TEST] : [],
      reviewer: random.is(0.2) ? 'codex' : null,
    },
    gates: drawGates(random),
  }
}

function drawGates(random: SeededRandom): Gate[] {
  const names = ['test', 'lint', 'build'].slice(0, random.is(0.2) ? 0 : random.int(1, 3))
  return names.map((name) => ({
    name,
    run: `npm run ${name}`,
    timeoutMs: 600_000,
    when: random.weighted({ completion: 8, task: 2 }),
    cwd: '.',
    env: {},
  }))
}

/** What an earlier run may have left: a breaker, a conversation, agents at rest. */
export function drawInherited(
  random: SeededRandom,
  rules: Rules,
  at: Instant,
): Pick<EventOf<'run-started'>, 'breaker' | 'conversation' | 'limited'> {
  const first = rules.agent.order[0] ?? ''
  return {
    breaker: random.is(0.3) ? drawBreaker(random, at) : null,
    conversation: random.is(0.3) ? { agent: first, id: 'from-before', usedAt: at - 60_000, usage: null } : null,
    limited: random.is(0.2) ? { [first]: at + random.int(-3_600_000, 3_600_000) } : {},
  }
}

function drawBreaker(random: SeededRandom, at: Instant): Breaker {
  const counts = { idle: random.int(0, 3), failed: random.int(0, 2), denied: 0, declined: 0 }
  const openedAt = at - random.int(-600_000, 3_600_000)
  const base = { counts, opens: 1, changedAt: openedAt }
  return random.is(0.7)
    ? { ...base, is: 'open', openedAt, why: 'no-progress', reason: 'nothing moved' }
    : { ...base, is: 'half-open', reason: 'cooldown over' }
}
