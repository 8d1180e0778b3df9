/** A small world for real handlers: a repository, a folder for logs and the witness, and rules that ask for nothing. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { WorkerId } from '../../src/domain/ids.ts'
import { someRules } from '../kit/core.ts'
import type { EffectOf } from '../../src/domain/state/effect.ts'
import type { Handover } from '../../src/domain/trust/environment.ts'
import { openFlights } from '../../src/engine/perform/flights.ts'
import type { Here, Place, World } from '../../src/engine/world.ts'
import { realClock } from '../../src/system/clock.ts'
import { makeTempFolder, removeFolder } from '../../src/system/files/files.ts'
import { masker } from '../../src/system/mask/mask.ts'
import { processOf } from '../../src/system/process/process-table.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { takeSnapshot } from '../../src/workspace/snapshot/snapshot.ts'
import { aRepo, clearGardens, gardenAt, type Garden } from '../kit/workspace.ts'
import { openWitness } from '../../src/workspace/witness/witness.ts'

const folders: string[] = []

export function clearWorlds(): void {
  clearGardens()
  for (const folder of folders) removeFolder(folder)
}

export async function aWorld(): Promise<{
  world: Here
  folder: string
  tree: string
  write: (files: Record<string, string>) => void
}> {
  const garden = await aRepo({ 'README.md': '# A garden\n', 'PROMPT.md': 'Work.\n' })
  const { root } = garden
  const folder = makeTempFolder('ralph-contract-')
  folders.push(folder)
  const repo = await openRepo(root)
  const { tree } = await takeSnapshot(repo, { ref: null })
  const world: Here = {
    run: 'r1',
    project: { root, repo },
    at: () => world,
    places: () => [world],
    swept: new Set(),
    baselines: openFlights(),
    root,
    repo,
    folder,
    clock: realClock(),
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
    handover: HANDOVER,
    judging: judgingIn(join(folder, 'witness')),
    mask: masker([]),
  }
  roomsIn(folder)
  return { world, folder, tree, write: (files) => garden.write(files) }
}

function judgingIn(memory: string): Place['judging'] {
  return {
    isJudged: true,
    witness: openWitness(memory),
    memory,
    proof: someRules().proof,
    handover: HANDOVER,
    base: () => Promise.resolve(null),
    fitness: () => Promise.resolve(null),
    refused: () => Promise.resolve([]),
  }
}

/** The same world, with a place of its own for each of these workers: a clone, or a worktree of the project. */
export async function withPlaces(
  world: Here,
  of: Record<WorkerId, 'clone' | 'worktree'>,
): Promise<World & { gardens: Record<WorkerId, Garden> }> {
  const project = gardenAt(world.project.root)
  const places: Record<WorkerId, Place> = {}
  const gardens: Record<WorkerId, Garden> = {}
  for (const [worker, kind] of Object.entries(of)) {
    const root = join(world.folder, `place-${worker}`)
    if (kind === 'clone') await project.git('clone', '-q', '--shared', '.', root)
    else await project.git('worktree', 'add', '-q', '--detach', root)
    const repo = await openRepo(root)
    places[worker] = { root: repo.root, repo, judging: judgingIn(join(world.folder, `witness-${worker}`)) }
    gardens[worker] = gardenAt(root)
  }
  const at = (worker: WorkerId): Place => {
    const place = places[worker]
    if (place === undefined) throw new Error(`worker ${worker} has no place`)
    return place
  }
  const { root: _root, repo: _repo, judging: _judging, ...rest } = world
  return { ...rest, at, places: () => Object.values(places), gardens }
}

const HANDOVER: Handover = { mode: 'filtered', pass: [] }

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
  context: { iteration: 1, openBoxes: null, breaker: null, previous: null, corrections: [], steering: [] },
  prompt: 'PROMPT.md',
  how: { model: null, effort: null, tools: null, permission: null, maxTurns: null, output: 'json' },
  resume: null,
  resumeUsage: null,
  previousLength: null,
  limits: { wallMs: 0, idleMs: 0, completionGraceMs: 1_000, stopGraceMs: 200, handshakeMs: 0 },
  usdLeft: null,
  tokensLeft: null,
}

/** A zombie does not live: it only waits for its parent, which is this very test, to have a moment for it. */
export function lives(pid: number): boolean {
  const process = pid === 0 ? null : processOf(pid)
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
