/** Faults of the core that simulated nights have shown, each as the shortest story that still tells it. */
import { describe, expect, test } from 'vitest'
import type { Effect, TreeAndPlan } from '../../src/core/state/effect.ts'
import type { Event, PersonRequest } from '../../src/core/state/event.ts'
import type { RunState } from '../../src/core/state/state.ts'
import { step } from '../../src/core/run/step.ts'
import type { Evidence } from '../../src/core/proof/evidence.ts'
import { NO_BASE_CHANGES } from '../../src/core/proof/base.ts'
import type { CleanRoomCheckResult } from '../../src/core/proof/clean-room-check.ts'
import type { ClassifiedChangesSummary, TrialResult } from '../../src/core/proof/trial.ts'
import { createReplyFold } from '../../src/core/agent-output/reply-fold.ts'
import type { Row } from '../../src/core/state/row.ts'
import { emptyAgentReport } from '../../src/core/agent-output/agent-report.ts'
import type { Rules } from '../../src/core/state/rules.ts'
import { someEvidence, someClassification } from '../kit/core.ts'
import { foldView, type RunView } from '../../src/core/presentation/run-view.ts'
import type { Engine } from '../../src/engine/runtime/event-loop.ts'
import type { Handler, HandledEffect } from '../../src/engine/runtime/handler.ts'
import { recoverOpenEffects } from '../../src/engine/runtime/recover-run.ts'
import { loadBase, saveBase } from '../../src/store/bases.ts'
import { seededRandom } from './seeded-random.ts'
import { drawRules } from './fault-rates.ts'
import { memoryStore } from './store.ts'

describe('a pause and its end', () => {
  test('a wait that a pause cut short does not start a second agent when its timer fires after all', () => {
    const story = begin({ rules: { loop: { pauseMs: 10_000 } } })
    story.workOnce()
    const [wait] = story.open('wait')
    story.ask({ do: 'pause' })
    story.ask({ do: 'resume' })
    story.look()
    story.tell({ type: 'wait-ended', worker: '1', effect: wait?.id ?? '' })
    expect(story.open('run-agent')).toHaveLength(1)
  })

  test('a run whose last busy worker ends while the others are paused is paused', () => {
    const story = begin({ workers: 2 })
    story.look('1')
    story.look('2')
    story.ask({ do: 'pause' })
    story.endAgent('1')
    story.look('1')
    const [agent] = story.open('run-agent')
    story.tell({
      type: 'effect-failed',
      worker: '2',
      effect: agent?.id ?? '',
      problem: 'no disk',
      hint: null,
    })
    expect(story.state().run.is).toBe('paused')
  })
})

describe('a stop that a crash interrupts', () => {
  test('a gate that was cut off is not run again once the run is to stop', () => {
    const story = begin({ rules: { gates: [GATE], proof: { baseline: 'start' } } })
    story.look()
    story.takeBase()
    const [gate] = story.open('run-gate')
    story.ask({ do: 'stop', now: false })
    story.tell({ type: 'effect-lost', worker: '1', effect: gate?.id ?? '' })
    expect(story.open('run-gate')).toEqual([])
    expect(story.asked.at(-1)?.type).toBe('end-run')
  })

  test('an agent that was not begun is not begun by recovery once the run is to stop', async () => {
    const story = begin()
    story.look()
    story.ask({ do: 'stop', now: false })
    const started: string[] = []
    const told: Event[] = []
    await recoverOpenEffects(engineThat({ started, told }), story.state(), {
      type: 'run-resumed',
      pid: 1,
      after: 'crash',
      version: '0',
    })
    const [agent] = story.open('run-agent')
    expect(started).toEqual([])
    expect(told).toContainEqual({ type: 'effect-lost', worker: '1', effect: agent?.id })
  })

  test('a screen goes on saying that the run stops', () => {
    const story = begin()
    story.look()
    story.ask({ do: 'stop', now: false })
    story.tell({ type: 'run-resumed', pid: 2, after: 'crash', version: '0' })
    expect(story.view().is).toBe('stopping')
  })
})

test('what the agent changed is still its own when a stop comes while it is being measured', () => {
  const story = begin()
  story.look()
  story.endAgent('1')
  const [look] = story.open('snapshot')
  story.ask({ do: 'stop', now: false })
  const change = { paths: [], files: 2, added: 5, removed: 1, commits: [] }
  const snapshot = { tree: 't2', head: null, branch: null, ref: null, unstored: [], busy: null }
  const answer = {
    worker: '1',
    effect: look?.id ?? '',
    snapshot,
    change,
    checkboxes: null,
    nextCheckbox: null,
  }
  story.tell({ type: 'snapshot-taken', ...answer })
  expect(story.view().iterations[0]?.change).toEqual(change)
})

test('a claim that is judged while the others leave in an outage does not keep the run', () => {
  const story = begin({
    workers: 2,
    rules: { gates: [GATE], proof: { ...FULL, baseline: 'off' }, retry: { outageMs: 0 } },
  })
  for (const worker of ['1', '2']) {
    story.look(worker)
    story.takeBase({}, worker)
    story.runTrial({ results: [] }, worker)
  }
  const failure = { kind: 'network', message: 'no route', retryable: true } as const
  story.endAgent('1', { end: 'failed', failure })
  story.look('1')
  expect(story.state().run.is).toBe('leaving')
  story.claim('2')
  story.sort({ work: 1, documents: 1, breakableCount: 0 }, '2')
  story.runTrial({ results: [PASSED] }, '2')
  expect(story.asked.at(-1)?.type).toBe('suspend-run')
})

test('a person who changed something and then stops the run does not wait until the base has moved', () => {
  const story = begin({
    rules: { gates: [GATE], proof: { ...FULL, baseline: 'off' }, loop: { pauseMs: 1_000 } },
  })
  story.prepare()
  story.endAgent('1')
  story.look()
  story.tell({ type: 'wait-ended', worker: '1', effect: story.open('wait')[0]?.id ?? '' })
  story.ask({ do: 'stop', now: false })
  story.look('1', { tree: 'edited' })
  expect(story.open('resolve-base')).toEqual([])
})

describe('a pause before the first iteration', () => {
  test('the room is still found fit before an agent is asked', () => {
    const story = begin({ rules: { gates: [GATE], proof: { ...FULL, baseline: 'off' } } })
    story.look()
    story.ask({ do: 'pause' })
    story.takeBase()
    story.ask({ do: 'resume' })
    story.look()
    expect(story.open('run-agent')).toEqual([])
  })

  test('a room that is known to be fit is still made ready before an agent is asked', () => {
    const story = begin({ rules: { gates: [GATE], proof: { ...FULL, baseline: 'off' } } })
    story.look()
    story.ask({ do: 'pause' })
    story.takeBase({
      cleanRoomCheck: { is: 'fit', sharedTools: 'nothing', tests: 3, base: 'w0', writtenFiles: [] },
    })
    story.ask({ do: 'resume' })
    story.look()
    expect(story.open('run-agent')).toEqual([])
  })

  test('a room that needs more is not called unfit because nobody could lend it more', () => {
    const story = begin({ rules: { gates: [GATE], proof: { ...FULL, baseline: 'start' } } })
    story.look()
    story.takeBase()
    story.endGate(PASSED)
    story.ask({ do: 'pause' })
    story.runTrial({ results: [FAILED] })
    expect(story.state().workers['1']?.room).toBe(null)
  })
})

test('a base that was taken at the second try is no failed look of what comes after', () => {
  const story = begin({ rules: { gates: [GATE], proof: { ...FULL, baseline: 'start' } } })
  const callFailure = (type: 'snapshot' | 'resolve-base'): void => {
    const effect = story.open(type)[0]?.id ?? ''
    story.tell({ type: 'effect-failed', worker: '1', effect, problem: 'git is busy', hint: null })
  }
  story.look()
  callFailure('resolve-base')
  story.takeBase()
  story.ask({ do: 'pause' })
  story.endGate(PASSED)
  story.ask({ do: 'resume' })
  callFailure('snapshot')
  callFailure('snapshot')
  expect(story.open('snapshot')).toHaveLength(1)
})

test('a set-up that fails before the first iteration is told, though the room can do without', () => {
  const story = begin({ rules: { gates: [GATE], proof: { ...FULL, baseline: 'start' } } })
  story.look()
  story.takeBase()
  story.endGate(PASSED)
  const effect = story.open('run-trial')[0]?.id ?? ''
  const trial: TrialResult = { is: 'room-failed', durationMs: 1, why: 'npm ci: no network' }
  story.tell({ type: 'trial-ended', worker: '1', effect, trial })
  expect(story.view().decisions.at(-1)?.why).toContain('npm ci: no network')
})

describe('what changed after the last look', () => {
  test('is not taken for the doing of a person by the next run when a gate was running', async () => {
    const story = begin({ rules: { gates: [GATE], proof: { ...FULL, baseline: 'off' } } })
    story.prepare()
    story.endAgent('1', DONE)
    story.look()
    const [gate] = story.open('run-gate')
    story.ask({ do: 'stop', now: false })
    story.tell({ type: 'effect-lost', worker: '1', effect: gate?.id ?? '' })
    expect(await rememberedLook(story)).toBe(null)
  })

  test('is not taken for the doing of a person by the next run when a reviewer was at work', async () => {
    const story = begin({ rules: { gates: [GATE], proof: { ...FULL, baseline: 'off', reviewer: 'codex' } } })
    story.prepare()
    story.claim('1')
    story.advanceProof()
    story.look('1', { tree: 'tree1' })
    expect(story.open('run-agent')).toHaveLength(1)
    story.ask({ do: 'stop', now: false })
    story.endAgent('1', { end: 'stopped' })
    expect(await rememberedLook(story)).toBe(null)
  })
})

describe('tests that ran at the base', () => {
  const fit: CleanRoomCheckResult = { is: 'fit', sharedTools: 'nothing', tests: 3, base: 'w0', writtenFiles: [] }

  test('are missed when they do not run any more, also where nothing of the protected files changed', () => {
    const story = begin({ rules: { gates: [GATE], proof: { ...FULL, baseline: 'off' } } })
    story.prepare({ cleanRoomCheck: fit })
    story.claim('1')
    story.advanceProof({ tests: 2 })
    expect(story.state().workers['1']?.phase.is).not.toBe('finished')
  })

  test('are not missed when a person took them away between two iterations', () => {
    const story = begin({
      rules: { gates: [GATE], proof: { ...FULL, baseline: 'off' }, loop: { pauseMs: 1_000 } },
    })
    story.prepare({ cleanRoomCheck: fit })
    story.endAgent('1')
    story.look()
    story.tell({ type: 'wait-ended', worker: '1', effect: story.open('wait')[0]?.id ?? '' })
    story.look('1', { tree: 'a test less' })
    story.takeBase({ moved: 1 })
    story.claim('1')
    story.sort({ protectedFiles: 1, names: { work: ['src/a.ts'], protectedFiles: ['test/b.ts'] } })
    story.runTrial({ results: [{ ...PASSED, tests: 3 }] })
    story.runTrial({ results: [{ ...PASSED, tests: 2 }] }) // at the base as it is now
    story.runTrial({ results: [{ ...PASSED, tests: 2 }] })
    expect(story.open('run-trial').map(({ purpose }) => purpose)).toEqual(['source-loaded'])
  })

  test('are not missed when a person took them away between two runs', () => {
    const story = begin({ rules: { gates: [GATE], proof: { ...FULL, baseline: 'off' } } })
    story.prepare({ cleanRoomCheck: fit, moved: 1 })
    story.claim('1')
    story.sort({ protectedFiles: 1, names: { work: ['src/a.ts'], protectedFiles: ['test/b.ts'] } })
    story.runTrial({ results: [{ ...PASSED, tests: 3 }] })
    story.runTrial({ results: [{ ...PASSED, tests: 2 }] }) // at the base as it is now
    story.runTrial({ results: [{ ...PASSED, tests: 2 }] })
    expect(story.open('run-trial').map(({ purpose }) => purpose)).toEqual(['source-loaded'])
  })
})

test('five thousand changes of the protected files, every second one allowed and named, still fit into a state', () => {
  const story = begin({ rules: { gates: [GATE], proof: { ...FULL, baseline: 'off' } } })
  story.prepare()
  story.claim('1')
  const every = Array.from({ length: 2_500 }, (_, n) => n * 2)
  story.sort({ protectedFiles: 5_000, allowedCount: 2_500 })
  story.runTrial({ results: [PASSED] })
  story.runTrial({ results: [FAILED], named: every.map((at) => at + 1) })
  expect(Buffer.byteLength(JSON.stringify(story.state()))).toBeLessThan(64 * 1_024)
})

test('looks that fail now and then do not add up with the times that git was busy', () => {
  const story = begin()
  for (const _ of [1, 2, 3]) {
    story.look('1', { busy: 'a rebase is in progress' })
    const [wait] = story.open('wait')
    story.tell({ type: 'wait-ended', worker: '1', effect: wait?.id ?? '' })
  }
  const [look] = story.open('snapshot')
  story.tell({
    type: 'effect-failed',
    worker: '1',
    effect: look?.id ?? '',
    problem: 'git failed',
    hint: null,
  })
  expect(story.open('snapshot')).toHaveLength(1)
})

test('an answer that comes a second time changes nothing on the screens', () => {
  const story = begin()
  story.look()
  const ended = story.endAgent('1')
  const { seq: _, at: __, up: ___, decisions: ____, ...before } = story.view()
  story.tell(ended)
  expect(story.view()).toMatchObject(before)
})

test('a limit that is said twice keeps the reset that was announced once', () => {
  const fold = createReplyFold({ previousConversationUsage: null, previousLength: null })
  fold.take({ type: 'limited', kind: 'usage-limit', message: 'usage limit reached', resetsAt: 99_000 })
  fold.take({ type: 'limited', kind: 'usage-limit', message: 'You have hit your limit' })
  fold.take({ type: 'ended', ok: false, reason: 'usage-limit' })
  const log = { path: 'agent.log', bytes: 10 }
  const end = {
    by: 'itself',
    code: 1,
    signal: null,
    problem: null,
    missing: false,
    sawEnd: true,
    durationMs: 5,
  } as const
  const { failure } = fold.finish({ ...end, log, finalEvent: true, stderrTail: '' })
  expect(failure).toEqual({
    kind: 'usage-limit',
    message: 'You have hit your limit',
    resetsAt: 99_000,
  })
})

const GATE = {
  name: 'test',
  run: 'npm test',
  timeoutMs: 1_000,
  when: 'completion',
  cwd: '.',
  env: {},
} as const

/** Judged by trial, without anything that asks again. */
const FULL: Partial<Rules['proof']> = { level: 'full', reruns: 0, rejections: 0, trials: 12, quarantine: [] }

const PASSED: Evidence = someEvidence('test', { green: true })
const FAILED: Evidence = { ...someEvidence('test', { green: false }), failing: ['a test'] }

/** What the next run will compare the tree with to tell what a person did; null: it will not. */
async function rememberedLook(story: Story): Promise<TreeAndPlan | null> {
  const { sql } = await memoryStore()
  await saveBase(sql, story.state(), { workspace: '/p', at: 0 })
  return (await loadBase(sql, '/p'))?.seen ?? null
}

interface Story {
  asked: Effect[]
  state(): RunState
  view(): RunView
  open<T extends Effect['type']>(type: T): Extract<Effect, { type: T }>[]
  tell(event: Event): void
  ask(request: Wanted): void
  /** Answers the open look of a worker; the run goes on from there, usually to the agent. */
  look(worker?: string, snapshot?: { busy?: string | null; tree?: string }): void
  takeBase(found?: { cleanRoomCheck?: CleanRoomCheckResult | null; moved?: number }, worker?: string): void
  endGate(evidence: Evidence, worker?: string): void
  runTrial(trial: { results: Evidence[]; named?: number[] }, worker?: string): void
  sort(classification: Partial<ClassifiedChangesSummary>, worker?: string): void
  /** To the first agent, with a base and a room. */
  prepare(found?: { cleanRoomCheck?: CleanRoomCheckResult | null; moved?: number }): void
  /** The agent says that it is done, and the gate is green where it worked. */
  claim(worker: string): void
  /** Honest work up the whole proof. */
  advanceProof(given?: { tests?: number }): void
  endAgent(worker: string, reply?: Partial<typeof REPLY>): Event
  workOnce(): void
}

type Wanted = PersonRequest extends infer R ? (R extends PersonRequest ? Omit<R, 'id' | 'from'> : never) : never
type Part<T> = { [K in keyof T]?: Partial<T[K]> }

/** A run told event by event. An admission is granted as soon as it is asked for. */
function begin(given: { workers?: number; rules?: Part<Rules> } = {}): Story {
  const rules = plainRules(given.rules ?? {})
  const asked: Effect[] = []
  let state: RunState | null = null
  let view: RunView | null = null
  let seq = 0
  const tell = (event: Event): void => {
    const now = { at: 1_800_000_000_000 + seq, up: seq }
    const stepped = step(state, event, now)
    seq += 1
    state = stepped.state
    const row: Row = {
      run: 'r1',
      seq,
      ...now,
      rules: 1,
      event,
      effects: stepped.effects,
      decisions: stepped.decisions,
    }
    view = foldView(view, row)
    asked.push(...stepped.effects)
    for (const effect of stepped.effects) {
      if (effect.type !== 'admit-call') continue
      tell({
        type: 'admitted',
        worker: effect.worker,
        effect: effect.id,
        callsThisHour: 1,
        tokensThisHour: 0,
      })
    }
  }
  const stateNow = (): RunState => state ?? never()
  const story: Story = {
    asked,
    state: stateNow,
    view: () => view ?? never(),
    open: (type) => Object.values(stateNow().run.open).filter((effect) => effect.type === type) as never,
    tell,
    ask: (wanted) => tell({ type: 'request-received', request: { id: null, from: 'ann', ...wanted } }),
    look(worker = '1', { busy = null, tree = 't1' } = {}) {
      const effect = story.open('snapshot').find((one) => one.worker === worker)
      const snapshot = { tree, head: null, branch: null, ref: null, unstored: [], busy }
      tell({
        type: 'snapshot-taken',
        worker,
        effect: effect?.id ?? '',
        snapshot,
        change: null,
        checkboxes: null,
        nextCheckbox: null,
      })
    },
    endAgent(worker, reply = {}) {
      const effect = story.open('run-agent').find((one) => one.worker === worker)
      const event: Event = {
        type: 'agent-ended',
        worker,
        effect: effect?.id ?? '',
        reply: { ...REPLY, ...reply },
      }
      tell(event)
      return event
    },
    takeBase({ cleanRoomCheck = null, moved = 0 } = {}, worker = '1') {
      const effect = story.open('resolve-base').find((one) => one.worker === worker)
      tell({
        type: 'base-resolved',
        worker,
        effect: effect?.id ?? '',
        base: { tree: `w${moved}`, plan: null, refs: null, from: 'first' },
        news: { ...NO_BASE_CHANGES, moved: moved > 0 ? ['test/a.ts'] : [], movedCount: moved },
        cleanRoomCheck,
        room: 'key',
        sharedTools: 'nothing',
        now: `w${moved}`,
      })
    },
    endGate(evidence, worker = '1') {
      const effect = story.open('run-gate').find((one) => one.worker === worker)
      tell({ type: 'gate-ended', worker, effect: effect?.id ?? '', evidence })
    },
    runTrial({ results, named = [] }, worker = '1') {
      const effect = story.open('run-trial').find((one) => one.worker === worker)
      const trial: TrialResult = {
        is: 'ran',
        durationMs: 1,
        results,
        named,
        sharedPaths: [],
        writtenFiles: [],
        unremovableTests: [],
      }
      tell({ type: 'trial-ended', worker, effect: effect?.id ?? '', trial })
    },
    sort(classification, worker = '1') {
      const effect = story.open('classify-changes').find((one) => one.worker === worker)
      tell({
        type: 'changes-classified',
        worker,
        effect: effect?.id ?? '',
        classification: someClassification(classification),
      })
    },
    prepare(found = {}) {
      story.look()
      story.takeBase(found)
      story.runTrial({ results: [] })
    },
    claim(worker) {
      story.endAgent(worker, DONE)
      story.look(worker)
      story.endGate(PASSED, worker)
    },
    advanceProof({ tests = 3 } = {}) {
      story.sort({})
      story.runTrial({ results: [{ ...PASSED, tests }] })
      for (const _ of ['base', 'source-loaded', 'mutation', 'expects'])
        if (story.open('run-trial').length > 0) story.runTrial({ results: [FAILED] })
      const [look] = story.open('check-final-tree')
      tell({ type: 'final-tree-checked', worker: '1', effect: look?.id ?? '', changed: [] })
    },
    workOnce() {
      story.look()
      story.endAgent('1')
      story.look()
    },
  }
  const nothing = { breaker: null, conversation: null, limited: {}, programs: { agents: {}, programs: {} } }
  tell({
    type: 'run-started',
    run: 'r1',
    rules,
    workers: given.workers ?? 1,
    project: '/p',
    command: 'loop',
    ...nothing,
    pid: 1,
    version: '0',
  })
  return story
}

function never(): never {
  throw new Error('the story has not begun')
}

/** Nothing that ends or waits by itself, unless the story says so. */
function plainRules(part: Part<Rules>): Rules {
  const rules = drawRules(seededRandom(1))
  return {
    ...rules,
    agent: { ...rules.agent, order: ['claude'] },
    loop: { ...rules.loop, iterationsMax: 0, pauseMs: 0, commit: 'agent', ...part.loop },
    quota: { callsPerHour: 0, tokensPerHour: 0 },
    budget: { usd: null, tokens: null, minutes: null, reserveUsd: 1 },
    breaker: { ...rules.breaker, noProgress: 0, sameError: 0, denials: 0, outputDecline: 0 },
    exit: { ...rules.exit, testOnly: 0, doneSignals: 0, safety: 0, confirm: 1 },
    proof: { ...rules.proof, reviewer: null, ...part.proof },
    retry: { ...rules.retry, ...part.retry },
    gates: (part.gates as Rules['gates'] | undefined) ?? [],
  }
}

const REPLY: Extract<Event, { type: 'agent-ended' }>['reply'] = {
  end: 'success',
  failure: null,
  limit: null,
  signals: {
    from: 'none',
    block: null,
    exitSignal: null,
    complete: false,
    testOnly: false,
    noWork: false,
    questions: 0,
    errors: [],
    confidence: 0,
    summary: '',
    because: {},
  },
  told: emptyAgentReport(),
  denials: [],
  usage: { input: 10, output: 5, usd: 0.5 },
  conversationUsage: null,
  conversation: null,
  model: null,
  tools: 0,
  textLength: 10,
  lastMessage: '',
  remarks: 0,
  durationMs: 1_000,
  log: { path: 'agent.log', bytes: 10 },
}

const DONE: Partial<typeof REPLY> = {
  signals: { ...REPLY.signals, from: 'block', exitSignal: true, complete: true },
}

/** An engine of which only the door and the handlers matter: nothing of its work was begun before the crash. */
function engineThat({ started, told }: { started: string[]; told: Event[] }): Engine {
  const handler: Handler<HandledEffect> = {
    perform: (effect) => Promise.resolve(void started.push(effect.type)),
    recoverAnswer: (effect) =>
      Promise.resolve(
        effect.type === 'abort'
          ? { is: 'answered', event: { type: 'aborted', worker: effect.worker, effect: effect.id } }
          : { is: 'not-begun' },
      ),
  }
  const handlers = new Proxy({}, { get: () => handler }) as Engine['handlers']
  const inbox = { put: (event: Event) => void told.push(event), take: () => Promise.resolve([]) }
  return { handlers, inbox } as unknown as Engine
}
