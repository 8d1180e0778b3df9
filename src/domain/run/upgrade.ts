/**
 * Kept states of earlier versions. A run that was cut off last month is taken up by today's program, so every change of the
 * house's shape brings one pure step here, and `test/records` keeps states of each version to show it on.
 */
import { RalphError } from '../error.ts'
import type { House } from './house.ts'

/** A state as it was read: nobody has looked into it yet. */
export interface SavedHouse {
  version: number
  house: unknown
}

/** A house of some earlier version, of which only a step knows the fields. */
type OldHouse = Record<string, unknown>

/** The step at index n leads from version n + 1 to version n + 2. Steps are only ever added, and never edited once released. */
const STEPS: readonly ((house: OldHouse) => OldHouse)[] = [
  withFooting,
  withRests,
  withLadder,
  withCalls,
  withTasks,
  withModels,
  withOthersWatched,
]

/** The shape this program writes. */
export const HOUSE_VERSION = STEPS.length + 1

/** The kept state as a house of today. */
export function houseFrom(saved: SavedHouse, run: string): House {
  if (saved.version > HOUSE_VERSION) throw newer(saved.version, run)
  const upgraded = STEPS.slice(saved.version - 1).reduce(
    (house, step) => step(house),
    saved.house as OldHouse,
  )
  return upgraded as unknown as House
}

/** Where HEAD stood was not kept; the next look begins to. */
function withFooting(house: OldHouse): OldHouse {
  return eachWorker(house, (worker) => ({ ...worker, footing: null }))
}

/** Agents at their limit became agents at rest, for one of three reasons; a spent balance is no longer called a quota. */
function withRests(house: OldHouse): OldHouse {
  const { limited, ...kept } = house['run'] as {
    limited: Record<string, number>
    rules: Record<string, OldHouse>
  }
  const rests: Record<string, unknown> = {}
  for (const [agent, until] of Object.entries(limited)) rests[agent] = { is: 'usage-limit', until, tries: 1 }
  const retry = { ...kept.rules['retry'], outageMs: 7_200_000 }
  const run = { ...kept, rests, unusable: {}, rules: { ...kept.rules, retry } }
  return { ...eachWorker(house, withBalance), run }
}

function withBalance(worker: OldHouse): OldHouse {
  const phase = worker['phase'] as { reply?: { failure: { kind: string } | null } }
  const failure = phase.reply?.failure
  if (failure?.kind !== 'quota') return worker
  return {
    ...worker,
    phase: { ...phase, reply: { ...phase.reply, failure: { ...failure, kind: 'balance' } } },
  }
}

/**
 * Completions are judged by trial now, against a base that nobody kept then. Whoever was at the judge looks at the tree anew and takes it as
 * the base; the completion that was under way is made again by the next iteration.
 */
function withLadder(house: OldHouse): OldHouse {
  const { rules, open, ...run } = house['run'] as {
    rules: Record<string, OldHouse>
    open: Record<string, OldHouse>
  }
  const { onTamper: _, editedTests, ...proof } = rules['proof'] as OldHouse
  const mayChange = { tests: editedTests === 'accept' ? ['**'] : [], judge: [] }
  const added = { level: 'full', setup: null, work: [], mayChange, trials: 12, copy: [] }
  const looks: Record<string, OldHouse> = {}
  const workers = eachWorker(house, ({ guard: _guard, ...worker }) => {
    const seen = worker['seen'] as OldHouse | null
    const phase = worker['phase'] as { is: string; effect?: string }
    const kept = {
      ...worker,
      seen: seen === null ? null : { ...seen, plan: null },
      base: null,
      room: null,
      roomKey: null,
      measured: false,
      orphaned: false,
    }
    if (!JUDGING.has(phase.is) || phase.effect === undefined) return kept
    looks[phase.effect] = {
      id: phase.effect,
      worker: worker['id'],
      type: 'survey',
      for: 'start',
      iteration: worker['iteration'],
      since: seen?.['tree'] ?? null,
      sinceHead: seen?.['head'] ?? null,
    }
    return { ...kept, phase: { is: 'surveying', effect: phase.effect, for: 'start' } }
  })
  return {
    ...workers,
    run: { ...run, open: { ...open, ...looks }, rules: { ...rules, proof: { ...proof, ...added } } },
  }
}

/** A second opinion became a call of its own: the completion is held beside it, and admission says for whom it is. Tokens are reserved too, and what a
 *  person says waits for each worker by itself. */
function withCalls(house: OldHouse): OldHouse {
  const { steering, ...run } = house['run'] as {
    open: Record<string, OldHouse>
    budget: OldHouse
    steering: unknown
  }
  const { open } = run
  const budget = { ...run.budget, recentTokens: [], reservedTokens: {} }
  return eachWorker({ ...house, run: { ...run, budget } }, (worker) => {
    const seen = worker['seen'] as OldHouse | null
    const conversation = worker['conversation'] as OldHouse | null
    const phase = worker['phase'] as OldHouse
    const proves = phase['is'] === 'proving'
    const line = proves ? { at: 'prove', visits: { work: 1, prove: 1 } } : { at: 'work', visits: { work: 1 } }
    const author = conversation?.['agent'] ?? null
    const kept = { ...worker, job: { is: 'loop' }, line, held: null, told: null, steering, author }
    if (phase['is'] === 'admitting') return { ...kept, phase: { ...phase, role: 'work' } }
    if (phase['is'] !== 'proving') return kept
    const {
      claim: completion,
      proof,
      effect,
    } = phase as {
      claim: unknown
      effect: string
      proof: { at: { is: string; unless?: unknown; opinion?: unknown } }
    }
    const { at } = proof
    const held = { completion, unless: at.unless, tree: seen?.['tree'] ?? '', failures: 0 }
    switch (at.is) {
      case 'opinion': {
        const agent = open[effect]?.['agent'] ?? 'the second agent'
        return { ...kept, held, phase: { is: 'reviewing', effect, agent, aborting: null } }
      }
      case 'opinion-check':
        return {
          ...kept,
          held,
          phase: { is: 'checking', effect, heard: { is: 'opinion', opinion: at.opinion } },
        }
      default:
        return { ...kept, phase: { is: 'proving', effect, completion, proof } }
    }
  })
}

/** Runs through tasks came, with rules of their own; whatever was kept before is a plain loop. */
function withTasks(house: OldHouse): OldHouse {
  const run = house['run'] as { rules: OldHouse }
  const task = { maxRetries: 3, verify: true, failuresMax: 3, failed: 'put-back', leaseMs: 120_000 }
  return { ...house, run: { ...run, rules: { ...run.rules, task }, tasks: null } }
}

/** Models came to be chosen visit by visit; what was begun before goes on with the one it has. */
function withModels(house: OldHouse): OldHouse {
  const run = house['run'] as { rules: OldHouse }
  const tries = { visits: 1, failed: 0, failing: false, stuck: false }
  const kept = { ...house, run: { ...run, rules: { ...run.rules, model: { strategy: 'fixed' } } } }
  return eachWorker(kept, (worker) => ({ ...worker, tries, smooth: 0, nextModel: null, tier: null }))
}

/**
 * A draft came to look at what people keep in `.ralph` beside its papers. What an earlier look did not see would seem to be new: nothing is
 * put back of the turn under way, and looks that are still to be taken are of the new kind.
 */
function withOthersWatched(house: OldHouse): OldHouse {
  const run = house['run'] as { open: Record<string, OldHouse> }
  const open = { ...run.open }
  const kept = eachWorker(house, (worker) => {
    const job = worker['job'] as { is: string; feature: string | null; folder: string }
    if (job.is !== 'draft') return worker
    const own = ['PROMPT.md', 'fix_plan.md', 'interview.md'].map((name) => `${job.folder}/${name}`)
    const writes = job.feature === null ? own : [`${job.folder}/`]
    for (const [id, effect] of Object.entries(open))
      if (effect['worker'] === worker['id'] && effect['type'] === 'survey') open[id] = { ...effect, writes }
    return { ...worker, job: { ...job, own: null } }
  })
  return withReaders({ ...kept, run: { ...run, open } })
}

/** That a reader said nothing came to be its own failure, and to be told of it by name, which nobody had kept. */
function withReaders(house: OldHouse): OldHouse {
  return eachWorker(house, (worker) => {
    const phase = worker['phase'] as { is: string; heard: { opinion?: { is: string } } } | undefined
    if (phase?.is !== 'checking') return worker
    const isNone = phase.heard.opinion?.is === 'none'
    const heard = isNone ? { is: 'failed', why: 'it gave no verdict' } : phase.heard
    return { ...worker, phase: { ...phase, agent: 'the second agent', heard } }
  })
}

const JUDGING = new Set(['guarding', 'baselining', 'proving'])

function eachWorker(house: OldHouse, change: (worker: OldHouse) => OldHouse): OldHouse {
  const workers = Object.entries(house['workers'] as Record<string, OldHouse>)
  return { ...house, workers: Object.fromEntries(workers.map(([id, worker]) => [id, change(worker)])) }
}

function newer(version: number, run: string): RalphError {
  return new RalphError(
    'store-newer',
    `run ${run} was written by a newer Ralph: its state has shape ${version}, this version knows up to ${HOUSE_VERSION}`,
    { hint: 'Update Ralph, or use the version that wrote it. Nothing was changed.' },
  )
}
