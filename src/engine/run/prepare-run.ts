/** A new run: what is known before money is spent, said and asked about, and the event it begins with. */
import { sharedCredentialsOf } from '../../agents/credentials.ts'
import { projectPrograms } from '../../config/record-programs.ts'
import { allAgentNames, type AgentPrograms, type Settings } from '../../config/resolve.ts'
import { RalphError } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import type { Gate } from '../../core/proof/evidence.ts'
import { loadInherited } from '../../store/inherited-state.ts'
import { suggest } from '../../core/text/suggest.ts'
import type { VerifyRequest } from '../../core/proof/verify-request.ts'
import type { Orphan } from '../../core/tree/orphan.ts'
import type { Event } from '../../core/state/event.ts'
import { runKindOf } from '../../core/state/run-kind.ts'
import type { Rules } from '../../core/state/rules.ts'
import { countTasks } from '../../store/task/task-counts.ts'
import { randomId, systemClock, type Clock } from '../../system/clock.ts'
import { ownIdentity } from '../../system/process/process-identity.ts'
import { resolveCommit } from '../../workspace/archive/commit-tree.ts'
import { refuseWithoutPerson } from '../startup/interactive-permission.ts'
import { resolveInherited } from '../startup/inherited.ts'
import { preflight } from '../startup/preflight.ts'
import { withSetupCommand } from '../startup/setup-command.ts'
import type { RunPosition } from '../runtime/apply-events.ts'
import type { Engine } from '../runtime/run-loop.ts'
import type { World } from '../handler-world.ts'
import type { LockedTree } from './locked-tree.ts'
import { deliverAnswers } from './deliver-answers.ts'

/** A run that can be served: a new one, or one that is resumed. */
export interface PreparedRun {
  position: RunPosition
  clock: Clock
  rules: Rules
  /** Named before this process took the run up. */
  orphans: Orphan[]
  /** What is started for an agent: of the project what the record says, the rest as the user says it today. */
  agents: AgentPrograms
  start(engine: Engine, world: World): Promise<void>
}

export async function prepareNewRun(lockedTree: LockedTree): Promise<PreparedRun> {
  const { root, repo, settings, watcher, store, command, version } = lockedTree
  refuseWithoutPerson(lockedTree.rules.agent.permission, lockedTree)
  const asked = withSetupCommand(lockedTree.rules, root)
  const facts = await preflight({
    root,
    repo,
    settings,
    rules: asked,
    mayStart: 'anything',
    kind: runKindOf(lockedTree),
  })
  const rules = withCredentials(facts.rules, settings)
  const run: RunId = randomId(6)
  const clock = systemClock()
  const carried = await resolveInherited({
    sql: store.sql,
    root,
    at: clock.at(),
    rules: rules.agent,
    notice: lockedTree.notice,
  })
  const tasks = lockedTree.tasks === undefined ? null : await countTasks(store.sql, lockedTree.tasks)
  watcher.ready?.({ ...facts, tasks, draft: lockedTree.draft ?? null, run })
  await lockedTree.mayStartRun?.(facts)
  const started: Event = {
    type: 'run-started',
    run,
    rules,
    workers: 1,
    project: root,
    command,
    ...(lockedTree.start === undefined ? {} : { start: lockedTree.start }),
    ...carried,
    // What a loop was in the middle of is nothing that a task should know.
    ...(lockedTree.tasks === undefined ? {} : { breaker: null, conversation: null, tasks: lockedTree.tasks }),
    ...(lockedTree.draft === undefined ? {} : { breaker: null, conversation: null, draft: lockedTree.draft }),
    // Whoever begins anew on purpose may have paid, changed the model or the account meanwhile: everybody is asked again.
    ...(lockedTree.fresh ? { limited: {} } : {}),
    pid: ownIdentity().pid,
    version,
    programs: projectPrograms(settings, rules),
  }
  return {
    position: { run, state: null, seq: 0, view: null },
    clock,
    rules,
    orphans: [],
    agents: settings,
    async start({ inbox }) {
      inbox.put(started)
      if (lockedTree.tasks === undefined) await deliverAnswers(lockedTree, { inbox, known: [] })
    },
  }
}

/** A run of one stage: nothing is shown before it. */
export async function prepareStageRun(lockedTree: LockedTree): Promise<PreparedRun> {
  const { root, settings, command, version, verify, import: imports } = lockedTree
  const rules =
    verify === undefined ? withCredentials(lockedTree.rules, settings) : await verifyRules(lockedTree, verify)
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
    // A verification asks no agent.
    limited: verify === undefined ? (await loadInherited(lockedTree.store.sql, root)).limited : {},
    pid: ownIdentity().pid,
    version,
    programs: projectPrograms(settings, rules),
    ...(verify === undefined ? {} : { verify }),
    ...(imports === undefined ? {} : { import: imports }),
  }
  return {
    position: { run, state: null, seq: 0, view: null },
    clock: systemClock(),
    rules,
    orphans: [],
    agents: settings,
    start: ({ inbox }) => Promise.resolve(inbox.put(started)),
  }
}

async function verifyRules({ rules, root, repo }: LockedTree, { gate, since }: VerifyRequest): Promise<Rules> {
  if (gate !== null) refuseUnknownGate(rules.gates, gate)
  if (since !== null) await resolveCommit(repo, since)
  return withSetupCommand(rules, root)
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
  const { agents, programs, envPolicy, values } = settings
  const credentials = sharedCredentialsOf([...allAgentNames(values), ...rules.agent.order], {
    custom: agents,
    programs,
    envPolicy,
  })
  return Object.keys(credentials).length === 0 ? rules : { ...rules, agent: { ...rules.agent, credentials } }
}
