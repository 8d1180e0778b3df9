import { describe, expect, test } from 'vitest'
import { credentialOfDriver, sharedCredentialsOf, type LaunchCommand } from './credentials.ts'
import { driverFor } from './registry.ts'

const HOME = { HOME: '/home/ann' }
const KEY = { ...HOME, ANTHROPIC_API_KEY: 'sk-ant-api03-AbCdEfGhIjKlMnOpQrSt' }
const CUSTOM = { mine: { command: ['mine'], output: 'text' as const, fields: {}, env: {} } }

function of(name: string, { argv = [name], env = HOME }: { argv?: string[]; env?: LaunchCommand['env'] } = {}): string {
  return credentialOfDriver(driverFor(name, CUSTOM), { argv, env })
}

describe('the same account', () => {
  test.each<[string, string, string]>([
    ['the same login', of('claude'), of('claude')],
    ['the same key', of('claude', { env: KEY }), of('claude', { env: { ...KEY, PATH: '/bin' } })],
    [
      'over the protocol',
      of('claude', { env: KEY }),
      of('acp:claude-agent-acp', { argv: ['claude-agent-acp'], env: KEY }),
    ],
    ['by a runner', of('codex'), of('acp:x', { argv: ['npx', '-y', '@zed-industries/codex-acp@1'] })],
    ['as a program of one’s own', of('claude'), of('mine', { argv: ['/opt/claude', '-p', '--model', 'opus'] })],
    ['its folder, named', of('codex'), of('codex', { env: { ...HOME, CODEX_HOME: '/home/ann/.codex/' } })],
    [
      'a program nobody knows, started alike',
      of('mine', { argv: ['agent', '-x'] }),
      of('mine', { argv: ['agent', '-x'] }),
    ],
  ])('%s', (_what, one, other) => expect(other).toBe(one))
})

describe('another account', () => {
  test.each<[string, string, string]>([
    ['another vendor', of('claude'), of('codex')],
    ['a key instead of a login', of('claude'), of('claude', { env: KEY })],
    [
      'another key',
      of('claude', { env: KEY }),
      of('claude', { env: { ...KEY, ANTHROPIC_API_KEY: 'sk-ant-api03-other' } }),
    ],
    ['another login', of('claude'), of('claude', { env: { ...HOME, CLAUDE_CONFIG_DIR: '/home/ann/.claude-work' } })],
    ['another login, for Codex', of('codex'), of('codex', { argv: ['env', 'CODEX_HOME=/home/ann/other', 'codex'] })],
    ['somebody else', of('gemini'), of('gemini', { env: { HOME: '/home/bob' } })],
    [
      'another server',
      of('claude', { env: KEY }),
      of('claude', { env: { ...KEY, ANTHROPIC_BASE_URL: 'https://proxy.example' } }),
    ],
    [
      'a program nobody knows, started otherwise',
      of('mine', { argv: ['node', 'a.js'] }),
      of('mine', { argv: ['node', 'b.js'] }),
    ],
  ])('%s', (_what, one, other) => expect(other).not.toBe(one))
})

test('no key can be read from a credential', () => {
  expect(of('claude', { env: KEY })).toMatch(/^anthropic:[0-9a-f]{12}$/)
  expect(of('mine', { argv: ['mine', '--key', 'sk-ant-secret'] })).toMatch(/^mine:[0-9a-f]{12}$/)
})

test('a run knows who shares an account, and nothing of the others', () => {
  const envPolicy = { mode: 'filtered' as const, pass: [] }
  const custom = { review: { command: ['claude', '-p'], output: 'text' as const, fields: {}, env: {} } }
  const run = { custom, programs: {}, envPolicy }
  const shared = sharedCredentialsOf(['claude', 'codex', 'acp:claude-agent-acp'], run)
  expect(Object.keys(shared)).toEqual(['claude', 'acp:claude-agent-acp'])
  expect(shared['claude']).toBe(shared['acp:claude-agent-acp'])
  expect(sharedCredentialsOf(['claude', 'codex'], run)).toEqual({})
  const programs = { codex: ['env', 'CODEX_HOME=/elsewhere', 'codex'] }
  expect(sharedCredentialsOf(['codex', 'acp:codex-acp'], { ...run, programs })).toEqual({})
})
