/** Finds the source folders of a project without settings, to show them before a run. */
import { join } from 'node:path'
import { isCode, isTestPath, baseNameOf } from '../../protection/file-kinds.ts'
import { readProjectLayout } from '../../protection/project-layout.ts'
import { foldersUpToRoot, indexTree, joinPath } from '../../protection/file-tree.ts'
import { readRegularFile } from '../../system/files/path-entry.ts'
import { projectPrefix, workingTreeRoot, type Repo } from '../repo/find-repo.ts'
import { listTreeFileNames } from '../archive/tree-file-names.ts'

/** The outermost source folders, relative to the top of the working tree; empty: the source is in the top folder. */
export async function sourceFolders(
  repo: Repo,
  { root, gates }: { root: string; gates: { run: string; cwd: string }[] },
): Promise<string[]> {
  const top = workingTreeRoot(repo)
  const paths = [...(await listTreeFileNames(repo)).names.keys()]
  const known = new Set(paths)
  const text = (path: string): string | null => readRegularFile(join(top, path))?.bytes.toString('utf8') ?? null
  const base = indexTree({ has: (path) => known.has(path), text }, paths)
  const prefix = projectPrefix(repo, root)
  const { isSource } = readProjectLayout({
    base,
    gates: gates.map(({ run, cwd }) => ({ run, cwd: joinPath(prefix, cwd) })),
    work: [],
  })
  const found = paths
    .filter((path) => isCode(path) && !isTestPath(path) && isSource(path))
    // The outermost folder in which a file of that name would be source too.
    .map((path) => foldersUpToRoot(path).findLast((folder) => isSource(joinPath(folder, baseNameOf(path)))) ?? '')
  return [...new Set(found)].filter((folder) => folder !== '').sort()
}
