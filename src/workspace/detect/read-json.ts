/** Reads JSON that somebody else may have written: what is not as expected is null, never a throw. */

export function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null
  return (value as Record<string, unknown>)[name]
}

export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** Entries that `read` cannot read are left out. */
export function record<T>(value: unknown, read: (value: unknown) => T | null): Record<string, T> {
  if (typeof value !== 'object' || value === null) return {}
  const entries: [string, T & {}][] = []
  for (const [name, inner] of Object.entries(value)) {
    const found = read(inner)
    if (found !== null && found !== undefined) entries.push([name, found])
  }
  return Object.fromEntries(entries)
}
