/** A small world for real handlers: a repository, a folder for logs and the witness, and rules that ask for nothing. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { someRules } from '../../src/domain/test-kit.ts'
import type { EffectOf } from '../../src/domain/run/effect.ts'
import type { Handover } from '../../src/domain/trust/environment.ts'
import type { World } from '../../src/engine/world.ts'
import { realClock } from '../../src/system/clock.ts'
import { makeTempFolder, removeFolder } from '../../src/system/files/files.ts'
import { masker } from '../../src/system/mask/mask.ts'
import { processOf } from '../../src/system/process/process-table.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { takeSnapshot } from '../../src/workspace/snapshot/snapshot.ts'
import { aRepo, clearGardens } from '../../src/workspace/test-kit.ts'
import { openWitness } from '../../src/workspace/witness/witness.ts'

const folders: string[] = []

export function clearWorlds(): void {
  clearGardens()
  for (const folder of folders) removeFolder(folder)
}

export async function aWorld(): Promise<{
  world: World
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
  const world: World = {
    run: 'r1',
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
      optionalSections: [],
    },
    custom: {},
    programs: {},
    knownEvidence: () => Promise.resolve(null),
    idleByDefault: false,
    backup: false,
    handover: HANDOVER,
    judging: {
      isJudged: true,
      witness: openWitness(join(folder, 'witness')),
      memory: join(folder, 'witness'),
      proof: someRules().proof,
      handover: HANDOVER,
      base: () => Promise.resolve(null),
      fitness: () => Promise.resolve(null),
      refused: () => Promise.resolve([]),
    },
    mask: masker([]),
  }
  roomsIn(folder)
  return { world, folder, tree, write: (files) => garden.write(files) }
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
  limits: { wallMs: 0, idleMs: 0, completionGraceMs: 1_000, stopGraceMs: 200 },
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
  for (let i = 0; i < 2_000; i++) {
    if (holds()) return
    await new Promise((resolve) => void setTimeout(resolve, 10))
  }
  throw new Error('it never came to that')
}
