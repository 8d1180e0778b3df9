/** What keeps a completion from being tried, the clean room or the memory of how the work began, is an answer and no end of the engine. */
import { RalphError } from '../../core/error.ts'
import type { Trial } from '../../core/proof/trial.ts'

const TROUBLE: ReadonlySet<string> = new Set(['room-failed', 'witness-lost', 'git-failed'])

/** Throws on what is anything else. Whoever tells the answer says that it is about the clean room. */
export function failedTrial(thrown: unknown): Trial {
  if (!(thrown instanceof RalphError) || !TROUBLE.has(thrown.code)) throw thrown
  return { is: 'room-failed', why: thrown.message.replace(/^the clean room failed: /, ''), durationMs: 0 }
}
