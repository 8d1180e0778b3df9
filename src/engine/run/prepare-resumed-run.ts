/** Prepares an interrupted run for resuming: with the rules and programs of its record, after cleaning up what it left behind. */
import { programsFromRecord, findFlagLikeValue } from '../../config/programs-in-record.ts'
import { RalphError } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import type { RunState } from '../../core/state/state.ts'
import { scopeKey } from '../../core/tasks/task.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import { loadRunPrograms } from '../../store/record.ts'
import { systemClock } from '../../system/clock.ts'
import { ownProcessIdentity } from '../../system/process/process-identity.ts'
import { hasDraftInput } from '../../workspace/draft-documents.ts'
import { removeRefLocks } from '../../workspace/repo/snapshot-refs.ts'
import { refuseAskWithoutPerson } from '../startup/interactive-permission.ts'
import { changedAgentsAndGates, changedSettingsMessage, mergeAgentPrograms } from '../startup/agent-programs.ts'
import { quarantineLostLogs } from '../runtime/lost-logs.ts'
import { endLeftoverProcesses, loadRunPosition, recoverOpenEffects, requireRunView } from '../runtime/recover-run.ts'
import type { PreparedRun } from './prepare-run.ts'
import type { LockedTreeContext } from './locked-tree.ts'
import { deliverAnswers } from './deliver-answers.ts'
import { refuseIneffectiveFlags, changedLimitRequests } from './changed-limits.ts'
import { draftCommand } from './unfinished-run.ts'

export async function prepareResumedRun(lockedTree: LockedTreeContext, run: RunId): Promise<PreparedRun> {
  const kept = await loadRunPosition(lockedTree.store.sql, run)
  const programs = await loadRunPrograms(lockedTree.store.sql, run)
  refuseFlags(kept.state)
  refuseGone(run, kept.state, lockedTree)
  refuseIneffectiveFlags(lockedTree, kept.state)
  refuseAskWithoutPerson(kept.state.run.rules.agent.permission, lockedTree, { begun: true })
  await lockedTree.mayResume?.(run, programsFromRecord({ run, state: kept.state, programs }, lockedTree.settings))
  const { is } = kept.state.run
  const after = is === 'paused' ? 'pause' : is === 'left' ? 'outage' : 'crash'
  const iteration = Math.max(...Object.values(kept.state.workers).map((worker) => worker.iteration))
  const { rules } = kept.state.run
  const view = requireRunView(kept)
  const others = othersMeant(view, lockedTree)
  lockedTree.watcher.continued?.({ run, after, iteration, view })
  if (others !== null) lockedTree.notice(others)
  removeRefLocks(lockedTree.repo, run)
  if (lockedTree.store.lost?.run === run) {
    const logs = quarantineLostLogs({ folder: lockedTree.folder, run }, kept.state)
    if (logs.length > 0) lockedTree.notice(`The output of the lost iterations is in ${logs.join(', ')}.`)
  }
  // No gate judges a draft.
  const settings = isDraft(kept.state) ? { ...lockedTree.settings, gates: [] } : lockedTree.settings
  const edited = changedAgentsAndGates({ rules, programs }, settings)
  if (edited.length > 0) lockedTree.notice(changedSettingsMessage(run, edited))
  return {
    position: kept,
    clock: systemClock(kept.up),
    rules,
    agents: mergeAgentPrograms(lockedTree.settings.users, programs),
    orphans: view.orphans,
    async start(engine, world) {
      await endLeftoverProcesses(world, kept.state)
      await recoverOpenEffects(engine, kept.state, {
        type: 'run-resumed',
        pid: ownProcessIdentity().pid,
        after,
        version: lockedTree.version,
        ...(isDraft(kept.state) ? { asks: lockedTree.asks === true } : {}),
      })
      for (const request of changedLimitRequests(lockedTree)) engine.inbox.put({ type: 'request-received', request })
      const known = Object.values(kept.state.workers).flatMap(({ steering }) => steering)
      if (kept.state.run.tasks === null) await deliverAnswers(lockedTree, { inbox: engine.inbox, known })
    },
  }
}

/** Throws if the documents and the transcript of a draft are gone: the draft was deleted. */
function refuseGone(run: RunId, { workers }: RunState, { root }: LockedTreeContext): void {
  for (const { job } of Object.values(workers)) {
    if (job.is !== 'draft' || hasDraftInput(root, job.folder)) continue
    const { feature, name, folder } = job
    const anew = feature === null ? draftCommand(job) : `${draftCommand(job)} "what I want"`
    const problem = `run ${run} drafts ${name}, but the draft in ${folder} is gone`
    throw new RalphError('not-found', problem, { hint: `Abandon it and start over: ${anew} --fresh` })
  }
}

/** A resumed draft gets `asks` from the current command. */
function isDraft({ workers }: RunState): boolean {
  return Object.values(workers).some(({ job }) => job.is === 'draft')
}

/**
 * Throws if the command names other tasks than the unfinished run: its end would be taken for theirs. If the command names none, returns
 * a notice about the remaining tasks; null: there are none.
 */
function othersMeant({ run, tasks: going, command }: RunView, { tasks: named }: LockedTreeContext): string | null {
  if (named === undefined || going === null || scopeKey(named) === scopeKey(going)) return null
  if (named.is === 'all') return `This run works on the tasks of "${command}". The next ralph run works on the others.`
  throw new RalphError('usage', `run ${run} is unfinished and works on other tasks: ${command}`, {
    hint: 'Resume it first: ralph resume. Or abandon it and start with these: the same command with --fresh',
  })
}

function refuseFlags(state: RunState): void {
  const flag = findFlagLikeValue(state)
  if (flag === null) return
  const found = `the record of run ${state.run.id} contains ${JSON.stringify(flag)}, which looks like a flag instead of a name`
  throw new RalphError('untrusted', `${found}. Ralph did not write that. Nothing was started`, {
    hint: 'Abandon it and start a new run: ralph loop --fresh',
  })
}
