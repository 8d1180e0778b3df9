/** What happens to an unfinished run: it is resumed, abandoned, or refuses the new command. */
import { RalphError } from '../../core/error.ts'
import type { DraftJob, DraftRequest } from '../../core/features/draft.ts'
import type { RunId } from '../../core/ids.ts'
import type { PersonRequest } from '../../core/state/event.ts'
import { runKindOf, type RunKind } from '../../core/state/run-kind.ts'
import { deleteRun, findRunByPrefix, loadUnfinishedRun, type RunEntry } from '../../store/runs.ts'
import { loadRunState } from '../../store/run-state.ts'
import { readClock, systemClock } from '../../system/clock.ts'
import { applyEvents } from '../runtime/apply-events.ts'
import { openEffectsOf } from '../runtime/emergency-stop.ts'
import { loadRunPosition } from '../runtime/recover-run.ts'
import { endProcessesOfEffects } from '../handler-context.ts'
import type { LockedTreeContext } from './locked-tree.ts'
import { createHandlerContext } from './create-handler-context.ts'

/** The unfinished run to resume, or null for a new one. */
export async function findRunToResume(lockedTree: LockedTreeContext): Promise<RunId | null> {
  const { store, root, fresh, resume } = lockedTree
  if (resume !== null) {
    const run = await findRunByPrefix(store.sql, resume)
    if (run.end === null) {
      if (lockedTree.anyKind !== true) await refuseOther(run, lockedTree)
      return run.id
    }
    throw new RalphError('usage', `run ${run.id} has already ended (${run.end.outcome})`, {
      hint: 'Start a new run: ralph loop',
    })
  }
  const left = await loadUnfinishedRun(store.sql, root)
  if (left === null) return null
  if (fresh) {
    await abandon(lockedTree, left.id, { from: '--fresh' })
    return null
  }
  if (await isOfDeleted(left, lockedTree)) {
    await abandon(lockedTree, left.id, { from: 'ralph feature create', since: 'its feature was deleted' })
    return null
  }
  await refuseOther(left, lockedTree)
  return left.id
}

/** Throws if the unfinished run is of another kind or drafts something else: it is neither resumed nor abandoned silently. */
async function refuseOther(left: RunEntry, lockedTree: LockedTreeContext): Promise<void> {
  const [theirs, ours] = [await commandOf(left, lockedTree), ourCommand(lockedTree)]
  if (theirs === ours) return
  throw new RalphError('usage', `run ${left.id} of ${theirs} is unfinished`, {
    hint: `Resume it: ${theirs}. Or abandon it: ${ours} --fresh`,
  })
}

const COMMANDS: Readonly<Record<RunKind, string>> = {
  loop: 'ralph loop',
  tasks: 'ralph run',
  feature: 'ralph feature create',
  verify: 'ralph verify',
  import: 'ralph import',
}

/** Whether the feature was deleted and created again: the old draft does not belong to the new one. */
async function isOfDeleted(left: RunEntry, lockedTree: LockedTreeContext): Promise<boolean> {
  const job = await draftOf(left, lockedTree)
  const wanted = lockedTree.draft
  if (job === null || job.feature === null || wanted === undefined || wanted.feature === null) return false
  return job.name === wanted.name && job.feature !== wanted.feature
}

async function commandOf(left: RunEntry, lockedTree: LockedTreeContext): Promise<string> {
  const job = await draftOf(left, lockedTree)
  return job === null ? COMMANDS[left.kind] : draftCommand(job)
}

async function draftOf({ id, kind }: RunEntry, { store }: LockedTreeContext): Promise<DraftJob | null> {
  if (kind !== 'feature' || (await loadRunState(store.sql, id)) === null) return null
  const { state } = await loadRunPosition(store.sql, id)
  const job = Object.values(state.workers)[0]?.job
  return job?.is === 'draft' ? job : null
}

function ourCommand(lockedTree: LockedTreeContext): string {
  return lockedTree.draft === undefined ? COMMANDS[runKindOf(lockedTree)] : draftCommand(lockedTree.draft)
}

export function draftCommand({ feature, name }: Pick<DraftRequest, 'feature' | 'name'>): string {
  return feature === null ? 'ralph init "what I want"' : `${COMMANDS.feature} ${name}`
}

async function abandon(
  lockedTree: LockedTreeContext,
  run: RunId,
  { from, since }: { from: string; since?: string },
): Promise<void> {
  if ((await loadRunState(lockedTree.store.sql, run)) === null) return forget(lockedTree, run)
  const kept = await loadRunPosition(lockedTree.store.sql, run)
  const clock = systemClock(kept.up)
  const world = createHandlerContext(lockedTree, {
    run,
    clock,
    rules: kept.state.run.rules,
    agents: lockedTree.settings,
  })
  await endProcessesOfEffects(world, openEffectsOf(kept.state), { agentsGraceMs: 0 })
  const request: PersonRequest = { id: null, from, do: 'abandon' }
  await applyEvents(lockedTree.store, kept, [{ type: 'request-received', request }], () => readClock(clock))
  const because = since === undefined ? '' : `: ${since}`
  lockedTree.notice(`Abandoned the unfinished run ${run}${because}. Its changes stay in the tree.`)
}

/** A run without its state cannot even be abandoned, so it is deleted. */
async function forget({ store, notice }: LockedTreeContext, run: RunId): Promise<void> {
  await store.sql.transaction((tx) => deleteRun(tx, run))
  notice(`Removed the unfinished run ${run}, whose state is lost. Its logs remain.`)
}
