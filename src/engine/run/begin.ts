/** A new run: what is known before money is spent, said and asked about, and the event it begins with. */
import { credentialsOf } from '../../agents/credentials.ts'
import { projectPrograms } from '../../config/recorded.ts'
import { agentsNamed, type Agents, type Settings } from '../../config/resolve.ts'
import { RalphError } from '../../domain/error.ts'
import type { RunId } from '../../domain/ids.ts'
import type { Gate } from '../../domain/proof/evidence.ts'
import { suggest } from '../../domain/text/suggest.ts'
import type { VerifyRequest } from '../../domain/proof/verify-request.ts'
import type { Orphan } from '../../domain/tree/orphan.ts'
import type { Event } from '../../domain/state/event.ts'
import { kindOf } from '../../domain/state/kind.ts'
import type { Rules } from '../../domain/state/rules.ts'
import { countTasks } from '../../store/task/counts.ts'
import { randomId, realClock, type Clock } from '../../system/clock.ts'
import { me } from '../../system/process/identity.ts'
import { commitNamed } from '../../workspace/witness/commit-tree.ts'
import { refuseUnasked } from '../before/asking.ts'
import { inherited } from '../before/inherited.ts'
import { preflight } from '../before/preflight.ts'
import { withSetUp } from '../before/set-up.ts'
import type { Position } from '../circle/advance.ts'
import type { Engine } from '../circle/drive.ts'
import type { World } from '../world.ts'
import type { HeldTree } from './held-tree.ts'
import { tellAnswers } from './tell-answers.ts'

/** A run that can be served: a new one, or one that is taken up. */
export interface Begun {
  position: Position
  clock: Clock
  rules: Rules
  /** Named before this process took the run up. */
  orphans: Orphan[]
  /** What is started for an agent: of the project what the record says, the rest as the user says it today. */
  agents: Agents
  start(engine: Engine, world: World): Promise<void>
}

export async function begin(held: HeldTree): Promise<Begun> {
  const { root, repo, settings, watcher, store, command, version } = held
  refuseUnasked(held.rules.agent.permission, held)
  const asked = withSetUp(held.rules, root)
  const facts = await preflight({
    root,
    repo,
    settings,
    rules: asked,
    mayStart: 'anything',
    kind: kindOf(held),
  })
  const rules = withCredentials(facts.rules, settings)
  const run: RunId = randomId(6)
  const clock = realClock()
  const carried = await inherited({
    sql: store.sql,
    root,
    at: clock.at(),
    rules: rules.agent,
    notice: held.notice,
  })
  const tasks = held.tasks === undefined ? null : await countTasks(store.sql, held.tasks)
  watcher.ready?.({ ...facts, tasks, draft: held.draft ?? null, run })
  await held.mayBegin?.(facts)
  const started: Event = {
    type: 'run-started',
    run,
    rules,
    workers: 1,
    project: root,
    command,
    ...carried,
    // What a loop was in the middle of is nothing that a task should know.
    ...(held.tasks === undefined ? {} : { breaker: null, conversation: null, tasks: held.tasks }),
    ...(held.draft === undefined ? {} : { breaker: null, conversation: null, draft: held.draft }),
    // Whoever begins anew on purpose may have paid, changed the model or the account meanwhile: everybody is asked again.
    ...(held.fresh ? { limited: {} } : {}),
    pid: me().pid,
    version,
    programs: projectPrograms(settings, rules),
  }
  return {
    position: { run, house: null, seq: 0, view: null },
    clock,
    rules,
    orphans: [],
    agents: settings,
    async start({ inbox }) {
      inbox.put(started)
      if (held.tasks === undefined) await tellAnswers(held, { inbox, known: [] })
    },
  }
}

/** A run of one stage: nothing is asked or shown before it, and it inherits nothing. */
export async function beginStage(held: HeldTree, verify: VerifyRequest): Promise<Begun> {
  const { root, settings, command, version } = held
  const rules = withSetUp(held.rules, root)
  if (verify.gate !== null) refuseUnknownGate(rules.gates, verify.gate)
  if (verify.since !== null) await commitNamed(held.repo, verify.since)
  const run: RunId = randomId(6)
  const started: Event = {
    type: 'run-started',
    run,
    rules,
    workers: 1,
    project: root,
    command,
    breaker: null,
    conversation: null,
    limited: {},
    pid: me().pid,
    version,
    programs: projectPrograms(settings, rules),
    verify,
  }
  return {
    position: { run, house: null, seq: 0, view: null },
    clock: realClock(),
    rules,
    orphans: [],
    agents: settings,
    start: ({ inbox }) => Promise.resolve(inbox.put(started)),
  }
}

function refuseUnknownGate(gates: Gate[], named: string): void {
  const names = gates.map(({ name }) => name)
  if (names.includes(named)) return
  const near = suggest(named, names)
  throw new RalphError('usage', `there is no gate "${named}"`, {
    hint: near === null ? `Gates of this project: ${names.join(', ') || 'none'}` : `Did you mean ${near}?`,
  })
}

/** Agents on one account are limited together. Which they are is looked up once, when the run begins. */
function withCredentials(rules: Rules, settings: Settings): Rules {
  const { agents, programs, handover, values } = settings
  const credentials = credentialsOf(agentsNamed(values), { custom: agents, programs, handover })
  return Object.keys(credentials).length === 0 ? rules : { ...rules, agent: { ...rules.agent, credentials } }
}
