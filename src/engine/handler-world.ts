/**
 * What the handlers of a run know: the run and its project, which are the same for all workers, and where each worker works. A prompt,
 * a plan or a setting is read from the project; trees, gates and evidence belong to the place.
 */
import { join } from 'node:path'
import type { AskPerson } from '../system/terminal/ask-person.ts'
import type { CustomAgent } from '../core/calls/agent-io.ts'
import type { EnvPolicy } from '../core/trust/environment.ts'
import type { EffectId, Millis, RunId, TreeHash, WorkerId } from '../core/ids.ts'
import type { Evidence, Gate } from '../core/proof/evidence.ts'
import type { LoopRules } from '../core/state/rules.ts'
import type { TaskTexts } from '../core/prompt/task-texts.ts'
import type { TaskId } from '../core/tasks/task.ts'
import type { ProofContext } from './handlers/proof-context.ts'
import type { Clock } from '../system/clock.ts'
import type { Masker } from '../system/mask/mask.ts'
import { endManyMarked, endMarked, type MarkedChildren } from '../system/process/process.ts'
import { processNotesFile, type Repo } from '../workspace/repo/find-repo.ts'
import type { AbortListener, Handler, HandledEffect } from './runtime/handler.ts'
import type { SharedWork } from './handlers/shared-work.ts'

export interface World {
  run: RunId
  /** As the user has it. */
  project: Checkout
  /** Where this worker works. */
  at(worker: WorkerId): WorkerWorkspace
  /** Those that a worker has had so far. */
  workspaces(): WorkerWorkspace[]
  /** Effects of an engine before this one whose children were ended with all others: nobody looks for them again. */
  endedEffects: Set<EffectId>
  /** Where the store lies; logs stand beside it. */
  folder: string
  clock: Clock
  loop: LoopRules
  custom: Record<string, CustomAgent>
  /** Programs to start instead of an agent's own, by the agent's name. */
  programs: Record<string, string[]>
  /** What a gate showed on this very tree before, from any run: a baseline is run once per tree. */
  knownEvidence(of: { gate: Gate; tree: TreeHash | null }): Promise<Evidence | null>
  /** All that a prompt about this task is made of. */
  taskTexts(task: TaskId): Promise<TaskTexts>
  /** Baselines that are being run: workers who begin with the same tree wait for one. */
  baselines: SharedWork<Evidence>
  /** The user left the idle limit at its default, so a driver may know better. */
  idleByDefault: boolean
  /** Agents that take it are told of `ralph mcp`. */
  mcp: boolean
  /** Agents that speak ACP may have their commands run by us. */
  terminal: boolean
  /** Asked before each start of an agent. False: it may not start. Absent: it was asked before the run. */
  mayStartAgent?: (agent: string) => Promise<boolean>
  /** Absent: nobody is there to be asked. */
  askPerson?: AskPerson
  /** Keep a backup from before every iteration, longer than the snapshots. */
  backup: boolean
  /** How many snapshots of a run the user wants to keep. */
  snapshotsKept: number
  /** What agents and gates get of our environment. */
  envPolicy: EnvPolicy
  /** Takes secrets out of what they say, before it is kept anywhere. */
  mask: Masker
}

/** By which an entry of a transcript is found again: one of each of us in an iteration. */
export function transcriptMark({ run }: Pick<World, 'run'>, iteration: number): string {
  return `${run}/${iteration}`
}

/** A folder with the project's files. */
export interface Checkout {
  root: string
  repo: Repo
}

/** A workspace of one worker: agents and gates work there, and it has a tree archive of its own. */
export interface WorkerWorkspace extends Checkout {
  proofContext: ProofContext
}

/** The world as one worker sees it. */
export interface WorkerWorld extends World, WorkerWorkspace {}

/** Has every effect performed in the place of its worker. */
export function inWorkspace<E extends HandledEffect>(
  world: World,
  make: (here: WorkerWorld) => Handler<E>,
): Handler<E> {
  const here = ({ worker }: E): Handler<E> => make({ ...world, ...world.at(worker) })
  return {
    perform: (effect, put, aborting) => here(effect).perform(effect, put, aborting),
    recoverAnswer: (effect) => here(effect).recoverAnswer(effect),
  }
}

/** Notes of the processes that descend from the child of an effect; there while it runs, or when we died meanwhile. */
export function descendantFileOf(world: Pick<World, 'folder' | 'run'>, effect: EffectId): string {
  return join(processNotesFile(world.folder, world.run), effect)
}

/** The repository as an effect asks about it: its git carries the effect's mark and ends when the effect is aborted. */
export function repoOfEffect(
  world: Pick<World, 'folder' | 'run'> & Pick<Checkout, 'repo'>,
  effect: EffectId,
  { signal }: Pick<AbortListener, 'signal'>,
): Repo {
  return { ...world.repo, by: { mark: processMarkOf(world, effect), signal } }
}

/** In place of an effect's id: the git that tidies up after the run, and the one that stays while it goes on. */
export const CLEANUP_GIT_MARK = 'end'
export const LONG_LIVED_GIT_MARK = 'git'

/** Git removes its lock files when it is asked to end; killed outright it would leave them to the user. */
const GIT_GRACE_MS = 1_000

/**
 * Ends what an engine before this one, or this one in its last moment, left running for any of these effects: in one sweep, so that
 * twenty stubborn agents take no longer than one. `agentsGraceMs`: how long each may take its leave.
 */
export async function endLeftovers(
  world: World,
  effects: HandledEffect[],
  { agentsGraceMs }: { agentsGraceMs: Millis },
): Promise<void> {
  const marked = (effect: HandledEffect): MarkedChildren => ({
    mark: processMarkOf(world, effect.id),
    notes: descendantFileOf(world, effect.id),
  })
  const of = (type: HandledEffect['type']): MarkedChildren[] =>
    effects.filter((effect) => effect.type === type).map(marked)
  const gits = effects.filter(({ type }) => type !== 'run-agent' && type !== 'run-gate').map(marked)
  const standing = [LONG_LIVED_GIT_MARK, CLEANUP_GIT_MARK].map((own) => ({
    mark: processMarkOf(world, own),
    notes: null,
  }))
  await Promise.all([
    endManyMarked(of('run-agent'), { graceMs: agentsGraceMs }),
    endManyMarked(of('run-gate'), { graceMs: 0 }),
    endManyMarked([...gits, ...standing], { graceMs: GIT_GRACE_MS }),
  ])
}

/** Ends what was left running for one effect, unless that was done. `graceMs`: of an agent. */
export function endLeftover(
  world: World,
  effect: HandledEffect,
  { graceMs = 0 }: { graceMs?: Millis } = {},
): Promise<number> {
  if (world.endedEffects.has(effect.id)) return Promise.resolve(0)
  if (effect.type === 'run-agent' || effect.type === 'run-gate')
    return endMarked(processMarkOf(world, effect.id), { graceMs, notes: descendantFileOf(world, effect.id) })
  return endGitProcesses(world, effect.id)
}

/** The children of a trial carry no mark of ours: they are known by the clean room's TMPDIR. */
export async function endInCleanRoom(world: World, effect: EffectId, tmp: string | null): Promise<void> {
  if (tmp !== null)
    await endMarked({ name: 'TMPDIR', value: tmp }, { graceMs: 0, notes: descendantFileOf(world, effect) })
}

export function endGitProcesses(world: World, effect: EffectId): Promise<number> {
  return endMarked(processMarkOf(world, effect), { graceMs: GIT_GRACE_MS })
}

/** Carried by every child in its environment, so that it is found even if we died before noting its pid. */
export function processMarkOf(world: Pick<World, 'folder' | 'run'>, effect: EffectId): string {
  const project = world.folder.split(/[\\/]/).findLast((part) => part !== '') ?? 'project'
  return `${project}.${world.run}.${effect}`
}
