/** What becomes of a run that was cut off: it is gone on with, given up, or in the way of another one, which is said. */
import { RalphError } from '../../domain/error.ts'
import type { DraftJob, DraftWanted } from '../../domain/feature/draft.ts'
import type { RunId } from '../../domain/ids.ts'
import type { Request } from '../../domain/state/event.ts'
import { kindOf, type RunKind } from '../../domain/state/kind.ts'
import { deleteRun, findRun, unfinishedRun, type RunEntry } from '../../store/runs.ts'
import { loadState } from '../../store/state.ts'
import { nowBy, realClock } from '../../system/clock.ts'
import { advance } from '../circle/advance.ts'
import { openIn } from '../circle/emergency.ts'
import { loadPosition } from '../circle/recover.ts'
import { endChildren } from '../world.ts'
import type { HeldTree } from './held-tree.ts'
import { worldOf } from './world-of.ts'

/** The unfinished run to go on with, or null for a new one. */
export async function runToTakeUp(held: HeldTree): Promise<RunId | null> {
  const { store, root, fresh, resume } = held
  if (resume !== null) {
    const run = await findRun(store.sql, resume)
    if (run.end === null) {
      if (held.anyKind !== true) await refuseOther(run, held)
      return run.id
    }
    throw new RalphError('usage', `run ${run.id} has ended already (${run.end.outcome})`, {
      hint: 'Start a new one: ralph loop',
    })
  }
  const left = await unfinishedRun(store.sql, root)
  if (left === null) return null
  if (fresh) {
    await abandon(held, left.id, { from: '--fresh' })
    return null
  }
  if (await isOfDeleted(left, held)) {
    await abandon(held, left.id, { from: 'ralph feature create', since: 'its feature was deleted' })
    return null
  }
  await refuseOther(left, held)
  return left.id
}

/** A run of another kind, or a draft of something else, is neither gone on with nor given up without a word. */
async function refuseOther(left: RunEntry, held: HeldTree): Promise<void> {
  const [theirs, ours] = [await commandOf(left, held), ourCommand(held)]
  if (theirs === ours) return
  throw new RalphError('usage', `run ${left.id} is unfinished, and it is one of ${theirs}`, {
    hint: `Go on with it: ${theirs}. Or give it up: ${ours} --fresh`,
  })
}

const COMMANDS: Readonly<Record<RunKind, string>> = {
  loop: 'ralph loop',
  tasks: 'ralph run',
  feature: 'ralph feature create',
  verify: 'ralph verify',
  import: 'ralph import',
}

/** The feature was deleted and made anew: what the old draft asks, and how far it was, is nothing to the new one. */
async function isOfDeleted(left: RunEntry, held: HeldTree): Promise<boolean> {
  const job = await draftOf(left, held)
  const wanted = held.draft
  if (job === null || job.feature === null || wanted === undefined || wanted.feature === null) return false
  return job.name === wanted.name && job.feature !== wanted.feature
}

async function commandOf(left: RunEntry, held: HeldTree): Promise<string> {
  const job = await draftOf(left, held)
  return job === null ? COMMANDS[left.kind] : draftCommand(job)
}

async function draftOf({ id, kind }: RunEntry, { store }: HeldTree): Promise<DraftJob | null> {
  if (kind !== 'feature' || (await loadState(store.sql, id)) === null) return null
  const { house } = await loadPosition(store.sql, id)
  const job = Object.values(house.workers)[0]?.job
  return job?.is === 'draft' ? job : null
}

function ourCommand(held: HeldTree): string {
  return held.draft === undefined ? COMMANDS[kindOf(held)] : draftCommand(held.draft)
}

export function draftCommand({ feature, name }: Pick<DraftWanted, 'feature' | 'name'>): string {
  return feature === null ? 'ralph init "what I want"' : `${COMMANDS.feature} ${name}`
}

async function abandon(
  held: HeldTree,
  run: RunId,
  { from, since }: { from: string; since?: string },
): Promise<void> {
  if ((await loadState(held.store.sql, run)) === null) return forget(held, run)
  const kept = await loadPosition(held.store.sql, run)
  const clock = realClock(kept.up)
  const world = worldOf(held, { run, clock, rules: kept.house.run.rules, agents: held.settings })
  await endChildren(world, openIn(kept.house), { agentsGraceMs: 0 })
  const request: Request = { id: null, from, do: 'abandon' }
  await advance(held.store, kept, [{ type: 'request-received', request }], () => nowBy(clock))
  const because = since === undefined ? '' : `, since ${since}`
  held.notice(`The unfinished run ${run} was given up${because}; what it changed stays in the tree.`)
}

/** A run without its state cannot even be told to end. */
async function forget({ store, notice }: HeldTree, run: RunId): Promise<void> {
  await store.sql.transaction((tx) => deleteRun(tx, run))
  notice(`The unfinished run ${run} has lost its state and was removed; its logs are there.`)
}
