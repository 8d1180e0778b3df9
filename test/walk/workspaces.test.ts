/** Workers in places of their own: what one of them does is seen, tried and kept in its place and under its name alone. */
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { EffectOf } from '../../src/core/state/effect.ts'
import type { Event } from '../../src/core/state/event.ts'
import { startEffect } from '../../src/engine/runtime/event-loop.ts'
import type { HandledEffect } from '../../src/engine/runtime/handler.ts'
import { openRunningEffects } from '../../src/engine/runtime/running-effects.ts'
import { createHandlers } from '../../src/engine/create-handlers.ts'
import type { HandlerContext } from '../../src/engine/handler-context.ts'
import { ensureFolder, listFolder, readIfExists } from '../../src/system/files/files.ts'
import { iterationLogFolder, runLogFolder } from '../../src/workspace/log-folders.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { listSnapshots } from '../../src/workspace/repo/snapshot-refs.ts'
import type { Repo } from '../../src/workspace/repo/find-repo.ts'
import { testProjectAt } from '../kit/workspace.ts'
import {
  makeTestWorld,
  removeTestWorlds,
  eventually,
  isProcessAlive,
  RUN_AGENT,
  withWorkspaces,
} from './handler-world.ts'

afterAll(removeTestWorlds)

/** Performs effects as an engine does, and gives all that was answered, by effect. */
function engineOf(world: HandlerContext) {
  const runningEffects = openRunningEffects()
  const handlers = createHandlers(world, { words: () => {}, runningEffects })
  return {
    ask: (effect: HandledEffect): Promise<Event[]> =>
      new Promise((resolve, reject) => {
        const heard: Event[] = []
        const put = (event: Event): void => {
          heard.push(event)
          if (['snapshot-taken', 'gate-ended', 'agent-ended', 'committed', 'effect-lost'].includes(event.type))
            resolve(heard)
          if (event.type === 'effect-failed') reject(new Error(event.problem))
        }
        startEffect({ inbox: { put, fail: reject, take: () => Promise.resolve([]) }, handlers, runningEffects }, effect)
      }),
    stop: (id: string) => runningEffects.abort(id, { why: 'stop', now: true }),
  }
}

const survey = (worker: string, extra: Partial<EffectOf<'snapshot'>> = {}): EffectOf<'snapshot'> => ({
  id: `look-${worker}`,
  worker,
  type: 'snapshot',
  for: 'start',
  iteration: 1,
  since: null,
  sinceHead: null,
  ...extra,
})

const gate = (worker: string, run: string, on: Partial<EffectOf<'run-gate'>>): EffectOf<'run-gate'> => ({
  id: `gate-${worker}`,
  worker,
  type: 'run-gate',
  gate: { name: 'test', run, timeoutMs: 60_000, when: 'completion', cwd: '.', env: {} },
  iteration: 1,
  tree: null,
  purpose: 'completion',
  ...on,
})

function treeIn(events: Event[]): string {
  for (const event of events) {
    if (event.type === 'snapshot-taken') return event.snapshot.tree
    if (event.type === 'gate-ended') return event.evidence.tree
  }
  throw new Error('no tree was told')
}

describe.each(['clone', 'worktree'] as const)('two workers, each in a %s of its own', (kind) => {
  test('snapshots, refs, gates, logs and evidence do not mix', async () => {
    const { world: one } = await makeTestWorld()
    const world = await withWorkspaces(one, { 1: kind, 2: kind })
    const engine = engineOf(world)
    const { testProjects } = world
    testProjects['1']?.write({ 'work.txt': 'of the first\n' })
    testProjects['2']?.write({ 'work.txt': 'of the second\n' })
    const looks = await Promise.all([engine.ask(survey('1')), engine.ask(survey('2'))])
    const [first = '', second = ''] = looks.map(treeIn)
    expect(first).not.toBe(second)
    // Each is kept in the repository of its place; worktrees share one.
    const own = await Promise.all(world.workspaces().map(({ repo }) => listSnapshots(repo, world.run)))
    const named = own.map((kept) => kept.map(({ name, tree }) => [name, tree]))
    const both = [
      ['w1/1', first],
      ['w2/1', second],
    ]
    expect(named).toEqual(kind === 'clone' ? [[both[0]], [both[1]]] : [both, both])
    // A gate sees its place, and its evidence is bound to the tree of that.
    const gates = await Promise.all([
      engine.ask(gate('1', 'cat work.txt', { tree: first })),
      engine.ask(gate('2', 'cat work.txt', { tree: second })),
    ])
    expect(gates.map(treeIn)).toEqual([first, second])
    const said = ['1', '2'].map((worker) => readIfExists(join(iterationLogFolder(world, worker, 1), 'gate-test.log')))
    expect(said).toEqual([
      expect.stringContaining('of the first') as string,
      expect.stringContaining('of the second') as string,
    ])
    expect(listFolder(runLogFolder(world)).filter((name) => name !== 'processes')).toEqual(['w1', 'w2'])
  })

  test('an agent works in its place, with the prompt of the project', async () => {
    const { world: one } = await makeTestWorld()
    const world = await withWorkspaces(one, { 1: kind, 2: kind })
    world.testProjects['2']?.write({ 'PROMPT.md': 'Somebody else has written here.\n' })
    world.programs['claude'] = ['sh', '-c', 'cat > asked.md; echo here > work.txt']
    const effect = { ...RUN_AGENT, worker: '2' }
    const events = await engineOf(world).ask(effect)
    expect(events.map(({ type }) => type)).toContain('agent-ended')
    const read = (worker: string, name: string) => readIfExists(join(world.at(worker).root, name))
    expect([read('2', 'work.txt'), read('1', 'work.txt'), read('2', 'asked.md')?.split('\n')[0]]).toEqual([
      'here\n',
      null,
      'Work.',
    ])
  })
})

describe('the baseline of one tree', () => {
  /** Tells how often it was run, and takes its time. */
  const counting = (world: HandlerContext): string => `echo x >> '${join(world.folder, 'runs')}'; sleep 0.5`
  const runs = (world: HandlerContext): number =>
    readIfExists(join(world.folder, 'runs'))?.trim().split('\n').length ?? 0

  test('is run once for all who begin with it', async () => {
    const { world: one, tree } = await makeTestWorld()
    const world = await withWorkspaces(one, { 1: 'clone', 2: 'clone', 3: 'clone' })
    const engine = engineOf(world)
    const on = { tree, purpose: 'baseline' } as const
    const ended = await Promise.all(['1', '2', '3'].map((worker) => engine.ask(gate(worker, counting(world), on))))
    expect([ended.map(treeIn), runs(world)]).toEqual([[tree, tree, tree], 1])
    const workers = ended.flat().map((event) => ('worker' in event ? event.worker : null))
    expect(workers).toEqual(['1', '2', '3'])
  })

  test('on another tree, or for a claim, it is run by each', async () => {
    const { world: one, tree } = await makeTestWorld()
    const world = await withWorkspaces(one, { 1: 'clone', 2: 'clone' })
    const engine = engineOf(world)
    world.testProjects['2']?.write({ 'more.txt': 'more\n' })
    const other = treeIn(await engine.ask(survey('2')))
    await Promise.all([
      engine.ask(gate('1', counting(world), { tree, purpose: 'baseline' })),
      engine.ask(gate('2', counting(world), { tree: other, purpose: 'baseline' })),
    ])
    expect(runs(world)).toBe(2)
    await Promise.all([
      engine.ask(gate('1', counting(world), { tree })),
      engine.ask(gate('2', counting(world), { tree: other })),
    ])
    expect(runs(world)).toBe(4)
  })

  test('whoever waits for one that is cut off runs it himself', async () => {
    const { world: one, tree } = await makeTestWorld()
    const world = await withWorkspaces(one, { 1: 'clone', 2: 'clone' })
    const engine = engineOf(world)
    const held = `[ -e '${join(world.folder, 'runs')}' ] || { echo $$ > '${join(world.folder, 'runs')}'; exec sleep 600; }`
    const on = { tree, purpose: 'baseline' } as const
    const first = engine.ask(gate('1', held, on))
    const second = engine.ask(gate('2', held, on))
    const file = join(world.folder, 'runs')
    await eventually(() => readIfExists(file)?.endsWith('\n') === true)
    const pid = Number(readIfExists(file))
    await engine.stop('gate-1')
    expect((await first).map(({ type }) => type)).toEqual(['effect-lost'])
    expect([treeIn(await second), isProcessAlive(pid)]).toEqual([tree, false])
  })
})

describe('a run of weeks', () => {
  test('keeps its first snapshot and the newest hundred, in every repository of the tree', async () => {
    const { world } = await makeTestWorld()
    const engine = engineOf(world)
    const testProject = testProjectAt(world.root)
    await testProject.git('init', '-q', '--template=', 'inner')
    testProject.write({ 'inner/x.txt': 'x\n' })
    for (const iteration of [0, 1, 2, 100, 101]) {
      testProject.write({ 'work.txt': `${iteration}\n` })
      await engine.ask(survey('1', { for: 'after', iteration }))
    }
    const named = async (repo: Repo) => (await listSnapshots(repo, world.run)).map(({ name }) => name)
    const left = ['w1/1', 'w1/3', 'w1/101', 'w1/102']
    expect(await named(world.repo)).toEqual(left)
    expect(await named(await openRepo(testProject.path('inner')))).toEqual(left)
  })

  test('keeps the logs of its first iteration and of the newest thousand', async () => {
    const { world } = await makeTestWorld()
    const engine = engineOf(world)
    for (const n of [1, 2, 3]) ensureFolder(iterationLogFolder(world, '1', n))
    await engine.ask(survey('1', { for: 'after', iteration: 1_002 }))
    expect(listFolder(join(runLogFolder(world), 'w1')).filter((name) => name !== 'control')).toEqual(['1', '3'])
  })
})
