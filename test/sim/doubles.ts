/** The doubles of the other handlers: look, commit, prove, wait. Ending early is glue, so that one is the real thing. */
import { NO_CHANGE, type Change, type Snapshot } from '../../src/domain/change.ts'
import type { EffectOf } from '../../src/domain/effect.ts'
import { RalphError } from '../../src/domain/error.ts'
import type { EffectId, WorkerId } from '../../src/domain/ids.ts'
import type { Evidence } from '../../src/domain/proof/evidence.ts'
import { counts } from '../../src/domain/proof/verdict.ts'
import type { Handler, Handlers, Stoppable } from '../../src/engine/handler.ts'
import { abortHandler } from '../../src/engine/perform/abort.ts'
import { agentDouble } from './agent-double.ts'
import { SHAKY } from './manners.ts'
import { edit, treeName, treeNumber, type Space, type World } from './world.ts'

export function doubles(world: World, quarantine: string[]): Handlers {
  const agent = agentDouble(world)
  const gate = gateDouble(world, quarantine)
  return {
    survey: surveyDouble(world),
    'run-agent': agent,
    'run-gate': gate,
    commit: commitDouble(world),
    guard: guardDouble(world),
    restore: restoreDouble(world),
    wait: waitDouble(world),
    abort: abortHandler([agent, gate]),
  }
}

/** Lets engine time pass; never comes back if the engine dies meanwhile. */
function passing(world: World, ms: number): Promise<void> {
  return new Promise((resolve) => void world.after('engine', ms, resolve))
}

export function surveyDouble(world: World): Handler<EffectOf<'survey'>> {
  const { chance, manners } = world
  return {
    async perform(effect, put) {
      await passing(world, chance.int(1, 500))
      const space = world.space(effect.worker)
      if (chance.is(manners.survey.fails)) {
        world.note('survey fails')
        throw new RalphError('git-failed', 'git could not read the index', { hint: 'Try again.' })
      }
      if (effect.for === 'after' && chance.is(manners.git.strays)) stray(world, effect.worker)
      const snapshot = snapshotOf(world, effect.worker)
      const change = effect.since === null ? null : changeSince(space, treeNumber(effect.since))
      const nextBox = space.boxes !== null && space.boxes.open > 0 ? 'the next box' : null
      const deleted = effect.for === 'after' && chance.is(manners.survey.deleted) ? ['.ralph/PROMPT.md'] : []
      if (deleted.length > 0) world.note('control files deleted')
      const event = {
        type: 'surveyed' as const,
        worker: effect.worker,
        effect: effect.id,
        snapshot,
        change,
        boxes: space.boxes,
        nextBox,
        deleted,
      }
      put(event)
      if (chance.is(manners.survey.twice)) {
        world.note('survey answers twice')
        world.after('engine', chance.int(0, 60_000), () => put(event))
      }
    },
    inquire: async () => ({ is: 'not-begun' }),
  }
}

/** HEAD ends up somewhere, and perhaps in the middle of something. */
export function stray(world: World, worker: WorkerId): void {
  const space = world.space(worker)
  space.branch = world.chance.pick(['main', 'side', null])
  space.open = world.chance.pick([null, null, 'merge', 'rebase'])
  world.note('HEAD strays')
}

function snapshotOf(world: World, worker: WorkerId): Snapshot {
  const space = world.space(worker)
  const busy = space.busyUntil > world.mono()
  if (busy) world.note('git found busy')
  return {
    tree: treeName(worker, space.tree),
    head: `head-${space.head}`,
    branch: space.branch,
    ref: null,
    unstored: [],
    busy: busy || space.open !== null ? 'a rebase is in progress' : null,
    ...(space.open === null ? {} : { open: space.open }),
  }
}

function changeSince(space: Space, since: number): Change {
  const files = space.tree - since
  if (files === 0) return NO_CHANGE
  return { ...NO_CHANGE, files, added: files, paths: [{ path: 'src/a.ts', kind: 'changed' }] }
}

export function commitDouble(world: World): Handler<EffectOf<'commit'>> {
  const { chance, manners } = world
  return {
    async perform(effect, put) {
      if (chance.is(manners.commit.throws)) {
        world.note('commit throws')
        throw new RalphError('git-failed', 'git could not be started')
      }
      const space = world.space(effect.worker)
      // Half of the work is done before an answer can be given: a crash may fall between the two.
      await passing(world, chance.int(1, 300))
      const problem = chance.is(manners.commit.problem) ? 'a hook refused it' : null
      if (problem !== null) world.note('commit problem')
      const files = problem === null ? space.tree - space.committed : 0
      if (files > 0) {
        space.committed = space.tree
        space.head += 1
      }
      await passing(world, chance.int(0, 300))
      const sha = files > 0 ? `head-${space.head}` : null
      put({ type: 'committed', worker: effect.worker, effect: effect.id, sha, files, problem })
    },
    inquire: async () => ({ is: 'not-begun' }),
  }
}

export function guardDouble(world: World): Handler<EffectOf<'guard'>> {
  const { chance, manners } = world
  return {
    async perform(effect, put) {
      await passing(world, chance.int(1, 400))
      if (chance.is(manners.guard.throws)) {
        world.note('guard throws')
        throw new RalphError('git-failed', 'git could not read the tree')
      }
      const answer = { worker: effect.worker, effect: effect.id }
      const space = world.space(effect.worker)
      if (effect.do === 'take') {
        space.tampered = false
        space.editedTests = false
        const base = { tree: effect.tree, tools: { npm: '/usr/bin/npm#1' }, settings: {}, mayChange: [] }
        put({ type: 'guard-taken', ...answer, base, warnings: [] })
        return
      }
      const tampered = space.tampered ? [{ path: 'package.json', why: 'the test script was changed' }] : []
      const edited = space.editedTests ? ['test/a.test.ts'] : []
      put({ type: 'guard-checked', ...answer, report: { hash: 'g1', tampered, edited, permitted: [] } })
    },
    inquire: async () => ({ is: 'not-begun' }),
  }
}

export function restoreDouble(world: World): Handler<EffectOf<'restore'>> {
  return {
    async perform(effect, put) {
      const space = world.space(effect.worker)
      if (space.tampered) edit(space, 1)
      space.tampered = false
      space.sound = world.chance.is(0.5)
      await passing(world, world.chance.int(1, 400))
      const snapshot = snapshotOf(world, effect.worker)
      put({ type: 'restored', worker: effect.worker, effect: effect.id, paths: effect.paths, snapshot })
    },
    // Putting the same files back twice changes nothing.
    inquire: async () => ({ is: 'not-begun' }),
  }
}

export function gateDouble(world: World, quarantine: string[]): Handler<EffectOf<'run-gate'>> & Stoppable {
  const { chance, manners } = world
  const stopped = new Map<EffectId, () => void>()
  return {
    async perform(effect, put) {
      if (chance.is(manners.gate.throws)) {
        world.note('gate handler throws')
        throw new RalphError('io', 'the log of the gate could not be written')
      }
      if (world.mustNotStart)
        world.broken ??= `5: ${effect.id} was started although the run was to stop before this engine began`
      world.gates.set(effect.id, effect.worker)
      const wasStopped = await new Promise<boolean>((resolve) => {
        stopped.set(effect.id, () => resolve(true))
        world.after('engine', chance.int(1, 120_000), () => resolve(false))
      })
      stopped.delete(effect.id)
      world.gates.delete(effect.id)
      const evidence = wasStopped ? cutOff(world, effect) : judgeTree(world, effect, quarantine)
      const event = { type: 'gate-ended', worker: effect.worker, effect: effect.id, evidence } as const
      put(event)
      if (chance.is(manners.gate.twice)) {
        world.note('gate answers twice')
        world.after('engine', chance.int(0, 60_000), () => put(event))
      }
    },
    async stop(id) {
      stopped.get(id)?.()
    },
    async inquire(effect) {
      world.gates.delete(effect.id)
      return { is: 'unknown' }
    },
  }
}

function judgeTree(world: World, effect: EffectOf<'run-gate'>, quarantine: string[]): Evidence {
  const { chance, manners } = world
  const space = world.space(effect.worker)
  const is = (fault: string, probability: number): boolean => {
    const happens = chance.is(probability)
    if (happens) world.note(`gate ${fault}`)
    return happens
  }
  const old = effect.old !== null
  // The old tests run in a scratch copy, which nobody else sees.
  if (!old && is('formats the tree', manners.gate.formats)) edit(space, 1)
  const missing = is('missing', manners.gate.missing)
  const timedOut = !missing && is('timed out', manners.gate.timedOut)
  const shaken = is('flaky', manners.gate.flaky)
  const green = shaken ? chance.is(0.5) : space.sound && (!old || space.oldTestsPass)
  const evidence = anEvidence(world, effect, {
    exit: missing || timedOut ? null : green ? 0 : 1,
    timedOut,
    missing,
    unsettled: is('unsettled', manners.gate.unsettled),
    failing: green ? [] : shaken ? [SHAKY] : ['a test'],
    summary: green ? '' : world.manners.agent.fat > 0 ? 'ö'.repeat(1_500) : '1 test failed',
  })
  const counted = counts(evidence, quarantine)
  const name = old ? `old-tests:${effect.gate.name}` : effect.gate.name
  if (effect.purpose !== 'baseline')
    space.results.set(name, { green: counted, tree: space.tree, mono: world.mono() })
  world.note(`${effect.purpose} gate ${counted ? 'green' : 'red'}`)
  return evidence
}

function cutOff(world: World, effect: EffectOf<'run-gate'>): Evidence {
  return anEvidence(world, effect, { signal: 'SIGTERM' })
}

function anEvidence(world: World, effect: EffectOf<'run-gate'>, facts: Partial<Evidence>): Evidence {
  return {
    gate: effect.gate.name,
    purpose: effect.purpose,
    failing: [],
    command: effect.gate.run,
    tree: treeName(effect.worker, world.space(effect.worker).tree),
    guarded: '',
    exit: null,
    signal: null,
    timedOut: false,
    missing: false,
    durationMs: 1_000,
    at: world.at(),
    log: `gate-${effect.gate.name}.log`,
    summary: '',
    unsettled: false,
    ...facts,
  }
}

export function waitDouble(world: World): Handler<EffectOf<'wait'>> {
  return {
    perform(effect, put) {
      return new Promise((resolve) => {
        const over = (): void => {
          put({ type: 'wait-over', worker: effect.worker, effect: effect.id })
          resolve()
        }
        if (effect.forMs !== null) world.after('engine', effect.forMs, over)
        else waitUntil(world, effect.until, over)
      })
    },
    inquire: async () => ({ is: 'not-begun' }),
  }
}

/** Waits for an instant on a clock that may jump either way. */
function waitUntil(world: World, until: number, over: () => void): void {
  let timer = { cancel: (): void => {} }
  const look = (): void => {
    timer.cancel()
    const left = until - world.at()
    if (left > 0) {
      timer = world.after('engine', left, look)
      return
    }
    world.onJump.delete(look)
    over()
  }
  world.onJump.add(look)
  look()
}
