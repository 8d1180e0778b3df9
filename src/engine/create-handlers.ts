/** Creates the real handlers. The simulator fills the same table with its doubles. */
import type { AgentEvent } from '../core/calls/agent-io.ts'
import type { WorkerId } from '../core/ids.ts'
import type { Handlers } from './runtime/handler.ts'
import { abortEffectHandler } from './handlers/abort-effect.ts'
import { runAgentHandler } from './handlers/run-agent.ts'
import { commitHandler } from './handlers/commit.ts'
import { runGateHandler } from './handlers/run-gate.ts'
import { resolveBaseHandler } from './handlers/resolve-base.ts'
import { saveKnowledgeHandler } from './handlers/save-knowledge.ts'
import { checkFinalTreeHandler } from './handlers/check-final-tree.ts'
import { revertHandler } from './handlers/revert.ts'
import { classifyChangesHandler } from './handlers/classify-changes.ts'
import { checkImportHandler, checkDocumentHandler } from './handlers/check-document.ts'
import { runTrialHandler } from './handlers/run-trial.ts'
import { snapshotHandler } from './handlers/take-snapshot.ts'
import { waitHandler } from './handlers/wait.ts'
import type { RunningEffects } from './runtime/running-effects.ts'
import { performInWorkspace, type HandlerContext } from './handler-context.ts'

export function createHandlers(
  world: HandlerContext,
  to: { words: (worker: WorkerId, event: AgentEvent) => void; runningEffects: RunningEffects },
): Handlers {
  return {
    snapshot: performInWorkspace(world, snapshotHandler),
    'run-agent': performInWorkspace(world, (here) => runAgentHandler(here, { words: to.words })),
    'run-gate': performInWorkspace(world, runGateHandler),
    'resolve-base': performInWorkspace(world, resolveBaseHandler),
    'classify-changes': performInWorkspace(world, classifyChangesHandler),
    'run-trial': performInWorkspace(world, runTrialHandler),
    'check-final-tree': performInWorkspace(world, checkFinalTreeHandler),
    commit: performInWorkspace(world, commitHandler),
    revert: performInWorkspace(world, revertHandler),
    'save-knowledge': performInWorkspace(world, saveKnowledgeHandler),
    'check-document': performInWorkspace(world, checkDocumentHandler),
    'check-import': checkImportHandler,
    wait: waitHandler(world.clock),
    abort: abortEffectHandler(to.runningEffects),
  }
}
