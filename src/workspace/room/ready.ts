/** What decides whether a room that was fit once is fit still, and how much it is lent to begin with. */
import { createHash } from 'node:crypto'
import type { Gate } from '../../domain/proof/evidence.ts'
import type { Lend } from '../../domain/proof/trial.ts'
import { lockKind, manifestKind } from '../../judge/kinds.ts'
import type { Repo } from '../repo/repository-at.ts'
import type { WitnessTree } from '../witness/tree.ts'
import { hasTools } from './lent/lent-choice.ts'

export interface SetUpBy {
  setup: string | null
  copy: string[]
}

/** Set-up, manifests, lock files and gates; the work itself is not asked. */
export function roomKey(
  { setup, copy }: SetUpBy,
  { tree, gates }: { tree: WitnessTree; gates: Gate[] },
): string {
  const hash = createHash('sha256')
  hash.update(JSON.stringify([setup, copy, gates]))
  for (const [path, file] of tree) if (decidesTools(path)) hash.update(`\0${path}\0${file.hash}`)
  return hash.digest('hex').slice(0, 32)
}

/** Tools that no set-up brings are lent from the start. */
export async function firstLend({ setup }: SetUpBy, repo: Repo): Promise<Lend> {
  return setup === null && (await hasTools(repo)) ? 'tools' : 'nothing'
}

/** Which tools there are is decided by these, in any folder of the project. */
export function decidesTools(path: string): boolean {
  return manifestKind(path) !== null || lockKind(path) !== null
}
