/** The people around a run: they ask things of it from another process or by a signal, edit files, and let laptops sleep. */
import type { Event, PersonRequest } from '../../src/core/state/event.ts'
import type { RunId } from '../../src/core/ids.ts'
import { addRequest, loadRequestsAfter, type NewRequest } from '../../src/store/requests.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { disturbHead } from './doubles.ts'
import { commitOnto, FIRST, headOf, TARGET } from './repository.ts'
import { personEdits, tickItems } from './sim-workspace.ts'
import { type World, SIMULTANEOUS_MS } from './world.ts'

export interface SimulatedPerson {
  /** Another engine serves the run now; it reads all requests that still wait. */
  moveIn(put: (event: Event) => void): void
  /** By a row in the store, as another process does, or straight at the door, as a signal does. */
  ask(request: NewRequest): Promise<void>
  /** What was asked reaches the engine. */
  deliver(): Promise<void>
  /** The run is paused and nothing moves: somebody comes back. */
  wakeUp(): Promise<void>
  /** A draft asks something. */
  answer(): Promise<void>
  /** Enough is enough. */
  lastWord(): Promise<void>
  put(event: Event): void
}

export function openSimulatedPerson(world: World, at: { sql: Sql; run: RunId }): SimulatedPerson {
  const { random } = world
  let put: (event: Event) => void = () => {}
  let last = 0
  let left = true

  const person: SimulatedPerson = {
    put: (event) => put(event),
    moveIn(door) {
      put = door
      last = 0
      left = true
    },
    async ask(request) {
      world.note(`request ${request.do}${request.to === undefined ? '' : ' of one worker'}`)
      if (request.do === 'stop' && request.to === undefined) world.stopAsked = true
      // In the very moment in which something else happens, so that the engine takes both at once. Time does not run away from an
      // engine whose turn it is.
      if (random.is(0.5)) world.turn(SIMULTANEOUS_MS)
      if (request.do === 'stop' && random.is(0.5)) {
        put({ type: 'request-received', request: { ...request, id: null } satisfies PersonRequest })
        return
      }
      await addRequest(at.sql, at.run, request, world.at())
      left = true
    },
    async deliver() {
      if (!left) return
      left = false
      for (const request of await loadRequestsAfter(at.sql, at.run, last)) {
        last = Math.max(last, request.id ?? 0)
        put({ type: 'request-received', request })
      }
    },
    async wakeUp() {
      world.pass(random.int(0, 3_600_000))
      await person.ask(random.is(0.8) ? { do: 'resume', from: 'sim' } : { do: 'stop', from: 'sim', now: false })
    },
    async answer() {
      world.pass(random.int(0, 3_600_000))
      await person.ask({ do: 'steer', from: 'sim', text: 'as you like' })
    },
    async lastWord() {
      world.note('patience ended')
      await person.ask({ do: 'stop', from: 'sim', now: random.is(0.5) })
    },
  }
  return person
}

/** Chance settles whether anything of this happens now. */
export async function disturb(
  world: World,
  person: SimulatedPerson,
  { inProofSteps }: { inProofSteps: boolean },
): Promise<void> {
  const { random, faultRates } = world
  const { requests } = faultRates
  if (random.is(inProofSteps ? Math.max(requests.stop, requests.stopInProofSteps) : requests.stop)) {
    const because = random.is(0.2) ? ({ because: 'limit' } as const) : {}
    await person.ask({ do: 'stop', from: 'sim', now: random.is(0.3), ...because })
  }
  if (random.is(requests.pause)) await person.ask({ do: 'pause', from: 'sim', ...to(world) })
  if (random.is(requests.resume)) await person.ask({ do: 'resume', from: 'sim', ...to(world) })
  if (random.is(requests.steer))
    await person.ask({
      do: 'steer',
      from: 'sim',
      text: 'keep it small '.repeat(random.int(1, 60)),
      ...to(world),
    })
  if (world.workers.length > 1 && random.is(requests.stop))
    await person.ask({
      do: 'stop',
      from: 'sim',
      now: random.is(0.3),
      to: { worker: random.pick(world.workers) },
    })
  if (random.is(requests.set)) await person.ask({ do: 'set', from: 'sim', ...random.pick(SETTINGS) })
  if (random.is(faultRates.human.edits)) {
    world.note('a person edits')
    personEdits(world.space(random.pick(world.workers)), random)
  }
  if (random.is(faultRates.human.commits)) commits(world)
  if (random.is(faultRates.human.ticks))
    tickItems(world.space(random.pick(world.workers)), 'person', random.int(-2, 2), {
      tracked: !faultRates.planIgnored,
    })
  if (random.is(faultRates.git.busy)) {
    world.note('git gets busy')
    world.space(random.pick(world.workers)).busyUntil = world.mono() + random.int(1, 60_000)
  }
  if (random.is(faultRates.git.strays * 0.1)) disturbHead(world, random.pick(world.workers))
  if (random.is(faultRates.clock.jumps)) jump(world, person)
}

/** Somebody commits to the branch that all began on, whoever else is at it. */
function commits({ repository, note }: World): void {
  note('a person commits')
  const at = { branch: TARGET, detachedAt: FIRST }
  commitOnto(repository, at, { seen: headOf(repository, at), by: 'person' })
}

/** A third of what is asked is asked of one worker, now and then of one that is not there. */
function to({ random, workers }: World): Pick<NewRequest, 'to'> {
  if (workers.length < 2 || !random.is(0.3)) return {}
  return { to: random.is(0.1) ? { task: 'nobody-has-it' } : { worker: random.pick(workers) } }
}

/** Below five seconds nobody notices; beyond, the engine is told. */
function jump(world: World, person: SimulatedPerson): void {
  const { random } = world
  const by = random.pick([1_000, -1_000, 60_000, -60_000, 3_600_000, -3_600_000, 8 * 3_600_000, -25 * 3_600_000])
  world.note(by > 0 ? 'clock jumps forward' : 'clock jumps back')
  world.jump(by)
  if (Math.abs(by) > 5_000) person.put({ type: 'clock-jumped', by })
}

const SETTINGS = [
  { key: 'loop.max_iterations', value: '3' },
  { key: 'loop.max_iterations', value: '0' },
  { key: 'loop.pause', value: '10s' },
  { key: 'quota.calls_per_hour', value: '1' },
  { key: 'quota.calls_per_hour', value: '0' },
  { key: 'quota.tokens_per_hour', value: '1000' },
  { key: 'budget.usd', value: '0.5' },
  { key: 'budget.usd', value: 'none' },
  { key: 'budget.tokens', value: '1000' },
  { key: 'budget.minutes', value: '30' },
  { key: 'breaker.no_progress', value: '1' },
  { key: 'proof.rejections', value: '1' },
  { key: 'proof.required', value: 'true' },
  { key: 'agent.timeout', value: '5m' },
  // Refused, each for another reason.
  { key: 'loop.max_iterations', value: 'many' },
  { key: 'budget.usd', value: '-1' },
  { key: 'gates.test.run', value: 'true' },
  { key: 'nonsense', value: '' },
] as const
