/** The doubles of the other handlers: look, commit, prove, wait. Ending early is glue, so that one is the real thing. */
import { putBackRefs, snapshotRef } from '../../src/workspace/repo/refs.ts'
import { NO_CHANGE, type Change, type Snapshot } from '../../src/domain/tree/change.ts'
import type { EffectOf } from '../../src/domain/state/effect.ts'
import { RalphError } from '../../src/domain/error.ts'
import type { WorkerId } from '../../src/domain/ids.ts'
import type { Evidence } from '../../src/domain/proof/evidence.ts'
import { counts } from '../../src/domain/proof/verdict.ts'
import type { Handler, Handlers } from '../../src/engine/circle/handler.ts'
import { abortHandler } from '../../src/engine/perform/abort.ts'
import type { Performing } from '../../src/engine/circle/performing.ts'
import { broken } from './broken.ts'
import { agentDouble } from './agent-double.ts'
import { SHAKY } from './manners.ts'
import { GATE_GRACE_MS, GIT_GRACE_MS, passing } from './passing.ts'
import { commitAll, commitsOn, headOf, keepRef, switchTo, TARGET, takeOut } from './repository.ts'
import { baseDouble, lookDouble, roomDouble, sortDouble } from './room-doubles.ts'
import {
  differing,
  edit,
  numberIn,
  planName,
  restore,
  somePaths,
  stateAt,
  stateNow,
  treeName,
  type Space,
} from './trees.ts'
import { makeNoise, type World } from './world.ts'

export function doubles(world: World, performing: Performing, quarantine: string[]): Handlers {
  return {
    survey: surveyDouble(world),
    'run-agent': agentDouble(world),
    'run-gate': gateDouble(world, quarantine),
    commit: commitDouble(world),
    'take-base': baseDouble(world),
    'sort-changes': sortDouble(world),
    'try-room': roomDouble(world, quarantine),
    'look-again': lookDouble(world),
    'put-back': putBackDouble(world),
    'keep-knowledge': keepKnowledgeDouble(world),
    'take-paper': takePaperDouble(world),
    wait: waitDouble(world),
    abort: abortHandler(performing),
  }
}

/** How long git takes: a moment, or minutes where somebody left a huge tree behind. */
function gitTime({ chance, manners, note }: World, ms: number): number {
  if (!chance.is(manners.git.slow)) return chance.int(1, ms)
  note('git takes minutes')
  return chance.int(1, 15) * 60_000
}

export function surveyDouble(world: World): Handler<EffectOf<'survey'>> {
  const { chance, manners } = world
  return {
    async perform(effect, put, { signal }) {
      const answer = { worker: effect.worker, effect: effect.id }
      const takes = gitTime(world, 500)
      await passing(world, Math.min(takes, effect.withinMs ?? takes), signal)
      if (effect.withinMs !== undefined && takes > effect.withinMs) {
        world.note('the last look is late')
        await passing(world, chance.int(0, GIT_GRACE_MS), signal)
        return put({ type: 'effect-lost', ...answer })
      }
      const space = world.space(effect.worker)
      if (chance.is(manners.survey.fails)) {
        world.note('survey fails')
        throw new RalphError('git-failed', 'git could not read the index', { hint: 'Try again.' })
      }
      if (effect.for === 'after' && chance.is(manners.git.strays)) stray(world, effect.worker)
      const snapshot = snapshotOf(world, effect)
      const change = effect.since === null ? null : changeSince(space, numberIn(effect.since))
      const nextBox = space.boxes !== null && space.boxes.open > 0 ? 'the next box' : null
      const deleted = effect.for === 'after' && chance.is(manners.survey.deleted) ? ['.ralph/PROMPT.md'] : []
      if (deleted.length > 0) world.note('control files deleted')
      const event = {
        type: 'surveyed' as const,
        ...answer,
        snapshot,
        change,
        // Who verifies looks at the tree alone.
        ...(effect.for === 'verify' ? { boxes: null, nextBox: null } : { boxes: space.boxes, nextBox }),
        plan: planName(space),
        deleted,
      }
      put(event)
      if (chance.is(manners.survey.twice)) {
        world.note('survey answers twice')
        world.after('world', chance.int(0, 60_000), () => put(event))
      }
    },
    inquire: async () => ({ is: 'not-begun' }),
  }
}

/** HEAD ends up somewhere, and perhaps in the middle of something. */
export function stray(world: World, worker: WorkerId): void {
  const space = world.space(worker)
  switchTo(world.repository, space, world.chance.pick([TARGET, 'side', null]))
  space.open = world.chance.pick([null, null, 'merge', 'rebase'])
  world.note('HEAD strays')
}

type Look = Pick<EffectOf<'survey'>, 'worker' | 'iteration' | 'for'>

function snapshotOf(world: World, effect: Look): Snapshot {
  const { worker } = effect
  const space = world.space(worker)
  const busy = space.busyUntil > world.mono()
  if (busy) world.note('git found busy')
  return {
    tree: treeName(worker, space.tree),
    head: headOf(world.repository, space),
    branch: space.branch,
    ref: refFor(world, effect),
    unstored: [],
    busy: busy || space.open !== null ? 'a rebase is in progress' : null,
    ...(space.open === null ? {} : { open: space.open }),
  }
}

function refFor(world: World, { worker, iteration, for: why }: Look): string {
  const after = why === 'after' || why === 'check'
  const ref = snapshotRef({ run: 'sim', worker, iteration: after ? iteration + 1 : iteration })
  world.broken ??= keepRef(world.refs, ref, worker)
  return ref
}

function changeSince(space: Space, since: number): Change {
  const files = space.tree - since
  if (files === 0) return NO_CHANGE
  return { ...NO_CHANGE, files, added: files, paths: [{ path: 'src/a.ts', kind: 'changed' }] }
}

export function commitDouble(world: World): Handler<EffectOf<'commit'>> {
  const { chance, manners } = world
  return {
    async perform(effect, put, { signal }) {
      if (chance.is(manners.commit.throws)) {
        world.note('commit throws')
        throw new RalphError('git-failed', 'git could not be started')
      }
      const space = world.space(effect.worker)
      // Git reads where HEAD is, and much later moves it from there. Half of the work is done before an answer can be given: a crash may
      // fall between the two.
      const seen = headOf(world.repository, space)
      const takes = gitTime(world, 300)
      await passing(world, Math.min(takes, effect.withinMs ?? takes), signal)
      if (effect.withinMs !== undefined && takes > effect.withinMs) {
        world.note('the last commit is late')
        await passing(world, chance.int(0, GIT_GRACE_MS), signal)
        const problem = 'git took too long'
        return put({
          type: 'committed',
          worker: effect.worker,
          effect: effect.id,
          sha: null,
          files: 0,
          problem,
        })
      }
      const refused = chance.is(manners.commit.problem) ? 'a hook refused it' : null
      if (refused !== null) world.note('commit problem')
      const made =
        refused === null ? commitAll(world, effect.worker, seen) : { sha: null, files: 0, problem: refused }
      await passing(world, chance.int(0, 300), signal)
      put({ type: 'committed', worker: effect.worker, effect: effect.id, ...made })
    },
    inquire: async () => ({ is: 'not-begun' }),
  }
}

/** Done twice it is done once. */
export function keepKnowledgeDouble(world: World): Handler<EffectOf<'keep-knowledge'>> {
  const { chance, manners } = world
  return {
    async perform({ worker, id, said }, put, { signal }) {
      await passing(world, chance.int(200, 500), signal)
      if (chance.is(manners.commit.throws)) {
        world.note('keeping knowledge throws')
        throw new RalphError('bad-file', '.ralph/knowledge is a link')
      }
      const refused = chance.is(manners.commit.problem) ? said.map(({ title }) => `${title}: refused`) : []
      world.note(refused.length > 0 ? 'knowledge is refused' : 'knowledge is kept')
      const kept = refused.length > 0 ? [] : said.map(({ title }) => title)
      put({ type: 'knowledge-kept', worker, effect: id, kept, refused })
    },
    inquire: async () => ({ is: 'not-begun' }),
  }
}

const TURNS = ['half', 'none', 'whole', 'none', 'whole', 'half', 'half'] as const

/** So often somebody deletes what the paper at hand is made from. */
const PAPER_GONE = 0.1

/** What an agent made of its turn is read from the number of the turn: now nothing, now half a paper, now a whole one. */
export function takePaperDouble(world: World): Handler<EffectOf<'take-paper'>> {
  return {
    async perform({ worker, id, paper, iteration, first, from = [] }, put, { signal }) {
      await passing(world, 200, signal)
      const [earlier] = from
      if (earlier !== undefined && world.chance.is(PAPER_GONE)) {
        world.note('a paper is taken away')
        world.papers.delete(earlier)
      }
      const gone = from.find((one) => !world.papers.has(one))
      const left = first === undefined ? (TURNS[iteration % TURNS.length] ?? 'none') : 'none'
      if (left === 'whole') world.papers.add(paper)
      const isWhole = world.papers.has(paper)
      const there = isWhole || left === 'half'
      const problems = there && !isWhole ? ['it is no JSON'] : []
      world.note(isWhole ? 'a paper is whole' : there ? 'a paper is refused' : 'there is no paper')
      const which = { paper, ...(first === undefined ? {} : { first }) }
      const lost = gone === undefined ? {} : { gone }
      put({
        type: 'paper-taken',
        worker,
        effect: id,
        ...which,
        there,
        bytes: there ? 400 : 0,
        problems,
        ...lost,
      })
    },
    inquire: async () => ({ is: 'not-begun' }),
  }
}

/** Files first, then HEAD: a crash may fall between, and whoever comes back does the rest. */
export function putBackDouble(world: World): Handler<EffectOf<'put-back'>> {
  const { chance, manners } = world
  return {
    async perform(effect, put, { signal }) {
      const answer = { type: 'put-back', worker: effect.worker, effect: effect.id } as const
      await passing(world, gitTime(world, 300), signal)
      if (chance.is(manners.commit.throws)) {
        world.note('putting back throws')
        throw new RalphError('git-failed', 'git could not be started')
      }
      const space = world.space(effect.worker)
      const { shown, before: was } = putBackRefs('sim', effect)
      const kept = shown ?? was
      const begun = world.refs.has(kept)
      if (begun && stateNow(space).by === 'person')
        throw new RalphError('inseparable', 'it was cut off halfway, and files changed since')
      const changed = effect.since !== null && effect.since.tree !== treeName(effect.worker, space.tree)
      const to = effect.before.head ?? ''
      const head = headOf(world.repository, space)
      const gone = commitsOn(world.repository, head, { since: to, by: effect.worker })
      if (
        (changed && !begun) ||
        gone === null ||
        space.branch !== effect.before.branch ||
        space.open !== null ||
        space.busyUntil > world.mono()
      ) {
        world.note('what failed stays')
        return put({ ...answer, is: 'stays', why: 'somebody else is at it' })
      }
      const then = stateAt(space, numberIn(effect.before.tree))
      const files = differing(stateNow(space).files, then.files).length
      world.refs.set(kept, effect.worker)
      restore(space, then)
      await passing(world, chance.int(0, 300), signal)
      // As git moves a branch: from where it was seen, or not at all.
      if (headOf(world.repository, space) !== head) throw new RalphError('git-failed', 'could not move HEAD')
      takeOut(world.repository, space, { gone, to })
      space.committed = space.tree
      world.note('what failed is put back')
      put({
        ...answer,
        is: 'back',
        snapshot: snapshotOf(world, { ...effect, for: 'after' }),
        boxes: space.boxes,
        nextBox: space.boxes !== null && space.boxes.open > 0 ? 'the next box' : null,
        plan: planName(space),
        kept,
        files,
        paths: [],
        commits: gone.length,
        left: [],
      })
    },
    inquire: async () => ({ is: 'not-begun' }),
  }
}

export function gateDouble(world: World, quarantine: string[]): Handler<EffectOf<'run-gate'>> {
  const { chance, manners } = world
  return {
    async perform(effect, put, { signal }) {
      if (chance.is(manners.gate.throws)) {
        world.note('gate handler throws')
        if (chance.is(0.5)) throw new RalphError('disk', 'the log of the gate could not be written')
        throw new RalphError('not-found', 'the old tests are gone')
      }
      if (world.mustNotStart)
        world.broken ??= broken(
          5,
          `${effect.id} was started although the run was to stop before this engine began`,
        )
      world.gates.set(effect.id, effect.worker)
      // A gate that writes may be ended before it could say so.
      if (chance.is(manners.gate.formats)) formats(world, effect.worker)
      await passing(world, chance.int(1, 120_000), signal, GATE_GRACE_MS).finally(() =>
        world.gates.delete(effect.id),
      )
      const evidence = judgeTree(world, effect, quarantine)
      const event = { type: 'gate-ended', worker: effect.worker, effect: effect.id, evidence } as const
      put(event)
      if (chance.is(manners.gate.twice)) {
        world.note('gate answers twice')
        world.after('world', chance.int(0, 60_000), () => put(event))
      }
    },
    async inquire(effect) {
      world.gates.delete(effect.id)
      return { is: 'unknown' }
    },
  }
}

function formats(world: World, worker: WorkerId): void {
  const space = world.space(worker)
  edit(space, 'gate', { paths: somePaths(space, world.chance) })
}

function judgeTree(world: World, effect: EffectOf<'run-gate'>, quarantine: string[]): Evidence {
  const { chance, manners } = world
  const space = world.space(effect.worker)
  const is = (fault: string, probability: number): boolean => {
    const happens = chance.is(probability)
    if (happens) world.note(`gate ${fault}`)
    return happens
  }
  if (is('formats the tree', manners.gate.formats)) formats(world, effect.worker)
  const missing = is('missing', manners.gate.missing)
  const timedOut = !missing && is('timed out', manners.gate.timedOut)
  const shaken = is('flaky', manners.gate.flaky)
  const green = shaken ? chance.is(0.5) : stateNow(space).truth.sound
  const evidence = anEvidence(world, effect, {
    exit: missing || timedOut ? null : green ? 0 : 1,
    timedOut,
    missing,
    unsettled: is('unsettled', manners.gate.unsettled),
    failing: green ? [] : shaken ? [SHAKY] : ['a test'],
    summary: missing && chance.is(0.5) ? 'sh: 1: go: not found' : gateWords(world, green),
    ...(effect.purpose === 'baseline' && is('without a test', manners.gate.empty) ? { tests: 0 } : {}),
  })
  const counted = counts(evidence, quarantine)
  if (shaken || missing || timedOut || evidence.unsettled) makeNoise(world, effect.worker)
  if (effect.purpose !== 'baseline')
    space.results.set(effect.gate.name, { green: counted, tree: space.tree, mono: world.mono() })
  world.note(`${effect.purpose} gate ${counted ? 'green' : 'red'}`)
  return evidence
}

function gateWords({ manners }: World, green: boolean): string {
  if (green) return ''
  return manners.agent.full > 0 ? 'ö'.repeat(1_500) : '1 test failed'
}

function anEvidence(world: World, effect: EffectOf<'run-gate'>, facts: Partial<Evidence>): Evidence {
  return {
    gate: effect.gate.name,
    purpose: effect.purpose,
    failing: [],
    tests: null,
    command: effect.gate.run,
    tree: treeName(effect.worker, world.space(effect.worker).tree),
    guarded: '',
    exit: null,
    signal: null,
    timedOut: false,
    missing: false,
    durationMs: 1_000,
    at: world.at(),
    log: `gate-${effect.gate.name}.log`,
    summary: '',
    unsettled: false,
    ...facts,
  }
}

export function waitDouble(world: World): Handler<EffectOf<'wait'>> {
  return {
    async perform(effect, put, { signal }) {
      if (effect.forMs !== null) await passing(world, effect.forMs, signal, 0)
      else await passedBy(world, effect.until, signal)
      put({ type: 'wait-over', worker: effect.worker, effect: effect.id })
    },
    inquire: async () => ({ is: 'not-begun' }),
  }
}

/** Waits for an instant on a clock that may jump either way. */
function passedBy(world: World, until: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    let timer = { cancel: (): void => {} }
    const over = (settle: () => void): void => {
      timer.cancel()
      world.onJump.delete(look)
      signal.removeEventListener('abort', cut)
      settle()
    }
    const cut = (): void => over(() => reject(signal.reason as Error))
    const look = (): void => {
      timer.cancel()
      const left = until - world.at()
      if (left > 0) timer = world.after('engine', left, look)
      else over(resolve)
    }
    world.onJump.add(look)
    signal.addEventListener('abort', cut)
    look()
  })
}
