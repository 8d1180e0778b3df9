/**
 * The context of a run's handlers: the run and its project, shared by all workers, and the workspace of each worker. Prompts, plans and
 * settings are read from the project; trees, gates and evidence belong to the workspace.
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
import { endProcessesByMarks, endMarkedProcesses, type MarkedTarget } from '../system/process/process.ts'
import { descendantFilesFolder, type Repo } from '../workspace/repo/find-repo.ts'
import { removeStaleIndexLock } from '../workspace/repo/index-lock.ts'
import type { AbortListener, Handler, HandledEffect } from './runtime/handler.ts'
import type { SingleFlight } from './handlers/single-flight.ts'

export interface HandlerContext {
  run: RunId
  /** The user's own checkout. */
  project: Checkout
  /** The workspace of this worker. */
  at(worker: WorkerId): WorkerWorkspace
  /** The workspaces used so far. */
  workspaces(): WorkerWorkspace[]
  /** Effects of an earlier engine whose processes have already been ended. */
  endedEffects: Set<EffectId>
  /** The folder of the store and the logs. */
  folder: string
  clock: Clock
  loop: LoopRules
  custom: Record<string, CustomAgent>
  /** Programs to start instead of an agent's own, by the agent's name. */
  programs: Record<string, string[]>
  /** Evidence of a gate on the same tree from any run: a baseline runs once per tree. */
  knownEvidence(of: { gate: Gate; tree: TreeHash | null }): Promise<Evidence | null>
  /** The texts for a prompt about this task. */
  taskTexts(task: TaskId): Promise<TaskTexts>
  /** Running baselines: workers that begin with the same tree share one. */
  baselines: SingleFlight<Evidence>
  /** The idle limit is the default, so a driver may use its own. */
  idleByDefault: boolean
  /** Agents that support MCP get the server `ralph mcp`. */
  mcp: boolean
  /** Agents that use ACP may let Ralph run their commands. */
  terminal: boolean
  /** Called before each start of an agent. False: it may not start. Absent: permission was given before the run. */
  mayStartAgent?: (agent: string) => Promise<boolean>
  /** Absent: there is no person to ask. */
  askPerson?: AskPerson
  /** Keep a backup from before every iteration, longer than the snapshots. */
  backup: boolean
  /** How many snapshots of a run the user wants to keep. */
  snapshotsKept: number
  /** Which environment variables agents and gates get. */
  envPolicy: EnvPolicy
  /** Removes secrets from their output before it is saved. */
  mask: Masker
}

/** Identifies the entries of an iteration in a transcript: one of the person and one of the agent. */
export function transcriptMark({ run }: Pick<HandlerContext, 'run'>, iteration: number): string {
  return `${run}/${iteration}`
}

/** A folder with the project's files. */
export interface Checkout {
  root: string
  repo: Repo
}

/** The workspace of one worker: agents and gates run there, and it has its own tree archive. */
export interface WorkerWorkspace extends Checkout {
  proofContext: ProofContext
}

/** The context of one worker. */
export interface WorkerContext extends HandlerContext, WorkerWorkspace {}

/** Performs every effect in the workspace of its worker. */
export function performInWorkspace<E extends HandledEffect>(
  world: HandlerContext,
  make: (here: WorkerContext) => Handler<E>,
): Handler<E> {
  const here = ({ worker }: E): Handler<E> => make({ ...world, ...world.at(worker) })
  return {
    perform: (effect, put, aborting) => here(effect).perform(effect, put, aborting),
    recoverAnswer: (effect) => here(effect).recoverAnswer(effect),
  }
}

/** The file with the descendants of an effect's child process; it exists while the effect runs, or after a crash. */
export function descendantFilePath(world: Pick<HandlerContext, 'folder' | 'run'>, effect: EffectId): string {
  return join(descendantFilesFolder(world.folder, world.run), effect)
}

/** The repository for an effect: its git processes carry the effect's mark and end when the effect is aborted. */
export function repoOfEffect(
  world: Pick<HandlerContext, 'folder' | 'run'> & Pick<Checkout, 'repo'>,
  effect: EffectId,
  { signal }: Pick<AbortListener, 'signal'>,
): Repo {
  return { ...world.repo, by: { mark: processMarkOf(world, effect), signal } }
}

/** Used in place of an effect's id: for git during the clean-up, and for the git process that lives as long as the run. */
export const CLEANUP_GIT_MARK = 'end'
export const LONG_LIVED_GIT_MARK = 'git'

/** Git removes its lock files when it is asked to end; if killed it would leave them behind. */
const GIT_GRACE_MS = 1_000

/**
 * Ends the leftover processes of these effects, from an earlier engine or this one, all at once, so that twenty stubborn agents take no
 * longer than one. `agentsGraceMs`: the grace period of agents.
 */
export async function endProcessesOfEffects(
  world: HandlerContext,
  effects: HandledEffect[],
  { agentsGraceMs }: { agentsGraceMs: Millis },
): Promise<void> {
  const marked = (effect: HandledEffect): MarkedTarget => ({
    mark: processMarkOf(world, effect.id),
    notes: descendantFilePath(world, effect.id),
  })
  const of = (type: HandledEffect['type']): MarkedTarget[] =>
    effects.filter((effect) => effect.type === type).map(marked)
  const gits = effects.filter(({ type }) => type !== 'run-agent' && type !== 'run-gate').map(marked)
  const standing = [LONG_LIVED_GIT_MARK, CLEANUP_GIT_MARK].map((own) => ({
    mark: processMarkOf(world, own),
    notes: null,
  }))
  await Promise.all([
    endProcessesByMarks(of('run-agent'), { graceMs: agentsGraceMs }),
    endProcessesByMarks(of('run-gate'), { graceMs: 0 }),
    endProcessesByMarks([...gits, ...standing], { graceMs: GIT_GRACE_MS }),
  ])
}

/** Ends the leftover processes of one effect, unless that was done. `graceMs`: the grace period of an agent. */
export function endProcessesOfEffect(
  world: HandlerContext,
  effect: HandledEffect,
  { graceMs = 0 }: { graceMs?: Millis } = {},
): Promise<number> {
  if (world.endedEffects.has(effect.id)) return Promise.resolve(0)
  if (effect.type === 'run-agent' || effect.type === 'run-gate')
    return endMarkedProcesses(processMarkOf(world, effect.id), { graceMs, notes: descendantFilePath(world, effect.id) })
  return endMarkedProcesses(processMarkOf(world, effect.id), { graceMs: GIT_GRACE_MS })
}

/** After a crash: ends the leftover processes of an effect, which is then performed again. `unlock`: also removes git's stale lock file. */
export function recoverByRepeating(
  world: WorkerContext,
  { unlock = false } = {},
): (effect: HandledEffect) => Promise<{ is: 'not-begun' }> {
  return async (effect) => {
    await endProcessesOfEffect(world, effect)
    if (unlock && world.repo.git !== null) await removeStaleIndexLock(world.repo.git, world.clock)
    return { is: 'not-begun' }
  }
}

/** The processes of a trial carry no mark: they are identified by the clean room's TMPDIR. */
export async function endCleanRoomProcesses(
  world: HandlerContext,
  effect: EffectId,
  tmp: string | null,
): Promise<void> {
  if (tmp !== null)
    await endMarkedProcesses({ name: 'TMPDIR', value: tmp }, { graceMs: 0, notes: descendantFilePath(world, effect) })
}

/** Every child has this mark in its environment, so that it is found even if the engine died before saving its pid. */
export function processMarkOf(world: Pick<HandlerContext, 'folder' | 'run'>, effect: EffectId): string {
  const project = world.folder.split(/[\\/]/).findLast((part) => part !== '') ?? 'project'
  return `${project}.${world.run}.${effect}`
}
