/** What decides whether a clean room that passed its check once passes it still, and what is shared with it to begin with. */
import { createHash } from 'node:crypto'
import type { Gate } from '../../core/proof/evidence.ts'
import type { SharedTools } from '../../core/proof/trial.ts'
import { lockKind, manifestKind } from '../../protection/file-kinds.ts'
import type { Repo } from '../repo/find-repo.ts'
import type { ArchiveTree } from '../archive/tree-listing.ts'
import { hasToolFolders } from './shared-tools/choose-shared-paths.ts'

export interface SetupRules {
  setup: string | null
  copy: string[]
}

/** Set-up, manifests, lock files and gates; the work itself is not asked. */
export function cleanRoomKey(
  { setup, copy }: SetupRules,
  { tree, gates }: { tree: ArchiveTree; gates: Gate[] },
): string {
  const hash = createHash('sha256')
  hash.update(JSON.stringify([setup, copy, gates]))
  for (const [path, file] of tree) if (affectsTools(path)) hash.update(`\0${path}\0${file.hash}`)
  return hash.digest('hex').slice(0, 32)
}

/** Tools that no set-up brings are shared from the start. */
export async function initialSharedTools({ setup }: SetupRules, repo: Repo): Promise<SharedTools> {
  return setup === null && (await hasToolFolders(repo)) ? 'tools' : 'nothing'
}

/** Which tools there are is decided by these, in any folder of the project. */
export function affectsTools(path: string): boolean {
  return manifestKind(path) !== null || lockKind(path) !== null
}
