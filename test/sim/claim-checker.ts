/**
 * What must hold of claims and of what they are judged against. The world knows what each claim really is and who made each edit; the
 * proof has to come to the same verdict by trial alone, and the base may move only by what a person did.
 */
import type { Effect, EffectOf } from '../../src/core/state/effect.ts'
import type { Event, EventOf } from '../../src/core/state/event.ts'
import type { RunState, WorkerPhase, Worker } from '../../src/core/state/state.ts'
import type { WorkerId } from '../../src/core/ids.ts'
import type { AcceptanceRequest } from '../../src/core/proof/acceptance.ts'
import { rangeMembers } from '../../src/core/proof/needed-changes-search.ts'
import {
  failedGateIn,
  testCountOf,
  type ClassifiedChangesSummary,
  type TrialResult,
} from '../../src/core/proof/trial.ts'
import type { Row } from '../../src/core/state/row.ts'
import { fail } from './invariant-rules.ts'
import { caseOf, archivedState } from './clean-room-doubles.ts'
import {
  differingPaths,
  numberIn,
  sameFiles,
  stateAt,
  withPaths,
  type Author,
  type Files,
  type SimWorkspace,
} from './sim-workspace.ts'
import { expectedVerdict, neededProtectedFiles, type ClaimCase, type ExpectedVerdict } from './expected-verdict.ts'
import type { World } from './world.ts'

export interface ClaimChecker {
  /** `before`: the state before this row; `ignored`: the row only says that it came too late. */
  take(row: Row, before: RunState | null, after: RunState, ignored: boolean): void
}

/** One claim on the proof, as the record tells it. */
interface ProofRunning {
  asked: EffectOf<'classify-changes'>
  /** Noise of its worker when it began to climb. */
  noise: number
  classification: ClassifiedChangesSummary | null
  trials: { effect: EffectOf<'run-trial'>; trial: TrialResult }[]
  /** What the last look found changed; null: it has not been taken. */
  looked: string[] | null
}

interface Known {
  proofRunning: ProofRunning | null
  /** What the base must consist of; null: not found yet. */
  base: { files: Files; plan: string | null } | null
  /** An agent was asked since the last look after one. */
  unmeasured: boolean
  /** A gate was cut off since the last one that ended. */
  cutOff: boolean
  hasOrphans: boolean
  /** Noise and tree when the base was found: what the clean room shows then is compared with the truth. */
  fitting: { noise: number; tree: number } | null
  /** The clean room was made ready, before an agent could reach what is shared to it. */
  ready: boolean
}

type Asked = ReadonlyMap<string, unknown>

export function openClaimChecker(world: World, asked: Asked): ClaimChecker {
  const known = new Map<WorkerId, Known>()
  const of = (worker: WorkerId): Known => {
    const found = known.get(worker) ?? {
      proofRunning: null,
      base: null,
      unmeasured: false,
      cutOff: false,
      hasOrphans: false,
      fitting: null,
      ready: false,
    }
    known.set(worker, found)
    return found
  }
  const noiseOf = (worker: WorkerId): number => world.noise.get(worker) ?? 0

  return {
    take(row, before, after, ignored) {
      const { event } = row
      askedAgain(row, after, ignored)
      for (const effect of row.effects) {
        if (effect.type === 'run-agent') betweenClaims(effect, before)
        if (effect.type === 'run-agent') of(effect.worker).unmeasured = true
        if (effect.type === 'classify-changes') beginClaim(effect, before)
      }
      if (!('worker' in event) || ignored) return
      const [was, is] = [before?.workers[event.worker], after.workers[event.worker]]
      if (was === undefined || is === undefined) return
      // A gate that was cut off with its task may have changed something, and nobody looked.
      const isCut = event.type === 'effect-lost' || event.type === 'effect-failed'
      if (isCut && isPutDown(is)) of(event.worker).cutOff ||= !is.measured
      if (event.type === 'reverted' && event.is === 'back')
        of(event.worker).unmeasured = of(event.worker).cutOff = false
      if (event.type === 'gate-ended') of(event.worker).cutOff = false
      if (event.type === 'base-resolved') baseResolved(event, is)
      if (event.type === 'snapshot-taken') looked(event, row, { was, is }, before)
      if ('orphans' in event && event.orphans !== undefined) of(event.worker).hasOrphans = true
      if (event.type === 'changes-classified' || event.type === 'trial-ended' || event.type === 'final-tree-checked')
        stepResults(event, row, was, after)
      if (was.phase.is === 'checking-clean-room' && event.type === 'trial-ended') of(event.worker).ready = true
      if (was.phase.is === 'checking-clean-room' && is.phase.is !== 'checking-clean-room') fitted(event, was, is, after)
      if (after.run.tasks === null && is.phase.is === 'finished' && was.phase.is !== 'finished') finished(is)
      if (is.phase.is === 'finishing-task' && row.effects.some(isProvenTask)) becameBase(is)
      baseAsExpected(is)
    },
  }

  /** Nobody is paid between a claim and its verdict, but for a review once all else holds. */
  function betweenClaims(effect: EffectOf<'run-agent'>, before: RunState | null): void {
    const phase = before?.workers[effect.worker]?.phase
    if (phase?.is === 'proving' && effect.role === 'work')
      fail(15, `agent ${effect.id} was asked between a claim and its verdict`)
    const judges = before?.run.rules.proof.level === 'full' && before.run.rules.gates.length > 0
    if (judges && !of(effect.worker).ready) fail(9, `agent ${effect.id} was asked before the room was made ready`)
  }

  function beginClaim(effect: EffectOf<'classify-changes'>, before: RunState | null): void {
    if (isProofRunning(before?.workers[effect.worker]?.phase)) return
    const { worker } = effect
    of(worker).proofRunning = {
      asked: effect,
      noise: noiseOf(worker),
      classification: null,
      trials: [],
      looked: null,
    }
  }

  /** After a crash the very same is asked again: the same proof step, the same files in the clean room. */
  function askedAgain(row: Row, after: RunState, ignored: boolean): void {
    const { event } = row
    if (event.type !== 'effect-lost' || ignored || after.run.is === 'stopping' || after.run.is === 'ended') return
    const lost = asked.get(event.effect) as { type: string; id: string } | undefined
    if (lost === undefined || !PROOF_TOOLS.has(lost.type)) return
    if (after.workers[event.worker]?.told?.is === 'stop') return
    // A task that is put down is judged no further.
    const is = after.workers[event.worker]
    if (is !== undefined && isPutDown(is)) return
    const [again] = row.effects
    if (again === undefined || JSON.stringify({ ...again, id: lost.id }) !== JSON.stringify(sorted(again, lost)))
      fail(15, `${lost.type} ${lost.id} was lost, and ${again?.type ?? 'nothing'} is asked instead`)
  }

  function baseResolved(event: EventOf<'base-resolved'>, worker: Worker): void {
    const effect = asked.get(event.effect) as EffectOf<'resolve-base'>
    const space = world.space(event.worker)
    const mine = of(event.worker)
    const now = numberIn(effect.now.tree)
    if (effect.base === null) {
      const kept = effect.verify === undefined ? null : space.earlier
      mine.base =
        kept === null
          ? { files: firstBase(space, now), plan: effect.now.plan }
          : { files: stateAt(space, kept.tree).files, plan: null }
      mine.fitting = { noise: noiseOf(event.worker), tree: now }
      return
    }
    if (effect.since === null) return
    if (mine.base === null) return fail(16, 'a base was moved before it was found')
    const since = numberIn(effect.since.tree)
    const files = withPaths(mine.base.files, stateAt(space, now).files, byPerson(space, since, now))
    const plan = byPersonPlan(space, effect.since.plan, effect.now.plan) ? effect.now.plan : mine.base.plan
    mine.base = { files, plan }
    if (mine.hasOrphans || mine.unmeasured)
      fail(16, `the base of worker ${worker.id} was moved although an agent may have worked`)
  }

  function firstBase(space: SimWorkspace, now: number): Files {
    const { earlier } = space
    if (earlier === null) return stateAt(space, now).files
    const base = stateAt(space, earlier.tree).files
    if (earlier.seen === null) return base
    return withPaths(base, stateAt(space, now).files, byPerson(space, earlier.seen, now))
  }

  /** Paths that were edited between two looks; all by people, or the base must not move. */
  function byPerson(space: SimWorkspace, since: number, now: number): string[] {
    const paths: string[] = []
    for (let tree = since + 1; tree <= now; tree++) {
      const { by, files } = stateAt(space, tree)
      onlyPeople(space, by)
      paths.push(...differingPaths(stateAt(space, tree - 1).files, files))
    }
    return paths
  }

  function byPersonPlan(space: SimWorkspace, since: string | null, now: string | null): boolean {
    if (since === null || now === null || since === now) return false
    for (const by of space.plans.slice(numberIn(since), numberIn(now))) onlyPeople(space, by)
    return true
  }

  function onlyPeople(space: SimWorkspace, by: Author): void {
    if (by !== 'person') fail(16, `the base of worker ${space.worker} was moved by what ${WHO[by]} did`)
  }

  /** What a person touched while nobody worked moves the base; what an agent may have touched never does. */
  function looked(
    event: EventOf<'snapshot-taken'>,
    row: Row,
    { was, is }: { was: Worker; is: Worker },
    before: RunState | null,
  ): void {
    const effect = asked.get(event.effect) as EffectOf<'snapshot'>
    const mine = of(event.worker)
    const asks = row.effects.some((one) => one.type === 'resolve-base' && one.since !== null)
    if (effect.for === 'after' || effect.for === 'check') mine.unmeasured = mine.cutOff = false
    if (effect.for !== 'before' || was.base === null || was.seen === null) return
    const moved = was.seen.tree !== event.snapshot.tree || was.seen.plan !== (event.plan ?? null)
    // While git is busy with somebody's work, the look does not count.
    const free = is.seen?.tree === event.snapshot.tree && is.seen.fresh
    const may = !mine.unmeasured && !mine.cutOff && !mine.hasOrphans
    if (asks && !may) fail(16, 'the base is to be moved although an agent may have worked since the last look')
    if (!asks && moved && may && free && before?.run.is === 'going' && was.told === null)
      fail(16, 'a person changed something and the base stays as it was')
  }

  function stepResults(
    event: EventOf<'changes-classified' | 'trial-ended' | 'final-tree-checked'>,
    row: Row,
    was: Worker,
    after: RunState,
  ): void {
    const { proofRunning } = of(event.worker)
    if (proofRunning === null || !isProofRunning(was.phase)) return
    if (event.type === 'changes-classified') proofRunning.classification = event.classification
    if (event.type === 'final-tree-checked') proofRunning.looked = event.changed
    if (event.type === 'trial-ended') {
      const effect = asked.get(event.effect) as EffectOf<'run-trial'>
      proofRunning.trials.push({ effect, trial: event.trial })
      bounded(proofRunning, after)
    }
    const is = after.workers[event.worker]
    if (is === undefined || isProofRunning(is.phase) || after.run.is === 'stopping') return
    const verdict = verdictIn(row, is)
    of(event.worker).proofRunning = null
    if (verdict === null) return
    world.note(`verdict ${verdict.is}`)
    judged(proofRunning, verdict, is, noiseOf(event.worker) > proofRunning.noise)
  }

  /** Each proof step costs what was promised and no more. */
  function bounded({ trials }: ProofRunning, { run }: RunState): void {
    const made = (purpose: string): number => trials.filter(({ effect }) => effect.purpose === purpose).length
    const { trials: most, reruns } = run.rules.proof
    const limits = {
      room: 1 + reruns,
      ignored: 1,
      'original-tests': 1 + reruns,
      needed: most,
      'source-loaded': 3,
      mutation: 2,
      expects: 2,
    }
    for (const [purpose, limit] of Object.entries(limits)) {
      if (made(purpose) > limit) fail(15, `${made(purpose)} trials for ${purpose}, at most ${limit} were allowed`)
    }
  }

  function judged(proofRunning: ProofRunning, verdict: Verdict, worker: Worker, noisy: boolean): void {
    const { asked: claim, trials, classification, looked: changed } = proofRunning
    // Where the memory of the tree is lost, nobody can sort what changed.
    if (classification === null && verdict.is === 'room-failed') return
    if (classification === null) return fail(15, 'a claim was judged before its changes were sorted')
    const last = trials.at(-1)
    if (last?.trial.is === 'room-failed') {
      // A verification asks nobody to try again: its state stays unproven.
      const expected = worker.job.is === 'verify' ? 'unproven' : 'room-failed'
      if (verdict.is !== expected) fail(15, `the room failed, and the claim is ${verdict.is}`)
      return
    }
    const one: ClaimCase = {
      ...caseOf(world, { ...claim, classification, sharedTools: last?.effect.sharedTools ?? 'nothing' }),
      counted: (worker.room?.is === 'fit' && worker.room.tests !== null) || trials.some(countsAtBase),
    }
    const due = expectedVerdict(one)
    // Whoever finds the work of an earlier run done, and untouched by people too, has its proof.
    const isUntouched = worker.iteration === 0 && worker.room?.is === 'fit' && worker.room.base === claim.base.tree
    if (due.because === UNCHANGED && isUntouched && claim.base.from !== 'first') {
      if (verdict.is !== 'proven') fail(15, `nothing changed since the last proof, and the claim is ${verdict.is}`)
      return
    }
    if (verdict.is === 'proven') provenByTrial(proofRunning, classification, one)
    if (verdict.is === 'proven' && !(due.is === 'proven' || (noisy && SEEN_BY_CHANCE.has(due.because))))
      fail(15, `a claim is proven, and deserved to be ${due.is}, because ${due.because}`)
    if (noisy) return
    const reached = due.is === 'proven' || (due.is === 'accept' && due.because !== IGNORED)
    if (reached && changed !== null && changed.length > 0) {
      if (verdict.is !== 'refused') fail(15, `the tree changed meanwhile, and the claim is ${verdict.is}`)
      return
    }
    if (verdict.is === 'accept') return acceptable(one, due, verdict.acceptance)
    if (verdict.is === 'unproven' && verdict.sentBack && due.is === 'accept' && due.proofGap === true) return
    if (verdict.is !== due.is)
      fail(15, `a claim is ${verdict.is}, and deserved to be ${due.is}, because ${due.because}`)
  }

  /** Every proof step that could show otherwise was tried, or skipped for a true reason. */
  function provenByTrial(
    { trials, looked: changed }: ProofRunning,
    classification: ClassifiedChangesSummary,
    one: ClaimCase,
  ): void {
    const shown = (purpose: string): 'green' | 'red' | 'untried' => {
      const last = trials.findLast(({ effect }) => effect.purpose === purpose)?.trial
      return last?.is !== 'ran' ? 'untried' : failedGateIn(last) === null ? 'green' : 'red'
    }
    const harmless = classification.protectedFiles === 0 || shown('original-tests') === 'green'
    const allowed = neededProtectedFiles(one).every((path) => one.allowedCount.has(path))
    if (shown('room') !== 'green') fail(15, 'proven without a green clean room')
    if (!harmless && !allowed) fail(15, 'proven with changes of the judge that nobody allowed')
    if (shown('source-loaded') !== 'red') fail(15, 'proven although no gate was seen to look at the work')
    if (classification.isMutable && one.tells && shown('mutation') !== 'red')
      fail(15, 'proven although no gate was seen to notice a mistake')
    if (changed === null || changed.length > 0) fail(15, 'proven without a last look')
  }

  function acceptable(one: ClaimCase, due: ExpectedVerdict, acceptance: AcceptanceRequest): void {
    const named = rangeMembers(acceptance.changes).map((at) => one.protectedFiles[at] ?? '')
    const needed = due.is === 'accept' ? due.needed : []
    // A search that was cut short asks about more than is needed, and says so.
    if (due.is !== 'accept' && !(due.is === 'proven' && !acceptance.exact))
      fail(15, `a person is asked, and the claim deserved to be ${due.is}, because ${due.because}`)
    const missing = needed.filter((path) => !named.includes(path))
    if (missing.length > 0) fail(15, `a person is not asked about ${missing.length} needed changes`)
    if (acceptance.exact && named.length !== needed.length)
      fail(15, `a person is asked about ${named.length} changes, and ${needed.length} are needed`)
  }

  /** The base is the claim's own state from now on, if it was proven. */
  function finished(worker: Worker): void {
    const { phase } = worker
    if (phase.is === 'finished' && phase.outcome.verdict === 'proven') becameBase(worker)
  }

  function becameBase({ id, base }: Worker): void {
    if (base === null) return
    of(id).base = { files: archivedState(world, base.tree).files, plan: base.plan }
    if (base.from !== 'proven') fail(16, 'a claim was proven and did not become the base')
  }

  function baseAsExpected(worker: Worker): void {
    const { base } = of(worker.id)
    if (worker.base === null || base === null) {
      if ((worker.base === null) !== (base === null)) fail(16, `the base of worker ${worker.id} came from nowhere`)
      return
    }
    if (worker.base.plan !== base.plan)
      fail(16, `the plan of the base is ${String(worker.base.plan)}, not ${String(base.plan)}`)
    if (!sameFiles(archivedState(world, worker.base.tree).files, base.files))
      fail(16, `the base of worker ${worker.id} is not what people made of it`)
  }

  /** A room that shows what the tree shows is fit, with as much shared as it needs. */
  function fitted(event: Event, was: Worker, is: Worker, { run }: RunState): void {
    const { fitting } = of(is.id)
    const space = world.space(is.id)
    if (event.type !== 'trial-ended' || fitting === null || is.base === null || is.room === null) return
    if (run.rules.proof.baseline === 'off' || noiseOf(is.id) > fitting.noise) return
    const still = sameFiles(stateAt(space, space.tree).files, archivedState(world, is.base.tree).files)
    if (!still || space.tree !== fitting.tree) return
    const fit = space.fitWith !== 'never'
    if (fit !== (is.room.is === 'fit'))
      fail(15, `the room is ${fit ? 'fit' : 'not fit'}, and was found ${is.room.is}: ${was.phase.is}`)
  }
}

/** Its task is over. */
function isPutDown({ phase }: Worker): boolean {
  return phase.is === 'finishing-task' || phase.is === 'reverting'
}

function countsAtBase({ effect, trial }: ProofRunning['trials'][number]): boolean {
  return effect.purpose === 'base' && trial.is === 'ran' && testCountOf(trial) !== null
}

const PROOF_TOOLS: ReadonlySet<string> = new Set(['resolve-base', 'classify-changes', 'run-trial', 'check-final-tree'])

/** A test that fails by chance looks as if it had noticed something, or as if it needed a change of the protected files. */
const SEEN_BY_CHANCE: ReadonlySet<string> = new Set([
  'no gate looks at the work',
  'no gate sees a mistake',
  'the work keeps tests of the base from running',
])
const UNCHANGED = 'nothing has changed'
const IGNORED = 'it needs files that git ignores'

const WHO: Record<Author, string> = {
  nobody: 'nobody',
  agent: 'an agent',
  reviewer: 'a reviewer',
  person: 'a person',
  gate: 'a gate',
  orphan: 'a process that an agent left behind',
  ralph: 'Ralph itself',
}

/** The lost effect, its fields in the order of the new one. */
function sorted(again: object, lost: object): object {
  return Object.fromEntries(Object.keys(again).map((key) => [key, (lost as Record<string, unknown>)[key]]))
}

function isProofRunning(phase: WorkerPhase | undefined): boolean {
  return phase?.is === 'proving' && phase.proof.at.is === 'proofSteps'
}

type Verdict =
  | { is: 'proven' | 'refused' | 'room-failed' }
  /** `sentBack`: the agent hears it and may claim again. */
  | { is: 'unproven'; sentBack: boolean }
  | { is: 'accept'; acceptance: AcceptanceRequest }

/** What became of a claim in the row in which it left the proof; null: something else ended it. */
/** Judged by trial and found so. */
function isProvenTask(effect: Effect): boolean {
  return effect.type === 'finish-task' && effect.as === 'done' && effect.verification === 'passed'
}

function verdictIn(row: Row, { phase, line }: Pick<Worker, 'phase' | 'line'>): Verdict | null {
  const refusal = row.decisions.find(({ by, what }) => by === 'proof' && what === 'refuse')
  if (refusal !== undefined)
    return refusal.why.startsWith('unproven: ') ? { is: 'unproven', sentBack: true } : { is: 'refused' }
  const settled = row.effects.find((effect) => effect.type === 'finish-task')
  if (phase.is === 'finishing-task' && settled?.as === 'done')
    return settled.verification === 'passed' ? { is: 'proven' } : { is: 'unproven', sentBack: false }
  const end = phase.is === 'finished' ? phase.outcome : (line?.input.ending ?? null)
  if (end === null) return null
  if (end.is === 'room_failed') return { is: 'room-failed' }
  if (end.acceptance !== undefined) return { is: 'accept', acceptance: end.acceptance }
  // Nobody could be asked for the review, or it could not be paid.
  if (end.is === 'agent_unusable' || end.is.endsWith('_limit')) return null
  if (end.verdict === 'proven') return { is: 'proven' }
  return end.verdict === 'unproven' ? { is: 'unproven', sentBack: false } : null
}
