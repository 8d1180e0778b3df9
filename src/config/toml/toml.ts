/** Parses TOML and records the line of every key, so that an error can point at it. */
import { parse, TomlError } from 'smol-toml'
import { tomlEntries } from './toml-entries.ts'

export type TomlResult =
  | { ok: true; data: Record<string, unknown>; lines: ReadonlyMap<string, number> }
  | { ok: false; line: number; column: number; source: string; problem: string }

export function parseToml(text: string): TomlResult {
  try {
    const data = parse(text)
    let lines: ReadonlyMap<string, number> | null = null
    // Computed on demand: most commands never report where a setting is.
    return {
      ok: true,
      data,
      get lines() {
        return (lines ??= keyLines(text))
      },
    }
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown
    const source = text.split('\n')[thrown.line - 1] ?? ''
    const problem = (thrown.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '')
    return { ok: false, line: thrown.line, column: thrown.column, source: source.trimEnd(), problem }
  }
}

/** The line of every `[table]` and `key =`, by dotted path. */
function keyLines(text: string): Map<string, number> {
  return new Map(tomlEntries(text).map(({ path, first }) => [path, first + 1]))
}
