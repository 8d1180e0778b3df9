/** A run that was cut off is taken up: by the rules it began with, with what its record names, after what it left behind was cleared. */
import { executedByRecord, flagInRecord } from '../../config/recorded.ts'
import { RalphError } from '../../domain/error.ts'
import type { RunId } from '../../domain/ids.ts'
import type { House } from '../../domain/state/state.ts'
import { scopeKey } from '../../domain/task/task.ts'
import type { View } from '../../domain/tell/view.ts'
import { programsOf } from '../../store/record.ts'
import { realClock } from '../../system/clock.ts'
import { me } from '../../system/process/identity.ts'
import { hasGround } from '../../workspace/draft-files.ts'
import { clearRefLocks } from '../../workspace/repo/refs.ts'
import { refuseUnasked } from '../before/asking.ts'
import { editedSince, sayEdited, withProject } from '../before/programs.ts'
import { setLostLogsAside } from '../circle/lost-logs.ts'
import { endLeftovers, loadPosition, recover, shownOf } from '../circle/recover.ts'
import type { Begun } from './begin.ts'
import type { HeldTree } from './held-tree.ts'
import { tellAnswers } from './tell-answers.ts'
import { refuseInVain, typedNow } from './typed-now.ts'
import { draftCommand } from './unfinished.ts'

export async function takeUp(held: HeldTree, run: RunId): Promise<Begun> {
  const kept = await loadPosition(held.store.sql, run)
  const programs = await programsOf(held.store.sql, run)
  refuseFlags(kept.house)
  refuseGone(run, kept.house, held)
  refuseInVain(held, kept.house)
  refuseUnasked(kept.house.run.rules.agent.permission, held, { begun: true })
  await held.mayTakeUp?.(run, executedByRecord({ run, house: kept.house, programs }, held.settings))
  const { is } = kept.house.run
  const after = is === 'paused' ? 'pause' : is === 'left' ? 'outage' : 'crash'
  const iteration = Math.max(...Object.values(kept.house.workers).map((worker) => worker.iteration))
  const { rules } = kept.house.run
  const view = shownOf(kept)
  const others = othersMeant(view, held)
  held.watcher.continued?.({ run, after, iteration, view })
  if (others !== null) held.notice(others)
  clearRefLocks(held.repo, run)
  if (held.store.lost?.run === run) {
    const logs = setLostLogsAside({ folder: held.folder, run }, kept.house)
    if (logs.length > 0) held.notice(`What the lost iterations said is kept in ${logs.join(', ')}.`)
  }
  // A draft is judged by no gate.
  const settings = isDraft(kept.house) ? { ...held.settings, gates: [] } : held.settings
  const edited = editedSince({ rules, programs }, settings)
  if (edited.length > 0) held.notice(sayEdited(run, edited))
  return {
    position: kept,
    clock: realClock(kept.up),
    rules,
    agents: withProject(held.settings.users, programs),
    orphans: view.orphans,
    async start(engine, world) {
      await endLeftovers(world, kept.house)
      await recover(engine, kept.house, {
        type: 'run-continued',
        pid: me().pid,
        after,
        version: held.version,
        ...(isDraft(kept.house) ? { asks: held.asks === true } : {}),
      })
      for (const request of typedNow(held)) engine.inbox.put({ type: 'request-received', request })
      const known = Object.values(kept.house.workers).flatMap(({ steering }) => steering)
      if (kept.house.run.tasks === null) await tellAnswers(held, { inbox: engine.inbox, known })
    },
  }
}

/** Without its papers and what was said nobody knows what a draft is to be: somebody has deleted it. */
function refuseGone(run: RunId, { workers }: House, { root }: HeldTree): void {
  for (const { job } of Object.values(workers)) {
    if (job.is !== 'draft' || hasGround(root, job.folder)) continue
    const { feature, name, folder } = job
    const anew = feature === null ? draftCommand(job) : `${draftCommand(job)} "what I want"`
    const problem = `run ${run} drafts ${name}, and nothing of it is in ${folder} any more`
    throw new RalphError('not-found', problem, { hint: `Give it up and begin anew: ${anew} --fresh` })
  }
}

/** Whether somebody answers is the affair of who serves it now. */
function isDraft({ workers }: House): boolean {
  return Object.values(workers).some(({ job }) => job.is === 'draft')
}

/**
 * Whoever names tasks means these: a run through others is not gone on with in their place, or its end would be taken for theirs. Whoever
 * names none is told what is left over; null: nothing is.
 */
function othersMeant({ run, tasks: going, command }: View, { tasks: named }: HeldTree): string | null {
  if (named === undefined || going === null || scopeKey(named) === scopeKey(going)) return null
  if (named.is === 'all')
    return `It works through what "${command}" named; the other tasks come with the next ralph run.`
  throw new RalphError('usage', `run ${run} is unfinished, and it was begun for other tasks: ${command}`, {
    hint: 'Go on with it first: ralph resume. Or give it up and begin with these: the same command with --fresh',
  })
}

function refuseFlags(house: House): void {
  const flag = flagInRecord(house)
  if (flag === null) return
  const found = `the record of run ${house.run.id} has ${JSON.stringify(flag)} where a name belongs that does not begin with a dash`
  throw new RalphError('untrusted', `${found}: Ralph did not write that. Nothing was started`, {
    hint: 'Give it up and start anew: ralph loop --fresh',
  })
}
