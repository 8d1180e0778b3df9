/** The real handlers keep the contract that the simulator's doubles keep: real git, real processes, a crash at each point. */
import { readFileSync, existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, onTestFinished } from 'vitest'
import type { EffectOf } from '../../src/core/state/effect.ts'
import type { Event } from '../../src/core/state/event.ts'
import type { Base } from '../../src/core/proof/base.ts'
import { runAgentHandler } from '../../src/engine/handlers/run-agent.ts'
import { commitHandler } from '../../src/engine/handlers/commit.ts'
import { runGateHandler } from '../../src/engine/handlers/run-gate.ts'
import { resolveBaseHandler } from '../../src/engine/handlers/resolve-base.ts'
import { saveKnowledgeHandler } from '../../src/engine/handlers/save-knowledge.ts'
import { checkFinalTreeHandler } from '../../src/engine/handlers/check-final-tree.ts'
import { revertHandler } from '../../src/engine/handlers/revert.ts'
import { runTrialHandler } from '../../src/engine/handlers/run-trial.ts'
import { classifyChangesHandler } from '../../src/engine/handlers/classify-changes.ts'
import { snapshotHandler } from '../../src/engine/handlers/take-snapshot.ts'
import { waitHandler } from '../../src/engine/handlers/wait.ts'
import type { WorkerContext } from '../../src/engine/handler-context.ts'
import type { HandledEffect } from '../../src/engine/runtime/handler.ts'
import { makeTempFolder, removeFolder } from '../../src/system/files/files.ts'
import { findProgram } from '../../src/system/process/process.ts'
import { takeSnapshot } from '../../src/workspace/snapshot/snapshot.ts'
import { testHandlerContract, type Trial } from '../sim/contract.ts'
import { makeTestWorld, removeTestWorlds, eventually, isProcessAlive, RUN_AGENT } from '../walk/handler-world.ts'

const AGENT = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'bin', 'ralph-scripted-agent.mjs')

const folders: string[] = []
afterAll(() => {
  removeTestWorlds()
  for (const folder of folders) removeFolder(folder)
})

const ASKED = { id: 'e1', worker: '1' } as const
const AGAIN = { before: 'not-begun', during: 'not-begun', after: 'not-begun' } as const

testHandlerContract('run-agent', { goesOn: true }, async () => {
  const { world, folder } = await makeTestWorld()
  const scenario = join(folder, 'scenario.json')
  world.programs['claude'] = [process.execPath, AGENT, '--scenario', scenario, '--dialect', 'claude']
  const trial: Trial<EffectOf<'run-agent'>> = {
    newHandler: () => runAgentHandler(world, { words: () => {} }),
    effect(ends) {
      const steps = ends === 'soon' ? [{ do: 'say', text: 'Done.' }] : [{ do: 'say', text: 'I think.' }, { do: 'hang' }]
      writeFileSync(scenario, JSON.stringify({ turns: [{ steps, usage: { input: 10, output: 5 } }] }))
      return RUN_AGENT
    },
    answeredBy: 'agent-ended',
    stoppedBy: 'agent-ended',
    inquiry: { before: 'not-begun', during: 'answered', after: 'answered' },
    underWay: (_effect, heard) => eventually(() => heard.some((event) => event.type === 'conversation-known')),
    alive: (_effect, heard) => isProcessAlive(pidOf(heard)),
    until: (promise) => promise,
  }
  return trial
})

testHandlerContract('run-gate', { goesOn: true }, async () => {
  const { world, folder, tree } = await makeTestWorld()
  const pidFile = join(folder, 'pid')
  const effect = (run: string): EffectOf<'run-gate'> => ({
    ...ASKED,
    type: 'run-gate',
    gate: { name: 'test', run, timeoutMs: 60_000, when: 'completion', cwd: '.', env: {} },
    iteration: 1,
    tree,
    purpose: 'completion',
  })
  const pid = (): number => pidIn(pidFile)
  const trial: Trial<EffectOf<'run-gate'>> = {
    newHandler: () => runGateHandler(world),
    effect: (ends) => effect(ends === 'soon' ? 'true' : `echo $$ > '${pidFile}'; exec sleep 600`),
    answeredBy: 'gate-ended',
    stoppedBy: 'effect-lost',
    inquiry: { before: 'unknown', during: 'unknown', after: 'unknown' },
    underWay: () => eventually(() => pid() > 0),
    alive: () => isProcessAlive(pid()),
    until: (promise) => promise,
  }
  return trial
})

testHandlerContract('snapshot', { goesOn: false }, async () => {
  const { world } = await makeTestWorld()
  return withGit(() => snapshotHandler(world), SURVEY, 'snapshot-taken')
})

testHandlerContract('commit', { goesOn: false }, async () => {
  const { world, write } = await makeTestWorld()
  write({ 'new.txt': 'work' })
  return withGit(() => commitHandler(world), COMMIT, 'committed')
})

testHandlerContract('revert', { goesOn: false }, async () => {
  const { world, tree, write } = await makeTestWorld()
  const { head, branch } = await takeSnapshot(world.repo, { ref: null })
  write({ 'new.txt': 'work' })
  const asked = { ...ASKED, type: 'revert', task: 'a', attempt: 1, iteration: 1, since: null } as const
  return withGit<EffectOf<'revert'>>(
    () => revertHandler(world),
    { ...asked, before: { tree, head, branch } },
    'reverted',
  )
})

testHandlerContract('save-knowledge', { goesOn: false }, async () => {
  const { world } = await makeTestWorld()
  const said = [{ title: 'Parser', tags: ['parser'], body: 'Skip empty files.' }]
  return {
    newHandler: () => saveKnowledgeHandler(world),
    effect: () => ({ ...ASKED, type: 'save-knowledge', iteration: 1, said }),
    answeredBy: 'knowledge-saved',
    // A few small files: it is done before anybody can stop it.
    stoppedBy: 'knowledge-saved',
    inquiry: AGAIN,
    underWay: () => Promise.resolve(),
    alive: () => false,
    until: (promise) => promise,
  } satisfies Trial<EffectOf<'save-knowledge'>>
})

testHandlerContract('resolve-base', { goesOn: false }, async () => {
  const { world, tree } = await makeTestWorld()
  const effect = { ...ASKED, type: 'resolve-base', base: null, since: null, gates: [] } as const
  return withGit<EffectOf<'resolve-base'>>(
    () => resolveBaseHandler(world),
    { ...effect, now: { tree, plan: null }, gates: [] },
    'base-resolved',
  )
})

testHandlerContract('classify-changes', { goesOn: false }, async () => {
  const { world, tree, write } = await makeTestWorld()
  const base = await takenBase(world, tree)
  write({ 'new.txt': 'work' })
  const { tree: now } = await takeSnapshot(world.repo, { ref: null })
  return withGit<EffectOf<'classify-changes'>>(
    () => classifyChangesHandler(world),
    { ...ASKED, type: 'classify-changes', iteration: 1, base, tree: now, gates: [] },
    'changes-classified',
  )
})

testHandlerContract('run-trial', { goesOn: true }, async () => {
  const { world, folder, tree } = await makeTestWorld()
  const base = await takenBase(world, tree)
  const pidFile = join(folder, 'pid')
  const effect = (run: string): EffectOf<'run-trial'> => ({
    ...ASKED,
    type: 'run-trial',
    iteration: 0,
    purpose: 'clean-room-check',
    trialLayout: { is: 'base' },
    base,
    classification: null,
    gates: [{ name: 'test', run, timeoutMs: 60_000, when: 'completion', cwd: '.', env: {} }],
    sharedTools: 'nothing',
    all: true,
  })
  const trial: Trial<EffectOf<'run-trial'>> = {
    newHandler: () => runTrialHandler(world),
    effect: (ends) => effect(ends === 'soon' ? 'true' : `echo $$ > '${pidFile}'; exec sleep 600`),
    answeredBy: 'trial-ended',
    stoppedBy: 'effect-lost',
    inquiry: { before: 'unknown', during: 'unknown', after: 'unknown' },
    underWay: () => eventually(() => pidIn(pidFile) > 0),
    alive: () => isProcessAlive(pidIn(pidFile)),
    until: (promise) => promise,
  }
  return trial
})

testHandlerContract('check-final-tree', { goesOn: false }, async () => {
  const { world, tree } = await makeTestWorld()
  const { tree: final } = await takenBase(world, tree)
  return withGit<EffectOf<'check-final-tree'>>(
    () => checkFinalTreeHandler(world),
    { ...ASKED, type: 'check-final-tree', final },
    'final-tree-checked',
  )
})

/** What the tree archive keeps of the tree, found as a run finds it. */
async function takenBase(world: WorkerContext, tree: string): Promise<Base> {
  const effect = { ...ASKED, id: 'e0', type: 'resolve-base', base: null, since: null, gates: [] } as const
  const heard: Event[] = []
  await resolveBaseHandler(world).perform(
    { ...effect, now: { tree, plan: null }, gates: [] },
    (event) => void heard.push(event),
    { signal: new AbortController().signal, told: null, onAbort: () => {} },
  )
  const taken = heard.find((event) => event.type === 'base-resolved')
  if (taken?.type !== 'base-resolved') throw new Error('no base was found')
  return taken.base
}

testHandlerContract('wait', { goesOn: false }, async () => {
  const { world } = await makeTestWorld()
  return {
    newHandler: () => waitHandler(world.clock),
    effect: (ends) => (ends === 'soon' ? WAIT : { ...WAIT, forMs: 600_000 }),
    answeredBy: 'wait-ended',
    stoppedBy: 'effect-lost',
    inquiry: AGAIN,
    underWay: () => Promise.resolve(),
    alive: () => false,
    until: (promise) => promise,
  }
})

/** All it starts is git, and one that never answers goes on for as long as somebody lets it. */
function withGit<E extends HandledEffect>(
  newHandler: Trial<E>['newHandler'],
  effect: E,
  answeredBy: Event['type'],
): Trial<E> {
  const slow = slowGit()
  return {
    newHandler,
    effect(ends) {
      if (ends === 'never') slow.hold()
      return effect
    },
    answeredBy,
    stoppedBy: 'effect-lost',
    inquiry: AGAIN,
    underWay: () => eventually(() => slow.pid() > 0),
    alive: () => isProcessAlive(slow.pid()),
    until: (promise) => promise,
  }
}

/** A program called git that comes first on the PATH, and either is git or never ends. */
function slowGit(): { hold(): void; pid(): number } {
  const folder = makeTempFolder('ralph-slow-git-')
  folders.push(folder)
  const pidFile = join(folder, 'pid')
  const before = process.env['PATH'] ?? ''
  const real = findProgram('git') ?? 'git'
  const never = `if [ -e '${folder}/held' ]; then echo $$ > '${pidFile}'; exec sleep 600; fi`
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${never}\nexec '${real}' "$@"\n`, { mode: 0o755 })
  process.env['PATH'] = `${folder}:${before}`
  onTestFinished(() => void (process.env['PATH'] = before))
  return {
    hold: () => writeFileSync(join(folder, 'held'), ''),
    pid: () => pidIn(pidFile),
  }
}

const SURVEY: EffectOf<'snapshot'> = {
  ...ASKED,
  type: 'snapshot',
  for: 'start',
  iteration: 1,
  since: null,
  sinceHead: null,
}
const COMMIT: EffectOf<'commit'> = { ...ASKED, type: 'commit', iteration: 1, message: 'work' }
const WAIT: EffectOf<'wait'> = { ...ASKED, type: 'wait', until: 0, forMs: 20, why: 'a pause' }
function pidOf(heard: Event[]): number {
  const began = heard.find((event) => event.type === 'agent-started')
  return began?.type === 'agent-started' ? began.pid : 0
}

function pidIn(file: string): number {
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
}
