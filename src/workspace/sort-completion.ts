/** Sorts what a completion changed since the base into work and judge, from the bytes that the witness has of both. */
import { isAllowed, type Leave } from '../domain/proof/leave.ts'
import type { Gate } from '../domain/proof/evidence.ts'
import { wrongText } from '../judge/bend/broken.ts'
import {
  isBreakable,
  type Changes,
  type JudgeChange,
  type KeptFile,
  type UnclearChange,
  type WorkChange,
} from '../judge/changes.ts'
import { readsGit, startedBy } from '../judge/commands.ts'
import { withBaseInnerTests } from '../judge/bend/inner-tests.ts'
import { isCode, isTestPath } from '../judge/kinds.ts'
import { notesOn } from '../judge/notes.ts'
import { withoutQuarantined } from '../judge/bend/quarantine.ts'
import { sortChanges, type ChangedPath, type TreeText } from '../judge/sort.ts'
import { withoutNewSuppressions } from '../judge/bend/strip.ts'
import { testsToBend } from '../judge/tests.ts'
import { differences, type WitnessId, type WitnessTree } from './witness/tree.ts'
import type { Witness } from './witness/witness.ts'

export interface CompletionToSort {
  witness: Witness
  base: WitnessId
  final: WitnessId
  /** Their folders from the top of the working tree. */
  gates: Pick<Gate, 'name' | 'run' | 'cwd'>[]
  /** Globs from the top of the working tree. */
  work: string[]
  protect: string[]
  quarantine: string[]
  /** Commits, branches or tags are not those of the base. */
  gitMoved: boolean
  leave: Leave
}

export interface SortedCompletion {
  changes: Changes
  /** Whether something on the changed lines of the work can be made wrong. */
  wrongable: boolean
  notes: string[]
}

export function sortCompletion(completion: CompletionToSort): SortedCompletion {
  const { witness } = completion
  const [base, final] = [witness.tree(completion.base), witness.tree(completion.final)]
  const [then, now] = [textsOf(witness, base), textsOf(witness, final)]
  const changed: ChangedPath[] = differences(base, final)
  const sorted = sortChanges({
    base: then,
    final: now,
    paths: { base: [...base.keys()], final: [...final.keys()] },
    changed,
    gates: completion.gates,
    work: completion.work,
    judge: completion.protect,
  })
  const said = { gates: completion.gates, base: then, paths: [...base.keys()] }
  const isStarted = startedBy(said)
  const documents = new Set(sorted.docs.map(({ path }) => path))
  const work: WorkChange[] = sorted.work.map(({ path, kind }) => ({
    path,
    kind,
    isDocument: documents.has(path),
    isProgram: isStarted(path),
  }))
  const found: Found = { judge: [], unclear: [] }
  const mixed = new Map(sorted.mixed.map((one) => [one.path, one]))
  for (const { path, kind } of sorted.judge) {
    const why = sorted.why[path] ?? 'it is not work'
    const old = mixed.get(path)
    addJudge(found, completion, {
      path,
      part: old === undefined ? 'file' : 'manifest',
      kind,
      why: old?.why ?? why,
      base: keptIn(base, path),
      final: keptIn(final, path),
      old: old === undefined || old.underOldJudge === null ? null : witness.keep(old.underOldJudge),
      trees: { base, final },
    })
  }
  for (const { path, kind } of sorted.work) {
    if (kind !== 'deleted' && isCode(path))
      addInside(found, completion, { path, kind, texts: [then, now], base, final })
  }
  if (
    completion.gitMoved &&
    readsGit(said, isStarted) &&
    !isAllowed('.git', { isTest: false }, completion.leave)
  )
    found.unclear.push({
      path: '.git',
      why: 'a gate reads commits, branches or tags, and they are not those of the base',
      base: null,
      final: null,
    })
  const quarantined = quarantinedIn(witness, { base, final }, completion.quarantine)
  return {
    changes: {
      base: completion.base,
      final: completion.final,
      work,
      // Those that may change first: then one number tells which they are.
      judge: found.judge.toSorted((one, other) => Number(other.allowed) - Number(one.allowed)),
      unclear: found.unclear,
      tests: testsToBend(said, {
        final: now,
        added: [...final.keys()].filter((path) => !base.has(path)),
        work,
        isStarted,
      }),
      ...quarantined,
    },
    wrongable: work.some((change) => isBreakable(change) && canBeWrong(change.path, then, now)),
    notes: notesIn(changed, then, now),
  }
}

interface Found {
  judge: JudgeChange[]
  unclear: UnclearChange[]
}

interface Candidate extends Omit<JudgeChange, 'allowed'> {
  trees: { base: WitnessTree; final: WitnessTree }
}

/** What the witness only lists cannot be put back by it. */
function addJudge(found: Found, { leave }: CompletionToSort, { trees, ...change }: Candidate): void {
  const { path } = change
  const allowed = isAllowed(path, { isTest: isTestPath(path) }, leave)
  if (trees.base.get(path)?.kept === false || trees.final.get(path)?.kept === false) {
    if (!allowed)
      found.unclear.push({
        path,
        why: `${change.why}; it is too large or too secret to be kept`,
        base: change.base,
        final: change.final,
      })
    return
  }
  found.judge.push({ ...change, allowed })
}

interface Inside {
  path: string
  kind: 'added' | 'changed'
  /** Of the base, and of the completion. */
  texts: [TreeText, TreeText]
  base: WitnessTree
  final: WitnessTree
}

/** What of a work file belongs to the judge: tests that stand in it, and comments that tell the judge to look away. */
function addInside(
  found: Found,
  completion: CompletionToSort,
  { path, kind, texts: [then, now], base, final }: Inside,
): void {
  const text = now.text(path)
  if (text === null) return
  const before = then.text(path)
  const { witness, leave } = completion
  const kept = { base: keptIn(base, path), final: keptIn(final, path) }
  const allowed = isAllowed(path, { isTest: true }, leave)
  const inner = before === null ? { is: 'same' as const } : withBaseInnerTests(path, before, text)
  if (inner.is === 'unclear') {
    if (!allowed) found.unclear.push({ path, why: 'tests that stand inside it were edited', ...kept })
    return
  }
  const own = inner.is === 'put-back' ? inner.text : text
  const stripped = withoutNewSuppressions(path, before, own)
  if (inner.is === 'same' && stripped.removed === 0) return
  const part = inner.is === 'put-back' ? 'inner-tests' : 'suppressions'
  const why =
    part === 'inner-tests'
      ? 'tests that stand inside it changed'
      : 'comments that tell a checker to look away were added'
  found.judge.push({ path, part, kind, why, allowed, ...kept, old: witness.keep(stripped.text) })
}

function keptIn(tree: WitnessTree, path: string): KeptFile | null {
  const file = tree.get(path)
  return file === undefined ? null : { hash: file.hash, mode: file.mode }
}

/** Larger files nobody reads line by line. */
const TEXT_MAX = 1024 * 1024

/** Texts of a tree, read once each. */
function textsOf(witness: Witness, tree: WitnessTree): TreeText {
  const known = new Map<string, string | null>()
  const read = (path: string): string | null => {
    const file = tree.get(path)
    if (file === undefined || !file.kept || file.size > TEXT_MAX) return null
    const bytes = witness.bytes(file.hash)
    return bytes.includes(0) ? null : bytes.toString('utf8')
  }
  return {
    has: (path) => tree.has(path),
    isLink: (path) => tree.get(path)?.mode === 'link',
    text(path) {
      const found = known.get(path)
      if (found !== undefined) return found
      const text = read(path)
      known.set(path, text)
      return text
    },
  }
}

function canBeWrong(path: string, then: TreeText, now: TreeText): boolean {
  const text = now.text(path)
  return text !== null && wrongText(path, then.text(path), text) !== null
}

/** In both trees, because either may lie in the room. */
export function quarantinedIn(
  witness: Witness,
  { base, final }: { base: WitnessTree; final: WitnessTree },
  quarantine: string[],
): Pick<Changes, 'quarantined' | 'excused'> {
  if (quarantine.length === 0) return { quarantined: [], excused: [] }
  const quarantined: Changes['quarantined'] = []
  const atBase = new Set<string>()
  for (const tree of [base, final]) {
    const texts = textsOf(witness, tree)
    for (const [path, file] of tree) {
      if (!isTestPath(path) && !isCode(path)) continue
      const without = withoutQuarantined(path, texts.text(path) ?? '', quarantine)
      if (without.is === 'same') continue
      if (tree === base) for (const glob of without.found) atBase.add(glob)
      const text = without.is === 'gone' ? null : witness.keep(without.text)
      quarantined.push({ path, of: file.hash, text })
    }
  }
  return { quarantined, excused: quarantine.filter((glob) => !atBase.has(glob)) }
}

const NOTES_MAX = 10

function notesIn(changed: ChangedPath[], then: TreeText, now: TreeText): string[] {
  return changed
    .flatMap(({ path, kind }) =>
      kind === 'deleted' || !isCode(path) ? [] : notesOn(path, then.text(path), now.text(path) ?? ''),
    )
    .slice(0, NOTES_MAX)
}
