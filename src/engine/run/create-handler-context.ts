/** Creates the handlers' context of a run. */
import { createRunMasker } from '../../config/run-masker.ts'
import type { AgentPrograms } from '../../config/resolve.ts'
import type { RunId } from '../../core/ids.ts'
import type { Rules } from '../../core/state/rules.ts'
import { findEvidence } from '../../store/evidence.ts'
import { loadTaskPromptTexts } from '../../store/task/prompt-texts.ts'
import type { Clock } from '../../system/clock.ts'
import { readPromptDocument } from '../../workspace/prompt-files.ts'
import { createSingleFlight } from '../handlers/single-flight.ts'
import { proofContextFor } from '../handlers/proof-context.ts'
import { askOneAtATime } from '../ask-queue.ts'
import type { WorkerWorkspace, HandlerContext } from '../handler-context.ts'
import type { LockedTreeContext } from './locked-tree.ts'

export function createHandlerContext(
  lockedTree: LockedTreeContext,
  run: { run: RunId; clock: Clock; rules: Rules; agents: AgentPrograms },
): HandlerContext {
  const { root, repo, folder, settings } = lockedTree
  const { envPolicy } = settings
  // All workers use the user's own checkout.
  const place: WorkerWorkspace = {
    root,
    repo,
    proofContext: proofContextFor({ repo, root, sql: lockedTree.store.sql, envPolicy }, run.rules),
  }
  const mask = createRunMasker(settings, root)
  return {
    run: run.run,
    project: { root, repo },
    at: () => place,
    workspaces: () => [place],
    endedEffects: new Set(),
    folder,
    clock: run.clock,
    loop: run.rules.loop,
    custom: run.agents.agents,
    programs: run.agents.programs,
    envPolicy,
    baselines: createSingleFlight(),
    mask,
    backup: settings.values['loop.backup'],
    snapshotsKept: settings.values['keep.snapshots'],
    mcp: settings.values['agent.mcp'] === 'auto',
    idleByDefault: settings.origin('agent.idle').from === 'default',
    terminal: settings.values['agent.terminal'],
    ...(lockedTree.askPerson === undefined ? {} : { askPerson: askOneAtATime(lockedTree.askPerson) }),
    ...(lockedTree.mayStartAgent === undefined ? {} : { mayStartAgent: lockedTree.mayStartAgent }),
    taskTexts: (task) =>
      loadTaskPromptTexts(lockedTree.store.sql, task, { document: (path) => readPromptDocument(root, path), mask }),
    knownEvidence: async ({ gate, tree }) => {
      if (tree === null) return null
      const found = await findEvidence(lockedTree.store.sql, { gate: gate.name, command: gate.run, tree, guarded: '' })
      return found === null || found.evidence.timedOut || found.evidence.missing ? null : found.evidence
    },
  }
}
