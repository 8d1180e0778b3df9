/**
 * The Rust tool's `.ralph.toml`. Its retries, its verification and its agent's command have a meaning here; keys without effect are
 * reported. A file that also has settings of Ralph is a file of Ralph that contains these keys.
 */
import { suggest } from '../core/text/suggest.ts'
import { isTable, type Layer, type RawSetting } from './layer.ts'
import { invalidSettingError, fileLocation, type FileOrigin } from './origin.ts'
import { isGroup, isSettingKey, SETTING_KEYS } from './settings.ts'

/** Keys of the Rust tool that have another name here. */
export const RUST_KEY_ALIASES = {
  'execution.max_retries': 'task.max_retries',
  'execution.verify': 'task.verify',
} as const satisfies Record<string, string>

/** Keys of the Rust tool that are accepted without effect, with the reason. */
export const IGNORED_RUST_KEYS: Readonly<Record<string, string>> = {
  'execution.learn': 'it had no effect in ralph-rust either',
  'ui.theme': 'colours follow the terminal (and NO_COLOR)',
  'ui.colors': 'colours follow the terminal (and NO_COLOR)',
}

/** The tables that the Rust tool's file may have. */
const RUST_GROUPS: ReadonlySet<string> = new Set(['execution', 'agent', 'ui'])

/**
 * Whether the file was written for the Rust tool: it has a key of that tool and nothing that only Ralph has. `isOurs` decides that for
 * a key or a table. Unknown keys in such a file are ignored, as in that tool.
 */
export function isRustToolFile(data: Record<string, unknown>, isOurs: (key: string) => boolean): boolean {
  const agent = tableAt(data, 'agent')
  const ui = tableAt(data, 'ui')
  const isMarked =
    tableAt(data, 'execution') !== null || typeof agent?.['command'] === 'string' || tableAt(ui, 'colors') !== null
  if (!isMarked) return false
  return Object.entries(data).every(([group, content]) => {
    if (!RUST_GROUPS.has(group)) return !isOurs(group)
    const keys = isTable(content) ? Object.keys(content).map((key) => `${group}.${key}`) : []
    return keys.every((key) => key === 'agent.command' || !isOurs(key))
  })
}

function tableAt(data: Record<string, unknown> | null, key: string): Record<string, unknown> | null {
  const found = data?.[key]
  return isTable(found) ? found : null
}

/** A key or a table that the Rust tool's file never had. */
export function isRalphKey(name: string): boolean {
  return isSettingKey(name) || isGroup(name) || name === 'gate' || name === 'agents'
}

type InFile = RawSetting & { origin: FileOrigin }

/** Applies a setting of the Rust tool; false: that tool had no such key either. */
export function applyRustSetting(layer: Layer, key: string, said: InFile): boolean {
  const { raw, origin } = said
  if (key === 'execution' && !isTable(raw))
    throw invalidSettingError(origin, `found ${JSON.stringify(raw)}, expected a table`)
  if (isRenamed(key)) {
    const name = RUST_KEY_ALIASES[key]
    // Ralph's own name takes precedence, wherever it is in the file.
    if (!layer.said.has(name)) layer.said.set(name, said)
    return true
  }
  if (!Object.hasOwn(IGNORED_RUST_KEYS, key)) return false
  const expected = KINDS[key]?.(raw) ?? null
  if (expected !== null) throw invalidSettingError(origin, `found ${JSON.stringify(raw)}, expected ${expected}`)
  layer.unused.push({ name: key, where: fileLocation(origin), remark: IGNORED_RUST_KEYS[key] ?? '' })
  return true
}

function isRenamed(key: string): key is keyof typeof RUST_KEY_ALIASES {
  return Object.hasOwn(RUST_KEY_ALIASES, key)
}

/** Values that the Rust tool refused: the expected kind, or null. */
const KINDS: Readonly<Record<string, (raw: unknown) => string | null>> = {
  'execution.learn': (raw) => (typeof raw === 'boolean' ? null : 'true or false'),
  'ui.theme': (raw) => (typeof raw === 'string' ? null : 'a text'),
  'ui.colors': (raw) =>
    isTable(raw) && Object.values(raw).every((colour) => typeof colour === 'string') ? null : 'a table of strings',
}

/** The Rust tool ignored unknown keys. A misspelt setting of Ralph is reported all the same. */
export function skipUnknownKey(layer: Layer, key: string, origin: FileOrigin): void {
  const near = suggest(key, SETTING_KEYS)
  if (near !== null) layer.remarks.push(`${fileLocation(origin)}: unknown setting ${key}; did you mean ${near}?`)
  layer.unused.push({ name: key, where: fileLocation(origin), remark: 'not a setting of Ralph' })
}

/** One sentence for all keys without effect; `ralph config list` has the reasons. */
export function warnUnusedKeys(layer: Layer): void {
  const names = layer.unused.map(({ name }) => name).filter((name) => Object.hasOwn(IGNORED_RUST_KEYS, name))
  if (names.length === 0) return
  const are = names.length === 1 ? 'has' : 'have'
  layer.remarks.push(`${layer.name}: ${names.join(', ')} ${are} no effect (reasons: ralph config list)`)
}
