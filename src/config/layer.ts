/** One source of settings: which values it sets, and where exactly. */
import type { RalphError } from '../core/error.ts'
import { invalidSettingError, originText, type FileOrigin, type Origin } from './origin.ts'
import type { SettingKey } from './settings.ts'

/** One value as it was written. */
export interface RawSetting {
  raw: unknown
  /** `words`: everything is text; `data`: the file has types. */
  as: 'data' | 'words'
  origin: Origin
}

/** An old name that is set and has no effect here. */
export interface UnusedSetting {
  name: string
  where: string
  remark: string
}

/** An old name that asks for an unsupported feature: no run starts while it is set. */
export interface RefusedSetting {
  origin: Origin
  /** The origin in one phrase. */
  where: string
  why: string
  /** What to do: remove it, and what to use instead. */
  fix: string
}

export interface Layer {
  /** For messages: `flags`, `environment`, or the file. */
  name: string
  from: Origin['from']
  said: Map<SettingKey, RawSetting>
  /** `[[gate]]` and `[agents.NAME]` as found; parsed in `gate-agent-tables.ts`. */
  gates: unknown
  agents: unknown
  lines: ReadonlyMap<string, number>
  /** It is a settings file of the Rust tool without any setting of Ralph. */
  isRustTool: boolean
  /** `TEST_COMMAND` and similar, from which gates are made if there is no `[[gate]]`. */
  oldGates: Map<string, RawSetting>
  remarks: string[]
  unused: UnusedSetting[]
  refused: RefusedSetting[]
}

/** Only a file with types has tables of gates and agents. */
export function emptyLayer(name: string, from: Origin['from']): Layer {
  return {
    name,
    from,
    said: new Map(),
    gates: undefined,
    agents: undefined,
    lines: new Map(),
    isRustTool: false,
    oldGates: new Map(),
    remarks: [],
    unused: [],
    refused: [],
  }
}

/** Records that a setting asks for an unsupported feature. `out`: how to remove it. */
export function recordRefusedSetting(
  layer: Layer,
  origin: Origin,
  { why, instead, out }: { why: string; instead: string; out: string },
): void {
  layer.refused.push({ origin, where: originText(origin), why, fix: `${out}. ${instead}` })
}

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** For `gate-agent-tables.ts`: an error at an entry of a typed file. */
export function invalidEntryError(layer: Layer, name: string, problem: string): RalphError {
  return invalidSettingError(originOfEntry(layer, name), problem)
}

/** The origin of an entry in a typed file. */
export function originOfEntry(layer: Layer, name: string): FileOrigin {
  const from = layer.from === 'user' ? 'user' : 'project'
  return {
    from,
    file: layer.name,
    get line() {
      return lineNear(layer.lines, name)
    },
    name,
  }
}

/** The line of a key, or of the table around it if the key is in an inline table. */
function lineNear(lines: Layer['lines'], name: string): number | null {
  for (let path = name; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) {
    const line = lines.get(path)
    if (line !== undefined) return line
  }
  return null
}
