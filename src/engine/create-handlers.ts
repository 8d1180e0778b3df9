/** Puts the real handlers together. The simulator puts its doubles in the same table. */
import type { AgentEvent } from '../core/calls/agent.ts'
import type { WorkerId } from '../core/ids.ts'
import type { Handlers } from './runtime/handler.ts'
import { abortHandler } from './handlers/abort.ts'
import { agentHandler } from './handlers/run-agent.ts'
import { commitHandler } from './handlers/commit.ts'
import { gateHandler } from './handlers/run-gate.ts'
import { baseHandler } from './handlers/find-base.ts'
import { saveKnowledgeHandler } from './handlers/save-knowledge.ts'
import { finalTreeHandler } from './handlers/final-tree.ts'
import { revertHandler } from './handlers/revert.ts'
import { sortChangesHandler } from './handlers/sort-changes.ts'
import { checkImportHandler, collectDocumentHandler } from './handlers/collect-document.ts'
import { cleanRoomHandler } from './handlers/clean-room.ts'
import { surveyHandler } from './handlers/take-snapshot.ts'
import { waitHandler } from './handlers/wait.ts'
import type { RunningEffects } from './runtime/running-effects.ts'
import { inWorkspace, type World } from './handler-world.ts'

export function createHandlers(
  world: World,
  to: { words: (worker: WorkerId, event: AgentEvent) => void; runningEffects: RunningEffects },
): Handlers {
  return {
    snapshot: inWorkspace(world, surveyHandler),
    'run-agent': inWorkspace(world, (here) => agentHandler(here, { words: to.words })),
    'run-gate': inWorkspace(world, gateHandler),
    'resolve-base': inWorkspace(world, baseHandler),
    'classify-changes': inWorkspace(world, sortChangesHandler),
    'run-trial': inWorkspace(world, cleanRoomHandler),
    'check-final-tree': inWorkspace(world, finalTreeHandler),
    commit: inWorkspace(world, commitHandler),
    revert: inWorkspace(world, revertHandler),
    'save-knowledge': inWorkspace(world, saveKnowledgeHandler),
    'check-document': inWorkspace(world, collectDocumentHandler),
    'check-import': checkImportHandler,
    wait: waitHandler(world.clock),
    abort: abortHandler(to.runningEffects),
  }
}
