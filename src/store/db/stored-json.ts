/** JSON that we wrote, read back. SQLite checks its pages, not the text in them: what is none any more is damage all the same. */
import { RalphError } from '../../domain/error.ts'
import type { RunId } from '../../domain/ids.ts'

export function storedJson(text: string, run: RunId): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new RalphError('store-damaged', `what was kept of run ${run} is damaged`, { cause })
  }
}
