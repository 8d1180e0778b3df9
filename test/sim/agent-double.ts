/**
 * The double of the agent handler: the same promises as the real one, kept by a process of the fake world. Limits, stopping and
 * the answer belong to the engine and die with it; the process and its log belong to the world.
 */
import type { Usage } from '../../src/core/calls/agent-io.ts'
import type { EffectOf } from '../../src/core/state/effect.ts'
import { RalphError } from '../../src/core/error.ts'
import type { EventsFor } from '../../src/core/state/event.ts'
import { spentTenths } from '../../src/core/admission/budget.ts'
import type { Orphans } from '../../src/core/tree/orphan.ts'
import type { ReplyEnd } from '../../src/core/agent-output/reply.ts'
import type { AbortListener, Handler } from '../../src/engine/runtime/handler.ts'
import type { Timer } from '../../src/system/clock.ts'
import { commitAll, headOf } from './repository.ts'
import { broken } from './invariant-rules.ts'
import { drawAgentTurn, partOf, replyOf, type AgentTurn } from './agent-turns.ts'
import { edit, somePaths } from './sim-workspace.ts'
import type { Process, World } from './world.ts'

type RunAgent = EffectOf<'run-agent'>

/** Until the program is up and its log is there. */
const START_MS = 200
/** Until a busy engine has come round to ending what is to be ended. */
const ENDING_MS = 5_000
/** How often an agent commits what it did by itself. */
const COMMITS = 0.3

export function agentDouble(world: World): Handler<RunAgent> {
  const { random, faultRates } = world

  return {
    async perform(effect, put, aborting) {
      if (random.is(faultRates.agent.throws)) {
        world.note('agent handler throws')
        if (random.is(0.5)) throw new RalphError('disk', 'the disk is full', { hint: 'Free some space.' })
        throw new RalphError('not-found', 'the prompt is gone', { hint: 'Write it again.' })
      }
      const deed = drawAgentTurn(world, effect)
      const process = begin(world, effect, (deed.usage?.usd ?? 0) / deed.steps)
      await new Promise<void>((answered) => {
        converse({ effect, deed, process, put, aborting, answered })
      })
    },
    recoverAnswer: (effect) => Promise.resolve(recoverAnswer(world, effect)),
  }

  /** One step takes it over its allowance; what it tells after that is told while it is being ended, or nobody ends it. */
  function overspends(effect: RunAgent, ms: number): void {
    world.note('told after the budget was spent')
    if (ms > effect.limits.stopGraceMs + ENDING_MS && effect.role === 'work')
      world.broken ??= broken(14, `${effect.id} still spends ${ms} ms after its budget was gone`)
  }

  interface Talk {
    effect: RunAgent
    deed: AgentTurn
    process: Process
    put: (event: EventsFor<'run-agent'>) => void
    aborting: AbortListener
    answered: () => void
  }

  function converse({ effect, deed, process, put, aborting, answered }: Talk): void {
    const answer = { worker: effect.worker, effect: effect.id }
    const space = world.space(effect.worker)
    const { limits } = effect
    const timers: Timer[] = []
    const length = deed.durationMs ?? 3_600_000
    let heard = false
    let tenth = 0

    /** The process is over: the world knows at once, the engine if it lives. */
    const end = (how: ReplyEnd, final: boolean): void => {
      if (!process.running) return
      const passed = world.mono() - process.startedAt
      process.running = false
      process.final = final
      if (effect.role === 'work') space.workEndedAt = world.mono()
      const usage = how === 'success' || how === 'failed' ? deed.usage : process.told
      process.reply = replyOf(world, effect, deed, { end: how, usage, durationMs: passed })
      world.told.set(effect.id, { usage, beyond: beyondOf(world, process, usage) })
      if (effect.role === 'work' && random.is(faultRates.agent.orphans)) leaveOrphan(world, process)
    }
    /** What only a living engine does: it tells the core. */
    const tell = (): void => {
      if (heard || process.reply === null) return
      heard = true
      for (const timer of timers) timer.cancel()
      const reply = aborting.told?.why === 'budget' ? { ...process.reply, end: 'over-budget' as const } : process.reply
      const event: EventsFor<'run-agent'> = { type: 'agent-ended', ...answer, reply, ...orphansOf(process) }
      put(event)
      if (random.is(faultRates.agent.twice)) {
        world.note('agent answers twice')
        world.after('world', random.int(0, 120_000), () => put(event))
      }
      answered()
    }
    const say = (ms: number, report: () => void): void => {
      if (ms >= length && deed.durationMs !== null) return
      timers.push(world.after('engine', ms, () => process.running && report()))
    }
    const endBy = (how: ReplyEnd): void => {
      end(how, false)
      tell()
    }

    world.after('world', length * 0.7, () => {
      if (!process.running) return
      deed.act(space)
      if (effect.role === 'work' && random.is(COMMITS)) commitAll(world, effect.worker, headOf(world.repository, space))
    })
    if (deed.durationMs !== null) {
      world.after('world', length, () => {
        end(deed.failure === null ? 'success' : 'failed', deed.final)
      })
      timers.push(world.after('engine', length, tell))
    }
    if (deed.begins) {
      const known: EventsFor<'run-agent'> = {
        type: 'conversation-known',
        ...answer,
        conversation: effect.resume ?? `talk-${effect.id}`,
        model: null,
      }
      const together = random.is(0.7)
      say(START_MS, () => {
        put({
          type: 'agent-started',
          ...answer,
          pid: 4_000,
          startTime: '1',
          promptHash: 'p',
          log: 'agent.log',
        })
        if (together) put(known)
      })
      if (!together) say(300, () => put(known))
    }
    for (const denial of deed.denials) say(length * 0.3, () => put({ type: 'agent-denied', ...answer, denial }))
    for (let step = 1; step < deed.steps; step += 1) {
      say((length * step) / deed.steps, () => {
        const usage = partOf(deed.usage, step / deed.steps)
        if (usage === null) return
        if (process.spent !== null) overspends(effect, world.mono() - process.spent.mono)
        process.told = usage
        const reached = spentTenths(usage, { usd: effect.remainingUsd, tokens: effect.remainingTokens })
        if (reached <= tenth) return
        tenth = reached
        if (reached === 10) {
          world.note('spend crossed ten')
          process.spent = { mono: world.mono(), usd: usage.usd ?? 0 }
        }
        put({ type: 'spend-threshold-crossed', ...answer, usage, tenth })
      })
    }
    if (deed.silent && limits.idleMs > 0) timers.push(world.after('engine', limits.idleMs, () => endBy('silent')))
    if (limits.wallMs > 0) timers.push(world.after('engine', limits.wallMs, () => endBy('timed-out')))
    aborting.onAbort(({ now }) => {
      timers.push(
        world.after('engine', now ? 0 : random.int(0, limits.stopGraceMs), () => {
          if (!process.running) world.note('agent ends by itself after the abort')
          endBy('stopped')
        }),
      )
    })
  }
}

/** Somebody stays behind who is not ours to end, and changes a file now and then. */
function leaveOrphan(world: World, process: Process): void {
  const { random } = world
  world.note('an agent leaves a process behind')
  process.orphans = { named: [{ pid: 4_711, startTime: '1', command: 'sh watch.sh' }], more: 0 }
  const space = world.space(process.worker)
  for (let edits = random.int(0, 3); edits > 0; edits--)
    world.after('world', random.int(0, 1_800_000), () => edit(space, 'orphan', { paths: somePaths(space, random) }))
}

function orphansOf({ orphans }: Process): { orphans?: Orphans } {
  return orphans === null ? {} : { orphans }
}

/** What it spent beyond the last word that was within its allowance: the step that passed it, and what came before it was ended.
 *  While no engine lives nobody listens, and all of it is told late. */
function beyondOf({ workers }: World, { spent, step, told }: Process, usage: Usage | null): number {
  const usd = usage?.usd ?? 0
  if (spent !== null) return step + usd - spent.usd
  // Where several share the money, any step may be the one that takes all of them together over it.
  return (workers.length > 1 ? step : 0) + usd - (told?.usd ?? 0)
}

function begin(world: World, effect: RunAgent, step: number): Process {
  for (const other of world.agents.values()) {
    if (other.running && other.worker === effect.worker) {
      world.broken ??= broken(1, `${effect.id} was started while ${other.effect} runs for worker ${effect.worker}`)
    }
  }
  if (world.mustNotStart)
    world.broken ??= broken(5, `${effect.id} was started although the run was to stop before this engine began`)
  if (world.agents.has(effect.id)) world.broken ??= broken(6, `${effect.id} was started twice`)
  const process: Process = {
    effect: effect.id,
    worker: effect.worker,
    startedAt: world.mono(),
    running: true,
    final: false,
    told: null,
    step,
    spent: null,
    reply: null,
    orphans: null,
  }
  world.agents.set(effect.id, process)
  return process
}

/** Ends what still runs and answers from the log, as the real handler does: never begun, its own end, or interrupted. */
function recoverAnswer(world: World, effect: RunAgent): Awaited<ReturnType<Handler<RunAgent>['recoverAnswer']>> {
  const process = world.agents.get(effect.id)
  if (process === undefined) return { is: 'not-begun' }
  if (process.running && world.mono() - process.startedAt < START_MS) {
    world.note('killed before its log was there')
    world.agents.delete(effect.id)
    process.running = false
    return { is: 'not-begun' }
  }
  const answer = { worker: effect.worker, effect: effect.id }
  process.running = false
  const known =
    process.reply ?? replyOf(world, effect, NOBODY_KNOWS, { end: 'interrupted', usage: process.told, durationMs: 0 })
  process.reply = known
  world.note(process.final ? 'answered from the log' : 'interrupted by a crash')
  const interrupted = !process.final
  const beyond = world.told.get(effect.id)?.beyond ?? beyondOf(world, process, known.usage)
  world.told.set(effect.id, { usage: known.usage, beyond })
  const reply = interrupted ? { ...known, end: 'interrupted' as const, failure: null } : known
  return { is: 'answered', event: { type: 'agent-ended', ...answer, reply, ...orphansOf(process) } }
}

/** Cut off in the middle: its log tells no words, and of its cost what was told until then. */
const NOBODY_KNOWS: AgentTurn = {
  kind: 'work',
  durationMs: null,
  silent: false,
  final: false,
  begins: true,
  denials: [],
  usage: null,
  steps: 1,
  act: () => {},
  signals: {},
  failure: null,
  textLength: 0,
  lastMessage: '',
}
