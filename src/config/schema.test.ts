import { expect, test } from 'vitest'
import { settingsSchema, type JsonSchema } from './schema.ts'
import { SETTING_KEYS } from './settings.ts'

function at(...path: string[]): unknown {
  return path.reduce<unknown>((schema, key) => (schema as JsonSchema)[key], settingsSchema())
}

const group = (name: string) => (name === 'agent' ? at('properties', 'agent', 'anyOf', '1') : at('properties', name))

test('every setting is there, and nothing unknown is allowed beside it', () => {
  for (const key of SETTING_KEYS) {
    const [name = '', rest = ''] = key.split('.')
    const schema = group(name) as { additionalProperties: boolean; properties: JsonSchema }
    expect([key, schema.additionalProperties, typeof schema.properties[rest]]).toEqual([key, false, 'object'])
  }
})

test.each<[string, string, JsonSchema]>([
  [
    'quota',
    'calls_per_hour',
    {
      description: 'Iterations per clock hour (0: no limit)',
      type: 'integer',
      minimum: 0,
      default: 100,
    },
  ],
  [
    'budget',
    'usd',
    {
      description: "Spending limit per run in US dollars; estimated from tokens if the agent doesn't report cost",
      anyOf: [{ const: 'none' }, { type: 'number', minimum: 0.01 }],
      default: 'none',
    },
  ],
  [
    'agent',
    'timeout',
    {
      description: 'Time limit per iteration (0: no limit)',
      anyOf: [
        { type: 'number', minimum: 0, maximum: 10_080 },
        { type: 'string', pattern: String.raw`^\s*(\d+(\.\d+)?\s*(ms|s|min|m|h|d)\s*)+$` },
      ],
      default: '15m',
    },
  ],
  [
    'budget',
    'minutes',
    {
      description: 'Time limit per run',
      anyOf: [
        { const: 'none' },
        {
          anyOf: [
            { type: 'number', minimum: 1 / 60_000 },
            { type: 'string', pattern: String.raw`^\s*(\d+(\.\d+)?\s*(ms|s|min|m|h|d)\s*)+$` },
          ],
        },
      ],
      default: 'none',
    },
  ],
  [
    'breaker',
    'output_decline',
    {
      description: "Drop in the agent's output, in percent, that counts as declining (0: never)",
      type: 'integer',
      minimum: 0,
      maximum: 100,
      default: 70,
    },
  ],
  [
    'exit',
    'plan',
    {
      description: 'Whether open plan items block completion',
      enum: ['require', 'ignore'],
      default: 'require',
    },
  ],
  ['execution', 'learn', { description: 'No effect: it had no effect in ralph-rust either', deprecated: true }],
])('%s.%s', (name, key, schema) => {
  expect((group(name) as { properties: JsonSchema }).properties[key]).toEqual(schema)
})

test('a gate needs a name and a command, an agent a command', () => {
  expect([
    at('properties', 'gate', 'items', 'required'),
    at('properties', 'agents', 'additionalProperties', 'required'),
  ]).toEqual([['name', 'run'], ['command']])
})

test('of an agent that Ralph knows the program or the models may be said, of a command line only the models', () => {
  const patterns = at('properties', 'agents', 'patternProperties') as Record<string, JsonSchema>
  const allowed = Object.entries(patterns).map(([name, { properties, required }]) => [
    ['codex', 'acp:gemini --acp', 'mine'].filter((one) => new RegExp(name).test(one)),
    Object.keys(properties as JsonSchema),
    required,
  ])
  expect(allowed).toEqual([
    [['codex'], ['command', 'models'], []],
    [['acp:gemini --acp'], ['models'], []],
  ])
})

test('it is JSON through and through', () => {
  expect(JSON.parse(JSON.stringify(settingsSchema()))).toEqual(settingsSchema())
})
