/** Foreign data: unexpected content is null, never a throw. */
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { asObject, isObject, type JsonObject } from '../core/text/json.ts'

export function tomlOrNull(content: string): unknown {
  try {
    return parseToml(content)
  } catch {
    return null
  }
}

export function yamlOrNull(content: string): unknown {
  try {
    return parseYaml(content, { maxAliasCount: 0 }) as unknown
  } catch {
    return null
  }
}

export function asTable(value: unknown): JsonObject {
  return asObject(value) ?? {}
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Compares values regardless of the order of keys. */
export function isSameValue(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b)
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      isObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
    ) ?? ''
  )
}
