/** Finds the project: the nearest folder upwards in which Ralph, or one of the tools before it, was set up. */
import { dirname, join, resolve } from 'node:path'
import { exists } from '../system/files/files.ts'

export interface Project {
  root: string
  /** What marks it; `flat`: the oldest layout, which `ralph migrate` moves into `.ralph/`; `none`: nothing was found. */
  kind: 'toml' | 'ralph' | 'ralphrc' | 'flat' | 'none'
}

/** Walks up from a folder to the top of its git repository or to the home folder, whichever is nearer. */
export function findProject(from: string, { home }: { home: string }): Project {
  const folders = foldersUp(resolve(from), home)
  for (const root of folders) {
    const kind = markOf(root, home)
    if (kind !== null) return { root, kind }
  }
  // Last, because PROMPT.md alone is a weak sign, and every `.ralph/` contains one too.
  const flat = folders.find(hasFlatLayout)
  return flat === undefined ? { root: resolve(from), kind: 'none' } : { root: flat, kind: 'flat' }
}

function foldersUp(from: string, home: string): string[] {
  const folders = [from]
  for (let folder = from; folder !== resolve(home) && !exists(join(folder, '.git'));) {
    const parent = dirname(folder)
    if (parent === folder) break
    folders.push(parent)
    folder = parent
  }
  return folders
}

function markOf(folder: string, home: string): 'toml' | 'ralph' | 'ralphrc' | null {
  if (exists(join(folder, '.ralph.toml'))) return 'toml'
  // The bash tool installs itself in ~/.ralph, which does not make the home folder a project.
  if (exists(join(folder, '.ralph')) && folder !== resolve(home)) return 'ralph'
  if (exists(join(folder, '.ralphrc')) && !hasFlatLayout(folder)) return 'ralphrc'
  return null
}

const FLAT_FILES = ['PROMPT.md', '@fix_plan.md', '@AGENT.md']

function hasFlatLayout(folder: string): boolean {
  return FLAT_FILES.some((name) => exists(join(folder, name)))
}
