/** Parses `git status --porcelain=v2 -z`: HEAD, the branch and the paths that differ. */
import { splitWords } from '../../core/text/split-words.ts'

export interface GitStatus {
  /** Null: no commits yet. */
  head: string | null
  /** Null: detached. */
  branch: string | null
  /** Tracked paths: `staged` differs between HEAD and index, `unstaged` between index and file (`.` for no difference). */
  tracked: { path: string; staged: string; unstaged: string }[]
  /** Paths that the index does not have; a slash at the end means a nested repository. */
  untracked: string[]
}

/** Every difference, file by file. Of a submodule only its HEAD: for its files git would start a git inside it. */
export const GIT_STATUS_ARGS = splitWords(`
  status --porcelain=v2 -z --branch --untracked-files=all --ignore-submodules=dirty
  --no-ahead-behind --no-renames
`)

export function parseGitStatus(output: string): GitStatus {
  const status: GitStatus = { head: null, branch: null, tracked: [], untracked: [] }
  for (const entry of output.split('\0')) {
    if (entry.startsWith('? ')) status.untracked.push(entry.slice(2))
    else if (entry.startsWith('1 ')) status.tracked.push(tracked(entry, 8))
    else if (entry.startsWith('u ')) status.tracked.push(tracked(entry, 10))
    else if (entry.startsWith('# branch.oid ')) status.head = known(entry.slice(13), '(initial)')
    else if (entry.startsWith('# branch.head ')) status.branch = known(entry.slice(14), '(detached)')
  }
  return status
}

function known(value: string, none: string): string | null {
  return value === none ? null : value
}

/** `fields`: the number of fields before the path, which may itself contain spaces. */
function tracked(entry: string, fields: number): GitStatus['tracked'][number] {
  let at = 0
  for (let i = 0; i < fields; i++) at = entry.indexOf(' ', at) + 1
  return { path: entry.slice(at), staged: entry[2] ?? '.', unstaged: entry[3] ?? '.' }
}

/** Files under a `.ralph` folder are not source: they are plans, logs and state of Ralph, of this project or another. */
export function isRalphPath(path: string): boolean {
  return path === '.ralph' || path.startsWith('.ralph/') || path.includes('/.ralph/') || path.endsWith('/.ralph')
}
