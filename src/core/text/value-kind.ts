/**
 * The kinds of values that settings take, and how they are parsed and formatted. Files, flags, the environment and `ralph set` share
 * one description, so that "10m" means the same everywhere.
 */
import type { Millis } from '../ids.ts'
import { assertNever } from '../assert-never.ts'

/** `or`: the word that means "nothing chosen"; the value is then null. */
interface Optional {
  or?: string
}

export type ValueKind =
  | ({ is: 'integer'; min: number; max?: number } & Optional)
  | ({ is: 'number'; min: number; max?: number } & Optional)
  /** A plain number counts in `unit`; the value is always milliseconds. */
  | ({ is: 'duration'; unit: DurationUnit; min: Millis; max?: Millis } & Optional)
  | ({ is: 'boolean' } & Optional)
  | ({ is: 'text'; like?: Shape } & Optional)
  /** `of`: the only allowed words. */
  | ({ is: 'list'; of?: readonly string[]; like?: Shape } & Optional)
  | ({ is: 'choice'; of: readonly string[] } & Optional)

/** The pattern of a text, and its name in messages. */
interface Shape {
  pattern: RegExp
  words: string
}

type DurationUnit = 's' | 'm' | 'h'

export type ValueOf<K extends ValueKind> =
  | (K extends { is: 'integer' | 'number' | 'duration' }
      ? number
      : K extends { is: 'boolean' }
        ? boolean
        : K extends { is: 'list' }
          ? string[]
          : K extends { is: 'choice'; of: readonly (infer Choice)[] }
            ? Choice
            : string)
  | (K extends { or: string } ? null : never)

export type SettingValue = number | boolean | string | string[] | null

export type Reading = { ok: true; value: SettingValue } | { ok: false; problem: string }

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const UNIT_MS: Record<string, Millis> = { ms: 1, s: SECOND, m: MINUTE, min: MINUTE, h: HOUR, d: DAY }

/**
 * Parses a value. `data` comes typed from TOML or JSON and must have the right type; `words` is text from a flag, the
 * environment or `.ralphrc`, where everything is text.
 */
export function parseValue(kind: ValueKind, raw: unknown, as: 'data' | 'words'): Reading {
  const value = orWord(kind) !== null && raw === orWord(kind) ? null : valueOf(kind, raw, as)
  if (value !== undefined) return { ok: true, value }
  return { ok: false, problem: `found ${found(raw)}, expected ${describeAllowedValues(kind)}` }
}

/** What is allowed, as the end of a sentence: "a whole number of at least 1". */
export function describeAllowedValues(kind: ValueKind): string {
  const word = orWord(kind)
  return word === null ? allowedValue(kind) : `${allowedValue(kind)}, or "${word}"`
}

/** A value as a person would write it in a file. */
export function formatValue(kind: ValueKind, value: SettingValue): string {
  if (value === null) return orWord(kind) ?? 'none'
  if (kind.is === 'duration' && typeof value === 'number') return formatDuration(value)
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** "90s", "15m", "2h": in the largest unit that is exact. */
export function formatDuration(ms: Millis): string {
  if (ms === 0) return '0'
  if (ms % HOUR === 0) return `${ms / HOUR}h`
  if (ms % MINUTE === 0) return `${ms / MINUTE}m`
  if (ms % SECOND === 0) return `${ms / SECOND}s`
  return `${ms}ms`
}

/** Splits at commas, but not inside brackets: `Bash(git log, *)` is one tool. */
export function splitList(text: string): string[] {
  const items = ['']
  let depth = 0
  for (const character of text) {
    if (character === '(') depth++
    if (character === ')') depth = Math.max(0, depth - 1)
    if (character === ',' && depth === 0) items.push('')
    else items[items.length - 1] += character
  }
  return items.map((item) => item.trim()).filter((item) => item !== '')
}

function valueOf(kind: ValueKind, raw: unknown, as: 'data' | 'words'): SettingValue | undefined {
  switch (kind.is) {
    case 'integer':
      return within(kind, numberOf(raw, as), Number.isSafeInteger)
    case 'number':
      return within(kind, numberOf(raw, as), Number.isFinite)
    case 'duration':
      return within(kind, millisOf(kind.unit, raw, as), Number.isFinite)
    case 'boolean':
      return typeof raw === 'boolean' ? raw : as === 'words' ? booleanOf(raw) : undefined
    case 'text':
      return typeof raw === 'string' && raw.trim() !== '' && isLike(kind, raw) ? raw : undefined
    case 'list':
      return listOf(raw)?.every((item) => isLike(kind, item)) === true ? listOf(raw) : undefined
    case 'choice':
      return typeof raw === 'string' && kind.of.includes(raw) ? raw : undefined
    default:
      return assertNever(kind)
  }
}

function isLike({ like, of }: { like?: Shape; of?: readonly string[] }, text: string): boolean {
  return (like === undefined || like.pattern.test(text)) && (of === undefined || of.includes(text))
}

function within(
  kind: { min: number; max?: number },
  value: number | undefined,
  valid: (value: number) => boolean,
): number | undefined {
  if (value === undefined || !valid(value)) return undefined
  return value >= kind.min && value <= (kind.max ?? Infinity) ? value : undefined
}

function numberOf(raw: unknown, as: 'data' | 'words'): number | undefined {
  if (typeof raw === 'number') return raw
  if (as === 'data' || typeof raw !== 'string') return undefined
  return /^[+-]?\d+(\.\d+)?$/.test(raw.trim()) ? Number(raw) : undefined
}

/** A text with a unit is a duration in every layer; a text without one only where everything is text. */
function millisOf(unit: DurationUnit, raw: unknown, as: 'data' | 'words'): Millis | undefined {
  const plain = numberOf(raw, as)
  if (plain !== undefined) return Math.round(plain * (UNIT_MS[unit] ?? 1))
  if (typeof raw !== 'string') return undefined
  const parts = [...raw.trim().matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)\s*/gy)]
  if (parts.length === 0 || parts.map((part) => part[0]).join('') !== raw.trim()) return undefined
  return Math.round(parts.reduce((sum, part) => sum + Number(part[1]) * (UNIT_MS[part[2] ?? ''] ?? 0), 0))
}

function booleanOf(raw: unknown): boolean | undefined {
  if (typeof raw !== 'string') return undefined
  const word = raw.trim().toLowerCase()
  if (['true', 'yes', 'on', '1'].includes(word)) return true
  if (['false', 'no', 'off', '0'].includes(word)) return false
  return undefined
}

/** A single text is accepted as a list in every layer: people write `agent.order = "claude"` first. */
function listOf(raw: unknown): string[] | undefined {
  if (typeof raw === 'string') return splitList(raw)
  if (!Array.isArray(raw)) return undefined
  const items: unknown[] = raw
  const texts = items.filter((item) => typeof item === 'string')
  return texts.length === items.length ? texts : undefined
}

function orWord(kind: ValueKind): string | null {
  return 'or' in kind ? (kind.or ?? null) : null
}

function allowedValue(kind: ValueKind): string {
  switch (kind.is) {
    case 'integer':
      return `a whole number ${bounds(kind, String)}`
    case 'number':
      return `a number ${bounds(kind, String)}`
    case 'duration':
      return `a number of ${UNIT_NAMES[kind.unit]} or a text like "90s", "10m" or "2h", ${durationBounds(kind)}`
    case 'boolean':
      return 'true or false'
    case 'text':
      return kind.like?.words ?? 'a text that is not empty'
    case 'list':
      if (kind.of !== undefined) return `a list of ${kind.of.map((word) => `"${word}"`).join(', ')}`
      return `a list of ${kind.like?.words ?? 'texts'}`
    case 'choice':
      return kind.of.map((choice) => `"${choice}"`).join(' or ')
    default:
      return assertNever(kind)
  }
}

const UNIT_NAMES: Record<DurationUnit, string> = { s: 'seconds', m: 'minutes', h: 'hours' }

function bounds(kind: { min: number; max?: number }, say: (value: number) => string): string {
  return kind.max === undefined ? `of at least ${say(kind.min)}` : `from ${say(kind.min)} to ${say(kind.max)}`
}

/** Nobody thinks of a time limit as "at least 1ms". */
function durationBounds(kind: { min: number; max?: number }): string {
  return kind.min === 1 && kind.max === undefined ? 'more than 0' : bounds(kind, formatDuration)
}

/** The found value, short enough for one line. Settings should hold no passwords, so the text itself may be shown. */
function found(raw: unknown): string {
  const text = isTable(raw) ? 'a table' : (JSON.stringify(raw) ?? 'nothing')
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** A TOML date is an object too, but it can be shown. */
function isTable(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw) && !('toJSON' in raw)
}
