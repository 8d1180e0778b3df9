/** Prepares a new run: runs the checks before the first call, asks for confirmation, and builds its first event. */
import { sharedCredentialsOf } from '../../agents/credentials.ts'
import { projectAgentPrograms } from '../../config/programs-in-record.ts'
import { allAgentNames, type AgentPrograms, type Settings } from '../../config/resolve.ts'
import { RalphError } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import type { Gate } from '../../core/proof/evidence.ts'
import { loadInheritedState } from '../../store/inherited-state.ts'
import { suggest } from '../../core/text/suggest.ts'
import type { VerifyRequest } from '../../core/proof/verify-request.ts'
import type { Orphan } from '../../core/tree/orphan.ts'
import type { Event } from '../../core/state/event.ts'
import { runKindOf } from '../../core/state/run-kind.ts'
import type { Rules } from '../../core/state/rules.ts'
import { countTasks } from '../../store/task/task-counts.ts'
import { randomId, systemClock, type Clock } from '../../system/clock.ts'
import { ownProcessIdentity } from '../../system/process/process-identity.ts'
import { resolveCommit } from '../../workspace/archive/archive-commit.ts'
import { refuseAskWithoutPerson } from '../startup/interactive-permission.ts'
import { resolveInheritedState } from '../startup/inherited-state.ts'
import { runPreflight } from '../startup/preflight.ts'
import { rulesWithSetupCommand } from '../startup/setup-command.ts'
import type { RunPosition } from '../runtime/apply-events.ts'
import type { Engine } from '../runtime/event-loop.ts'
import type { HandlerContext } from '../handler-context.ts'
import type { LockedTreeContext } from './locked-tree.ts'
import { deliverAnswers } from './deliver-answers.ts'

/** A run that can start: a new one or a resumed one. */
export interface PreparedRun {
  position: RunPosition
  clock: Clock
  rules: Rules
  /** Reported before this process resumed the run. */
  orphans: Orphan[]
  /** The programs of agents: the project's from the record, the user's from today's settings. */
  agents: AgentPrograms
  start(engine: Engine, world: HandlerContext): Promise<void>
}

export async function prepareNewRun(lockedTree: LockedTreeContext): Promise<PreparedRun> {
  const { root, repo, settings, watcher, store, command, version } = lockedTree
  refuseAskWithoutPerson(lockedTree.rules.agent.permission, lockedTree)
  const asked = rulesWithSetupCommand(lockedTree.rules, root)
  const facts = await runPreflight({
    root,
    repo,
    settings,
    rules: asked,
    mayStart: 'anything',
    kind: runKindOf(lockedTree),
    ...(lockedTree.simulated === undefined ? {} : { simulated: lockedTree.simulated }),
  })
  const rules = withCredentials(facts.rules, settings)
  const run: RunId = randomId(6)
  const clock = systemClock()
  const carried = await resolveInheritedState({
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
    // Tasks and drafts do not continue the breaker or the conversation of a loop.
    ...(lockedTree.tasks === undefined ? {} : { breaker: null, conversation: null, tasks: lockedTree.tasks }),
    ...(lockedTree.draft === undefined ? {} : { breaker: null, conversation: null, draft: lockedTree.draft }),
    // After --fresh the user may have paid or changed the model or account, so every agent is tried again.
    ...(lockedTree.fresh ? { limited: {} } : {}),
    pid: ownProcessIdentity().pid,
    version,
    programs: projectAgentPrograms(settings, rules),
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

/** A run of one stage: no start block is shown. */
export async function prepareOneStageRun(lockedTree: LockedTreeContext): Promise<PreparedRun> {
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
    // A verification calls no agent.
    limited: verify === undefined ? (await loadInheritedState(lockedTree.store.sql, root)).limited : {},
    pid: ownProcessIdentity().pid,
    version,
    programs: projectAgentPrograms(settings, rules),
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

async function verifyRules({ rules, root, repo }: LockedTreeContext, { gate, since }: VerifyRequest): Promise<Rules> {
  if (gate !== null) refuseUnknownGate(rules.gates, gate)
  if (since !== null) await resolveCommit(repo, since)
  return rulesWithSetupCommand(rules, root)
}

function refuseUnknownGate(gates: Gate[], named: string): void {
  const names = gates.map(({ name }) => name)
  if (names.includes(named)) return
  const near = suggest(named, names)
  throw new RalphError('usage', `there is no gate "${named}"`, {
    hint: near === null ? `Gates of this project: ${names.join(', ') || 'none'}` : `Did you mean ${near}?`,
  })
}

/** Agents with the same account share their limits. The accounts are looked up once, when the run begins. */
function withCredentials(rules: Rules, settings: Settings): Rules {
  const { agents, programs, envPolicy, values } = settings
  const credentials = sharedCredentialsOf([...allAgentNames(values), ...rules.agent.order], {
    custom: agents,
    programs,
    envPolicy,
  })
  return Object.keys(credentials).length === 0 ? rules : { ...rules, agent: { ...rules.agent, credentials } }
}
