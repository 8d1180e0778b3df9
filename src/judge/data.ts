/** Data of formats that somebody else wrote: what is not as expected is null, never a throw. */
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'

export function json(content: string): unknown {
  try {
    return JSON.parse(content) as unknown
  } catch {
    return null
  }
}

export function toml(content: string): unknown {
  try {
    return parseToml(content)
  } catch {
    return null
  }
}

export function yaml(content: string): unknown {
  try {
    return parseYaml(content, { maxAliasCount: 0 }) as unknown
  } catch {
    return null
  }
}

export function field(value: unknown, name: string): unknown {
  if (!isTable(value) || !Object.hasOwn(value, name)) return null
  return value[name]
}

export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** One text or a list of them. */
export function texts(value: unknown): string[] | null {
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return null
  const items: unknown[] = value
  return items.filter((item) => typeof item === 'string')
}

export type Table = Record<string, unknown>

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function table(value: unknown): Table {
  return isTable(value) ? value : {}
}

/** Entries that `read` cannot read are left out. */
export function record<T>(value: unknown, read: (value: unknown) => T | null): Record<string, T> {
  if (!isTable(value)) return {}
  const entries = Object.entries(value).map(([name, inner]) => [name, read(inner)] as const)
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, T & {}] => entry[1] !== null))
}

/** The same value, whatever the order of keys. `ordered`: where the order means something. */
export function same(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b)
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      isTable(inner)
        ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? ''
  )
}
