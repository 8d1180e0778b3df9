/** What handlers need to judge a completion by trial: the witness of the working tree, the rules of proof, and what earlier runs showed. */
import type { Handover } from '../../domain/trust/environment.ts'
import type { Fitness } from '../../domain/proof/fitness.ts'
import type { ProofRules, Rules } from '../../domain/state/rules.ts'
import { baseOf, fitnessFor, lastRefused, type KeptBase } from '../../store/bases.ts'
import type { Sql } from '../../store/db/sql.ts'
import { processEnv } from '../../system/environment.ts'
import { whoAmI } from '../../system/person.ts'
import type { Repo } from '../../workspace/repo/repository-at.ts'
import { witnessFolder } from '../../workspace/witness/folder.ts'
import { openWitness, type Witness } from '../../workspace/witness/witness.ts'

export interface Judging {
  /** There are gates, and completions are judged by trial. */
  isJudged: boolean
  witness: Witness
  /** The witness's folder: the room is remembered beside it. */
  memory: string
  proof: ProofRules
  handover: Handover
  /** What earlier runs of this working tree left: the base, a room's fitness, what a person did not accept. */
  base(): Promise<KeptBase | null>
  fitness(key: string): Promise<Fitness | null>
  refused(): Promise<string[]>
}

export function judgingFor(
  { repo, root, sql, handover }: { repo: Repo; root: string; sql: Sql; handover: Handover },
  { proof, gates }: Pick<Rules, 'proof' | 'gates'>,
): Judging {
  const memory = witnessFolder(root, repo, { env: processEnv(), home: whoAmI().home })
  return {
    isJudged: proof.level === 'full' && gates.length > 0,
    witness: openWitness(memory),
    memory,
    proof,
    handover,
    base: () => baseOf(sql, root),
    fitness: (key) => fitnessFor(sql, root, key),
    refused: () => lastRefused(sql, root),
  }
}
