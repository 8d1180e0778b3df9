import { expect, test } from 'vitest'
import { isKnownAgent, resolveAgentName, KNOWN_AGENTS, AGENT_ALIASES } from './known-agents.ts'

test.each<[name: string, agent: string | null]>([
  ...KNOWN_AGENTS.map((name): [string, string] => [name, name]),
  ['claude-code', 'claude'],
  ['opencode-ai', 'opencode'],
  ['gemini-cli', 'gemini'],
  ['cursor-agent', 'cursor'],
  ['', null],
  ['Claude', null],
  ['toString', null],
  ['__proto__', null],
])('%s is %s', (name, agent) => {
  expect(resolveAgentName(name)).toBe(agent)
  expect(isKnownAgent(name)).toBe(name === agent)
})

test('no other name stands for two, or for nobody', () => {
  expect(Object.keys(AGENT_ALIASES)).toEqual(['claude-code', 'opencode-ai', 'gemini-cli', 'cursor-agent'])
})
