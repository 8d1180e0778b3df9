/**
 * Sets or removes one key in the text of a TOML file. Comments, order and every other line stay as they are. The result is parsed and
 * compared: if anything but this key changed, nothing is returned, and the caller asks the person to edit the file.
 */
import { tomlEntries, valueEnd, type TomlEntry } from './toml-entries.ts'
import { parseToml } from './toml.ts'

export type TomlValue = string | number | boolean | string[]

interface SettingPath {
  group: string
  name: string
}

/** Null: the file is written in a way that this cannot change safely, such as `[budget]` as an inline table. */
export function setTomlKey(text: string, path: SettingPath, value: TomlValue): string | null {
  const lines = text.split('\n')
  const literal = tomlLiteral(value)
  const entries = tomlEntries(text)
  const key = `${path.group}.${path.name}`
  const found = entries.find((entry) => entry.path === key && !entry.isTable)
  if (found !== undefined) replaceValue(lines, found, literal)
  else insertKey(lines, entries, { ...path, literal })
  return ifOnlyChanged(text, lines.join('\n'), path, value)
}

/** The same text if the key is not in the file. */
export function removeTomlKey(text: string, path: SettingPath): string | null {
  const found = tomlEntries(text).find((entry) => entry.path === `${path.group}.${path.name}` && !entry.isTable)
  if (found === undefined) return ifOnlyChanged(text, text, path, undefined)
  const lines = text.split('\n')
  lines.splice(found.first, found.last - found.first + 1)
  return ifOnlyChanged(text, lines.join('\n'), path, undefined)
}

export function tomlLiteral(value: TomlValue): string {
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
  // JSON's strings are TOML's as well; TOML wants no other escape.
  return typeof value === 'string' ? JSON.stringify(value).replaceAll('\u007f', String.raw`\u007F`) : String(value)
}

/** Keeps the key as it is written, and the comment behind a value of one line. */
function replaceValue(lines: string[], { first, last }: TomlEntry, literal: string): void {
  const line = lines[first] ?? ''
  const value = line.indexOf('=') + 1
  // The last line of an array closes what an earlier line opened.
  const opened = first === last ? '' : '['
  const end = opened + (lines[last] ?? '')
  const comment = end.slice(valueEnd(end))
  lines.splice(first, last - first + 1, `${line.slice(0, value)} ${literal}${comment}`)
}

/** Below the last key of its table; in a table of its own at the end of the file if there is none. */
function insertKey(
  lines: string[],
  entries: TomlEntry[],
  { group, name, literal }: SettingPath & { literal: string },
): void {
  const beside = entries.findLast(
    ({ table, isTable, path }) => table === group || (!isTable && path.startsWith(`${group}.`)),
  )
  if (beside !== undefined) {
    const key = beside.table === group ? name : `${group}.${name}`
    lines.splice(beside.last + 1, 0, `${key} = ${literal}${lineEnd(lines)}`)
    return
  }
  while (lines.at(-1)?.trim() === '') lines.pop()
  const end = lineEnd(lines)
  if (lines.length > 0) lines.push(end)
  lines.push(`[${group}]${end}`, `${name} = ${literal}${end}`, '')
}

/** Lines are split at `\n`, so those of a Windows file end in `\r`. */
function lineEnd(lines: string[]): string {
  return lines[0]?.endsWith('\r') === true ? '\r' : ''
}

function ifOnlyChanged(
  before: string,
  after: string,
  { group, name }: SettingPath,
  value: TomlValue | undefined,
): string | null {
  const [old, fresh] = [parseToml(before), parseToml(after)]
  if (!old.ok || !fresh.ok) return null
  const wanted = structuredClone(old.data)
  const table = (wanted[group] ?? {}) as Record<string, unknown>
  if (typeof table !== 'object' || Array.isArray(table)) return null
  if (value === undefined) delete table[name]
  else table[name] = value
  if (value !== undefined || wanted[group] !== undefined) wanted[group] = table
  return canonical(wanted) === canonical(fresh.data) ? after : null
}

/** Independent of the order of keys and of empty tables. */
function canonical(data: unknown): string {
  return JSON.stringify(data, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || 'toJSON' in value) return value
    const filled = Object.entries(value).filter(([, one]) => !isEmptyTable(one))
    return Object.fromEntries(filled.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

function isEmptyTable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}
