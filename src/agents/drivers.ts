/** Written by the build (scripts/drivers.mjs) from the rows of core/calls/known-agents.ts. */
import type { KnownAgent } from '../core/calls/known-agents.ts'
import type { Driver } from './driver.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { opencode } from './opencode.ts'
import { gemini } from './gemini.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import { plain } from './plain.ts'

export const DRIVERS: Record<KnownAgent, Driver> = {
  claude,
  codex,
  opencode,
  gemini,
  copilot,
  cursor,
  plain,
}
