/** Parses JSON that Ralph stored. SQLite checks its pages, not the text in them: invalid JSON counts as a damaged store. */
import { RalphError } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import { parseJson } from '../../core/text/json.ts'

/** `of`: the run or the working tree that the value belongs to. */
export function parseStoredJson(text: string, of: RunId | { workspace: string }): unknown {
  const parsed = parseJson(text)
  if (parsed.ok) return parsed.value
  const whose = typeof of === 'string' ? `of run ${of}` : `for ${of.workspace}`
  throw new RalphError('store-damaged', `saved data ${whose} is damaged`, { cause: parsed.cause })
}
