/**
 * Warnings that a person has confirmed: each is asked about once per project. One small file per warning in the user's own state
 * folder; a file that cannot be written or read costs one more question.
 */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { systemClock } from '../../system/clock.ts'
import { ensureFolder, exists, hashText, writeAtomic } from '../../system/files/files.ts'
import { realPath } from '../../system/files/links.ts'
import { stateFolder } from '../../system/files/state-folder.ts'
import type { TrustContext } from '../project/trust-store.ts'

export interface AnsweredWarnings {
  has(cause: string): boolean
  remember(causes: readonly string[]): void
}

export function openAnsweredWarnings({ root, env, home }: TrustContext): AnsweredWarnings {
  const folder = join(stateFolder({ env, home }, 'answered'), hashText(realPath(root) ?? root).slice(0, 32))
  const fileOf = (cause: string): string => join(folder, `${hashText(cause).slice(0, 32)}.json`)
  return {
    has: (cause) => exists(fileOf(cause)),
    remember(causes) {
      try {
        ensureFolder(folder)
        for (const cause of causes)
          writeAtomic(fileOf(cause), `${JSON.stringify({ root, cause, at: systemClock().at() })}\n`)
      } catch (error) {
        if (!(error instanceof RalphError)) throw error
      }
    },
  }
}
