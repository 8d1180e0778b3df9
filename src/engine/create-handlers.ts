/** Creates the real handlers. The simulator fills the same table with its doubles. */
import type { AgentEvent } from '../core/calls/agent-io.ts'
import type { WorkerId } from '../core/ids.ts'
import type { Handlers } from './runtime/handler.ts'
import { abortHandler } from './handlers/abort.ts'
import { runAgentHandler } from './handlers/run-agent.ts'
import { commitHandler } from './handlers/commit.ts'
import { runGateHandler } from './handlers/run-gate.ts'
import { resolveBaseHandler } from './handlers/find-base.ts'
import { saveKnowledgeHandler } from './handlers/save-knowledge.ts'
import { finalTreeHandler } from './handlers/final-tree.ts'
import { revertHandler } from './handlers/revert.ts'
import { classifyChangesHandler } from './handlers/classify-changes.ts'
import { checkImportHandler, checkDocumentHandler } from './handlers/check-document.ts'
import { cleanRoomHandler } from './handlers/clean-room.ts'
import { snapshotHandler } from './handlers/take-snapshot.ts'
import { waitHandler } from './handlers/wait.ts'
import type { RunningEffects } from './runtime/running-effects.ts'
import { inWorkspace, type World } from './handler-world.ts'

export function createHandlers(
  world: World,
  to: { words: (worker: WorkerId, event: AgentEvent) => void; runningEffects: RunningEffects },
): Handlers {
  return {
    snapshot: inWorkspace(world, snapshotHandler),
    'run-agent': inWorkspace(world, (here) => runAgentHandler(here, { words: to.words })),
    'run-gate': inWorkspace(world, runGateHandler),
    'resolve-base': inWorkspace(world, resolveBaseHandler),
    'classify-changes': inWorkspace(world, classifyChangesHandler),
    'run-trial': inWorkspace(world, cleanRoomHandler),
    'check-final-tree': inWorkspace(world, finalTreeHandler),
    commit: inWorkspace(world, commitHandler),
    revert: inWorkspace(world, revertHandler),
    'save-knowledge': inWorkspace(world, saveKnowledgeHandler),
    'check-document': inWorkspace(world, checkDocumentHandler),
    'check-import': checkImportHandler,
    wait: waitHandler(world.clock),
    abort: abortHandler(to.runningEffects),
  }
}
