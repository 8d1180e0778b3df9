/** What an agent of the fake world does in one iteration, and the reply it amounts to. */
import type { FailureKind, Usage } from '../../src/core/calls/agent-io.ts'
import type { Denial, Reply, ReplyFailure, ReplySignals } from '../../src/core/agent-output/reply.ts'
import { scanTags } from '../../src/core/agent-output/tags/tag-scan.ts'
import { createAgentReportFold } from '../../src/core/agent-output/tags/agent-report-fold.ts'
import { emptyAgentReport, type ReportedKnowledge } from '../../src/core/agent-output/agent-report.ts'
import { truncateReply } from '../../src/core/agent-output/truncate-reply.ts'
import type { EffectOf } from '../../src/core/state/effect.ts'
import type { AgentActionKind } from './fault-rates.ts'
import {
  HONEST,
  edit,
  isDocument,
  isProtectedFile,
  somePaths,
  stateNow,
  tickItems,
  type SimWorkspace,
  type GroundTruth,
} from './sim-workspace.ts'
import type { World } from './world.ts'

export interface AgentTurn {
  kind: AgentActionKind
  /** Null: it never ends by itself. */
  durationMs: number | null
  /** A hung agent says nothing; one that chatters never falls silent. */
  silent: boolean
  /** Its own final event reaches the log when it ends. */
  final: boolean
  begins: boolean
  denials: Denial[]
  usage: Usage | null
  /** It tells its usage in so many steps of one size, the last with its end; 1: at the end only. */
  steps: number
  /** What it does to the tree, somewhere in the middle. */
  act(space: SimWorkspace): void
  signals: Partial<ReplySignals>
  failure: ReplyFailure | null
  textLength: number
  lastMessage: string
}

export function drawAgentTurn(world: World, effect: EffectOf<'run-agent'>): AgentTurn {
  const { random, faultRates } = world
  if (effect.role === 'review') return drawReview(world)
  const kind = inSpell(world) ? 'outage' : random.weighted(faultRates.actionWeights)
  world.note(`agent ${kind}`)
  const deed: AgentTurn = {
    kind,
    durationMs: random.int(1, 900) * 1_000,
    silent: false,
    final: true,
    begins: true,
    denials: [],
    usage: drawUsage(world),
    steps: drawSteps(world),
    act: () => {},
    signals: {},
    failure: null,
    textLength: random.int(0, 4_000),
    lastMessage: 'done for now',
  }
  const done = { ...deed, ...special(world, kind, effect) }
  // It works outside the project.
  if (effect.import !== undefined) return { ...done, act: () => {} }
  return effect.task === undefined ? done : { ...done, lastMessage: aboutTask(world, kind, effect.task.id) }
}

/** What it says became of its task; mostly what it did, now and then something else. */
function aboutTask({ random }: World, kind: AgentActionKind, task: string): string {
  if (random.is(0.05)) return '<task-done>another</task-done>'
  if (random.is(0.05)) return `<task-failed>${task}</task-failed>`
  const claims = kind === 'finish' || kind === 'lie' || (kind === 'work' && random.is(0.5))
  return claims ? `Done. <task-done>${task}</task-done>` : 'Not yet.'
}

/** For minutes or hours every call fails alike, whoever makes it. */
function inSpell(world: World): boolean {
  const { random, faultRates } = world
  if (world.mono() < world.spellEnds) return true
  if (!random.is(faultRates.spells)) return false
  world.spellEnds = world.mono() + random.int(1, 180) * 60_000
  world.note('a spell of outage')
  return true
}

/** The reviewer reads and says yes or no; or hangs, fails, mumbles, or writes although it must not. */
function drawReview(world: World): AgentTurn {
  const { random, faultRates } = world
  const { vetoes, mumbles, writes } = faultRates.review
  const says = random.is(vetoes) ? 'no' : random.is(mumbles) ? 'nothing' : 'yes'
  const fails = random.is(0.1)
  const hangs = random.is(0.05)
  const writtenFiles = random.is(writes)
  world.note(`opinion ${writtenFiles ? 'writes' : hangs ? 'hangs' : fails ? 'fails' : `says ${says}`}`)
  return {
    kind: 'work',
    durationMs: hangs ? null : random.int(1, 300) * 1_000,
    silent: hangs,
    final: true,
    begins: true,
    denials: [],
    usage: drawUsage(world),
    steps: drawSteps(world),
    act: writtenFiles ? (space) => edit(space, 'reviewer', { paths: somePaths(space, random) }) : () => {},
    signals: {},
    failure: fails ? { kind: 'server', message: 'it said server' } : null,
    textLength: 100,
    lastMessage: REVIEWS[says],
  }
}

const REVIEWS = {
  yes: 'All good. <verify-pass/>',
  no: '<verify-fail>nothing was done</verify-fail>',
  nothing: 'Hm.',
}

function special(world: World, kind: AgentActionKind, effect: EffectOf<'run-agent'>): Partial<AgentTurn> {
  const { random } = world
  switch (kind) {
    case 'work':
      return { act: works(world), signals: random.is(0.5) ? claim(false) : {} }
    case 'finish':
      return { act: finishes(world), signals: random.is(0.8) ? claim(true) : {} }
    case 'lie':
      return { act: random.is(0.5) ? breaks(world) : () => {}, signals: claim(true) }
    case 'say-complete':
      return { act: works(world), signals: { from: 'words', complete: true, confidence: 60 } }
    case 'only-test':
      return { signals: { from: 'block', testOnly: true } }
    case 'idle':
      return { textLength: random.int(0, 30) }
    case 'ask':
      return { signals: { questions: random.int(1, 3) } }
    case 'same-error':
      return { act: works(world), signals: { errors: ['Error: cannot find module x'] } }
    case 'untick':
      return { act: (space) => tickItems(space, 'agent', -1, planOf(world)) }
    case 'change-judge':
      return { act: changesProtected(world), signals: random.is(0.8) ? claim(true) : {} }
    case 'document':
      return { act: writesDocument(world), signals: claim(true) }
    case 'sham':
    case 'lean-outside':
    case 'drop-boxes':
    case 'hide-tests':
    case 'blur':
      return { act: finishes(world, SECRETS[kind](world)), signals: random.is(0.8) ? claim(true) : {} }
    case 'denied':
      return {
        act: works(world),
        denials: [{ tool: 'Bash', command: random.pick(['rm -rf x', 'git add . && git push']) }],
      }
    case 'hang':
      return { durationMs: null, silent: true, act: random.is(0.3) ? works(world) : () => {} }
    case 'chatter':
      return { durationMs: null, act: random.is(0.5) ? works(world) : () => {} }
    case 'limited':
      return limited(world)
    case 'outage':
      return {
        ...failing(random.pick(['network', 'server'] as const)),
        act: random.is(0.2) ? works(world) : () => {},
      }
    case 'fails':
      return failing(random.pick(['bad-request', 'crash', 'unknown'] as const))
    case 'unusable':
      return random.is(0.7)
        ? failing(random.pick(['authentication', 'balance', 'model', 'permission'] as const))
        : { ...failing('missing'), begins: false, final: false, usage: null, durationMs: 5 }
    case 'bad-conversation':
      // Without a conversation to resume nobody can complain about it.
      return effect.resume === null ? { act: works(world) } : failing('bad-conversation')
    case 'overflow':
      return { ...failing('context-overflow'), act: works(world) }
    case 'killed':
      return { ...failing('killed'), final: false, usage: random.is(0.5) ? null : drawUsage(world) }
    default:
      return kind satisfies never
  }
}

function claim(exitSignal: boolean): Partial<ReplySignals> {
  return {
    from: 'block',
    exitSignal,
    complete: exitSignal,
    block: { exitSignal, status: exitSignal ? 'COMPLETE' : 'IN_PROGRESS' },
  }
}

/** What looks finished and is something else. */
const SECRETS: Record<
  'sham' | 'lean-outside' | 'drop-boxes' | 'hide-tests' | 'blur',
  (world: World) => Partial<GroundTruth>
> = {
  sham: ({ random }) => ({
    looks: random.pick(['old', 'own', 'nobody'] as const),
    sees: random.pick(['own', 'nobody'] as const),
    isMutable: random.is(0.8),
  }),
  'lean-outside': ({ random }) => ({ room: random.pick(['ignored', 'red'] as const) }),
  'drop-boxes': ({ random }) => ({
    droppedCheckboxes: Array.from({ length: random.int(1, 12) }, (_, n) => `box ${n} ${'ö'.repeat(random.int(0, 90))}`),
  }),
  'hide-tests': ({ random }) => ({ hides: random.pick([1, 1, 99]) }),
  blur: ({ random }) => ({ unclear: random.int(1, 4) }),
}

function planOf({ faultRates }: World): { tracked: boolean } {
  return { tracked: !faultRates.planIgnored }
}

function works(world: World): (space: SimWorkspace) => void {
  const { random } = world
  const edits = random.int(0, 3)
  const ticks = random.int(0, 2)
  const sound = random.is(0.6)
  return (space) => {
    for (let n = 0; n < edits; n++) edit(space, 'agent', { paths: somePaths(space, random), truth: { sound } })
    tickItems(space, 'agent', ticks, planOf(world))
  }
}

/** All checkboxes are ticked and the gates are green; `secret` is what the gates do not tell at once. */
function finishes(world: World, secret: Partial<GroundTruth> = {}): (space: SimWorkspace) => void {
  return (space) => {
    edit(space, 'agent', {
      paths: [...somePaths(space, world.random).filter((path) => !isProtectedFile(path)), 'src/a.ts'],
      truth: { ...HONEST, ...secret },
    })
    tickItems(space, 'agent', space.checkboxes?.open ?? 0, planOf(world))
  }
}

/** Some of the changes of the protected files are needed, none of them, or all; now and then there are thousands. */
function changesProtected(world: World): (space: SimWorkspace) => void {
  const { random, faultRates, note } = world
  const crowd = random.is(faultRates.room.crowds)
  if (crowd) note('thousands of changes of the judge')
  return (space) => {
    const tests = [...stateNow(space).files.keys()].filter(isProtectedFile)
    const added = crowd
      ? LONG_NAMES
      : Array.from({ length: random.int(0, 8) }, (_, n) => `test/${space.tree}-${n}.test.ts`)
    const paths = [...tests.filter(() => random.is(0.5)), ...added]
    const changed = new Set(paths)
    const gone = tests.filter((path) => !changed.has(path) && random.is(0.1))
    const share = random.pick([0, 0.1, 0.5, 1])
    const few = random.int(1, 3)
    const needs = crowd ? paths.filter(() => random.is(few / paths.length)) : paths.filter(() => random.is(share))
    edit(space, 'agent', { paths: ['src/a.ts', ...paths], gone, truth: { ...HONEST, needs: new Set(needs) } })
    tickItems(space, 'agent', space.checkboxes?.open ?? 0, planOf(world))
  }
}

/** As long as a path may be on most systems. */
const LONG_NAMES = Array.from({ length: 5_000 }, (_, n) => `test/${'sub/'.repeat(60)}${'n'.repeat(200)}-${n}.test.ts`)

function writesDocument(world: World): (space: SimWorkspace) => void {
  return (space) => {
    const documents = [...stateNow(space).files.keys()].filter(isDocument)
    edit(space, 'agent', { paths: documents, truth: { sound: true } })
    tickItems(space, 'agent', space.checkboxes?.open ?? 0, planOf(world))
  }
}

function breaks(world: World): (space: SimWorkspace) => void {
  return (space) => edit(space, 'agent', { paths: somePaths(space, world.random), truth: { sound: false } })
}

function limited({ random, at, note }: World): Partial<AgentTurn> {
  const kind = random.pick(['usage-limit', 'rate-limit'] as const)
  const reset = random.pick(['none', 'future', 'past'] as const)
  note(`limit ${kind}, reset ${reset}`)
  const resetsAt =
    reset === 'none' ? {} : { resetsAt: at() + (reset === 'past' ? -1 : 1) * random.int(1, 5 * 3_600) * 1_000 }
  return {
    durationMs: random.int(1, 60) * 1_000,
    failure: { kind, message: `${kind} reached`, ...resetsAt },
  }
}

function failing(kind: FailureKind): Partial<AgentTurn> {
  return { failure: { kind, message: `it said ${kind}` }, durationMs: 3_000 }
}

function drawUsage({ random, faultRates, note }: World): Usage | null {
  if (random.is(faultRates.agent.unknownCost)) {
    note('unknown cost')
    return random.is(0.5) ? null : { input: random.int(0, 20_000), output: random.int(0, 5_000) }
  }
  const huge = random.is(faultRates.agent.hugeCost)
  if (huge) note('huge cost')
  const scale = huge ? 40 : 1
  return {
    input: random.int(0, 20_000) * scale,
    output: random.int(0, 5_000) * scale,
    cacheRead: random.int(0, 100_000),
    // Cents, so that sums stay exact enough to compare.
    usd: (random.int(0, 200) * scale) / 100,
  }
}

function drawSteps({ random, faultRates, note }: World): number {
  if (!random.is(faultRates.agent.tellsInFlight)) return 1
  note('usage told in flight')
  return random.int(2, 40)
}

/** What was used when a share of the work was done. */
export function partOf(usage: Usage | null, share: number): Usage | null {
  if (usage === null) return null
  const part: Usage = {
    input: Math.floor((usage.input ?? 0) * share),
    output: Math.floor((usage.output ?? 0) * share),
  }
  if (usage.usd !== undefined) part.usd = Math.floor(usage.usd * share * 100) / 100
  return part
}

const NO_SIGNALS: ReplySignals = {
  from: 'none',
  block: null,
  exitSignal: null,
  complete: false,
  testOnly: false,
  noWork: false,
  questions: 0,
  errors: [],
  confidence: 0,
  summary: 'something was done',
  because: {},
}

/** As much as `truncateReply` lets through, for worlds whose agents talk too much: 16 KB, most of it letters of three bytes. */
const FULL_WORDS = 2_000
const FULL_NOTES = Array.from({ length: 8 }, () => '記'.repeat(4_000))
const FULL_DENIALS = Array.from({ length: 5 }, () => ({ tool: 'Bash', command: 'é'.repeat(60) }))
const FULL_SIGNALS: Partial<ReplySignals> = {
  errors: Array.from({ length: 10 }, (_, i) => `${i} ${'誤'.repeat(200)}`),
  summary: '要'.repeat(200),
  because: { complete: 'x'.repeat(200), testOnly: 'x'.repeat(200), errors: 'x'.repeat(200) },
}

/** By what is drawn already: most seeds stay the nights they were. */
function learns({ faultRates }: World, { role, iteration }: EffectOf<'run-agent'>): boolean {
  return role === 'work' && faultRates.agent.twice > 0 && iteration % 3 === 1
}

const LEARNT: ReportedKnowledge[] = [{ title: 'Boxes', tags: ['plan'], body: 'They are ticked one by one.' }]

export function replyOf(
  world: World,
  effect: EffectOf<'run-agent'>,
  deed: AgentTurn,
  end: Pick<Reply, 'end' | 'usage' | 'durationMs'>,
): Reply {
  const worked = end.end === 'success'
  const full = world.faultRates.agent.full > 0
  const reply: Reply = {
    ...end,
    failure: end.end === 'failed' || end.end === 'over-budget' ? deed.failure : null,
    limit: null,
    signals:
      worked || end.end === 'timed-out'
        ? { ...NO_SIGNALS, ...(full ? FULL_SIGNALS : {}), ...deed.signals }
        : NO_SIGNALS,
    told: {
      ...createAgentReportFold().finish([scanTags(deed.lastMessage)]),
      ...(learns(world, effect) ? { knowledge: LEARNT } : {}),
    },
    denials: deed.denials,
    conversationUsage: null,
    conversation: deed.begins ? (effect.resume ?? `talk-${effect.id}`) : null,
    model: null,
    tools: 3,
    textLength: deed.textLength,
    lastMessage: deed.lastMessage,
    remarks: 0,
    log: { path: `logs/${effect.worker}.${effect.iteration}/agent.log`, bytes: 1_000 },
    ...(effect.task === undefined ? hintedFiles(effect) : {}),
  }
  if (!full) return reply
  return truncateReply({
    ...reply,
    told: { ...emptyAgentReport(), ...reply.told, notes: FULL_NOTES },
    lastMessage: ('語'.repeat(FULL_WORDS) + deed.lastMessage).slice(-FULL_WORDS),
    denials: deed.denials.length === 0 ? [] : FULL_DENIALS,
  })
}

/** Some ask for another model, or for one that there is not. By the effect's number: a draw more would make other nights of all seeds. */
function hintedFiles({ id }: EffectOf<'run-agent'>): Partial<Pick<Reply, 'told'>> {
  const nextModel = HINTS[Number(id.slice(1)) % 17]
  if (nextModel === undefined) return {}
  return { told: { ...emptyAgentReport(), nextModel } }
}

const HINTS: Readonly<Record<number, string>> = { 3: 'opus', 8: 'light', 13: 'gpt-9' }
