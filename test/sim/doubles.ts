/** The doubles of the other handlers: look, commit, prove, wait. Ending early is glue, so that one is the real thing. */
import { revertRefNames, snapshotRefName } from '../../src/workspace/repo/snapshot-refs.ts'
import { NO_CHANGE, type Change, type Snapshot } from '../../src/core/tree/change.ts'
import type { EffectOf } from '../../src/core/state/effect.ts'
import { RalphError } from '../../src/core/error.ts'
import type { WorkerId } from '../../src/core/ids.ts'
import type { Evidence } from '../../src/core/proof/evidence.ts'
import { passesExceptQuarantined } from '../../src/core/proof/verdict.ts'
import type { Handler, Handlers } from '../../src/engine/runtime/handler.ts'
import { abortEffectHandler } from '../../src/engine/handlers/abort-effect.ts'
import type { RunningEffects } from '../../src/engine/runtime/running-effects.ts'
import { broken } from './invariant-rules.ts'
import { agentDouble } from './agent-double.ts'
import { FLAKY_TEST } from './fault-rates.ts'
import { GATE_GRACE_MS, GIT_GRACE_MS, virtualDelay } from './virtual-delay.ts'
import { commitAll, commitsOn, headOf, keepRef, switchTo, TARGET, dropFromBranches } from './repository.ts'
import { baseDouble, finalTreeDouble, cleanRoomDouble, sortChangesDouble } from './clean-room-doubles.ts'
import {
  differingPaths,
  edit,
  numberIn,
  planName,
  restore,
  somePaths,
  stateAt,
  stateNow,
  treeName,
  type SimWorkspace,
} from './sim-workspace.ts'
import { countNoise, type World } from './world.ts'

export function createDoubles(world: World, runningEffects: RunningEffects, quarantine: string[]): Handlers {
  return {
    snapshot: surveyDouble(world),
    'run-agent': agentDouble(world),
    'run-gate': gateDouble(world, quarantine),
    commit: commitDouble(world),
    'resolve-base': baseDouble(world),
    'classify-changes': sortChangesDouble(world),
    'run-trial': cleanRoomDouble(world, quarantine),
    'check-final-tree': finalTreeDouble(world),
    revert: revertDouble(world),
    'save-knowledge': saveKnowledgeDouble(world),
    'check-document': collectDocumentDouble(world),
    'check-import': checkImportDouble(world),
    wait: waitDouble(world),
    abort: abortEffectHandler(runningEffects),
  }
}

/** How long git takes: a moment, or minutes where somebody left a huge tree behind. */
function gitTime({ random, faultRates, note }: World, ms: number): number {
  if (!random.is(faultRates.git.slow)) return random.int(1, ms)
  note('git takes minutes')
  return random.int(1, 15) * 60_000
}

export function surveyDouble(world: World): Handler<EffectOf<'snapshot'>> {
  const { random, faultRates } = world
  return {
    async perform(effect, put, { signal }) {
      const answer = { worker: effect.worker, effect: effect.id }
      const takes = gitTime(world, 500)
      await virtualDelay(world, Math.min(takes, effect.withinMs ?? takes), signal)
      if (effect.withinMs !== undefined && takes > effect.withinMs) {
        world.note('the last look is late')
        await virtualDelay(world, random.int(0, GIT_GRACE_MS), signal)
        return put({ type: 'effect-lost', ...answer })
      }
      const space = world.space(effect.worker)
      if (random.is(faultRates.snapshot.fails)) {
        world.note('survey fails')
        throw new RalphError('git-failed', 'git could not read the index', { hint: 'Try again.' })
      }
      if (effect.for === 'after' && random.is(faultRates.git.strays)) disturbHead(world, effect.worker)
      const snapshot = snapshotOf(world, effect)
      const change = effect.since === null ? null : changeSince(space, numberIn(effect.since))
      const nextCheckbox = space.checkboxes !== null && space.checkboxes.open > 0 ? 'the next box' : null
      const deleted = effect.for === 'after' && random.is(faultRates.snapshot.deleted) ? ['.ralph/PROMPT.md'] : []
      if (deleted.length > 0) world.note('control files deleted')
      const event = {
        type: 'snapshot-taken' as const,
        ...answer,
        snapshot,
        change,
        // Who verifies looks at the tree alone.
        ...(effect.for === 'verify'
          ? { checkboxes: null, nextCheckbox: null }
          : { checkboxes: space.checkboxes, nextCheckbox }),
        plan: planName(space),
        deleted,
      }
      put(event)
      if (random.is(faultRates.snapshot.twice)) {
        world.note('survey answers twice')
        world.after('world', random.int(0, 60_000), () => put(event))
      }
    },
    recoverAnswer: async () => ({ is: 'not-begun' }),
  }
}

/** HEAD ends up somewhere, and perhaps in the middle of something. */
export function disturbHead(world: World, worker: WorkerId): void {
  const space = world.space(worker)
  switchTo(world.repository, space, world.random.pick([TARGET, 'side', null]))
  space.open = world.random.pick([null, null, 'merge', 'rebase'])
  world.note('HEAD strays')
}

type Look = Pick<EffectOf<'snapshot'>, 'worker' | 'iteration' | 'for'>

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
  const ref = snapshotRefName({ run: 'sim', worker, iteration: after ? iteration + 1 : iteration })
  world.broken ??= keepRef(world.refs, ref, worker)
  return ref
}

function changeSince(space: SimWorkspace, since: number): Change {
  const files = space.tree - since
  if (files === 0) return NO_CHANGE
  return { ...NO_CHANGE, files, added: files, paths: [{ path: 'src/a.ts', kind: 'changed' }] }
}

export function commitDouble(world: World): Handler<EffectOf<'commit'>> {
  const { random, faultRates } = world
  return {
    async perform(effect, put, { signal }) {
      if (random.is(faultRates.commit.throws)) {
        world.note('commit throws')
        throw new RalphError('git-failed', 'git could not be started')
      }
      const space = world.space(effect.worker)
      // Git reads where HEAD is, and much later moves it from there. Half of the work is done before an answer can be given: a crash may
      // fall between the two.
      const seen = headOf(world.repository, space)
      const takes = gitTime(world, 300)
      await virtualDelay(world, Math.min(takes, effect.withinMs ?? takes), signal)
      if (effect.withinMs !== undefined && takes > effect.withinMs) {
        world.note('the last commit is late')
        await virtualDelay(world, random.int(0, GIT_GRACE_MS), signal)
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
      const refused = random.is(faultRates.commit.problem) ? 'a hook refused it' : null
      if (refused !== null) world.note('commit problem')
      const made = refused === null ? commitAll(world, effect.worker, seen) : { sha: null, files: 0, problem: refused }
      await virtualDelay(world, random.int(0, 300), signal)
      put({ type: 'committed', worker: effect.worker, effect: effect.id, ...made })
    },
    recoverAnswer: async () => ({ is: 'not-begun' }),
  }
}

/** Done twice it is done once. */
export function saveKnowledgeDouble(world: World): Handler<EffectOf<'save-knowledge'>> {
  const { random, faultRates } = world
  return {
    async perform({ worker, id, said }, put, { signal }) {
      await virtualDelay(world, random.int(200, 500), signal)
      if (random.is(faultRates.commit.throws)) {
        world.note('keeping knowledge throws')
        throw new RalphError('bad-file', '.ralph/knowledge is a link')
      }
      const refused = random.is(faultRates.commit.problem) ? said.map(({ title }) => `${title}: refused`) : []
      world.note(refused.length > 0 ? 'knowledge is refused' : 'knowledge is kept')
      const kept = refused.length > 0 ? [] : said.map(({ title }) => title)
      put({ type: 'knowledge-saved', worker, effect: id, kept, refused })
    },
    recoverAnswer: async () => ({ is: 'not-begun' }),
  }
}

const TURNS = ['half', 'none', 'whole', 'none', 'whole', 'half', 'half'] as const

/** So often somebody deletes what the document at hand is made from. */
const DOCUMENT_GONE = 0.1

/** What an agent made of its turn is read from the number of the turn: now nothing, now half a document, now a whole one. */
export function collectDocumentDouble(world: World): Handler<EffectOf<'check-document'>> {
  return {
    async perform({ worker, id, document, iteration, first, from = [] }, put, { signal }) {
      await virtualDelay(world, 200, signal)
      const [earlier] = from
      if (earlier !== undefined && world.random.is(DOCUMENT_GONE)) {
        world.note('a paper is taken away')
        world.documents.delete(earlier)
      }
      const gone = from.find((one) => !world.documents.has(one))
      const left = first === undefined ? (TURNS[iteration % TURNS.length] ?? 'none') : 'none'
      if (left === 'whole') world.documents.add(document)
      const isWhole = world.documents.has(document)
      const there = isWhole || left === 'half'
      const problems = there && !isWhole ? ['it is no JSON'] : []
      world.note(isWhole ? 'a paper is whole' : there ? 'a paper is refused' : 'there is no paper')
      const which = { document, ...(first === undefined ? {} : { first }) }
      const lost = gone === undefined ? {} : { gone }
      put({
        type: 'document-checked',
        worker,
        effect: id,
        ...which,
        there,
        bytes: there ? 400 : 0,
        problems,
        ...lost,
      })
    },
    recoverAnswer: async () => ({ is: 'not-begun' }),
  }
}

/** The second call of an import leaves something out. */
function checkImportDouble(world: World): Handler<EffectOf<'check-import'>> {
  return {
    async perform({ worker, id, folder }, put, { signal }) {
      await virtualDelay(world, 200, signal)
      const problem = folder.endsWith('/2') ? 'it left no requirements.md' : null
      world.note(problem === null ? 'an import is complete' : 'an import is incomplete')
      put({ type: 'import-checked', worker, effect: id, problem })
    },
    recoverAnswer: async () => ({ is: 'not-begun' }),
  }
}

/** Files first, then HEAD: a crash may fall between, and whoever comes back does the rest. */
export function revertDouble(world: World): Handler<EffectOf<'revert'>> {
  const { random, faultRates } = world
  return {
    async perform(effect, put, { signal }) {
      const answer = { type: 'reverted', worker: effect.worker, effect: effect.id } as const
      await virtualDelay(world, gitTime(world, 300), signal)
      if (random.is(faultRates.commit.throws)) {
        world.note('putting back throws')
        throw new RalphError('git-failed', 'git could not be started')
      }
      const space = world.space(effect.worker)
      const { shown, before: was } = revertRefNames('sim', effect)
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
      const files = differingPaths(stateNow(space).files, then.files).length
      world.refs.set(kept, effect.worker)
      restore(space, then)
      await virtualDelay(world, random.int(0, 300), signal)
      // As git moves a branch: from where it was seen, or not at all.
      if (headOf(world.repository, space) !== head) throw new RalphError('git-failed', 'could not move HEAD')
      dropFromBranches(world.repository, space, { gone, to })
      space.committed = space.tree
      world.note('what failed is put back')
      put({
        ...answer,
        is: 'back',
        snapshot: snapshotOf(world, { ...effect, for: 'after' }),
        checkboxes: space.checkboxes,
        nextCheckbox: space.checkboxes !== null && space.checkboxes.open > 0 ? 'the next box' : null,
        plan: planName(space),
        kept,
        files,
        paths: [],
        commits: gone.length,
        left: [],
      })
    },
    recoverAnswer: async () => ({ is: 'not-begun' }),
  }
}

export function gateDouble(world: World, quarantine: string[]): Handler<EffectOf<'run-gate'>> {
  const { random, faultRates } = world
  return {
    async perform(effect, put, { signal }) {
      if (random.is(faultRates.gate.throws)) {
        world.note('gate handler throws')
        if (random.is(0.5)) throw new RalphError('disk', 'the log of the gate could not be written')
        throw new RalphError('not-found', 'the old tests are gone')
      }
      if (world.mustNotStart)
        world.broken ??= broken(5, `${effect.id} was started although the run was to stop before this engine began`)
      world.gates.set(effect.id, effect.worker)
      // A gate that writes may be ended before it could say so.
      if (random.is(faultRates.gate.formats)) formats(world, effect.worker)
      await virtualDelay(world, random.int(1, 120_000), signal, GATE_GRACE_MS).finally(() =>
        world.gates.delete(effect.id),
      )
      const evidence = protectedTree(world, effect, quarantine)
      const event = { type: 'gate-ended', worker: effect.worker, effect: effect.id, evidence } as const
      put(event)
      if (random.is(faultRates.gate.twice)) {
        world.note('gate answers twice')
        world.after('world', random.int(0, 60_000), () => put(event))
      }
    },
    async recoverAnswer(effect) {
      world.gates.delete(effect.id)
      return { is: 'unknown' }
    },
  }
}

function formats(world: World, worker: WorkerId): void {
  const space = world.space(worker)
  edit(space, 'gate', { paths: somePaths(space, world.random) })
}

function protectedTree(world: World, effect: EffectOf<'run-gate'>, quarantine: string[]): Evidence {
  const { random, faultRates } = world
  const space = world.space(effect.worker)
  const is = (fault: string, probability: number): boolean => {
    const happens = random.is(probability)
    if (happens) world.note(`gate ${fault}`)
    return happens
  }
  if (is('formats the tree', faultRates.gate.formats)) formats(world, effect.worker)
  const missing = is('missing', faultRates.gate.missing)
  const timedOut = !missing && is('timed out', faultRates.gate.timedOut)
  const shaken = is('flaky', faultRates.gate.flaky)
  const green = shaken ? random.is(0.5) : stateNow(space).truth.sound
  const evidence = anEvidence(world, effect, {
    exit: missing || timedOut ? null : green ? 0 : 1,
    timedOut,
    missing,
    unstable: is('unsettled', faultRates.gate.unstable),
    failing: green ? [] : shaken ? [FLAKY_TEST] : ['a test'],
    summary: missing && random.is(0.5) ? 'sh: 1: go: not found' : gateWords(world, green),
    ...(effect.purpose === 'baseline' && is('without a test', faultRates.gate.empty) ? { tests: 0 } : {}),
  })
  const counted = passesExceptQuarantined(evidence, quarantine)
  if (shaken || missing || timedOut || evidence.unstable) countNoise(world, effect.worker)
  if (effect.purpose !== 'baseline')
    space.results.set(effect.gate.name, { green: counted, tree: space.tree, mono: world.mono() })
  world.note(`${effect.purpose} gate ${counted ? 'green' : 'red'}`)
  return evidence
}

function gateWords({ faultRates }: World, green: boolean): string {
  if (green) return ''
  return faultRates.agent.full > 0 ? 'ö'.repeat(1_500) : '1 test failed'
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
    unstable: false,
    ...facts,
  }
}

export function waitDouble(world: World): Handler<EffectOf<'wait'>> {
  return {
    async perform(effect, put, { signal }) {
      if (effect.forMs !== null) await virtualDelay(world, effect.forMs, signal, 0)
      else await passedBy(world, effect.until, signal)
      put({ type: 'wait-ended', worker: effect.worker, effect: effect.id })
    },
    recoverAnswer: async () => ({ is: 'not-begun' }),
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
