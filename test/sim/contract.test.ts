/** The doubles keep the contract of handlers. The real ones are held to it in `test/long/contract.test.ts`. */
import type { Effect, EffectOf } from '../../src/core/state/effect.ts'
import type { Event } from '../../src/core/state/event.ts'
import type { Base } from '../../src/core/proof/base.ts'
import type { Gate } from '../../src/core/proof/evidence.ts'
import type { Handler, HandledEffect } from '../../src/engine/runtime/handler.ts'
import { agentDouble } from './agent-double.ts'
import { seededRandom } from './seeded-random.ts'
import { testHandlerContract, type Trial } from './contract.ts'
import { commitDouble, gateDouble, saveKnowledgeDouble, revertDouble, surveyDouble, waitDouble } from './doubles.ts'
import { FIRST, TARGET } from './repository.ts'
import { drawFaultRates, drawRules, type FaultRates } from './fault-rates.ts'
import { baseDouble, finalTreeDouble, cleanRoomDouble, sortChangesDouble } from './clean-room-doubles.ts'
import { stateNow } from './sim-workspace.ts'
import { openWorld, type World } from './world.ts'

testHandlerContract('the double of run-agent', { goesOn: true }, () =>
  trial({
    make: agentDouble,
    effect: runAgent,
    answeredBy: 'agent-ended',
    stoppedBy: 'agent-ended',
    inquiry: AGENT,
  }),
)
testHandlerContract('the double of run-gate', { goesOn: true }, () =>
  trial({
    make: (world) => gateDouble(world, []),
    effect: () => RUN_GATE,
    answeredBy: 'gate-ended',
    ...LOST,
    inquiry: GATE,
  }),
)
testHandlerContract('the double of survey', { goesOn: false }, () =>
  trial({ make: surveyDouble, effect: () => SURVEY, answeredBy: 'snapshot-taken', ...LOST, inquiry: AGAIN }),
)
testHandlerContract('the double of put-back', { goesOn: false }, () =>
  trial({ make: revertDouble, effect: () => PUT_BACK, answeredBy: 'reverted', ...LOST, inquiry: AGAIN }),
)

testHandlerContract('the double of commit', { goesOn: false }, () =>
  trial({ make: commitDouble, effect: () => COMMIT, answeredBy: 'committed', ...LOST, inquiry: AGAIN }),
)
testHandlerContract('the double of keep-knowledge', { goesOn: false }, () =>
  trial({
    make: saveKnowledgeDouble,
    effect: () => KEEP_KNOWLEDGE,
    answeredBy: 'knowledge-saved',
    // Nothing makes a few small files slow: it is done before it hears of a stop.
    stoppedBy: 'knowledge-saved',
    inquiry: AGAIN,
  }),
)
testHandlerContract('the double of take-base', { goesOn: false }, () =>
  trial({ make: baseDouble, effect: () => TAKE_BASE, answeredBy: 'base-resolved', ...LOST, inquiry: AGAIN }),
)
testHandlerContract('the double of sort-changes', { goesOn: false }, () =>
  trial({
    make: sortChangesDouble,
    effect: () => SORT,
    answeredBy: 'changes-classified',
    ...LOST,
    inquiry: AGAIN,
  }),
)
testHandlerContract('the double of try-room', { goesOn: true }, () =>
  trial({
    make: (world) => cleanRoomDouble(world, []),
    effect: () => RUN_TRIAL,
    answeredBy: 'trial-ended',
    ...LOST,
    inquiry: GATE,
  }),
)
testHandlerContract('the double of look-again', { goesOn: false }, () =>
  trial({
    make: finalTreeDouble,
    effect: () => LOOK,
    answeredBy: 'final-tree-checked',
    ...LOST,
    inquiry: AGAIN,
  }),
)
testHandlerContract('the double of wait', { goesOn: false }, () =>
  trial({ make: waitDouble, effect: () => WAIT, answeredBy: 'wait-ended', ...LOST, inquiry: AGAIN }),
)

/** What was cut off is not half an answer. */
const LOST = { stoppedBy: 'effect-lost' } as const
const AGENT = { before: 'not-begun', during: 'answered', after: 'answered' } as const
const GATE = { before: 'unknown', during: 'unknown', after: 'unknown' } as const
const AGAIN = { before: 'not-begun', during: 'not-begun', after: 'not-begun' } as const

interface Kind<E extends HandledEffect> {
  make(world: World): Handler<E>
  effect(ends: 'soon' | 'never'): E
  answeredBy: Event['type']
  stoppedBy: Event['type']
  inquiry: Trial<E>['inquiry']
}

async function trial<E extends HandledEffect>(kind: Kind<E>): Promise<Trial<E>> {
  const random = seededRandom(7)
  const world = openWorld({
    random,
    faultRates: quiet(drawFaultRates(random)),
    rules: drawRules(random),
    workers: 1,
    note: () => {},
  })
  world.archive.set(BASE.tree, stateNow(world.space('1')))
  let made = 0
  const turn = async (): Promise<void> => {
    world.turn()
    await new Promise((resolve) => void setImmediate(resolve))
  }
  return {
    ...kind,
    newHandler() {
      // Another process: the timers of the one before are gone with it.
      if (made++ > 0) world.engineDied()
      return kind.make(world)
    },
    effect(ends) {
      world.faultRates.actionWeights = {
        ...world.faultRates.actionWeights,
        work: ends === 'soon' ? 1 : 0,
        hang: ends === 'soon' ? 0 : 1,
      }
      world.faultRates.git.slow = ends === 'soon' ? 0 : 1
      world.faultRates.room.slow = ends === 'soon' ? 0 : 1
      return kind.effect(ends)
    },
    underWay: async () => {
      world.pass(500)
    },
    alive: () => [...world.agents.values()].some((process) => process.running) || world.gates.size > 0,
    async until(promise) {
      let over = false
      void promise.finally(() => (over = true))
      for (let i = 0; i < 1_000 && !over; i++) await turn()
      return promise
    },
  }
}

/** A world without faults, for what must hold even then. */
function quiet(faultRates: FaultRates): FaultRates {
  const none = <K extends string>(group: Record<K, number>): Record<K, number> =>
    Object.fromEntries(Object.keys(group).map((key) => [key, 0])) as Record<K, number>
  const { actionWeights, agent, gate, snapshot, commit, git, review, human, clock, crash, requests } = faultRates
  const { base, sort, look, room, permits, planIgnored } = faultRates
  return {
    actionWeights: none(actionWeights),
    agent: none(agent),
    gate: none(gate),
    snapshot: none(snapshot),
    commit: none(commit),
    spells: 0,
    git: none(git),
    base: none(base),
    sort: none(sort),
    look: none(look),
    room: none(room),
    permits,
    planIgnored,
    review: none(review),
    human: none(human),
    clock: none(clock),
    crash: none(crash),
    requests: none(requests),
    crowd: 0,
    abandons: 0,
  }
}

const ASKED = { id: 'e1', worker: '1' } as const
const TEST_GATE: Gate = {
  name: 'test',
  run: 'npm test',
  timeoutMs: 60_000,
  when: 'completion',
  cwd: '.',
  env: {},
}
const SURVEY: EffectOf<'snapshot'> = {
  ...ASKED,
  type: 'snapshot',
  for: 'start',
  iteration: 1,
  since: null,
  sinceHead: null,
}
const PUT_BACK: EffectOf<'revert'> = {
  ...ASKED,
  type: 'revert',
  task: 'a',
  attempt: 1,
  iteration: 1,
  before: { tree: 'tree-1-1', head: FIRST, branch: TARGET },
  since: null,
}
const KEEP_KNOWLEDGE: EffectOf<'save-knowledge'> = {
  ...ASKED,
  type: 'save-knowledge',
  iteration: 1,
  said: [{ title: 'Boxes', tags: ['plan'], body: 'Ticked.' }],
}
const COMMIT: EffectOf<'commit'> = { ...ASKED, type: 'commit', iteration: 1, message: 'work' }
const WAIT: EffectOf<'wait'> = { ...ASKED, type: 'wait', until: 0, forMs: 60_000, why: 'a pause' }
const BASE: Base = { tree: 'w-1-0', plan: null, refs: null, from: 'first' }
const TAKE_BASE: EffectOf<'resolve-base'> = {
  ...ASKED,
  type: 'resolve-base',
  base: null,
  since: null,
  now: { tree: 'tree-1-1', plan: null },
  gates: [TEST_GATE],
}
const SORT: EffectOf<'classify-changes'> = {
  ...ASKED,
  type: 'classify-changes',
  iteration: 1,
  base: BASE,
  tree: 'tree-1-1',
  gates: [TEST_GATE],
}
const RUN_TRIAL: EffectOf<'run-trial'> = {
  ...ASKED,
  type: 'run-trial',
  iteration: 0,
  purpose: 'clean-room-check',
  trialLayout: { is: 'base' },
  base: BASE,
  classification: null,
  gates: [TEST_GATE],
  sharedTools: 'nothing',
  all: true,
}
const LOOK: EffectOf<'check-final-tree'> = { ...ASKED, type: 'check-final-tree', final: BASE.tree }
const RUN_GATE: EffectOf<'run-gate'> = {
  ...ASKED,
  type: 'run-gate',
  gate: TEST_GATE,
  iteration: 1,
  tree: 'tree-1-1',
  purpose: 'completion',
}

function runAgent(): EffectOf<'run-agent'> {
  const { agent, loop } = drawRules(seededRandom(1))
  const effect: Effect = {
    ...ASKED,
    type: 'run-agent',
    iteration: 1,
    agent: 'claude',
    role: 'work',
    context: {
      iteration: 1,
      openCheckboxes: null,
      breaker: null,
      previous: null,
      corrections: [],
      steering: [],
    },
    prompt: loop.prompt,
    how: agent,
    resume: null,
    resumeUsage: null,
    previousLength: null,
    limits: { wallMs: 0, idleMs: 0, completionGraceMs: 0, stopGraceMs: 5_000, handshakeMs: 0 },
    remainingUsd: null,
    remainingTokens: null,
  }
  return effect
}
