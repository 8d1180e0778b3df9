/**
 * The world of a simulated run: virtual time, one working tree per worker, and the processes that live in it. It goes on
 * while the engine is dead: an agent that was started works on until somebody ends it.
 */
import type { Usage } from '../../src/core/calls/agent-io.ts'
import type { EffectId, Instant, Millis, TreeHash, WorkerId } from '../../src/core/ids.ts'
import type { Orphans } from '../../src/core/tree/orphan.ts'
import type { DocumentKind } from '../../src/core/features/documents.ts'
import type { Reply } from '../../src/core/agent-output/reply.ts'
import type { Rules } from '../../src/core/state/rules.ts'
import type { Timer } from '../../src/system/clock.ts'
import type { SeededRandom } from './seeded-random.ts'
import type { FaultRates } from './fault-rates.ts'
import { newRepository, type Repository } from './repository.ts'
import { newSimWorkspace, type SimWorkspace, type TreeState } from './sim-workspace.ts'

/** Timers of the engine die with it; those of the world do not. */
type Owner = 'engine' | 'world'

interface Due {
  /** Virtual milliseconds that passed, whoever slept meanwhile. */
  mono: number
  order: number
  owner: Owner
  fire(): void
}

/** Events this close together reach the engine at once. */
export const SIMULTANEOUS_MS = 50

export interface Process {
  effect: EffectId
  worker: WorkerId
  startedAt: number
  running: boolean
  /** The agent's own final event is in its log. */
  final: boolean
  /** What it has told of its usage while it works; null: nothing yet. */
  told: Usage | null
  /** Dollars between two words about it. */
  step: number
  /** When its allowance was gone, and what it had spent then. */
  spent: { mono: number; usd: number } | null
  /** How it ended, as its log tells; null while it runs. */
  reply: Reply | null
  /** Whom it left running in the project. */
  orphans: Orphans | null
}

/** A claim's changes, in the file that the clean room reads them from. */
export interface SortedClaim {
  base: TreeHash
  final: TreeHash
  protectedFiles: string[]
}

export interface World {
  random: SeededRandom
  faultRates: FaultRates
  workers: WorkerId[]
  spaces: Record<WorkerId, SimWorkspace>
  /** Of a draft: those that are whole. */
  documents: Set<DocumentKind>
  agents: Map<EffectId, Process>
  /** Gates and trials that run, by effect. */
  gates: Map<EffectId, WorkerId>
  /** The one repository that all places share, and who wrote each ref of ours in it last. */
  repository: Repository
  refs: Map<string, WorkerId>
  /** Trees that Ralph remembers by their name. */
  archive: Map<TreeHash, TreeState>
  /** Sorted claims by their hash. */
  sortedClaims: Map<string, SortedClaim>
  /** How often a gate or a room has shown a worker something else than the truth. */
  noise: Map<WorkerId, number>
  /** Told by each agent process: what the store must have counted, once; and the dollars it could spend `beyond` its allowance
   *  before anybody knew: one step, and what was told while it was being ended. */
  told: Map<EffectId, { usage: Usage | null; beyond: number }>
  mono(): number
  at: () => Instant
  after(owner: Owner, ms: Millis, fire: () => void): Timer
  /** Lets time go on to the next thing that is due (within so many milliseconds) and does it. False: there is none. */
  turn(within?: Millis): boolean
  idle(): boolean
  /** How many timers of the engine would still keep its process alive. */
  holding(): number
  /** Lets time pass; what is due meanwhile happens. */
  pass(ms: Millis): void
  /** The wall clock is set, or the machine slept. */
  jump(by: Millis): void
  /** Told of each jump; those who wait for an instant look again. */
  onJump: Set<() => void>
  engineDied(): void
  space(worker: WorkerId): SimWorkspace
  /** Counted in the closing table. */
  note: (fault: string) => void
  /** Somebody has asked for a stop, heard or not. */
  stopAsked: boolean
  /** A life that began with a run that was to stop already: nothing may be started any more. */
  mustNotStart: boolean
  /** Until then no agent's service answers. */
  spellEnds: number
  /** The first rule that the engine was seen to break in the world; null: none. */
  broken: string | null
}

/** A Saturday evening; a few minutes before the hour, so that runs cross it. */
const EVENING = Date.UTC(2027, 2, 27, 20, 0, 0)

export function openWorld(given: {
  random: SeededRandom
  faultRates: FaultRates
  rules: Rules
  workers: number
  note: (fault: string) => void
}): World {
  const { random, faultRates, note } = given
  const workers = Array.from({ length: given.workers }, (_, i): WorkerId => String(i + 1))
  let mono = 0
  let offset = EVENING + random.int(0, 59) * 60_000 + random.int(0, 59_999)
  let order = 0
  let due: Due[] = []

  const take = (): Due | null => {
    let best: Due | null = null
    for (const one of due) {
      if (best === null || one.mono < best.mono || (one.mono === best.mono && one.order < best.order)) best = one
    }
    return best
  }
  const happen = (one: Due): void => {
    due.splice(due.indexOf(one), 1)
    mono = Math.max(mono, one.mono)
    one.fire()
  }
  const world: World = {
    random,
    faultRates,
    workers,
    spaces: Object.fromEntries(workers.map((id) => [id, newSimWorkspace(id, random)])),
    documents: new Set(),
    agents: new Map(),
    gates: new Map(),
    repository: newRepository(),
    refs: new Map(),
    archive: new Map(),
    sortedClaims: new Map(),
    noise: new Map(),
    told: new Map(),
    onJump: new Set(),
    mono: () => mono,
    at: () => mono + offset,
    after(owner, ms, fire) {
      const one: Due = { mono: mono + Math.max(0, Math.round(ms)), order: order++, owner, fire }
      due.push(one)
      return { cancel: () => void (due = due.filter((other) => other !== one)) }
    },
    turn(within = Infinity) {
      const one = take()
      if (one === null || one.mono > mono + within) return false
      happen(one)
      return true
    },
    idle: () => due.length === 0,
    holding: () => due.filter((one) => one.owner === 'engine').length,
    pass(ms) {
      const until = mono + ms
      for (let one = take(); one !== null && one.mono <= until; one = take()) happen(one)
      mono = until
    },
    jump(by) {
      offset += by
      for (const look of world.onJump) look()
    },
    engineDied() {
      due = due.filter((one) => one.owner === 'world')
      world.onJump.clear()
    },
    space(worker) {
      const space = world.spaces[worker]
      if (space === undefined) throw new Error(`there is no worker ${worker}`)
      return space
    },
    note,
    stopAsked: false,
    mustNotStart: false,
    spellEnds: 0,
    broken: null,
  }
  return world
}

export function countNoise({ noise }: World, worker: WorkerId): void {
  noise.set(worker, (noise.get(worker) ?? 0) + 1)
}
