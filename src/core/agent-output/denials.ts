/** Tool uses that the agent's permissions denied. */
import { clip, oneLine, stripControl } from '../text/sanitize.ts'
import type { Denial } from './reply.ts'

/** More add no information, and the record stays small. */
const DENIALS_MAX = 20

/** Adds a denial unless the same tool and command were denied before. */
export function addDenial(denials: Denial[], denied: { tool: string; command?: string }): void {
  if (denials.length >= DENIALS_MAX) return
  const tool = oneLine(denied.tool, 60) || 'unknown'
  const command = denied.command === undefined ? undefined : clip(stripControl(denied.command).trim(), 200)
  if (denials.some((each) => each.tool === tool && each.command === command)) return
  denials.push(command === undefined ? { tool } : { tool, command })
}
