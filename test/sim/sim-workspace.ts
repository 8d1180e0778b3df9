/**
 * The working trees of the fake world: which files there are, who touched them last, and what only the world knows about them. Every
 * edit gives a tree a number that it never had before, and the tree archive remembers them all.
 */
import type { TreeHash, WorkerId } from '../../src/core/ids.ts'
import type { CheckboxCounts, GitOperation } from '../../src/core/tree/change.ts'
import type { SharedToolsLevel } from '../../src/core/proof/trial.ts'
import type { SeededRandom } from './seeded-random.ts'
import { FIRST, TARGET } from './repository.ts'

/** Each file with the number of the tree in which it became as it is. */
export type Files = ReadonlyMap<string, number>

/** Who made an edit. A reviewer is the agent of the review; an orphan, what an agent left running. */
export type Author = 'nobody' | 'agent' | 'reviewer' | 'person' | 'gate' | 'orphan' | 'ralph'

/** One state of a working tree. */
export interface TreeState {
  files: Files
  by: Author
  truth: GroundTruth
}

/** With whose tests a gate notices something: protected as it was, only the claim's own, or nobody's. */
export type NoticedBy = 'old' | 'own' | 'nobody'

/** What no handler tells: it has to be found out by trial. */
export interface GroundTruth {
  /** The gates would be green where the work is made. */
  sound: boolean
  /** Files of the protected files that the work needs as they are now. */
  needs: ReadonlySet<string>
  /** Who notices work that fails, and who notices a mistake in it. */
  looks: NoticedBy
  sees: NoticedBy
  /** In the clean room: the same as outside, only with files that git ignores, or red whatever lies there. */
  room: 'same' | 'ignored' | 'red'
  /** Tests that the work keeps from running. */
  hides: number
  /** Boxes that are gone from the plan without being ticked. */
  droppedCheckboxes: string[]
  /** Changes of the protected files that no trial can reverted. */
  unclear: number
  /** Something on the changed lines can be made wrong. */
  isMutable: boolean
}

export const HONEST: GroundTruth = {
  sound: true,
  needs: new Set(),
  looks: 'old',
  sees: 'old',
  room: 'same',
  hides: 0,
  droppedCheckboxes: [],
  unclear: 0,
  isMutable: true,
}

/** What an earlier run left: the base, and where Ralph looked last; null: nobody knows. */
export interface EarlierBase {
  tree: number
  seen: number | null
  from: 'first' | 'proven' | 'accepted' | 'lost'
}

export interface SimWorkspace {
  worker: WorkerId
  /** The tree as it is: the last of `states`, whose first is number 1. */
  tree: number
  states: TreeState[]
  /** The plan's text: who wrote each of its versions, the first is number 1. */
  plans: Author[]
  earlier: EarlierBase | null
  /** How much the clean room must be shared before it shows what the working tree shows. */
  fitWith: SharedToolsLevel | 'never'
  /** A run before this one has found that out. */
  isCleanRoomChecked: boolean
  /** Where HEAD is while it is on no branch. */
  detachedAt: string
  /** The tree of the last commit. */
  committed: number
  checkboxes: CheckboxCounts | null
  busyUntil: number
  /** Null: HEAD is detached. */
  branch: string | null
  open: GitOperation | null
  /** When an agent last ended that may write. */
  workEndedAt: number
  /** What each gate last said about the final tree. */
  results: Map<string, { green: boolean; tree: number; mono: number }>
}

const DOCUMENT = 'README.md'
const WORK = ['src/a.ts', 'src/b.ts', 'src/c.ts']

export function isProtectedFile(path: string): boolean {
  return path.startsWith('test/')
}

export function isDocument(path: string): boolean {
  return path === DOCUMENT
}

export function newSimWorkspace(worker: WorkerId, random: SeededRandom): SimWorkspace {
  const checkboxes = random.is(0.7) ? { open: random.int(0, 6), done: random.int(0, 3) } : null
  const tests = Array.from({ length: random.int(1, 6) }, (_, n) => `test/${n}.test.ts`)
  const files: Files = new Map([...WORK, DOCUMENT, ...tests].map((path) => [path, 1]))
  const first: TreeState = { files, by: 'nobody', truth: { ...HONEST, sound: random.is(0.5) } }
  const space: SimWorkspace = {
    worker,
    tree: 1,
    states: [first],
    plans: ['nobody'],
    earlier: null,
    fitWith: random.weighted({ nothing: 6, tools: 4, ignored: 2, neighbours: 1, never: 1 }),
    isCleanRoomChecked: random.is(0.3),
    detachedAt: FIRST,
    committed: 1,
    checkboxes: checkboxes !== null && checkboxes.open + checkboxes.done === 0 ? null : checkboxes,
    busyUntil: 0,
    branch: TARGET,
    open: null,
    workEndedAt: 0,
    results: new Map(),
  }
  if (random.is(0.3)) space.earlier = drawEarlier(space, random)
  space.committed = space.tree
  return space
}

/** An earlier run ended without a proof, and a person went on from there. */
function drawEarlier(space: SimWorkspace, random: SeededRandom): EarlierBase {
  const base = space.tree
  for (let edits = random.int(0, 3); edits > 0; edits--) edit(space, 'agent', { paths: somePaths(space, random) })
  const seen = random.is(0.7) ? space.tree : null
  for (let edits = random.int(0, 2); edits > 0; edits--) personEdits(space, random)
  return { tree: base, seen, from: random.pick(['first', 'proven', 'accepted', 'lost'] as const) }
}

export interface Edit {
  paths: readonly string[]
  gone?: readonly string[]
  truth?: Partial<GroundTruth>
}

export function edit(space: SimWorkspace, by: Author, { paths, gone = [], truth = {} }: Edit): void {
  const before = stateNow(space)
  space.tree += 1
  const files = new Map(before.files)
  for (const path of paths) files.set(path, space.tree)
  for (const path of gone) files.delete(path)
  space.states.push({ files, by, truth: { ...before.truth, ...truth } })
}

/** Ralph brings back an earlier state: the same files, as a tree of its own number. */
export function restore(space: SimWorkspace, { files, truth }: TreeState): void {
  space.tree += 1
  space.states.push({ files, by: 'ralph', truth })
}

/** A person changes a file or two, of whatever kind, and mostly knows what they do. */
export function personEdits(space: SimWorkspace, random: SeededRandom): void {
  const truth = random.is(0.5) ? { sound: !stateNow(space).truth.sound } : {}
  const tests = [...stateNow(space).files.keys()].filter(isProtectedFile)
  if (random.is(0.2) && tests.length > 1) return edit(space, 'person', { paths: [], gone: [random.pick(tests)], truth })
  edit(space, 'person', { paths: somePaths(space, random), truth })
}

export function somePaths(space: SimWorkspace, random: SeededRandom): string[] {
  const known = [...stateNow(space).files.keys()]
  const fresh = [`src/new-${space.tree}.ts`, `test/new-${space.tree}.test.ts`]
  return Array.from({ length: random.int(1, 2) }, () => random.pick(random.is(0.7) ? known : fresh))
}

/** Ticks checkboxes, or unticks them with a negative number. Where git ignores the plan, the tree does not see it. */
export function tickItems(space: SimWorkspace, by: Author, count: number, { tracked }: { tracked: boolean }): void {
  if (space.checkboxes === null) return
  const { open, done } = space.checkboxes
  const moved = Math.max(-done, Math.min(open, count))
  if (moved === 0) return
  space.checkboxes = { open: open - moved, done: done + moved }
  space.plans.push(by)
  if (tracked) edit(space, by, { paths: [] })
}

export function stateNow(space: SimWorkspace): TreeState {
  return stateAt(space, space.tree)
}

export function stateAt(space: SimWorkspace, tree: number): TreeState {
  const state = space.states[tree - 1]
  if (state === undefined) throw new Error(`worker ${space.worker} never had tree ${tree}`)
  return state
}

export function treeName(worker: WorkerId, tree: number): TreeHash {
  return `tree-${worker}-${tree}`
}

export function planName(space: SimWorkspace): string {
  return `plan-${space.worker}-${space.plans.length}`
}

/** Of a tree or of a plan. */
export function numberIn(name: string): number {
  return Number(name.split('-')[2])
}

/** Paths that are not the same in both. */
export function differingPaths(a: Files, b: Files): string[] {
  const paths = new Set([...a.keys(), ...b.keys()])
  return [...paths].filter((path) => a.get(path) !== b.get(path)).toSorted()
}

/** `base`, with every path that differs between `from` and `to` as it is in `to`. */
export function applyDifference(base: Files, { from, to }: { from: Files; to: Files }): Files {
  return withPaths(base, to, differingPaths(from, to))
}

/** `files`, with these paths as they are in `as`, or gone if they are gone there. */
export function withPaths(files: Files, as: Files, paths: readonly string[]): Files {
  const made = new Map(files)
  for (const path of paths) {
    const version = as.get(path)
    if (version === undefined) made.delete(path)
    else made.set(path, version)
  }
  return made
}

export function sameFiles(a: Files, b: Files): boolean {
  return differingPaths(a, b).length === 0
}
