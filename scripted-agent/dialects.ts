/** Every dialect by its name: a new one needs a line here and a file. */
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import type { Dialect } from './dialect.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'
import { text } from './text.ts'

const ALL = {
  claude,
  codex,
  opencode,
  gemini,
  copilot,
  cursor,
  text,
} as const satisfies Record<string, Dialect>

export type DialectName = keyof typeof ALL

export const DIALECT: Readonly<Record<DialectName, Dialect>> = ALL

export const DIALECT_NAMES = Object.keys(ALL) as readonly DialectName[]
