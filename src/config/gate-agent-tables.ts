/** The two tables of `.ralph.toml` that users extend: `[[gate]]` and `[agents.NAME]`. */
import { isAbsolute } from 'node:path'
import { splitCommand } from '../core/text/shell.ts'
import type { CustomAgent } from '../core/calls/agent-io.ts'
import { TIERS, type TierModels } from '../core/models/model-strategy.ts'
import { isKnownAgent } from '../core/calls/known-agents.ts'
import { RalphError } from '../core/error.ts'
import { MINUTE, parseValue, SECOND, type ValueKind, type SettingValue } from '../core/text/value-kind.ts'
import { stripControl, escapeInvisible } from '../core/text/sanitize.ts'
import type { Gate } from '../core/proof/evidence.ts'
import { suggest } from '../core/text/suggest.ts'
import { ACP_PREFIX } from './choose-agents.ts'
import { invalidEntryError, isTable, originOfEntry, type Layer, type RawSetting } from './layer.ts'
import { invalidSettingError, type WithOrigin } from './origin.ts'

export interface TableField {
  kind: ValueKind | { is: 'texts' }
  /** Absent: the field is required. */
  default?: SettingValue | Record<string, string>
  help: string
  split?: (text: string) => string[] | null
  /** It decides which program is started: if a project file sets it, the person is asked first. */
  executed?: true
}

const GATE_TIMEOUT = 10 * MINUTE

export const GATE_FIELDS = {
  name: { kind: { is: 'text' }, help: 'Unique name, used in messages and records' },
  run: { kind: { is: 'text' }, executed: true, help: 'Command, as you would type it in the project' },
  timeout: {
    kind: { is: 'duration', unit: 'm', min: 1 },
    default: GATE_TIMEOUT,
    help: 'Time limit; a gate that takes longer fails',
  },
  when: {
    kind: { is: 'choice', of: ['task', 'completion'] },
    default: 'completion',
    help: 'When it must pass: `task` or `completion` (currently the same: at every completion)',
  },
  cwd: { kind: { is: 'text' }, default: '.', executed: true, help: 'Folder to run it in, inside the project' },
  env: { kind: { is: 'texts' }, default: {}, executed: true, help: 'Extra environment variables' },
} as const satisfies Record<string, TableField>

export const AGENT_FIELDS = {
  command: {
    kind: { is: 'list' },
    help: 'Program and arguments; it gets the prompt on stdin',
    split: splitCommand,
    executed: true,
  },
  output: {
    kind: { is: 'choice', of: ['text', 'jsonl'] },
    default: 'text',
    help: 'Output format: plain text, or one JSON object per line',
  },
  fields: {
    kind: { is: 'texts' },
    default: {},
    help: 'For jsonl: the path of each field, such as `text = "message.text"`',
  },
  env: { kind: { is: 'texts' }, default: {}, executed: true, help: 'Extra environment variables' },
  models: {
    kind: { is: 'texts' },
    default: {},
    help: 'Its model names by tier: `light`, `medium`, `strong` (see `ralph help models`)',
  },
} as const satisfies Record<string, TableField>

export function readGates(layer: Layer): WithOrigin<Gate>[] {
  if (layer.gates === undefined) return []
  if (layer.from === 'user')
    throw invalidEntryError(layer, 'gate', 'gates belong to a project; move them to its .ralph.toml')
  if (!Array.isArray(layer.gates)) throw invalidEntryError(layer, 'gate', 'write gates as [[gate]], with two brackets')
  const entries: unknown[] = layer.gates
  const gates = entries.map((entry, index) => readGate(layer, `gate[${index}]`, entry))
  for (const [index, { name }] of gates.entries()) {
    if (gates.findIndex((other) => other.name === name) < index)
      throw invalidEntryError(layer, `gate[${index}].name`, `two gates have the name "${name}"`)
  }
  return gates.map((value, index) => ({ value, origin: originOfEntry(layer, `gate[${index}]`) }))
}

function readGate(layer: Layer, path: string, entry: unknown): Gate {
  if (isTable(entry) && entry['when'] === 'landing') throw landingGate(layer, path)
  const fields = readFields(layer, { path, entry, fields: GATE_FIELDS })
  const cwd = fields.text('cwd')
  if (isAbsolute(cwd) || cwd.split(/[/\\]/).includes('..'))
    throw invalidEntryError(layer, `${path}.cwd`, `found "${cwd}", expected a folder inside the project`)
  const name = fields.text('name')
  const run = fields.text('run')
  // Names are printed often; one with control characters or reversed text could imitate Ralph's output.
  if (escapeInvisible(name) !== name)
    throw invalidEntryError(layer, `${path}.name`, `"${escapeInvisible(name)}" has invisible characters`)
  if (stripControl(run) !== run)
    throw invalidEntryError(layer, `${path}.run`, `"${escapeInvisible(run)}" has invisible characters`)
  return {
    name,
    run,
    timeoutMs: fields.number('timeout'),
    when: fields.text('when') as Gate['when'],
    cwd,
    env: fields.texts('env'),
  }
}

/** Nothing merges work yet, so such a gate would be listed and never run. */
function landingGate(layer: Layer, path: string): RalphError {
  const { message } = invalidEntryError(
    layer,
    `${path}.when`,
    '"landing" is not supported yet, so this gate would never run',
  )
  return new RalphError('bad-setting', message, {
    hint: `Write when = "completion", or remove the gate from ${layer.name}.`,
  })
}

/** Gates of the old planning tool: one test command, and others separated by semicolons. */
export function readBashGates(layer: Layer): WithOrigin<Gate>[] {
  const timeout = layer.oldGates.get('QUALITY_GATE_TIMEOUT')
  const timeoutMs = timeout === undefined ? 2 * MINUTE : oldTimeout(timeout)
  const test = layer.oldGates.get('TEST_COMMAND')
  const others = layer.oldGates.get('QUALITY_GATES')
  const lines = linesOf(others).flatMap((line) => line.split(';').map((part) => part.trim()))
  const gate = (said: RawSetting | undefined, name: string, run: string): WithOrigin<Gate> => ({
    value: { name, run, timeoutMs, when: 'completion', cwd: '.', env: {} },
    origin: said?.origin ?? originOfEntry(layer, name),
  })
  return [
    ...linesOf(test).map((run) => gate(test, 'test', run)),
    ...lines.filter((run) => run !== '').map((run, index) => gate(others, `gate-${index + 1}`, run)),
  ]
}

function linesOf(said: RawSetting | undefined): string[] {
  if (said === undefined) return []
  const lines: unknown[] = Array.isArray(said.raw) ? said.raw : [said.raw]
  return lines.filter((line) => typeof line === 'string')
}

function oldTimeout({ raw, origin }: RawSetting): number {
  const reading = parseValue({ is: 'duration', unit: 's', min: SECOND }, raw, 'words')
  if (!reading.ok) throw invalidSettingError(origin, reading.problem)
  return Number(reading.value)
}

/** Splits the tables into the user's own agents and other programs for known agents. */
export function readAgents(layer: Layer): {
  own: Map<string, WithOrigin<CustomAgent>>
  programs: Map<string, WithOrigin<string[]>>
  models: Map<string, Partial<TierModels>>
} {
  const own = new Map<string, WithOrigin<CustomAgent>>()
  const programs = new Map<string, WithOrigin<string[]>>()
  const models = new Map<string, Partial<TierModels>>()
  if (layer.agents === undefined) return { own, programs, models }
  if (!isTable(layer.agents)) throw invalidEntryError(layer, 'agents', 'write agents as [agents.NAME]')
  for (const [name, entry] of Object.entries(layer.agents)) {
    const path = `agents.${name}`
    // Its name is its command line, so it has no other fields.
    const isAcp = name.startsWith(ACP_PREFIX)
    if (!isAcp && !/^[A-Za-z0-9][\w.-]*$/.test(name))
      throw invalidEntryError(layer, path, 'a name may contain letters, digits, ".", "_" and "-"')
    if (isAcp || (isKnownAgent(name) && isTable(entry) && 'models' in entry && !('command' in entry))) {
      models.set(name, readModels(layer, path, readFields(layer, { path, entry, fields: MODELS_ONLY_FIELDS })))
      continue
    }
    const fields = readFields(layer, { path, entry, fields: AGENT_FIELDS })
    models.set(name, readModels(layer, path, fields))
    const command = fields.list('command')
    if (command.length === 0)
      throw invalidEntryError(layer, `${path}.command`, 'found an empty list, expected a program')
    // An entry for a known agent only changes its program and the names of its models.
    if (!isKnownAgent(name)) {
      const output = fields.text('output') as CustomAgent['output']
      const value = { command, output, fields: fields.texts('fields'), env: fields.texts('env') }
      own.set(name, { value, origin: originOfEntry(layer, path) })
      continue
    }
    const extra = Object.keys(entry as object).find((key) => key !== 'command' && key !== 'models')
    if (extra !== undefined)
      throw invalidEntryError(
        layer,
        `${path}.${extra}`,
        `Ralph knows ${name} already; you can only change its command and models`,
      )
    programs.set(name, { value: command, origin: originOfEntry(layer, path) })
  }
  return { own, programs, models }
}

/** The fields allowed for an agent that is named by its command line. */
export const MODELS_ONLY_FIELDS = { models: AGENT_FIELDS.models } satisfies Readonly<Record<string, TableField>>

function readModels(layer: Layer, path: string, fields: ReadFields): Partial<TierModels> {
  const models = fields.texts('models')
  for (const [tier, name] of Object.entries(models)) {
    const at = `${path}.models.${tier}`
    if (!TIERS.some((one) => one === tier)) throw invalidEntryError(layer, at, `the tiers are ${TIERS.join(', ')}`)
    // It becomes an argument on the agent's command line.
    if (name.trim() === '' || name.startsWith('-'))
      throw invalidEntryError(
        layer,
        at,
        `found ${JSON.stringify(name)}, expected a name that doesn't start with a dash`,
      )
  }
  return models
}

interface ReadFields {
  text(name: string): string
  number(name: string): number
  list(name: string): string[]
  texts(name: string): Record<string, string>
}

function readFields(
  layer: Layer,
  { path, entry, fields }: { path: string; entry: unknown; fields: Readonly<Record<string, TableField>> },
): ReadFields {
  if (!isTable(entry)) throw invalidEntryError(layer, path, `expected a table with ${Object.keys(fields).join(', ')}`)
  for (const name of Object.keys(entry)) {
    if (!Object.hasOwn(fields, name)) throw unknownField(layer, { path, name, fields })
  }
  const values = new Map(
    Object.entries(fields).map(([name, field]) => [name, readField(layer, `${path}.${name}`, field, entry[name])]),
  )
  return {
    text: (name) => values.get(name) as string,
    number: (name) => values.get(name) as number,
    list: (name) => values.get(name) as string[],
    texts: (name) => values.get(name) as Record<string, string>,
  }
}

function readField(layer: Layer, path: string, field: TableField, raw: unknown): SettingValue | Record<string, string> {
  if (raw === undefined) {
    if (field.default === undefined) throw invalidEntryError(layer, path, 'this key is required')
    return field.default
  }
  if (field.kind.is === 'texts') {
    if (isTable(raw) && Object.values(raw).every((value) => typeof value === 'string'))
      return raw as Record<string, string>
    throw invalidEntryError(layer, path, 'expected a table of strings, such as { NAME = "value" }')
  }
  const data = field.split !== undefined && typeof raw === 'string' ? field.split(raw) : raw
  const reading = parseValue(field.kind, data, 'data')
  if (!reading.ok) throw invalidEntryError(layer, path, reading.problem)
  return reading.value
}

/** How other tools name these fields. */
const FIELD_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  run: ['cmd', 'command', 'script', 'exec', 'test'],
  command: ['cmd', 'run', 'program', 'exec'],
  cwd: ['dir', 'folder', 'workdir', 'working_directory'],
  name: ['id', 'title'],
  timeout: ['timeout_seconds', 'timeout_minutes', 'max_time'],
}

function unknownField(
  layer: Layer,
  { path, name, fields }: { path: string; name: string; fields: Readonly<Record<string, TableField>> },
): RalphError {
  const known = Object.keys(fields)
  const near = known.find((field) => FIELD_SYNONYMS[field]?.includes(name) === true) ?? suggest(name, known)
  const { message } = invalidEntryError(layer, `${path}.${name}`, 'unknown key')
  return new RalphError('unknown-setting', message, {
    hint: near === null ? `Known keys: ${known.join(', ')}` : `Did you mean ${near}?`,
  })
}
