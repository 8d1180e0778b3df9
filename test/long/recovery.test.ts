/** Whoever resumes a run ends all that the engine before it left running, at once, however many they are and whatever they do. */
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { Effect, EffectOf } from '../../src/core/state/effect.ts'
import type { Event } from '../../src/core/state/event.ts'
import type { RunState } from '../../src/core/state/state.ts'
import type { Engine } from '../../src/engine/runtime/event-loop.ts'
import { openRunningEffects } from '../../src/engine/runtime/running-effects.ts'
import { endLeftoverProcesses, recoverOpenEffects } from '../../src/engine/runtime/recover-run.ts'
import { emergencyStop } from '../../src/engine/runtime/emergency-stop.ts'
import { createHandlers } from '../../src/engine/create-handlers.ts'
import { processMarkOf, descendantFilePath, type HandlerContext } from '../../src/engine/handler-context.ts'
import { systemClock } from '../../src/system/clock.ts'
import { ensureFolder, exists, writeWithoutSync } from '../../src/system/files/files.ts'
import { MARK_VARIABLE, startProcess, type StartedProcess } from '../../src/system/process/process.ts'
import { iterationLogFolder } from '../../src/workspace/log-folders.ts'
import { makeTestWorld, removeTestWorlds, eventually, isProcessAlive, RUN_AGENT } from '../walk/handler-world.ts'

afterAll(removeTestWorlds)

/** Hears no SIGTERM, and has a child that hears none either. */
const STUBBORN = `trap '' TERM; sh -c 'trap "" TERM; while :; do sleep 1; done' & touch "$1"; while :; do sleep 1; done`

test(
  'twenty stubborn agents of a dead engine are ended together, not one after the other',
  { timeout: 120_000 },
  async () => {
    const one = await takenUp(1)
    const twenty = await takenUp(20)
    expect([one.answers, one.alive, twenty.answers, twenty.alive]).toEqual([1, 0, 20, 0])
    // One after the other they would take twenty times as long.
    expect(twenty.gateMs).toBeLessThan(one.gateMs * 8)
  },
)

test('the emergency door ends what the house has open, whoever began it', async () => {
  const { world } = await makeTestWorld()
  const agents = await Promise.all(['1', '2', '3'].map((worker) => leave(world, worker)))
  await emergencyStop(world, openRunningEffects(), stateWith(agents.map(({ effect }) => effect)))
  expect(agents.filter(({ child }) => isProcessAlive(child.pid))).toEqual([])
})

/** An engine with so many workers, each with an agent at work, is dead; the next one takes the run up. */
async function takenUp(workers: number): Promise<{ gateMs: number; answers: number; alive: number }> {
  const { world } = await makeTestWorld()
  const agents = await Promise.all(
    Array.from({ length: workers }, (_, i) => leave(world, String(i + 1), { stopGraceMs: 3_000 })),
  )
  const state = stateWith(agents.map(({ effect }) => effect))
  const told: Event[] = []
  const runningEffects = openRunningEffects()
  const engine = {
    inbox: { put: (event: Event) => void told.push(event) },
    handlers: createHandlers(world, { words: () => {}, runningEffects }),
    runningEffects,
  } as unknown as Engine
  const clock = systemClock()
  const began = clock.up()
  await endLeftoverProcesses(world, state)
  await recoverOpenEffects(engine, state, { type: 'run-resumed', pid: 1, after: 'crash', version: '0' })
  const gateMs = clock.up() - began
  const answers = told.filter((event) => event.type === 'agent-ended' && event.reply.end === 'interrupted')
  const notes = agents.filter(({ effect }) => exists(descendantFilePath(world, effect.id)))
  expect(notes).toEqual([])
  return {
    gateMs,
    answers: answers.length,
    alive: agents.filter(({ child }) => isProcessAlive(child.pid)).length,
  }
}

/** An agent as an engine starts it, with some words in its log. */
async function leave(
  world: HandlerContext,
  worker: string,
  limits: { stopGraceMs: number } = { stopGraceMs: 0 },
): Promise<{ effect: EffectOf<'run-agent'>; child: StartedProcess }> {
  const effect = {
    ...RUN_AGENT,
    id: `e${worker}`,
    worker,
    limits: { ...RUN_AGENT.limits, ...limits },
  }
  const folder = iterationLogFolder(world, worker, 1)
  ensureFolder(folder)
  writeWithoutSync(join(folder, 'agent.log'), '{"type":"system","subtype":"init","session_id":"s"}\n')
  const ready = join(folder, 'ready')
  const child = startProcess({
    argv: ['sh', '-c', STUBBORN, 'sh', ready],
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', [MARK_VARIABLE]: processMarkOf(world, effect.id) },
    stdin: 'none',
    follow: { notes: descendantFilePath(world, effect.id) },
    onStdout() {},
    onStderr() {},
  })
  onTestFinished(() => child.stop({ graceMs: 0 }))
  await eventually(() => exists(ready))
  return { effect, child }
}

/** As much of it as recovery and the emergency door look at. */
function stateWith(effects: Effect[]): RunState {
  const open = Object.fromEntries(effects.map((effect) => [effect.id, effect]))
  return { run: { is: 'running', open } } as unknown as RunState
}
