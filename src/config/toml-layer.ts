/** Ralph's own settings file. It is data: nothing in it is ever executed. */
import { RalphError } from '../core/error.ts'
import { suggest } from '../core/text/suggest.ts'
import { readIfExists } from '../system/files/files.ts'
import { emptyLayer, isTable, originOfEntry, type Layer } from './layer.ts'
import { fileLocation, type FileOrigin } from './origin.ts'
import { isRalphKey, isRustToolFile, skipUnknownKey, warnUnusedKeys, applyRustSetting } from './rust-tool-settings.ts'
import { isGroup, isSettingKey, nearestSetting } from './settings.ts'
import { parseToml } from './toml/toml.ts'

/** Ralph's own file, the project's or the user's: an unknown key is an error. In a file of the Rust tool it is ignored, as in that tool. */
export function readTomlLayer(name: string, path: string, from: 'project' | 'user'): Layer | null {
  const text = readIfExists(path)
  return text === null ? null : parseTomlLayer(name, text, from)
}

export function parseTomlLayer(name: string, text: string, from: 'project' | 'user'): Layer {
  const toml = parseToml(text)
  if (!toml.ok) {
    const at = `${name}:${toml.line}:${toml.column}`
    throw new RalphError('bad-setting', `${at}: ${toml.problem}: ${toml.source.trim()}`, {
      hint: `Fix line ${toml.line} of ${name}`,
    })
  }
  const layer: Layer = {
    ...emptyLayer(name, from),
    get lines() {
      return toml.lines
    },
    gates: toml.data['gate'],
    agents: toml.data['agents'],
    isRustTool: from === 'project' && isRustToolFile(toml.data, isRalphKey),
  }
  const origin = (key: string): FileOrigin => originOfEntry(layer, key)
  for (const [group, content] of Object.entries(toml.data)) {
    if (group === 'gate' || group === 'agents') continue
    if (group === 'agent' && !isTable(content)) {
      layer.said.set('agent.order', { raw: content, as: 'data', origin: origin('agent') })
      continue
    }
    for (const [key, raw] of isTable(content) ? groupEntries(group, content) : [[group, content] as const]) {
      const said = { raw, as: 'data' as const, origin: origin(key) }
      if (isSettingKey(key)) layer.said.set(key, said)
      else if (applyRustSetting(layer, key, said)) continue
      else if (layer.isRustTool) skipUnknownKey(layer, key, said.origin)
      else throw unknownSetting(key, fileLocation(said.origin), isTable(toml.data['execution']))
    }
  }
  warnUnusedKeys(layer)
  return layer
}

function groupEntries(group: string, content: Record<string, unknown>): [string, unknown][] {
  const entries = Object.entries(content)
  // An empty group with a valid name sets nothing; one with an unknown name is still reported.
  if (entries.length === 0 && !isGroup(group) && group !== 'execution') return [[group, content]]
  return entries.map(([key, raw]) => [`${group}.${key}`, raw])
}

/** `besideRusts`: in a file of the Rust tool to which settings of Ralph were added. */
function unknownSetting(key: string, where: string, besideRusts: boolean): RalphError {
  const [group = ''] = key.split('.')
  const isGate = suggest(group, ['gate']) !== null
  const near = nearestSetting(key) ?? suggest(group, ['agents'])
  // The list of settings cannot be shown either until the line is fixed.
  const fix = besideRusts
    ? 'Remove it. ralph-rust ignored unknown keys, but Ralph rejects them in a file that has Ralph settings too.'
    : 'Remove it. `ralph config list` then shows all settings.'
  return new RalphError('unknown-setting', `${where}: unknown setting ${key}`, {
    hint: isGate ? GATE_TABLE : near === null ? fix : `Did you mean ${near}?`,
  })
}

/** For a table `[gates]` with one line per gate. */
const GATE_TABLE = 'Did you mean [[gate]]? Each gate is a separate table: name = "test", run = "npm test"'
