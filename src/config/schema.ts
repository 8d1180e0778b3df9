/** The JSON schema (draft 2020-12) of `.ralph.toml`, generated from the table, so that editors complete and check it. */
import { IGNORED_RUST_KEYS } from './rust-tool-settings.ts'
import { MINUTE, HOUR, SECOND, formatDuration, type ValueKind, type SettingValue } from '../core/text/value-kind.ts'
import { assertNever } from '../core/assert-never.ts'
import { KNOWN_AGENTS } from '../core/calls/known-agents.ts'
import { ACP_PREFIX } from './choose-agents.ts'
import { groupOf, SETTING_KEYS, settingOf, type SettingKey } from './settings.ts'
import { AGENT_FIELDS, GATE_FIELDS, MODELS_ONLY_FIELDS, type TableField } from './gate-agent-tables.ts'

export type JsonSchema = { [key: string]: unknown }

export function settingsSchema(): JsonSchema {
  const groups = new Map<string, JsonSchema>()
  for (const key of SETTING_KEYS) {
    const group = groups.get(groupOf(key)) ?? {}
    groups.set(groupOf(key), { ...group, [key.slice(groupOf(key).length + 1)]: settingSchema(key) })
  }
  for (const [key, remark] of Object.entries(IGNORED_RUST_KEYS)) {
    const [group = '', name = ''] = key.split('.')
    groups.set(group, { ...groups.get(group), [name]: { description: `No effect: ${remark}`, deprecated: true } })
  }
  const properties = Object.fromEntries([...groups].map(([group, content]) => [group, table(content)]))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: '.ralph.toml',
    description: 'Ralph settings of a project',
    ...table({
      ...properties,
      agent: { anyOf: [kindSchema({ is: 'list' }), properties['agent']] },
      gate: {
        description: 'Commands that must pass before work counts as done',
        type: 'array',
        items: fieldsSchema(GATE_FIELDS),
      },
      agents: {
        description: 'Your own agents, or another program for an agent that Ralph knows',
        type: 'object',
        patternProperties: {
          [`^(${KNOWN_AGENTS.join('|')})$`]: {
            ...fieldsSchema({ command: AGENT_FIELDS.command, ...MODELS_ONLY_FIELDS }),
            required: [],
          },
          [`^${ACP_PREFIX}`]: fieldsSchema(MODELS_ONLY_FIELDS),
        },
        additionalProperties: fieldsSchema(AGENT_FIELDS),
      },
    }),
  }
}

function settingSchema(key: SettingKey): JsonSchema {
  const { kind, help, default: value } = settingOf(key)
  return { description: help, ...kindSchema(kind), default: toFileValue(kind, value) }
}

function fieldsSchema(fields: Readonly<Record<string, TableField>>): JsonSchema {
  const properties = Object.entries(fields).map(([name, { kind, help }]) => {
    const type = kind.is === 'texts' ? { type: 'object', additionalProperties: { type: 'string' } } : kindSchema(kind)
    return [name, { description: help, ...type }]
  })
  const required = Object.keys(fields).filter((name) => fields[name]?.default === undefined)
  return { ...table(Object.fromEntries(properties) as JsonSchema), required }
}

function table(properties: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: false, properties }
}

function kindSchema(kind: ValueKind): JsonSchema {
  const own = ownSchema(kind)
  return 'or' in kind && kind.or !== undefined ? { anyOf: [{ const: kind.or }, own] } : own
}

const UNIT_MS = { s: SECOND, m: MINUTE, h: HOUR }
const DURATION_TEXT = String.raw`^\s*(\d+(\.\d+)?\s*(ms|s|min|m|h|d)\s*)+$`

function ownSchema(kind: ValueKind): JsonSchema {
  switch (kind.is) {
    case 'integer':
    case 'number':
      return { type: kind.is, ...bounds(kind, 1) }
    case 'duration':
      return {
        anyOf: [
          { type: 'number', ...bounds(kind, UNIT_MS[kind.unit]) },
          { type: 'string', pattern: DURATION_TEXT },
        ],
      }
    case 'boolean':
      return { type: 'boolean' }
    case 'text':
      return { type: 'string', minLength: 1, ...(kind.like === undefined ? {} : patternOf(kind.like)) }
    case 'list':
      return { anyOf: [{ type: 'string' }, { type: 'array', items: itemSchema(kind) }] }
    case 'choice':
      return { enum: [...kind.of] }
    default:
      return assertNever(kind)
  }
}

function itemSchema({ of, like }: Extract<ValueKind, { is: 'list' }>): JsonSchema {
  if (of !== undefined) return { enum: [...of] }
  return { type: 'string', ...(like === undefined ? {} : patternOf(like)) }
}

function patternOf({ pattern }: { pattern: RegExp }): JsonSchema {
  return { pattern: pattern.source }
}

function bounds(kind: { min: number; max?: number }, unit: number): JsonSchema {
  return { minimum: kind.min / unit, ...(kind.max === undefined ? {} : { maximum: kind.max / unit }) }
}

/** A value as written in a file: durations with their unit, null as its special word. */
export function toFileValue(kind: ValueKind, value: SettingValue): SettingValue {
  if (value === null) return 'or' in kind ? (kind.or ?? null) : null
  return kind.is === 'duration' && typeof value === 'number' && value !== 0 ? formatDuration(value) : value
}
