/** What became of the tests between two trees: weakened, edited, moved, or changed as a person allowed beforehand. */
import { join, posix } from 'node:path'
import type { Errand } from '../system/errand.ts'
import { exists } from '../system/files.ts'
import {
  type Finding,
  isPermitted,
  isWithinReach,
  type Judges,
  judgeInnerTests,
  judgeTest,
  withoutImports,
} from './guard-rules.ts'
import { textsIn } from './guard-view.ts'
import { type Content, fileText, type TreeFiles } from './tree-files.ts'

/** Two trees, and the paths that differ between them. */
export interface Comparison {
  before: TreeFiles
  now: TreeFiles
  changed: string[]
}

export interface TestFindings {
  tampered: Finding[]
  edited: string[]
  permitted: string[]
}

export async function compareTests(
  { before, now, changed }: Comparison,
  {
    root,
    judges,
    mayChange,
    by,
  }: { root: string; judges: Judges; mayChange: string[]; by: Errand | undefined },
): Promise<TestFindings> {
  const found: TestFindings = { tampered: [], edited: [], permitted: [] }
  const paths = changed.filter(judges.isTest)
  const inner = changed.filter((path) => path.endsWith('.rs') && !judges.isTest(path) && now.has(path))
  const read = [...paths, ...inner]
  const none = new Map<string, Content>()
  const [olds = none, news = none] = await textsIn([before, now], { paths: read, by })
  for (const path of inner) {
    const edit = judgeInnerTests(path, olds.get(path) ?? '', news.get(path) ?? '')
    if (edit.is === 'weakened' && !isPermitted(path, mayChange, { isDeleted: false })) note(path, edit, found)
  }
  for (const path of paths) {
    const isNew = !before.has(path)
    // A file that is there but in no snapshot any more was hidden from git; what it holds still counts.
    const isHidden = !now.has(path) && exists(join(root, path))
    const isGone = !now.has(path) && !isHidden
    const old = olds.get(path) ?? null
    const text = isHidden ? fileText(join(root, path)) : (news.get(path) ?? null)
    if (!isNew && isPermitted(path, mayChange, { isDeleted: isGone })) found.permitted.push(path)
    else if (isGone) judgeMissing(path, { before, now, news, isTest: judges.isTest, old }, found)
    else if (!isNew && !isHidden && before.get(path)?.isLink !== now.get(path)?.isLink) {
      const what = now.get(path)?.isLink === true ? 'link' : 'file'
      found.tampered.push({ path, why: `${path} was replaced by a ${what}` })
    } else if (isNew && text !== null) note(path, judgeTest(path, null, text), found)
    else if (!isNew && text !== null && old !== null) note(path, judgeTest(path, old, text), found)
    // What is not text, too large or not stored can only be tried out.
    else if (!isNew) found.edited.push(path)
  }
  return found
}

function note(path: string, edit: ReturnType<typeof judgeTest>, found: TestFindings): void {
  if (edit.is === 'weakened') found.tampered.push({ path, why: edit.why })
  else if (edit.is === 'edited') found.edited.push(path)
}

interface Missing {
  before: TreeFiles
  now: TreeFiles
  news: Map<string, Content>
  isTest: (path: string) => boolean
  old: Content
}

/** A test that is gone: moved within the gate's reach, moved out of it, or deleted. */
function judgeMissing(path: string, { before, now, news, isTest, old }: Missing, found: TestFindings): void {
  const id = before.get(path)?.id
  const moved = [...now].filter(([to, file]) => file.id === id && !before.has(to)).map(([to]) => to)
  if (moved.some((to) => isTest(to) && isWithinReach(path, to))) return
  const [out] = moved
  // Every empty file has the content of every other.
  if (out !== undefined && old?.trim() !== '') {
    found.tampered.push({ path, why: `${path} was moved to ${out}, out of the gate's reach` })
    return
  }
  const isNext = (to: string) =>
    !before.has(to) && posix.basename(to) === posix.basename(path) && isWithinReach(path, to)
  const next = [...news].find(([to]) => isNext(to) && isTest(to))
  if (next === undefined || next[1] === null || old === null) {
    found.tampered.push({ path, why: `${path} was deleted` })
    return
  }
  note(path, judgeTest(next[0], withoutImports(old), withoutImports(next[1])), found)
}
