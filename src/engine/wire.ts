/** Puts the real handlers together. The simulator puts its doubles in the same table. */
import type { AgentEvent } from '../domain/calls/agent.ts'
import type { WorkerId } from '../domain/ids.ts'
import type { Handlers } from './circle/handler.ts'
import { abortHandler } from './perform/abort.ts'
import { agentHandler } from './perform/agent.ts'
import { commitHandler } from './perform/commit.ts'
import { gateHandler } from './perform/gate.ts'
import { baseHandler } from './perform/base.ts'
import { keepKnowledgeHandler } from './perform/keep-knowledge.ts'
import { lookHandler } from './perform/look.ts'
import { putBackHandler } from './perform/put-back.ts'
import { sortHandler } from './perform/sort.ts'
import { takePaperHandler } from './perform/take-paper.ts'
import { roomHandler } from './perform/room.ts'
import { surveyHandler } from './perform/survey.ts'
import { waitHandler } from './perform/wait.ts'
import type { Performing } from './circle/performing.ts'
import { inPlace, type World } from './world.ts'

export function wire(
  world: World,
  to: { words: (worker: WorkerId, event: AgentEvent) => void; performing: Performing },
): Handlers {
  return {
    survey: inPlace(world, surveyHandler),
    'run-agent': inPlace(world, (here) => agentHandler(here, { words: to.words })),
    'run-gate': inPlace(world, gateHandler),
    'take-base': inPlace(world, baseHandler),
    'sort-changes': inPlace(world, sortHandler),
    'try-room': inPlace(world, roomHandler),
    'look-again': inPlace(world, lookHandler),
    commit: inPlace(world, commitHandler),
    'put-back': inPlace(world, putBackHandler),
    'keep-knowledge': inPlace(world, keepKnowledgeHandler),
    'take-paper': inPlace(world, takePaperHandler),
    wait: waitHandler(world.clock),
    abort: abortHandler(to.performing),
  }
}
