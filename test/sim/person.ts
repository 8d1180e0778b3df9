/** The people around a run: they ask things of it from another process or by a signal, edit files, and let laptops sleep. */
import type { Event, Request } from '../../src/domain/state/event.ts'
import type { RunId } from '../../src/domain/ids.ts'
import { addRequest, requestsAfter, type NewRequest } from '../../src/store/requests.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { stray } from './doubles.ts'
import { commitOnto, FIRST, headOf, TARGET } from './repository.ts'
import { personEdits, tick } from './trees.ts'
import { type World, CROWD_MS } from './world.ts'

export interface Person {
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

export function personOf(world: World, at: { sql: Sql; run: RunId }): Person {
  const { chance } = world
  let put: (event: Event) => void = () => {}
  let last = 0
  let left = true

  const person: Person = {
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
      if (chance.is(0.5)) world.turn(CROWD_MS)
      if (request.do === 'stop' && chance.is(0.5)) {
        put({ type: 'request-received', request: { ...request, id: null } satisfies Request })
        return
      }
      await addRequest(at.sql, at.run, request, world.at())
      left = true
    },
    async deliver() {
      if (!left) return
      left = false
      for (const request of await requestsAfter(at.sql, at.run, last)) {
        last = Math.max(last, request.id ?? 0)
        put({ type: 'request-received', request })
      }
    },
    async wakeUp() {
      world.pass(chance.int(0, 3_600_000))
      await person.ask(
        chance.is(0.8) ? { do: 'resume', from: 'sim' } : { do: 'stop', from: 'sim', now: false },
      )
    },
    async answer() {
      world.pass(chance.int(0, 3_600_000))
      await person.ask({ do: 'steer', from: 'sim', text: 'as you like' })
    },
    async lastWord() {
      world.note('patience ended')
      await person.ask({ do: 'stop', from: 'sim', now: chance.is(0.5) })
    },
  }
  return person
}

/** Chance settles whether anything of this happens now. */
export async function disturb(
  world: World,
  person: Person,
  { onLadder }: { onLadder: boolean },
): Promise<void> {
  const { chance, manners } = world
  const { requests } = manners
  if (chance.is(onLadder ? Math.max(requests.stop, requests.stopOnLadder) : requests.stop)) {
    const because = chance.is(0.2) ? ({ because: 'limit' } as const) : {}
    await person.ask({ do: 'stop', from: 'sim', now: chance.is(0.3), ...because })
  }
  if (chance.is(requests.pause)) await person.ask({ do: 'pause', from: 'sim', ...to(world) })
  if (chance.is(requests.resume)) await person.ask({ do: 'resume', from: 'sim', ...to(world) })
  if (chance.is(requests.steer))
    await person.ask({
      do: 'steer',
      from: 'sim',
      text: 'keep it small '.repeat(chance.int(1, 60)),
      ...to(world),
    })
  if (world.workers.length > 1 && chance.is(requests.stop))
    await person.ask({
      do: 'stop',
      from: 'sim',
      now: chance.is(0.3),
      to: { worker: chance.pick(world.workers) },
    })
  if (chance.is(requests.set)) await person.ask({ do: 'set', from: 'sim', ...chance.pick(SETTINGS) })
  if (chance.is(manners.human.edits)) {
    world.note('a person edits')
    personEdits(world.space(chance.pick(world.workers)), chance)
  }
  if (chance.is(manners.human.commits)) commits(world)
  if (chance.is(manners.human.ticks))
    tick(world.space(chance.pick(world.workers)), 'person', chance.int(-2, 2), {
      tracked: !manners.planIgnored,
    })
  if (chance.is(manners.git.busy)) {
    world.note('git gets busy')
    world.space(chance.pick(world.workers)).busyUntil = world.mono() + chance.int(1, 60_000)
  }
  if (chance.is(manners.git.strays * 0.1)) stray(world, chance.pick(world.workers))
  if (chance.is(manners.clock.jumps)) jump(world, person)
}

/** Somebody commits to the branch that all began on, whoever else is at it. */
function commits({ repository, note }: World): void {
  note('a person commits')
  const at = { branch: TARGET, detachedAt: FIRST }
  commitOnto(repository, at, { seen: headOf(repository, at), by: 'person' })
}

/** A third of what is asked is asked of one worker, now and then of one that is not there. */
function to({ chance, workers }: World): Pick<NewRequest, 'to'> {
  if (workers.length < 2 || !chance.is(0.3)) return {}
  return { to: chance.is(0.1) ? { task: 'nobody-has-it' } : { worker: chance.pick(workers) } }
}

/** Below five seconds nobody notices; beyond, the engine is told. */
function jump(world: World, person: Person): void {
  const { chance } = world
  const by = chance.pick([
    1_000,
    -1_000,
    60_000,
    -60_000,
    3_600_000,
    -3_600_000,
    8 * 3_600_000,
    -25 * 3_600_000,
  ])
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
  { key: 'proof.refusals', value: '1' },
  { key: 'proof.required', value: 'true' },
  { key: 'agent.timeout', value: '5m' },
  // Refused, each for another reason.
  { key: 'loop.max_iterations', value: 'many' },
  { key: 'budget.usd', value: '-1' },
  { key: 'gates.test.run', value: 'true' },
  { key: 'nonsense', value: '' },
] as const
