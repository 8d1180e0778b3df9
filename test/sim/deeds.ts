/** What an agent of the fake world does in one iteration, and the reply it amounts to. */
import type { FailureKind, Usage } from '../../src/domain/calls/agent.ts'
import type { Denial, Reply, ReplyFailure, Signals } from '../../src/domain/reply/reply.ts'
import { tagsOf } from '../../src/domain/reply/tags/tag-scan.ts'
import { toldFold } from '../../src/domain/reply/tags/told-fold.ts'
import { nothingTold, type KnowledgeSaid } from '../../src/domain/reply/told.ts'
import { fitReply } from '../../src/domain/reply/within-size.ts'
import type { EffectOf } from '../../src/domain/state/effect.ts'
import type { DeedKind } from './manners.ts'
import {
  HONEST,
  edit,
  isDocument,
  isJudge,
  somePaths,
  stateNow,
  tick,
  type Space,
  type Truth,
} from './trees.ts'
import type { World } from './world.ts'

export interface Deed {
  kind: DeedKind
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
  act(space: Space): void
  signals: Partial<Signals>
  failure: ReplyFailure | null
  textLength: number
  lastWords: string
}

export function drawDeed(world: World, effect: EffectOf<'run-agent'>): Deed {
  const { chance, manners } = world
  if (effect.role === 'opinion') return drawOpinion(world)
  const kind = inSpell(world) ? 'outage' : chance.weighted(manners.deeds)
  world.note(`agent ${kind}`)
  const deed: Deed = {
    kind,
    durationMs: chance.int(1, 900) * 1_000,
    silent: false,
    final: true,
    begins: true,
    denials: [],
    usage: drawUsage(world),
    steps: drawSteps(world),
    act: () => {},
    signals: {},
    failure: null,
    textLength: chance.int(0, 4_000),
    lastWords: 'done for now',
  }
  const done = { ...deed, ...special(world, kind, effect) }
  return effect.task === undefined ? done : { ...done, lastWords: aboutTask(world, kind, effect.task.id) }
}

/** What it says became of its task; mostly what it did, now and then something else. */
function aboutTask({ chance }: World, kind: DeedKind, task: string): string {
  if (chance.is(0.05)) return '<task-done>another</task-done>'
  if (chance.is(0.05)) return `<task-failed>${task}</task-failed>`
  const claims = kind === 'finish' || kind === 'lie' || (kind === 'work' && chance.is(0.5))
  return claims ? `Done. <task-done>${task}</task-done>` : 'Not yet.'
}

/** For minutes or hours every call fails alike, whoever makes it. */
function inSpell(world: World): boolean {
  const { chance, manners } = world
  if (world.mono() < world.spellEnds) return true
  if (!chance.is(manners.spells)) return false
  world.spellEnds = world.mono() + chance.int(1, 180) * 60_000
  world.note('a spell of outage')
  return true
}

/** The reviewer reads and says yes or no; or hangs, fails, mumbles, or writes although it must not. */
function drawOpinion(world: World): Deed {
  const { chance, manners } = world
  const { vetoes, mumbles, writes } = manners.opinion
  const says = chance.is(vetoes) ? 'no' : chance.is(mumbles) ? 'nothing' : 'yes'
  const fails = chance.is(0.1)
  const hangs = chance.is(0.05)
  const wrote = chance.is(writes)
  world.note(`opinion ${wrote ? 'writes' : hangs ? 'hangs' : fails ? 'fails' : `says ${says}`}`)
  return {
    kind: 'work',
    durationMs: hangs ? null : chance.int(1, 300) * 1_000,
    silent: hangs,
    final: true,
    begins: true,
    denials: [],
    usage: drawUsage(world),
    steps: drawSteps(world),
    act: wrote ? (space) => edit(space, 'reviewer', { paths: somePaths(space, chance) }) : () => {},
    signals: {},
    failure: fails ? { kind: 'server', message: 'it said server' } : null,
    textLength: 100,
    lastWords: OPINIONS[says],
  }
}

const OPINIONS = {
  yes: 'All good. <verify-pass/>',
  no: '<verify-fail>nothing was done</verify-fail>',
  nothing: 'Hm.',
}

function special(world: World, kind: DeedKind, effect: EffectOf<'run-agent'>): Partial<Deed> {
  const { chance } = world
  switch (kind) {
    case 'work':
      return { act: works(world), signals: chance.is(0.5) ? claim(false) : {} }
    case 'finish':
      return { act: finishes(world), signals: chance.is(0.8) ? claim(true) : {} }
    case 'lie':
      return { act: chance.is(0.5) ? breaks(world) : () => {}, signals: claim(true) }
    case 'say-complete':
      return { act: works(world), signals: { from: 'words', complete: true, confidence: 60 } }
    case 'only-test':
      return { signals: { from: 'block', testOnly: true } }
    case 'idle':
      return { textLength: chance.int(0, 30) }
    case 'ask':
      return { signals: { questions: chance.int(1, 3) } }
    case 'same-error':
      return { act: works(world), signals: { errors: ['Error: cannot find module x'] } }
    case 'untick':
      return { act: (space) => tick(space, 'agent', -1, planOf(world)) }
    case 'change-judge':
      return { act: changesJudge(world), signals: chance.is(0.8) ? claim(true) : {} }
    case 'document':
      return { act: writesDocument(world), signals: claim(true) }
    case 'sham':
    case 'lean-outside':
    case 'drop-boxes':
    case 'hide-tests':
    case 'blur':
      return { act: finishes(world, SECRETS[kind](world)), signals: chance.is(0.8) ? claim(true) : {} }
    case 'denied':
      return {
        act: works(world),
        denials: [{ tool: 'Bash', command: chance.pick(['rm -rf x', 'git add . && git push']) }],
      }
    case 'hang':
      return { durationMs: null, silent: true, act: chance.is(0.3) ? works(world) : () => {} }
    case 'chatter':
      return { durationMs: null, act: chance.is(0.5) ? works(world) : () => {} }
    case 'limited':
      return limited(world)
    case 'outage':
      return {
        ...failing(chance.pick(['network', 'server'] as const)),
        act: chance.is(0.2) ? works(world) : () => {},
      }
    case 'fails':
      return failing(chance.pick(['bad-request', 'crash', 'unknown'] as const))
    case 'unusable':
      return chance.is(0.7)
        ? failing(chance.pick(['authentication', 'balance', 'model', 'permission'] as const))
        : { ...failing('missing'), begins: false, final: false, usage: null, durationMs: 5 }
    case 'bad-conversation':
      // Without a conversation to resume nobody can complain about it.
      return effect.resume === null ? { act: works(world) } : failing('bad-conversation')
    case 'overflow':
      return { ...failing('context-overflow'), act: works(world) }
    case 'killed':
      return { ...failing('killed'), final: false, usage: chance.is(0.5) ? null : drawUsage(world) }
    default:
      return kind satisfies never
  }
}

function claim(exitSignal: boolean): Partial<Signals> {
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
  (world: World) => Partial<Truth>
> = {
  sham: ({ chance }) => ({
    looks: chance.pick(['old', 'own', 'nobody'] as const),
    sees: chance.pick(['own', 'nobody'] as const),
    wrongable: chance.is(0.8),
  }),
  'lean-outside': ({ chance }) => ({ room: chance.pick(['ignored', 'red'] as const) }),
  'drop-boxes': ({ chance }) => ({
    lostBoxes: Array.from(
      { length: chance.int(1, 12) },
      (_, n) => `box ${n} ${'ö'.repeat(chance.int(0, 90))}`,
    ),
  }),
  'hide-tests': ({ chance }) => ({ hides: chance.pick([1, 1, 99]) }),
  blur: ({ chance }) => ({ unclear: chance.int(1, 4) }),
}

function planOf({ manners }: World): { tracked: boolean } {
  return { tracked: !manners.planIgnored }
}

function works(world: World): (space: Space) => void {
  const { chance } = world
  const edits = chance.int(0, 3)
  const ticks = chance.int(0, 2)
  const sound = chance.is(0.6)
  return (space) => {
    for (let n = 0; n < edits; n++)
      edit(space, 'agent', { paths: somePaths(space, chance), truth: { sound } })
    tick(space, 'agent', ticks, planOf(world))
  }
}

/** All boxes are ticked and the gates are green; `secret` is what the gates do not tell at once. */
function finishes(world: World, secret: Partial<Truth> = {}): (space: Space) => void {
  return (space) => {
    edit(space, 'agent', {
      paths: [...somePaths(space, world.chance).filter((path) => !isJudge(path)), 'src/a.ts'],
      truth: { ...HONEST, ...secret },
    })
    tick(space, 'agent', space.boxes?.open ?? 0, planOf(world))
  }
}

/** Some of the changes of the judge are needed, none of them, or all; now and then there are thousands. */
function changesJudge(world: World): (space: Space) => void {
  const { chance, manners, note } = world
  const crowd = chance.is(manners.room.crowds)
  if (crowd) note('thousands of changes of the judge')
  return (space) => {
    const tests = [...stateNow(space).files.keys()].filter(isJudge)
    const added = crowd
      ? LONG_NAMES
      : Array.from({ length: chance.int(0, 8) }, (_, n) => `test/${space.tree}-${n}.test.ts`)
    const paths = [...tests.filter(() => chance.is(0.5)), ...added]
    const changed = new Set(paths)
    const gone = tests.filter((path) => !changed.has(path) && chance.is(0.1))
    const share = chance.pick([0, 0.1, 0.5, 1])
    const few = chance.int(1, 3)
    const needs = crowd
      ? paths.filter(() => chance.is(few / paths.length))
      : paths.filter(() => chance.is(share))
    edit(space, 'agent', { paths: ['src/a.ts', ...paths], gone, truth: { ...HONEST, needs: new Set(needs) } })
    tick(space, 'agent', space.boxes?.open ?? 0, planOf(world))
  }
}

/** As long as a path may be on most systems. */
const LONG_NAMES = Array.from(
  { length: 5_000 },
  (_, n) => `test/${'sub/'.repeat(60)}${'n'.repeat(200)}-${n}.test.ts`,
)

function writesDocument(world: World): (space: Space) => void {
  return (space) => {
    const documents = [...stateNow(space).files.keys()].filter(isDocument)
    edit(space, 'agent', { paths: documents, truth: { sound: true } })
    tick(space, 'agent', space.boxes?.open ?? 0, planOf(world))
  }
}

function breaks(world: World): (space: Space) => void {
  return (space) => edit(space, 'agent', { paths: somePaths(space, world.chance), truth: { sound: false } })
}

function limited({ chance, at, note }: World): Partial<Deed> {
  const kind = chance.pick(['usage-limit', 'rate-limit'] as const)
  const reset = chance.pick(['none', 'future', 'past'] as const)
  note(`limit ${kind}, reset ${reset}`)
  const resetsAt =
    reset === 'none'
      ? {}
      : { resetsAt: at() + (reset === 'past' ? -1 : 1) * chance.int(1, 5 * 3_600) * 1_000 }
  return {
    durationMs: chance.int(1, 60) * 1_000,
    failure: { kind, message: `${kind} reached`, ...resetsAt },
  }
}

function failing(kind: FailureKind): Partial<Deed> {
  return { failure: { kind, message: `it said ${kind}` }, durationMs: 3_000 }
}

function drawUsage({ chance, manners, note }: World): Usage | null {
  if (chance.is(manners.agent.unknownCost)) {
    note('unknown cost')
    return chance.is(0.5) ? null : { input: chance.int(0, 20_000), output: chance.int(0, 5_000) }
  }
  const huge = chance.is(manners.agent.hugeCost)
  if (huge) note('huge cost')
  const scale = huge ? 40 : 1
  return {
    input: chance.int(0, 20_000) * scale,
    output: chance.int(0, 5_000) * scale,
    cacheRead: chance.int(0, 100_000),
    // Cents, so that sums stay exact enough to compare.
    usd: (chance.int(0, 200) * scale) / 100,
  }
}

function drawSteps({ chance, manners, note }: World): number {
  if (!chance.is(manners.agent.tellsInFlight)) return 1
  note('usage told in flight')
  return chance.int(2, 40)
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

const NO_SIGNALS: Signals = {
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

/** As much as `fitReply` lets through, for worlds whose agents talk too much: 16 KB, most of it letters of three bytes. */
const FULL_WORDS = 2_000
const FULL_NOTES = Array.from({ length: 8 }, () => '記'.repeat(4_000))
const FULL_DENIALS = Array.from({ length: 5 }, () => ({ tool: 'Bash', command: 'é'.repeat(60) }))
const FULL_SIGNALS: Partial<Signals> = {
  errors: Array.from({ length: 10 }, (_, i) => `${i} ${'誤'.repeat(200)}`),
  summary: '要'.repeat(200),
  because: { complete: 'x'.repeat(200), testOnly: 'x'.repeat(200), errors: 'x'.repeat(200) },
}

/** By what is drawn already: most seeds stay the nights they were. */
function learns({ manners }: World, { role, iteration }: EffectOf<'run-agent'>): boolean {
  return role === 'work' && manners.agent.twice > 0 && iteration % 3 === 1
}

const LEARNT: KnowledgeSaid[] = [{ title: 'Boxes', tags: ['plan'], body: 'They are ticked one by one.' }]

export function replyOf(
  world: World,
  effect: EffectOf<'run-agent'>,
  deed: Deed,
  end: Pick<Reply, 'end' | 'usage' | 'durationMs'>,
): Reply {
  const worked = end.end === 'success'
  const full = world.manners.agent.full > 0
  const reply: Reply = {
    ...end,
    failure: end.end === 'failed' || end.end === 'over-budget' ? deed.failure : null,
    limit: null,
    signals:
      worked || end.end === 'timed-out'
        ? { ...NO_SIGNALS, ...(full ? FULL_SIGNALS : {}), ...deed.signals }
        : NO_SIGNALS,
    told: {
      ...toldFold().finish([tagsOf(deed.lastWords)]),
      ...(learns(world, effect) ? { knowledge: LEARNT } : {}),
    },
    denials: deed.denials,
    conversationUsage: null,
    conversation: deed.begins ? (effect.resume ?? `talk-${effect.id}`) : null,
    model: null,
    tools: 3,
    textLength: deed.textLength,
    lastWords: deed.lastWords,
    remarks: 0,
    log: { path: `logs/${effect.worker}.${effect.iteration}/agent.log`, bytes: 1_000 },
    ...(effect.task === undefined ? hinted(effect) : {}),
  }
  if (!full) return reply
  return fitReply({
    ...reply,
    told: { ...nothingTold(), ...reply.told, notes: FULL_NOTES },
    lastWords: ('語'.repeat(FULL_WORDS) + deed.lastWords).slice(-FULL_WORDS),
    denials: deed.denials.length === 0 ? [] : FULL_DENIALS,
  })
}

/** Some ask for another model, or for one that there is not. By the effect's number: a draw more would make other nights of all seeds. */
function hinted({ id }: EffectOf<'run-agent'>): Partial<Pick<Reply, 'told'>> {
  const nextModel = HINTS[Number(id.slice(1)) % 17]
  if (nextModel === undefined) return {}
  return { told: { ...nothingTold(), nextModel } }
}

const HINTS: Readonly<Record<number, string>> = { 3: 'opus', 8: 'light', 13: 'gpt-9' }
