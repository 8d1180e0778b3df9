/** Every dialect by its name. */
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import type { Dialect } from './dialect.ts'
import { gemini } from './gemini.ts'
import { jsonl } from './jsonl.ts'
import { opencode } from './opencode.ts'
import type { DialectName } from './scenario.ts'
import { text } from './text.ts'

export const DIALECT: Record<DialectName, Dialect> = {
  claude,
  codex,
  opencode,
  gemini,
  copilot,
  cursor,
  text,
  jsonl,
}
