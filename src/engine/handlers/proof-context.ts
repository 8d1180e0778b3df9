/** What handlers need to try a completion: the tree archive of the working tree, the proof rules, and results of earlier runs. */
import type { EnvPolicy } from '../../core/trust/environment.ts'
import type { CleanRoomCheckResult } from '../../core/proof/clean-room-check.ts'
import type { ProofRules, Rules } from '../../core/state/rules.ts'
import { loadBase, loadCleanRoomCheck, lastRejectedFiles, type SavedBase } from '../../store/bases.ts'
import type { Sql } from '../../store/db/sql.ts'
import { fullEnvironment } from '../../system/environment.ts'
import { currentUser } from '../../system/current-user.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { projectArchiveFolder } from '../../workspace/archive/archive-folder.ts'
import { openTreeArchive, type TreeArchive } from '../../workspace/archive/tree-archive.ts'

export interface ProofContext {
  /** There are gates, and completions are tried in the clean room. */
  isJudged: boolean
  archive: TreeArchive
  /** The folder of the tree archive; it also has the data of the clean room. */
  memory: string
  proof: ProofRules
  envPolicy: EnvPolicy
  /** Saved by earlier runs of this working tree: the base, clean-room checks, and files that a person rejected. */
  base(): Promise<SavedBase | null>
  cleanRoomCheck(key: string): Promise<CleanRoomCheckResult | null>
  refused(): Promise<string[]>
}

export function proofContextFor(
  { repo, root, sql, envPolicy }: { repo: Repo; root: string; sql: Sql; envPolicy: EnvPolicy },
  { proof, gates }: Pick<Rules, 'proof' | 'gates'>,
): ProofContext {
  const memory = projectArchiveFolder(root, repo, { env: fullEnvironment(), home: currentUser().home })
  return {
    isJudged: proof.level === 'full' && gates.length > 0,
    archive: openTreeArchive(memory),
    memory,
    proof,
    envPolicy,
    base: () => loadBase(sql, root),
    cleanRoomCheck: (key) => loadCleanRoomCheck(sql, root, key),
    refused: () => lastRejectedFiles(sql, root),
  }
}
