/** Which files a trial finds in the room: the base, the completion, or the completion with the judge as it was, and the work whole or broken. */
import type { Arrangement, Broken } from '../../domain/proof/trial.ts'
import { membersOf } from '../../domain/proof/search.ts'
import { never } from '../../domain/machine.ts'
import { brokenTest, brokenText, wrongText } from '../../judge/bend/broken.ts'
import { isBreakable, type Changes, type JudgeChange } from '../../judge/changes.ts'
import { wrongExpectations } from '../../judge/bend/expectations.ts'
import { foldersAbove } from '../paths.ts'
import type { WitnessFile, WitnessTree } from '../witness/tree.ts'
import type { Witness } from '../witness/witness.ts'

/** As in the witness, but for those of a changed text. */
export type Arranged = Map<string, WitnessFile>

export function arrange(
  witness: Witness,
  changes: Changes,
  arrangement: Exclude<Arrangement, { is: 'base' }>,
): Arranged {
  const files: Arranged = new Map(witness.tree(changes.final))
  if (arrangement.is === 'old-judge') putBack(files, { witness, changes, keep: membersOf(arrangement.keep) })
  breakAll(files, { witness, changes, broken: arrangement.broken })
  takeOut(files, witness, changes)
  return files
}

/** The base, without its quarantined tests. */
export function arrangeBase(
  witness: Witness,
  tree: WitnessTree,
  changes: Pick<Changes, 'quarantined'>,
): Arranged {
  const files: Arranged = new Map(tree)
  takeOut(files, witness, changes)
  return files
}

function putBack(
  files: Arranged,
  { witness, changes, keep }: { witness: Witness; changes: Changes; keep: number[] },
): void {
  const kept = new Set(keep)
  const base = witness.tree(changes.base)
  for (const [number, change] of changes.judge.entries()) {
    if (!kept.has(number)) putBackOne(files, { witness, base, change })
  }
  // Where a folder became a file or the other way round, the part that was put back wins.
  for (const path of files.keys())
    if (foldersAbove(path).some((folder) => files.has(folder))) files.delete(path)
}

function putBackOne(
  files: Arranged,
  { witness, base, change }: { witness: Witness; base: WitnessTree; change: JudgeChange },
): void {
  const { path, part, old, final } = change
  if (part === 'file') {
    const before = base.get(path)
    if (before === undefined) files.delete(path)
    else files.set(path, before)
    return
  }
  // A manifest that the old judge does not know at all is gone; else the file stands there with the text it would have had.
  if (old === null) files.delete(path)
  else files.set(path, textFile(witness, old, final?.mode ?? 'file'))
}

function textFile(witness: Witness, hash: string, mode: WitnessFile['mode']): WitnessFile {
  return { hash, size: witness.bytes(hash).length, mode, kept: true }
}

interface Breaking {
  witness: Witness
  changes: Changes
  broken: Broken
}

function breakAll(files: Arranged, breaking: Breaking): void {
  switch (breaking.broken) {
    case 'nothing':
      return
    case 'work-fails':
    case 'work-fails-first':
    case 'work-wrong':
      return breakWork(files, breaking)
    case 'tests-wrong':
    case 'tests-fail':
      return breakTests(files, breaking)
    default:
      return never(breaking.broken)
  }
}

function breakTests(files: Arranged, { witness, changes, broken }: Breaking): void {
  for (const path of changes.tests) {
    const file = files.get(path)
    if (file === undefined || !file.kept || file.mode === 'link') continue
    const text = witness.bytes(file.hash).toString('utf8')
    const wrong = wrongExpectations(path, text)
    if (wrong === null) continue
    // The very files whose expectations were changed, so that the two trials speak of the same tests.
    const changed = broken === 'tests-wrong' ? wrong : brokenTest(path, text)
    files.set(path, textFile(witness, witness.keep(changed), file.mode))
  }
}

function breakWork(files: Arranged, { witness, changes, broken: how }: Breaking): void {
  const base = witness.tree(changes.base)
  for (const change of changes.work) {
    const { path } = change
    const file = files.get(path)
    if (!isBreakable(change) || file === undefined || !file.kept || file.mode === 'link') continue
    const text = witness.bytes(file.hash).toString('utf8')
    const before = base.get(path)
    const then = before?.kept === true ? witness.bytes(before.hash).toString('utf8') : null
    const isProgram = change.isProgram || how === 'work-fails-first'
    const broken = how === 'work-wrong' ? wrongText(path, then, text) : brokenText(path, text, { isProgram })
    if (broken !== null) files.set(path, textFile(witness, witness.keep(broken), file.mode))
  }
}

function takeOut(files: Arranged, witness: Witness, { quarantined }: Pick<Changes, 'quarantined'>): void {
  for (const { path, of, text } of quarantined) {
    const file = files.get(path)
    if (file?.hash !== of) continue
    if (text === null) files.delete(path)
    else files.set(path, textFile(witness, text, file.mode))
  }
}
