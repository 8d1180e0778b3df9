/** The key under which a passed clean-room check stays valid, and the initial choice of shared tools. */
import { createHash } from 'node:crypto'
import type { Gate } from '../../core/proof/evidence.ts'
import type { ProofRules } from '../../core/state/rules.ts'
import type { SharedToolsLevel } from '../../core/proof/trial.ts'
import { isManifestOrLockFile } from '../../protection/file-kinds.ts'
import type { Repo } from '../repo/find-repo.ts'
import type { ArchiveTree } from '../archive/tree-listing.ts'
import { hasToolFolders } from './shared-tools/choose-shared-paths.ts'

/** Covers set-up, manifests, lock files and gates, but no source. */
export function cleanRoomKey(
  { setup, copy }: Pick<ProofRules, 'setup' | 'copy'>,
  { tree, gates }: { tree: ArchiveTree; gates: Gate[] },
): string {
  const hash = createHash('sha256')
  hash.update(JSON.stringify([setup, copy, gates]))
  for (const [path, file] of tree) if (isManifestOrLockFile(path)) hash.update(`\0${path}\0${file.hash}`)
  return hash.digest('hex').slice(0, 32)
}

/** Without a set-up, tool folders are shared from the start. */
export async function initialSharedToolsLevel(
  { setup }: Pick<ProofRules, 'setup'>,
  repo: Repo,
): Promise<SharedToolsLevel> {
  return setup === null && (await hasToolFolders(repo)) ? 'tools' : 'nothing'
}
