/** A night for tests: the real core, driven by turns that are quickly written down. What comes out is a record as a run leaves it. */
import type { Usage } from '../../src/core/calls/agent-io.ts'
import type { CheckboxCounts, Change } from '../../src/core/tree/change.ts'
import type { Effect, EffectOf } from '../../src/core/state/effect.ts'
import type { Event, EventOf, RevertResult } from '../../src/core/state/event.ts'
import type { RunState, WorkerPhase, Worker } from '../../src/core/state/state.ts'
import type { Instant, Millis, Now, WorkerId } from '../../src/core/ids.ts'
import { DECISIONS, isIterationEnd, type Decision, type DecisionLevel } from '../../src/core/state/decision.ts'
import { RULES_VERSION, step, type StepResult } from '../../src/core/run/step.ts'
import { NO_BASE_CHANGES } from '../../src/core/proof/base.ts'
import type { Evidence } from '../../src/core/proof/evidence.ts'
import type { ClassifiedChangesSummary, TrialResult } from '../../src/core/proof/trial.ts'
import type { Denial, Reply, ReplyFailure, ReplySignals } from '../../src/core/agent-output/reply.ts'
import { scanTags } from '../../src/core/agent-output/tags/tag-scan.ts'
import { createAgentReportFold } from '../../src/core/agent-output/tags/agent-report-fold.ts'
import type { Row } from '../../src/core/state/row.ts'
import type { Rules } from '../../src/core/state/rules.ts'
import type { ClaimedTask, NothingReady, TaskId, TaskStatus } from '../../src/core/tasks/task.ts'

export interface AgentTurn {
  /** Files the agent changes. */
  files?: number
  commits?: string[]
  checkboxes?: CheckboxCounts
  /** Of the first turn: what the run finds before it. */
  found?: Pick<AgentTurn, 'checkboxes' | 'green'>
  /** The checkboxes as a look before the next iteration finds them: somebody else was at the plan. */
  meanwhile?: CheckboxCounts
  nextCheckbox?: string | null
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
  reviews?: (string | ReplyFailure)[]
  /** Whatever else a reply, its words, a look or a commit says. */
  reply?: Partial<Reply>
  signals?: Partial<ReplySignals>
  look?: Partial<EventOf<'snapshot-taken'>>
  commit?: Partial<EventOf<'committed'>>
  /** Why what failed stays, or what went. */
  putBack?: RevertResult
  /** And what the protected files says: a gate, the base, the sorting of a completion, a trial in the clean room, the last look. */
  gate?: Partial<Evidence>
  base?: Partial<EventOf<'base-resolved'>>
  classification?: Partial<ClassifiedChangesSummary>
  trial?: TrialResult
  changed?: string[]
  /** What is found where its document belongs. */
  document?: Partial<EventOf<'document-checked'>>
  /** What is wrong with the files of an import. */
  imported?: string
  /** Knowledge that cannot be kept. */
  refused?: string[]
}

/** Half past nine in the evening, Greenwich. */
export const START_TIME = Date.UTC(2027, 2, 10, 21, 30)

const MINUTE = 60_000

/** Plays the turns; the last one repeats until the run ends, or until `rowsMax`. Each agent takes a minute. */
export function playRun(turns: AgentTurn[], change: (rules: Rules) => Rules = (rules) => rules, rowsMax = 300): Row[] {
  const rules = change(someRules())
  const rows: Row[] = []
  let state: RunState | null = null
  let turn = -1
  let review = 0
  let up = 0
  const now = (): { at: number; up: number } => ({ at: START_TIME + up, up })
  const at = (): AgentTurn => turns[Math.min(Math.max(turn, 0), turns.length - 1)] ?? {}
  const queue: Event[] = [runStarted(rules, 1)]
  for (let event = queue.shift(); event !== undefined && rows.length < rowsMax; event = queue.shift()) {
    const stepped = soundStep(state, event, now())
    state = stepped.state
    rows.push({
      run: 'k7f3qa',
      seq: rows.length + 1,
      ...now(),
      rules: RULES_VERSION,
      event,
      effects: stepped.effects,
      decisions: stepped.decisions,
    })
    for (const effect of stepped.effects) {
      if (effect.type === 'run-agent' && effect.role === 'review') {
        up += MINUTE
        queue.push(anReview(effect, at().reviews?.[review++]))
        continue
      }
      if (effect.type === 'run-agent') {
        turn += 1
        review = 0
        up += MINUTE
      }
      if (effect.type === 'wait') up += lengthOf(effect, now())
      queue.push(
        answerTo(
          effect,
          turn < 0 ? { ...at(), files: 0, green: false, checkboxes: firstCheckboxes(turns), ...turns[0]?.found } : at(),
          turn,
        ),
      )
    }
  }
  return rows
}

function anReview(effect: Effect, said: NonNullable<AgentTurn['reviews']>[number] = '<verify-pass/>'): Event {
  const answer = { type: 'agent-ended' as const, worker: effect.worker, effect: effect.id }
  if (typeof said !== 'string') return { ...answer, reply: aReply({ fails: said, usage: null, tools: 0 }) }
  if (isEnd(said)) return { ...answer, reply: { ...aReply({}), end: said } }
  return { ...answer, reply: aReply({ summary: said }) }
}

function isEnd(said: string): said is Reply['end'] {
  return ['over-budget', 'interrupted', 'silent', 'timed-out', 'failed'].includes(said)
}

function runStarted(rules: Rules, workers: number): EventOf<'run-started'> {
  return {
    type: 'run-started',
    run: 'k7f3qa',
    rules,
    workers,
    project: '/home/ann/shop',
    command: 'ralph loop',
    breaker: null,
    conversation: null,
    limited: {},
    pid: 4711,
    version: '0.1.0',
    programs: { agents: {}, programs: {} },
  }
}

/** A run at one moment, moved on by hand: what was asked and decided since the event before. */
export interface RunMoment {
  state: RunState
  now: Now
  effects: Effect[]
  decisions: Decision[]
  /** The whole record until here. */
  rows: Row[]
  /** The tasks of a run through tasks. */
  graph?: Graph
}

/** A run that has just begun; whoever looks is answered as `AgentTurn` says. */
export function startedRun({
  workers = 1,
  rules = (usual: Rules): Rules => usual,
  started = {},
  tasks,
}: {
  workers?: number
  /** A run through these, in their order; absent: a plain loop. */
  tasks?: TestTask[]
  rules?: (usual: Rules) => Rules
  started?: Partial<EventOf<'run-started'>>
} = {}): RunMoment {
  const now = { at: START_TIME, up: 0 }
  const first = runStarted(rules(someRules()), workers)
  if (tasks === undefined) return moved({ state: null, now, rows: [] }, { ...first, ...started })
  const event: Event = { ...first, tasks: { is: 'all' }, ...started }
  return moved({ state: null, now, rows: [], graph: openGraph(tasks) }, event)
}

/** What follows from an event that comes `after` so many milliseconds. What only our own database is asked is answered at once. */
export function send(from: RunMoment, event: Event, { after = 0 }: { after?: Millis } = {}): RunMoment {
  return moved({ ...from, now: { at: from.now.at + after, up: from.now.up + after } }, event)
}

function moved(from: Pick<RunMoment, 'now' | 'rows' | 'graph'> & { state: RunState | null }, event: Event): RunMoment {
  const { now } = from
  const { state, effects, decisions } = soundStep(from.state, event, now)
  const row = {
    run: 'k7f3qa',
    seq: from.rows.length + 1,
    ...now,
    rules: RULES_VERSION,
    event,
    effects,
    decisions,
  }
  let moment: RunMoment = {
    state,
    now,
    effects,
    decisions,
    rows: [...from.rows, row],
    ...(from.graph === undefined ? {} : { graph: from.graph }),
  }
  for (const effect of effects.filter(({ type }) => INLINE.has(type))) {
    const then = moved(moment, answerInline(moment.graph, effect))
    moment = {
      ...then,
      effects: [...moment.effects, ...then.effects],
      decisions: [...moment.decisions, ...then.decisions],
    }
  }
  return moment
}

/**
 * A step, and what must be true of each, whatever a test is about: what is decided stands in the table, what is asked is asked for a worker
 * that is there, who waits waits for something that is open, and what is kept is the same when it is read again.
 */
function soundStep(before: RunState | null, event: Event, now: Now): StepResult {
  const stepped = step(before, event, now)
  const { state, effects, decisions } = stepped
  for (const { by, what } of decisions) {
    const words: Record<string, DecisionLevel> | undefined = DECISIONS[by]
    if (words?.[what] === undefined) throw new Error(`nobody decides ${by}/${what}`)
  }
  for (const { id, type, worker } of effects)
    if (state.workers[worker] === undefined) throw new Error(`${type} ${id} was asked for nobody`)
  for (const { id, phase } of Object.values(state.workers))
    if ('effect' in phase && state.run.open[phase.effect] === undefined)
      throw new Error(`worker ${id} is ${phase.is} and waits for what nobody asked`)
  const hole = holeIn(stepped, event.type)
  if (hole !== null) throw new Error(`${hole} has no value, and would be gone when it is read again`)
  return stepped
}

function holeIn(value: unknown, path: string): string | null {
  if (value === undefined) return path
  if (typeof value !== 'object' || value === null) return null
  for (const [key, one] of Object.entries(value)) {
    const hole = holeIn(one, `${path}.${key}`)
    if (hole !== null) return hole
  }
  return null
}

/** A task as a test names it; `after`: what must be done before. */
export interface TestTask extends Partial<ClaimedTask> {
  id: TaskId
  after?: TaskId[]
  status?: TaskStatus
  /** Nothing but its time keeps it. */
  notBefore?: Instant
}

/** The store's part, as far as the core sees it. Changed in place: a test looks at what became of its tasks. */
export interface Graph {
  tasks: (TestTask & { status: TaskStatus; attempt: number; why: string | null })[]
}

function openGraph(tasks: TestTask[]): Graph {
  return { tasks: tasks.map((one) => ({ attempt: 0, why: null, ...one, status: one.status ?? 'pending' })) }
}

function answerInline(graph: Graph | undefined, effect: Effect): Event {
  const answer = { worker: effect.worker, effect: effect.id }
  if (effect.type === 'claim-task') return { ...answer, ...claimIn(graph?.tasks ?? []) }
  if (effect.type !== 'finish-task') return answerTo(effect, {}, 0)
  const task = graph?.tasks.find(({ id, attempt }) => id === effect.task && attempt === effect.attempt)
  const held = task?.status === 'in_progress'
  if (held) {
    task.status = effect.as === 'released' ? 'pending' : effect.as
    task.why = effect.why
  }
  const next = effect.scope === undefined ? {} : { next: readyIn(graph?.tasks ?? []) !== undefined }
  return { type: 'task-finished', ...answer, held, changes: [], ...next }
}

function isOpen(tasks: Graph['tasks']): (ids?: TaskId[]) => TaskId[] {
  return (ids = []) => ids.filter((id) => tasks.some((one) => one.id === id && one.status !== 'done'))
}

function readyIn(tasks: Graph['tasks']): Graph['tasks'][number] | undefined {
  const open = isOpen(tasks)
  const pending = tasks.filter(({ status }) => status === 'pending')
  return pending.find(({ after, notBefore }) => open(after).length === 0 && notBefore === undefined)
}

function claimIn(
  tasks: Graph['tasks'],
): Pick<EventOf<'task-claimed'>, 'type' | 'task'> | Pick<EventOf<'nothing-ready'>, 'type' | 'nothing'> {
  const ready = readyIn(tasks)
  if (ready === undefined) return { type: 'nothing-ready', nothing: nothingIn(tasks, isOpen(tasks)) }
  ready.status = 'in_progress'
  ready.attempt += 1
  const { id, attempt, title = `do ${id}`, feature = null, maxRetries = null } = ready
  const { checks = [], tests = [], retries = 0 } = ready
  return { type: 'task-claimed', task: { id, attempt, title, feature, maxRetries, checks, tests, retries } }
}

function nothingIn(tasks: Graph['tasks'], open: (ids?: TaskId[]) => TaskId[]): NothingReady {
  const how = (status: TaskStatus): Graph['tasks'] => tasks.filter((one) => one.status === status)
  const blocked = how('pending').filter(({ after }) => open(after).length > 0)
  const scheduled = how('pending').filter((one) => one.notBefore !== undefined && !blocked.includes(one))
  const times = scheduled.flatMap(({ notBefore }) => notBefore ?? [])
  return {
    counts: {
      all: tasks.length,
      done: how('done').length,
      failed: how('failed').length,
      going: how('in_progress').length,
      ready: 0,
      blocked: blocked.length,
      scheduled: scheduled.length,
    },
    until: times.length === 0 ? null : Math.min(...times),
    waiting: blocked.map(({ id, title = '', after }) => ({
      task: id,
      title,
      for: open(after).map((one) => ({ task: one, title: '', status: 'failed' })),
    })),
    failed: how('failed').map(({ id, title = '', why }) => ({ task: id, title, why })),
  }
}

const INLINE: ReadonlySet<Effect['type']> = new Set<Effect['type']>([
  'admit-call',
  'claim-task',
  'finish-task',
  'end-run',
  'suspend-run',
])

/** The effect that a worker waits for. */
export function openEffectOf(moment: RunMoment, worker: WorkerId = '1'): Effect {
  const phase = workerAt(moment, worker).phase
  const effect = 'effect' in phase ? moment.state.run.open[phase.effect] : undefined
  if (effect === undefined) throw new Error(`worker ${worker} waits for nothing: it is ${phase.is}`)
  return effect
}

export function workerAt({ state }: RunMoment, worker: WorkerId = '1'): Worker {
  const found = state.workers[worker]
  if (found === undefined) throw new Error(`there is no worker ${worker}`)
  return found
}

function lengthOf({ forMs, until: end }: EffectOf<'wait'>, now: Now): Millis {
  return forMs ?? Math.max(0, end - now.at)
}

/** Answers what a worker waits for, as this turn has it; a wait takes as long as it is. */
export function answer(
  from: RunMoment,
  turn: AgentTurn = {},
  { worker = '1', after = 0 }: { worker?: WorkerId; after?: Millis } = {},
): RunMoment {
  const effect = openEffectOf(from, worker)
  const event = answerTo(effect, turn, workerAt(from, worker).iteration - 1)
  return send(from, event, { after: effect.type === 'wait' ? lengthOf(effect, from.now) : after })
}

/** Answers whatever a worker waits for until it is where it is wanted. */
export function until(
  from: RunMoment,
  is: (phase: WorkerPhase, effect: Effect | null) => boolean,
  turn: AgentTurn = {},
  worker: WorkerId = '1',
): RunMoment {
  let moment = from
  for (let n = 0; n < 100; n++) {
    const { phase } = workerAt(moment, worker)
    const effect = 'effect' in phase ? (moment.state.run.open[phase.effect] ?? null) : null
    if (is(phase, effect)) return moment
    moment = answer(moment, turn, { worker })
  }
  throw new Error(`worker ${worker} never came there: it is ${workerAt(moment, worker).phase.is}`)
}

/** A worker's agent works, in a run that found three open checkboxes. */
export function working(given?: Parameters<typeof startedRun>[0], worker: WorkerId = '1'): RunMoment {
  return until(startedRun(given), ({ is }) => is === 'working', {}, worker)
}

const MEASURED: ReadonlySet<WorkerPhase['is']> = new Set(['measuring', 'committing', 'saving-knowledge'])

/** The agent that works ends its turn; what it changed is looked at and committed, and what follows from that has begun. */
export function afterTurn(from: RunMoment, turn: AgentTurn, worker: WorkerId = '1'): RunMoment {
  const before = from.rows.length
  const ended = answer(from, turn, { worker, after: MINUTE })
  const then = until(ended, ({ is }) => !MEASURED.has(is), turn, worker)
  const rows = then.rows.slice(before)
  return {
    ...then,
    effects: rows.flatMap(({ effects }) => effects),
    decisions: rows.flatMap(({ decisions }) => decisions),
  }
}

/** `by/what`, in the order in which it was decided. */
export function decisionNames({ decisions }: Pick<RunMoment, 'decisions'>): string[] {
  return decisions.map((one) => {
    if (isIterationEnd(one)) return `${one.by === 'draft' ? 'turn' : 'iteration'}/${one.outcome}`
    return `${one.by}/${one.what}`
  })
}

/** Types of what was asked, without what our own database answers. */
export function requestedEffectTypes({ effects }: Pick<RunMoment, 'effects'>): Effect['type'][] {
  return effects.filter(({ type }) => !INLINE.has(type)).map(({ type }) => type)
}

function firstCheckboxes(turns: AgentTurn[]): CheckboxCounts {
  const checkboxes = turns[0]?.checkboxes ?? { open: 3, done: 0 }
  return { open: checkboxes.open + checkboxes.done, done: 0 }
}

export function answerTo(effect: Effect, turn: AgentTurn, n: number): Event {
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
    case 'snapshot':
      return {
        type: 'snapshot-taken',
        ...answer,
        snapshot,
        change: effect.since === null ? null : aChange(turn, n),
        checkboxes: (effect.for === 'before' ? turn.meanwhile : undefined) ?? turn.checkboxes ?? { open: 3, done: 0 },
        nextCheckbox: turn.nextCheckbox ?? 'the next box',
        ...turn.look,
      }
    case 'admit-call':
      return { type: 'admitted', ...answer, callsThisHour: n + 2, tokensThisHour: 0 }
    case 'run-agent':
      return { type: 'agent-ended', ...answer, reply: aReply(turn) }
    case 'run-gate':
      return {
        type: 'gate-ended',
        ...answer,
        evidence: {
          ...someEvidence(effect.gate.name, {
            green: turn.green === true,
            tree: snapshot.tree,
            purpose: effect.purpose,
          }),
          ...turn.gate,
        },
      }
    case 'resolve-base':
      return {
        type: 'base-resolved',
        ...answer,
        base: effect.base ?? { tree: 'w:0', plan: null, refs: null, from: 'first' },
        news: NO_BASE_CHANGES,
        cleanRoomCheck: { is: 'fit', sharedTools: 'nothing', tests: 3, base: 'w:0', writtenFiles: [] },
        now: effect.base?.tree ?? 'w:0',
        room: 'key',
        sharedTools: 'nothing',
        ...turn.base,
      }
    case 'classify-changes':
      return {
        type: 'changes-classified',
        ...answer,
        classification: someClassification({ final: `w:${n + 1}`, ...turn.classification }),
      }
    case 'run-trial':
      return { type: 'trial-ended', ...answer, trial: turn.trial ?? aTrial(effect) }
    case 'check-final-tree':
      return { type: 'final-tree-checked', ...answer, changed: turn.changed ?? [] }
    case 'claim-task':
    case 'finish-task':
      throw new Error(`${effect.type} is answered by the graph`)
    case 'commit':
      return {
        type: 'committed',
        ...answer,
        sha: `c${n}`,
        files: turn.files ?? 0,
        problem: null,
        ...turn.commit,
      }
    case 'revert':
      if (turn.putBack !== undefined) return { type: 'reverted', ...answer, ...turn.putBack }
      return {
        type: 'reverted',
        ...answer,
        is: 'back',
        snapshot: { ...snapshot, ...effect.before },
        checkboxes: turn.checkboxes ?? null,
        nextCheckbox: null,
        kept: `refs/ralph/k7f3qa/failed/${effect.task}-${effect.attempt}`,
        files: 1,
        paths: ['a.txt'],
        commits: 1,
        left: [],
      }
    case 'save-knowledge':
      return {
        type: 'knowledge-saved',
        ...answer,
        kept: effect.said.map(({ title }) => title),
        refused: turn.refused ?? [],
      }
    case 'check-document':
      return {
        type: 'document-checked',
        ...answer,
        document: effect.document,
        ...(effect.first === undefined ? {} : { first: effect.first }),
        there: true,
        bytes: 400,
        problems: [],
        ...turn.document,
      }
    case 'check-import':
      return { type: 'import-checked', ...answer, problem: turn.imported ?? null }
    case 'wait':
      return { type: 'wait-ended', ...answer }
    case 'abort':
      return { type: 'aborted', ...answer }
    case 'end-run':
      return { type: 'run-ended', ...answer, outcome: effect.outcome }
    case 'suspend-run':
      return { type: 'run-suspended', ...answer, outcome: effect.outcome }
  }
}

/** A completion that changed one file of the work and nothing of the protected files. */
export function someClassification(change: Partial<ClassifiedChangesSummary> = {}): ClassifiedChangesSummary {
  return {
    file: '/logs/k7f3qa/1/changes.json',
    hash: 'h',
    final: 'w:1',
    plan: null,
    refs: null,
    work: 1,
    documents: 0,
    breakableCount: 1,
    isMutable: true,
    mutableTests: 1,
    protectedFiles: 0,
    protectedAdded: 0,
    allowedCount: 0,
    unclear: [],
    droppedCheckboxes: [],
    names: { work: ['src/a.js'], protectedFiles: [] },
    notes: [],
    ...change,
  }
}

/** Gates that look closely: green as the work is, red when it is broken. */
function aTrial({ gates, purpose, trialLayout }: EffectOf<'run-trial'>): TrialResult {
  const green = trialLayout.is === 'base' || trialLayout.broken === 'nothing'
  const results = gates.map((gate) => ({ ...someEvidence(gate.name, { green, purpose }), tests: 3 }))
  return {
    is: 'ran',
    durationMs: 1_000,
    results,
    named: [],
    sharedPaths: [],
    writtenFiles: [],
    unremovableTests: [],
  }
}

function aChange({ files = 1, commits = [] }: AgentTurn, n: number): Change {
  const paths = Array.from({ length: files }, (_, i) => ({ path: `f${n}-${i}`, kind: 'changed' as const }))
  return {
    paths,
    files,
    added: files * 10,
    removed: files,
    commits: commits.map((subject, i) => ({ sha: `${n}${i}`.padEnd(40, 'a'), subject })),
  }
}

export function aReply({
  done,
  summary = 'worked',
  usage = { input: 900, output: 100, usd: 0.5 },
  tools = 3,
  denials = [],
  testOnly = false,
  fails,
  reply = {},
  signals = {},
}: AgentTurn): Reply {
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
      ...signals,
    },
    told: createAgentReportFold().finish([scanTags(reply.lastMessage ?? summary)]),
    denials,
    usage,
    conversationUsage: null,
    conversation: null,
    model: 'opus-4',
    tools,
    textLength: 100,
    lastMessage: summary,
    remarks: 0,
    durationMs: MINUTE,
    log: { path: '/logs/k7f3qa/1/agent.log', bytes: 100 },
    ...reply,
  }
}

export function someEvidence(
  gate: string,
  { green, tree = 'tree1', purpose = 'completion' }: { green: boolean; tree?: string; purpose?: Evidence['purpose'] },
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
    at: START_TIME,
    log: '/logs/k7f3qa/1/gate-test.log',
    summary: green ? '' : 'not ok 1',
    unstable: false,
    failing: [],
    tests: null,
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
      permission: 'list',
      resume: true,
      conversationMaxAgeMs: 3_600_000,
      maxTurns: null,
      limits: { idleMs: 0, wallMs: 0, completionGraceMs: 0, stopGraceMs: 0, handshakeMs: 0 },
      output: 'json',
    },
    model: { strategy: 'fixed' },
    loop: {
      prompt: '.ralph/PROMPT.md',
      plan: '.ralph/fix_plan.md',
      iterationsMax: 20,
      pauseMs: 0,
      commit: 'agent',
      commitRequired: false,
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
      rejections: 3,
      baseline: 'off',
      reruns: 0,
      level: 'full',
      source: [],
      protect: [],
      mayChange: { tests: [], protectedFiles: [] },
      trials: 12,
      copy: [],
      quarantine: [],
      setup: null,
      reviewer: null,
    },
    task: { maxRetries: 3, giveUps: 1, verify: false, failuresMax: 3, failed: 'revert', leaseMs: 120_000 },
    gates: [{ name: 'test', run: 'npm run test', timeoutMs: 60_000, when: 'completion', cwd: '.', env: {} }],
  }
}

/** The usual rules with some of their groups changed. */
export function withRules(change: {
  [K in Exclude<keyof Rules, 'gates'>]?: Partial<Rules[K]>
}): (rules: Rules) => Rules {
  return (rules) =>
    Object.fromEntries(
      Object.entries(rules).map(([name, group]) => {
        const changed: object = change[name as Exclude<keyof Rules, 'gates'>] ?? {}
        return [name, Array.isArray(group) ? group : { ...(group as object), ...changed }]
      }),
    ) as unknown as Rules
}
