/** Turns errors of the clean room or the tree archive into the result of a trial, so that they do not end the engine. */
import { RalphError } from '../../core/error.ts'
import type { TrialResult } from '../../core/proof/trial.ts'

const TROUBLE: ReadonlySet<string> = new Set(['room-failed', 'witness-lost', 'git-failed'])

/** Rethrows any other error. Removes the prefix of the message, because screens name the clean room themselves. */
export function trialResultOfError(thrown: unknown): TrialResult {
  if (!(thrown instanceof RalphError) || !TROUBLE.has(thrown.code)) throw thrown
  return { is: 'room-failed', why: thrown.message.replace(/^the clean room failed: /, ''), durationMs: 0 }
}
