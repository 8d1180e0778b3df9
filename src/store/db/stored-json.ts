/** JSON that we wrote, read back. SQLite checks its pages, not the text in them: what is none any more is damage all the same. */
import { RalphError } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import { parseJson } from '../../core/text/json.ts'

/** `of`: the run it was kept of, or the working tree it was kept for. */
export function parseStoredJson(text: string, of: RunId | { workspace: string }): unknown {
  const parsed = parseJson(text)
  if (parsed.ok) return parsed.value
  const whose = typeof of === 'string' ? `of run ${of}` : `for ${of.workspace}`
  throw new RalphError('store-damaged', `what was kept ${whose} is damaged`, { cause: parsed.cause })
}
