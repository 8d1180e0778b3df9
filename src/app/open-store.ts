/** Opens the store of a project for a command. Creates none unless asked to; without a store, the error says that nothing has run yet. */
import { join } from 'node:path'
import { RalphError } from '../core/error.ts'
import { followMovedProject } from '../store/db/moved-project.ts'
import type { OpenStoreOptions, Store } from '../store/db/open-store.ts'
import { useStore } from '../store/db/use-store.ts'
import { findRepoWithoutGit, storeFolder, treeIdentityOf, type Repo } from '../workspace/repo/find-repo.ts'

export interface ProjectFolders {
  root: string
  repo: Repo
  folder: string
}

export async function projectFoldersOf(root: string): Promise<ProjectFolders> {
  // Loads the code that runs git only in commands that need it.
  const { openRepo } = await import('../workspace/repo/git.ts')
  const repo = await openRepo(root)
  return { root, repo, folder: storeFolder(repo, root) }
}

const READS: OpenStoreOptions = { create: false, notice: () => {} }

/** Opens the store, runs `work` and closes the store again. By default the store must exist: the project has had a run. */
export async function withStore<T>(
  root: string,
  work: (store: Store, folder: string) => Promise<T>,
  options: OpenStoreOptions = READS,
): Promise<T> {
  const repo = findRepoWithoutGit(root) ?? (await projectFoldersOf(root)).repo
  const folder = storeFolder(repo, repo.root)
  return useStore(join(folder, 'ralph.db'), options, async (store) => {
    await followMovedProject(store.sql, root, treeIdentityOf(repo, folder))
    return work(store, folder)
  })
}

/** The same; null: nothing has run here yet. A query creates no store. */
export function withStoreIfAny<T>(
  root: string,
  work: (store: Store, folder: string) => Promise<T>,
  options: OpenStoreOptions = READS,
): Promise<T | null> {
  return withStore(root, work, options).catch((error: unknown) => {
    if (error instanceof RalphError && error.code === 'no-run') return null
    throw error
  })
}

/** The same; null also if the store cannot be read, which other commands report better. */
export function withReadableStore<T>(root: string, work: (store: Store) => Promise<T>): Promise<T | null> {
  return withStore(root, work).catch((error: unknown) => {
    if (error instanceof RalphError) return null
    throw error
  })
}

/** The same, for commands that also read the repository. */
export async function withStoreAndFolders<T>(
  root: string,
  work: (store: Store, folders: ProjectFolders) => Promise<T>,
): Promise<T> {
  const folders = await projectFoldersOf(root)
  return withStore(root, (store) => work(store, folders))
}
