/** Puts the real handlers together. The simulator puts its doubles in the same table. */
import type { AgentEvent } from '../domain/calls/agent.ts'
import type { WorkerId } from '../domain/ids.ts'
import type { Handlers } from './circle/handler.ts'
import { abortHandler } from './perform/abort.ts'
import { agentHandler } from './perform/agent.ts'
import { commitHandler } from './perform/commit.ts'
import { gateHandler } from './perform/gate.ts'
import { baseHandler } from './perform/base.ts'
import { saveKnowledgeHandler } from './perform/keep-knowledge.ts'
import { finalTreeHandler } from './perform/look.ts'
import { revertHandler } from './perform/put-back.ts'
import { sortChangesHandler } from './perform/sort.ts'
import { collectDocumentHandler } from './perform/take-paper.ts'
import { cleanRoomHandler } from './perform/room.ts'
import { surveyHandler } from './perform/survey.ts'
import { waitHandler } from './perform/wait.ts'
import type { RunningEffects } from './circle/performing.ts'
import { inWorkspace, type World } from './world.ts'

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
    wait: waitHandler(world.clock),
    abort: abortHandler(to.runningEffects),
  }
}
