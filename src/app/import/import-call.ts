/**
 * The agent that reads a document is a call like any other: admitted by the quota, paid from a budget, ended when its allowance is gone, and
 * for the next agent in the order when the first cannot take it. It belongs to no run, so it has a budget of its own.
 *
 * A run waits for hours, because nobody is there. Whoever imports sits before it, or wrote a script that must not hang: seconds are
 * waited for, twice at most; of everything longer it is said when it would go, and the reader (`--no-agent`) is there meanwhile.
 */
import { credentialsOf } from '../../agents/credentials.ts'
import { allAgentNames, type Settings } from '../../config/resolve.ts'
import type { AgentLimits } from '../../core/calls/agent.ts'
import {
  type Allowance,
  type Budget,
  EMPTY_BUDGET,
  remainingAllowance,
  reserve,
  bookUsage,
  capWallTime,
  withoutReservation,
  withReservation,
} from '../../core/admission/budget.ts'
import { wasRejectedBeforeStart } from '../../core/calls/call.ts'
import { admit, hourStart, type Admission } from '../../core/admission/quota.ts'
import {
  backOff,
  chooseAgent,
  credentialOf,
  describeCooldowns,
  limitCooldown,
  outageCooldown,
  cooldownsByAgent,
  type Cooldowns,
} from '../../core/admission/cooldown.ts'
import { describeAgentFailure, callFailureIn } from '../../core/calls/call-failure.ts'
import { formatSpan } from '../../core/text/format-amounts.ts'
import { RalphError, type ExitCode } from '../../core/error.ts'
import type { EffectId, Instant, Millis, Now } from '../../core/ids.ts'
import { never } from '../../core/assert-never.ts'
import type { Reply, ReplyFailure } from '../../core/agent-output/reply.ts'
import type { Rules } from '../../core/state/rules.ts'
import { tryQuietly } from '../../store/db/writers.ts'
import { loadInherited } from '../../store/inherited-state.ts'
import { insertCall, IMPORTS_RUN, finishCall, usageSince } from '../../store/usage.ts'
import { readClock, randomId, type Clock } from '../../system/clock.ts'
import { localSeconds } from '../../system/time-formats.ts'
import { onSignals } from '../../system/signals.ts'
import { withStore } from '../open-store.ts'

export interface ImportCall {
  root: string
  settings: Settings
  clock: Clock
  /** Who may be asked, the first first. */
  order: string[]
  /** Asked before an agent is started for the first time. Not null: it is not to be. */
  mayStart: (agent: string) => Promise<ExitCode | null>
  /** It is admitted, and starts now. */
  onStart: (agent: string) => void
  notice: (text: string) => void
  /** `interrupted`: a person ended it. */
  talk: (talk: ImportAgentCall) => Promise<{ reply: Reply; interrupted: boolean }>
}

/** One start of an agent. */
export interface ImportAgentCall {
  agent: string
  effect: EffectId
  limits: AgentLimits
  allowed: Allowance
}

export type ImportCallResult =
  | { is: 'answered'; agent: string; effect: EffectId }
  | { is: 'interrupted' }
  | { is: 'refused'; exit: ExitCode }

/** What is known so far. */
interface Calling extends ImportCall {
  rules: Rules
  began: Now
  budget: Budget
  cooldowns: Cooldowns
  /** Why these are not asked again. */
  unusable: Record<string, string>
  /** How often it was waited. */
  pauses: number
}

/** There is one worker at an import. */
const WORKER = ''
const PAUSES_MAX = 2

export async function callImportAgent(options: ImportCall): Promise<ImportCallResult> {
  const calling = await begin(options)
  let last: string | null = null
  for (;;) {
    const agent = await whoIsFree(calling)
    if (agent === null) return { is: 'interrupted' }
    const exit = agent === last ? null : await options.mayStart(agent)
    if (exit !== null) return { is: 'refused', exit }
    const effect = `import.${randomId(10)}`
    const talk = await admitted(calling, agent, effect)
    if (agent !== last) options.onStart(agent)
    last = agent
    const { reply, interrupted } = await options.talk(talk)
    await settled(calling, effect, reply)
    if (interrupted) return { is: 'interrupted' }
    if (reply.end === 'success') return { is: 'answered', agent, effect }
    if ((await afterFailure(calling, agent, reply)) === 'interrupted') return { is: 'interrupted' }
  }
}

async function begin(options: ImportCall): Promise<Calling> {
  const { root, settings, clock, order } = options
  const said = settings.rules()
  const { agents: custom, programs, envPolicy } = settings
  const credentials = credentialsOf([...allAgentNames(settings.values), ...order], {
    custom,
    programs,
    envPolicy,
  })
  const limited = await knownLimits(root)
  return {
    ...options,
    rules: { ...said, agent: { ...said.agent, credentials } },
    began: readClock(clock),
    budget: EMPTY_BUDGET,
    cooldowns: Object.fromEntries(
      Object.entries(limited).map(([key, until]) => [key, { is: 'usage-limit', until, tries: 1 }]),
    ),
    unusable: {},
    pauses: 0,
  }
}

/** Nothing is made or mended before the agent's program is trusted: where no store can be read, nobody is known to rest. */
async function knownLimits(root: string): Promise<Record<string, Instant>> {
  try {
    return await withStore(root, async ({ sql }) => (await loadInherited(sql, root)).limited)
  } catch (error) {
    if (error instanceof RalphError && UNREADABLE.has(error.code)) return {}
    throw error
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['no-run', 'store-damaged'])

/** The store is open for moments only: an agent takes minutes, and whoever is killed meanwhile leaves a file that is closed. */
function begins({ notice }: Pick<ImportCall, 'notice'>): { create: true; notice: (text: string) => void } {
  return { create: true, notice }
}

/** The first in the order that can be asked now, or in a moment. Null: a person ended the wait. */
async function whoIsFree(calling: Calling): Promise<string | null> {
  const { order, unusable, rules, clock } = calling
  const usable = order.filter((name) => unusable[name] === undefined)
  if (usable.length === 0)
    throw new RalphError('agent-unusable', Object.values(unusable).join(' '), { hint: HINT })
  for (;;) {
    const now = readClock(clock)
    const cooldowns = cooldownsByAgent({ rules, cooldowns: calling.cooldowns }, usable)
    const choice = chooseAgent(usable, cooldowns, now)
    if (choice.agent !== null) return choice.agent
    const why = describeCooldowns(usable, cooldowns)
    const waitMs = choice.until - now.at
    if (waitMs > rules.retry.maxMs || !mayPause(calling)) throw notNow(why, choice.until)
    if (!(await pause(calling, waitMs, why))) return null
  }
}

function mayPause({ pauses }: Calling): boolean {
  return pauses < PAUSES_MAX
}

/** False: a person ended it. */
function pause(calling: Calling, ms: Millis, why: string): Promise<boolean> {
  calling.pauses += 1
  return new Promise((resolve) => {
    const end = (over: boolean): void => {
      timer.cancel()
      deaf()
      resolve(over)
    }
    const timer = calling.clock.after(ms, () => end(true))
    const deaf = onSignals(() => end(false))
    // Whoever reads it may press Ctrl+C at once.
    calling.notice(`${why}; asked again in ${formatSpan(ms)}`)
  })
}

/** Money is quarantined, then the quota is asked and the call counted, in one transaction: two imports never take the same last call. */
async function admitted(calling: Calling, agent: string, effect: EffectId): Promise<ImportAgentCall> {
  const { rules, clock, root } = calling
  const spentMs = clock.up() - calling.began.up
  const reservation = reserve(calling.budget, rules.budget, spentMs)
  if (!reservation.ok) throw new RalphError('limited', reservation.why, { hint: BUDGET_HINT })
  const at = clock.at()
  const count = (): Promise<Admission> =>
    withStore(
      root,
      ({ sql }) =>
        sql.transaction(async (tx) => {
          const admission = admit(await usageSince(tx, hourStart(at)), rules.quota, at)
          const call = {
            run: IMPORTS_RUN,
            worker: WORKER,
            iteration: 0,
            effect,
            agent,
            at,
            seq: null,
            task: null,
          }
          if (admission.admitted) await insertCall(tx, { ...call, role: 'import' })
          return admission
        }),
      begins(calling),
    )
  const admission = await count()
  if (!admission.admitted) throw notNow(admission.why, admission.until)
  calling.budget = withReservation(calling.budget, WORKER, reservation)
  const { limits } = rules.agent
  return {
    agent,
    effect,
    limits: { ...limits, wallMs: capWallTime(limits.wallMs, rules.budget, spentMs) },
    allowed: remainingAllowance(calling.budget, rules.budget, WORKER),
  }
}

async function settled(calling: Calling, effect: EffectId, reply: Reply): Promise<void> {
  const { budget, rules, root } = calling
  calling.budget = wasRejectedBeforeStart(reply)
    ? withoutReservation(budget, WORKER)
    : bookUsage(budget, rules.budget, WORKER, { usage: reply.usage, cutOff: reply.end === 'interrupted' })
  // It stays counted. What was paid for is not thrown away because a disk does not take its price.
  await tryQuietly(() =>
    withStore(root, ({ sql }) => finishCall(sql, { run: IMPORTS_RUN, effect }, reply), begins(calling)),
  )
}

/** By the same table as a run's calls; throws where nobody can do anything about it. */
async function afterFailure(
  calling: Calling,
  agent: string,
  reply: Reply,
): Promise<'interrupted' | 'goes on'> {
  if (reply.end === 'over-budget')
    throw new RalphError('limited', `the budget is spent, so ${agent} was ended in the middle of its work`, {
      hint: BUDGET_HINT,
    })
  const callFailure = callFailureIn(reply, { worked: false })
  if (callFailure === null) throw importFailed(agent, 'it was ended')
  const { failure, retryPolicy } = callFailure
  switch (retryPolicy) {
    case 'cooldown':
    case 'outage':
      startCooldown(calling, agent, failure, retryPolicy)
      return 'goes on'
    case 'elsewhere':
      calling.unusable[agent] = describeAgentFailure(agent, failure)
      calling.notice(describeAgentFailure(agent, failure))
      return 'goes on'
    case 'fresh-conversation':
      // It was a fresh one.
      throw importFailed(agent, failure.message)
    case 'breaker': {
      if (!TRIED_AGAIN.has(failure.kind) || !mayPause(calling)) throw importFailed(agent, failure.message)
      const ms = backOff(calling.pauses + 1, calling.rules.retry)
      return (await pause(calling, ms, `${agent} failed: ${failure.message}`)) ? 'goes on' : 'interrupted'
    }
    default:
      return never(retryPolicy)
  }
}

/** The same document would meet the others again, and a person has waited for a time limit already. */
const TRIED_AGAIN: ReadonlySet<ReplyFailure['kind']> = new Set(['crash', 'killed', 'unknown'])

function startCooldown(
  calling: Calling,
  agent: string,
  failure: ReplyFailure,
  retryPolicy: 'cooldown' | 'outage',
): void {
  const { rules, cooldowns, clock } = calling
  const key = credentialOf(rules, agent)
  const kind = failure.kind === 'rate-limit' ? 'rate-limit' : 'usage-limit'
  const resets = failure.resetsAt === undefined ? {} : { resetsAt: failure.resetsAt }
  const now = readClock(clock)
  const rest =
    retryPolicy === 'cooldown'
      ? limitCooldown({ kind, ...resets }, cooldowns[key], rules.retry, now.at)
      : outageCooldown(failure.message, cooldowns[key], rules.retry, now)
  calling.cooldowns = { ...cooldowns, [key]: rest }
  calling.notice(`${agent} cannot read it now: ${failure.message}`)
}

const HINT =
  'Nothing was written. Try again, choose another agent (--agent NAME), or do without one: --no-agent'
const BUDGET_HINT =
  'Nothing was written. Give it more (budget.usd, budget.tokens, budget.minutes), or do without an agent: --no-agent'

function notNow(why: string, until: Instant): RalphError {
  const time = localSeconds(until).slice(0, -3)
  return new RalphError('limited', `${why}: an agent can be asked again at ${time}`, {
    hint: 'Nothing was written. Import it again then, or do without an agent now: --no-agent',
  })
}

export function importFailed(agent: string, why: string): RalphError {
  return new RalphError('agent-unusable', `${agent} did not turn the document into a project: ${why}`, {
    hint: HINT,
  })
}
