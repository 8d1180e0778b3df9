/** Programs that speak the protocol themselves, beside the way that Ralph's own drivers have with them. */
import { readdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copilot, gemini, opencode, type Vendor } from './vendors.ts'

export interface AcpVendor extends Vendor {
  /** What time does between two iterations that matters to it. */
  later?: (conversation: string) => void
}

export const ACP_VENDORS: AcpVendor[] = [
  { ...gemini, agent: 'acp:gemini --acp', home: unswept, later: asIfBegunEarlier },
  { ...opencode, agent: 'acp:opencode acp' },
  { ...copilot, agent: 'acp:copilot --acp' },
]

/** Taking a conversation up, Gemini leaves an empty file of the same name beside it; at its next start it sweeps up the empty one and, with
 *  it, whatever has its name. Unless it is told not to sweep, a conversation is resumed once. */
function unswept(url: string): Record<string, string> {
  const file = '.gemini/settings.json'
  const settings = JSON.parse(gemini.home(url)[file] ?? '{}') as { general: object }
  const general = { ...settings.general, sessionRetention: { enabled: false } }
  return { [file]: JSON.stringify({ ...settings, general }) }
}

/** Gemini keeps a conversation under the minute of its beginning. Taken up in that very minute, it writes an empty one over it first
 *  and then finds nothing; what was begun in an earlier minute is resumed. An empty one is left by each turn. */
function asIfBegunEarlier(conversation: string): void {
  const folder = join(process.env['HOME'] ?? '', '.gemini', 'tmp')
  const ending = `-${conversation.slice(0, 8)}.jsonl`
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(ending))
  for (const [minute, file] of files.toSorted().entries())
    renameSync(join(folder, file), join(folder, dirname(file), `session-2026-01-01T00-0${minute}${ending}`))
}
