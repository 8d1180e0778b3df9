/**
 * Tolerant JSON parsing: unexpected values become null, empty or undefined, and nothing throws. The only JSON parser of Ralph, for agents'
 * lines, files of other tools, answers of trackers, manifests, and (through `store/db/stored-json.ts`) stored values.
 */

export type JsonObject = Record<string, unknown>

/** The value of a text; null: invalid JSON, or `null` itself. */
export function jsonOrNull(content: string): unknown {
  const parsed = parseJson(content)
  return parsed.ok ? parsed.value : null
}

/** For callers that report what is wrong with the text. */
export type ParsedJson = { ok: true; value: unknown } | { ok: false; cause: unknown }

export function parseJson(content: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(content) as unknown }
  } catch (cause) {
    return { ok: false, cause }
  }
}

/** The object in the text, or null for anything else. Checks the first character first, because a failed parse is slow. */
export function parseObject(content: string): JsonObject | null {
  return content.trimStart().startsWith('{') ? asObject(jsonOrNull(content)) : null
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asObject(value: unknown): JsonObject | null {
  return isObject(value) ? value : null
}

/** The value of an object's own property, else null. */
export function ownField(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : null
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export function asNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** One text or a list of them. */
export function asTexts(value: unknown): string[] | null {
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return null
  const items: unknown[] = value
  return items.filter((item) => typeof item === 'string')
}

/** Entries that `read` cannot read are left out. */
export function asRecord<T>(value: unknown, read: (value: unknown) => T | null): Record<string, T> {
  if (!isObject(value)) return {}
  const entries: [string, T & {}][] = []
  for (const [name, inner] of Object.entries(value)) {
    const found = read(inner)
    if (found !== null && found !== undefined) entries.push([name, found])
  }
  return Object.fromEntries(entries)
}

/** The object under a key, empty when there is none: chains read without question marks. */
export function objectAt(object: JsonObject, key: string): JsonObject {
  return asObject(object[key]) ?? {}
}

export function textAt(object: JsonObject, key: string): string | undefined {
  const value = object[key]
  return typeof value === 'string' ? value : undefined
}

export function numberAt(object: JsonObject, key: string): number | undefined {
  return asNumber(object[key]) ?? undefined
}

export function objectsAt(object: JsonObject, key: string): JsonObject[] {
  return asObjects(object[key])
}

/** The objects of a list; other items are left out. */
export function asObjects(value: unknown): JsonObject[] {
  const found: JsonObject[] = []
  if (!Array.isArray(value)) return found
  for (const item of value) if (isObject(item)) found.push(item)
  return found
}

/** The value at a dotted path such as `usage.tokens.input`. */
export function valueAt(object: JsonObject, path: string): unknown {
  let value: unknown = object
  for (const key of path.split('.')) {
    if (!isObject(value)) return undefined
    value = value[key]
  }
  return value
}
