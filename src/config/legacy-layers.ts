/**
 * Reads the settings files of other tools; unknown names in them are reported, not refused. Separate from Ralph's own file, so that a
 * start in a project without them does not load this code.
 */
import { parseRalphrc } from '../compat/bash/ralphrc.ts'
import { RalphError, messageOf } from '../core/error.ts'
import { parseJson } from '../core/text/json.ts'
import { readIfExists } from '../system/files/files.ts'
import { emptyLayer, isTable, recordRefusedSetting, type Layer, type RawSetting } from './layer.ts'
import {
  UNSUPPORTED_BY_NAME,
  UNSUPPORTED_JSON_PATHS,
  UNUSED_JSON_GROUPS,
  type UnsupportedSetting,
} from '../compat/bash/unsupported.ts'
import { requestsFeature } from './unsupported.ts'
import { fileLocation, type FileOrigin, type Origin } from './origin.ts'
import { envVariableOf, SETTING_KEYS, settingOf, type SettingKey } from './settings.ts'

/** The old orchestrator's file. */
export function readConfigJsonLayer(name: string, path: string): Layer | null {
  const text = readIfExists(path)
  if (text === null) return null
  const data = jsonTable(name, text)
  const layer = emptyLayer(name, 'project')
  const used = new Set<string>()
  for (const key of SETTING_KEYS) {
    for (const dotted of [key, ...(settingOf(key).json ?? [])]) {
      const raw = at(data, dotted)
      if (raw === undefined || raw === null || layer.said.has(key)) continue
      used.add(dotted)
      layer.said.set(key, { raw, as: 'data', origin: { from: 'project', file: name, line: null, name: dotted } })
    }
  }
  for (const [dotted, old] of Object.entries({ ...UNSUPPORTED_JSON_PATHS, ...UNSUPPORTED_BY_NAME })) {
    const value = at(data, dotted)
    if (value !== undefined && recordIfRefused(layer, old, { name: dotted, line: null, value })) used.add(dotted)
  }
  for (const [group, content] of Object.entries(data)) {
    const inside = isTable(content) ? Object.keys(content).map((key) => `${group}.${key}`) : [group]
    if (inside.every((dotted) => used.has(dotted))) continue
    const remark = UNUSED_JSON_GROUPS[group] ?? oldName(group)?.why ?? 'not a setting of Ralph'
    layer.unused.push({ name: group, where: name, remark })
  }
  return layer
}

function jsonTable(name: string, text: string): Record<string, unknown> {
  const parsed = parseJson(text)
  if (!parsed.ok) {
    const { cause } = parsed
    throw new RalphError('bad-setting', `${name} is not valid JSON: ${messageOf(cause)}`, {
      hint: `Fix ${name}, or move its settings to .ralph.toml`,
      cause,
    })
  }
  if (isTable(parsed.value)) return parsed.value
  throw new RalphError('bad-setting', `${name} is not a JSON object`, {
    hint: `Fix ${name}, or move its settings to .ralph.toml`,
  })
}

function at(data: Record<string, unknown>, dotted: string): unknown {
  let current: unknown = data
  for (const key of dotted.split('.')) {
    current = isTable(current) && Object.hasOwn(current, key) ? current[key] : undefined
  }
  return current
}

const OLD_GATES = ['TEST_COMMAND', 'QUALITY_GATES', 'QUALITY_GATE_TIMEOUT']

type InFile = RawSetting & { origin: FileOrigin }

const GENERATED = 'bash Ralph wrote it into every .ralphrc, so Ralph ignores it'

function isGenerated(key: SettingKey, { raw, origin }: InFile): boolean {
  return raw === settingOf(key).generated && origin.name !== envVariableOf(key)
}

/** The bash tools' file. */
export function readRalphrcLayer(name: string, path: string, env: Record<string, string | undefined>): Layer | null {
  const text = readIfExists(path)
  if (text === null) return null
  const { values, remarks, unread } = parseRalphrc(text, env)
  const layer = emptyLayer(name, 'project')
  const known = new Set(OLD_GATES)
  const saidAs = (rcName: string): InFile | null => {
    const found = values[rcName]
    known.add(rcName)
    // An empty value meant the default.
    if (found === undefined || found.value.length === 0) return null
    const origin: FileOrigin = { from: 'project', file: name, line: found.line, name: rcName }
    return { raw: found.value, as: 'words', origin }
  }
  for (const key of SETTING_KEYS) {
    const { old = [], kind } = settingOf(key)
    const said = [...old, envVariableOf(key)].map(saidAs).find((one) => one !== null)
    if (said === undefined) continue
    if (isGenerated(key, said)) {
      layer.unused.push({ name: said.origin.name, where: fileLocation(said.origin), remark: GENERATED })
      continue
    }
    // For a single value, a shell uses the first element of an array.
    const raw: unknown = kind.is !== 'list' && Array.isArray(said.raw) ? said.raw[0] : said.raw
    layer.said.set(key, { ...said, raw })
  }
  for (const rcName of OLD_GATES) {
    const said = saidAs(rcName)
    if (said !== null) layer.oldGates.set(rcName, said)
  }
  for (const remark of remarks) layer.remarks.push(`${name}:${remark.line}: ${remark.text}`)
  for (const [rcName, { value, line }] of Object.entries(values)) {
    if (known.has(rcName) || value.length === 0) continue
    const old = oldName(rcName)
    if (old !== undefined && recordIfRefused(layer, old, { name: rcName, line, value })) continue
    const remark = old?.why ?? 'not a setting of Ralph'
    layer.unused.push({ name: rcName, where: `${name}:${line}`, remark })
  }
  // Only a shell knows its value, and somebody put it there for a reason.
  for (const [rcName, line] of unread) {
    const old = oldName(rcName)
    if (old !== undefined) recordIfRefused(layer, old, { name: rcName, line, value: 'unknown' })
  }
  return layer
}

function oldName(name: string): UnsupportedSetting | undefined {
  return Object.hasOwn(UNSUPPORTED_BY_NAME, name) ? UNSUPPORTED_BY_NAME[name] : undefined
}

/** Records an old name that asks for an unsupported feature; false: it asks for nothing. */
function recordIfRefused(
  layer: Layer,
  old: UnsupportedSetting,
  { name, line, value }: { name: string; line: number | null; value: unknown },
): boolean {
  if (old.is !== 'refused' || !requestsFeature(old, value)) return false
  const what = line === null ? name : `line ${line}`
  const origin: Origin = { from: 'project', file: layer.name, line, name }
  recordRefusedSetting(layer, origin, { ...old, out: `Remove ${what} from ${layer.name}` })
  return true
}
