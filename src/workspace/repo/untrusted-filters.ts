/**
 * Filters are programs that git runs to convert a file before it stores it (LFS, git-crypt). Filters of the user's global configuration run
 * as usual. An agent may have planted a filter in the repository's own configuration: such a filter runs only if it is exactly the one that
 * git-lfs or git-crypt writes; any other is disabled for Ralph's calls.
 */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { readIfExists } from '../../system/files/files.ts'
import type { GitFolders } from './find-repo.ts'

type Ask = (args: string[]) => Promise<{ code: number | null; stdout: string }>

type Folders = Pick<GitFolders, 'commonDir' | 'gitDir'>

/** Settings (`-c …`) that disable untrusted filters. */
export async function disableFilterArgs(folders: Folders, ask: Ask): Promise<string[]> {
  const names = await untrustedFilters(folders, ask)
  return names.flatMap((name) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].flatMap((end) => ['-c', `filter.${name}.${end}`]),
  )
}

/** Names of the filters in the repository's own configuration that Ralph does not start. */
export async function untrustedFilters(folders: Folders, ask: Ask): Promise<string[]> {
  if (!mayHaveFilters(folders)) return []
  const { code, stdout } = await ask(['config', '--show-scope', '-z', '--get-regexp', '^filter\\.'])
  if (code !== 0) return []
  return namesIn(stdout)
}

/** Almost no repository configures a filter of its own, and reading a small file is faster than starting git. */
function mayHaveFilters({ commonDir, gitDir }: Folders): boolean {
  return [join(commonDir, 'config'), join(gitDir, 'config.worktree')].some((path) =>
    /filter|include/i.test(readIfExists(path) ?? ''),
  )
}

function namesIn(listing: string): string[] {
  const names = new Set<string>()
  const fields = listing.split('\0')
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const scope = fields[i] ?? ''
    const [key = '', ...value] = (fields[i + 1] ?? '').split('\n')
    const name = /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1]
    if (name === undefined || (scope !== 'local' && scope !== 'worktree')) continue
    if (/\.(clean|smudge|process)$/.test(key) && !isKnown(value.join('\n'))) names.add(safe(name))
  }
  return [...names]
}

/** `-c` splits at the first `=`, so a filter with `=` in its name cannot be disabled; no tool creates one. */
function safe(name: string): string {
  if (!name.includes('=')) return name
  throw new RalphError(
    'git-failed',
    `the repository's configuration has a filter with an unusual name, ${JSON.stringify(name)}`,
    {
      hint: 'Remove it from .git/config: somebody may have planted it.',
    },
  )
}

/** The commands that `git lfs install --local` and `git-crypt init` write. */
function isKnown(command: string): boolean {
  return (
    command === '' ||
    /^git-lfs (clean|smudge)( --skip)? -- %f$/.test(command) ||
    /^git-lfs filter-process( --skip)?$/.test(command) ||
    /^"?(\/(usr|usr\/local|opt\/homebrew)\/bin\/)?git-crypt"? (clean|smudge)( --key-name=[\w-]+)?$/.test(command)
  )
}
