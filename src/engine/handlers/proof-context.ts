/** What handlers need to judge a completion by trial: the tree archive of the working tree, the rules of proof, and what earlier runs showed. */
import type { EnvPolicy } from '../../core/trust/environment.ts'
import type { CleanRoomCheck } from '../../core/proof/clean-room-check.ts'
import type { ProofRules, Rules } from '../../core/state/rules.ts'
import { loadBase, loadCleanRoomCheck, lastRejectedFiles, type SavedBase } from '../../store/bases.ts'
import type { Sql } from '../../store/db/sql.ts'
import { fullEnvironment } from '../../system/environment.ts'
import { currentUser } from '../../system/current-user.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { archiveFolder } from '../../workspace/archive/archive-folder.ts'
import { openTreeArchive, type TreeArchive } from '../../workspace/archive/tree-archive.ts'

export interface ProofContext {
  /** There are gates, and completions are judged by trial. */
  isJudged: boolean
  archive: TreeArchive
  /** The tree archive's folder: the clean room is remembered beside it. */
  memory: string
  proof: ProofRules
  envPolicy: EnvPolicy
  /** What earlier runs of this working tree left: the base, a room's clean-room check, what a person did not accept. */
  base(): Promise<SavedBase | null>
  cleanRoomCheck(key: string): Promise<CleanRoomCheck | null>
  refused(): Promise<string[]>
}

export function proofContextFor(
  { repo, root, sql, envPolicy }: { repo: Repo; root: string; sql: Sql; envPolicy: EnvPolicy },
  { proof, gates }: Pick<Rules, 'proof' | 'gates'>,
): ProofContext {
  const memory = archiveFolder(root, repo, { env: fullEnvironment(), home: currentUser().home })
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
