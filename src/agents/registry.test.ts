import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { RalphError } from '../domain/error.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { allDrivers, driverFor, probe } from './registry.ts'

let home = ''
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'ralph-registry-'))))
afterEach(() => rmSync(home, { recursive: true, force: true }))

function file(name: string, text: string): string {
  const path = join(home, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, 0o755)
  return path
}

describe('which agent is meant', () => {
  test('each driver by its name', () => {
    expect(allDrivers().map((driver) => driverFor(driver.name, {}).name)).toEqual([
      'claude',
      'codex',
      'opencode',
      'gemini',
      'copilot',
      'cursor',
      'plain',
    ])
  })

  test('an agent of the user’s own goes first', () => {
    const own = { command: ['my-claude'], output: 'text', fields: {}, env: {} } as const
    expect(driverFor('claude', { claude: { ...own, command: [...own.command] } }).program).toBe('my-claude')
  })

  test('an unknown name is refused with the nearest known one and the list', () => {
    try {
      driverFor('cluade', { mine: { command: ['x'], output: 'text', fields: {}, env: {} } })
      expect.unreachable()
    } catch (thrown) {
      if (!(thrown instanceof RalphError)) throw thrown
      expect({ code: thrown.code, message: thrown.message, hint: thrown.hint }).toEqual({
        code: 'agent-unusable',
        message: 'there is no agent "cluade"',
        hint: 'Did you mean "claude"? Known: claude, codex, opencode, gemini, copilot, cursor, plain, mine, acp:<command>. Any other program: [agents.cluade] command = ["…"]',
      })
    }
  })
})

describe('what is on this machine', () => {
  test('an agent with its version and a login', async () => {
    const path = file('bin/claude', '#!/bin/sh\necho "2.1.197 (Claude Code)"\n')
    const env = { PATH: join(home, 'bin'), HOME: home, ANTHROPIC_API_KEY: 'k' }
    expect(await probe(claude, env)).toEqual({
      installed: true,
      path,
      version: '2.1.197',
      tooOld: false,
      login: 'yes',
    })
  })

  test('one that is too old', async () => {
    const path = file('bin/codex', '#!/bin/sh\necho "codex-cli 0.99.9"\n')
    file('.codex/auth.json', '{}')
    const env = { PATH: join(home, 'bin'), HOME: home }
    expect(await probe(codex, env)).toEqual({
      installed: true,
      path,
      version: '0.99.9',
      tooOld: true,
      login: 'yes',
    })
  })

  test('one that says no version', async () => {
    const path = file('bin/codex', '#!/bin/sh\nexit 1\n')
    const env = { PATH: join(home, 'bin'), HOME: home }
    expect(await probe(codex, env)).toEqual({
      installed: true,
      path,
      version: null,
      tooOld: false,
      login: 'no',
    })
  })

  test('one that is not there; a login we cannot see is unknown', async () => {
    const env = { PATH: join(home, 'bin'), HOME: home }
    const absent = { installed: false, path: null, version: null, tooOld: false, login: 'unknown' }
    expect(await probe(claude, env)).toEqual(absent)
  })

  test('the program that the user starts instead, with its arguments', async () => {
    const path = file('bin/wrap', '#!/bin/sh\necho "$1 3.4.5"\n')
    const env = { PATH: join(home, 'bin'), HOME: home }
    expect(await probe(claude, env, ['wrap', 'claude'])).toMatchObject({
      installed: true,
      path,
      version: '3.4.5',
    })
  })
})

test('no driver throws, whatever stands on a line', () => {
  const text = fc.oneof(fc.string(), fc.json())
  const type = fc.constantFrom(
    'system',
    'assistant',
    'user',
    'result',
    'item.completed',
    'tool_use',
    'step_finish',
    'error',
  )
  const shaped = fc.record({
    type,
    message: fc.jsonValue(),
    item: fc.jsonValue(),
    part: fc.jsonValue(),
    data: fc.jsonValue(),
  })
  const line = fc.oneof(
    text,
    shaped.map((value) => JSON.stringify(value)),
  )
  fc.assert(
    fc.property(line, fc.constantFrom('stdout' as const, 'stderr' as const), (said, from) => {
      for (const driver of allDrivers()) expect(Array.isArray(driver.read(said, from))).toBe(true)
    }),
    { numRuns: 300 },
  )
})
