/** A small world for real handlers: a repository, a folder for logs and the tree archive, and rules that ask for nothing. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { WorkerId } from '../../src/core/ids.ts'
import { someRules } from '../kit/core.ts'
import type { EffectOf } from '../../src/core/state/effect.ts'
import type { EnvPolicy } from '../../src/core/trust/environment.ts'
import { createSingleFlight } from '../../src/engine/handlers/single-flight.ts'
import type { WorkerContext, WorkerWorkspace, HandlerContext } from '../../src/engine/handler-context.ts'
import { systemClock } from '../../src/system/clock.ts'
import { makeTempFolder, removeFolder } from '../../src/system/files/files.ts'
import { createMasker } from '../../src/system/mask/mask.ts'
import { findProcess } from '../../src/system/process/process-table.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { takeSnapshot } from '../../src/workspace/snapshot/snapshot.ts'
import { aRepo, removeTestProjects, testProjectAt, type TestProject } from '../kit/workspace.ts'
import { openTreeArchive } from '../../src/workspace/archive/tree-archive.ts'

const folders: string[] = []

export function removeTestWorlds(): void {
  removeTestProjects()
  for (const folder of folders) removeFolder(folder)
}

export async function makeTestWorld(): Promise<{
  world: WorkerContext
  folder: string
  tree: string
  write: (files: Record<string, string>) => void
}> {
  const testProject = await aRepo({ 'README.md': '# A garden\n', 'PROMPT.md': 'Work.\n' })
  const { root } = testProject
  const folder = makeTempFolder('ralph-contract-')
  folders.push(folder)
  const repo = await openRepo(root)
  const { tree } = await takeSnapshot(repo, { ref: null })
  const world: WorkerContext = {
    run: 'r1',
    project: { root, repo },
    at: () => world,
    workspaces: () => [world],
    endedEffects: new Set(),
    baselines: createSingleFlight(),
    root,
    repo,
    folder,
    clock: systemClock(),
    loop: {
      prompt: 'PROMPT.md',
      plan: null,
      iterationsMax: 0,
      pauseMs: 0,
      commit: 'agent',
      commitRequired: false,
      optionalSections: [],
    },
    custom: {},
    programs: {},
    taskTexts: (task) => Promise.reject(new Error(`there is no task ${task}`)),
    knownEvidence: () => Promise.resolve(null),
    idleByDefault: false,
    mcp: true,
    terminal: false,
    backup: false,
    snapshotsKept: 20,
    envPolicy: HANDOVER,
    proofContext: proofToolsIn(join(folder, 'archive')),
    mask: createMasker([]),
  }
  roomsIn(folder)
  return { world, folder, tree, write: (files) => testProject.write(files) }
}

function proofToolsIn(memory: string): WorkerWorkspace['proofContext'] {
  return {
    isJudged: true,
    archive: openTreeArchive(memory),
    memory,
    proof: someRules().proof,
    envPolicy: HANDOVER,
    base: () => Promise.resolve(null),
    cleanRoomCheck: () => Promise.resolve(null),
    refused: () => Promise.resolve([]),
  }
}

/** The same world, with a place of its own for each of these workers: a clone, or a worktree of the project. */
export async function withWorkspaces(
  world: WorkerContext,
  of: Record<WorkerId, 'clone' | 'worktree'>,
): Promise<HandlerContext & { testProjects: Record<WorkerId, TestProject> }> {
  const project = testProjectAt(world.project.root)
  const workspaces: Record<WorkerId, WorkerWorkspace> = {}
  const testProjects: Record<WorkerId, TestProject> = {}
  for (const [worker, kind] of Object.entries(of)) {
    const root = join(world.folder, `place-${worker}`)
    if (kind === 'clone') await project.git('clone', '-q', '--shared', '.', root)
    else await project.git('worktree', 'add', '-q', '--detach', root)
    const repo = await openRepo(root)
    workspaces[worker] = {
      root: repo.root,
      repo,
      proofContext: proofToolsIn(join(world.folder, `witness-${worker}`)),
    }
    testProjects[worker] = testProjectAt(root)
  }
  const at = (worker: WorkerId): WorkerWorkspace => {
    const fixture = workspaces[worker]
    if (fixture === undefined) throw new Error(`worker ${worker} has no place`)
    return fixture
  }
  const { root: _root, repo: _repo, proofContext: _judging, ...rest } = world
  return { ...rest, at, workspaces: () => Object.values(workspaces), testProjects }
}

const HANDOVER: EnvPolicy = { mode: 'filtered', pass: [] }

/** Clean rooms are made where temporary files go. */
function roomsIn(folder: string): void {
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  })
}

export const RUN_AGENT: EffectOf<'run-agent'> = {
  id: 'e1',
  worker: '1',
  type: 'run-agent',
  iteration: 1,
  agent: 'claude',
  role: 'work',
  context: {
    iteration: 1,
    openCheckboxes: null,
    breaker: null,
    previous: null,
    corrections: [],
    steering: [],
  },
  prompt: 'PROMPT.md',
  how: { model: null, effort: null, tools: null, permission: null, maxTurns: null, output: 'json' },
  resume: null,
  resumeUsage: null,
  previousLength: null,
  limits: { wallMs: 0, idleMs: 0, completionGraceMs: 1_000, stopGraceMs: 200, handshakeMs: 0 },
  remainingUsd: null,
  remainingTokens: null,
}

/** A zombie does not live: it only waits for its parent, which is this very test, to have a moment for it. */
export function isProcessAlive(pid: number): boolean {
  const process = pid === 0 ? null : findProcess(pid)
  return process !== null && !process.zombie
}

/** Looks again and again: a process tells us nothing when it begins. */
export async function eventually(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 24_000; i++) {
    if (holds()) return
    await new Promise((resolve) => void setTimeout(resolve, 10))
  }
  throw new Error('it never came to that')
}
