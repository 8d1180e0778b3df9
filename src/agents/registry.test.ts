import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { KNOWN_AGENTS, resolveAgentName } from '../core/calls/known-agents.ts'
import { RalphError } from '../core/error.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import type { Driver } from './driver.ts'
import { allDrivers, driverFor, probeAgent, type AgentProbeResult } from './registry.ts'

const LOOK = { mayStart: { outside: null } }

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
    expect(allDrivers().map((driver) => driverFor(driver.name, {}).name)).toEqual(KNOWN_AGENTS)
  })

  test('each by the name of its program and of its package too, and by nobody else’s', () => {
    for (const driver of allDrivers().filter(({ program }) => program !== ''))
      expect([driver.name, resolveAgentName(driver.program)]).toEqual([driver.name, driver.name])
    expect(['claude-code', 'gemini-cli', 'toString', ''].map(resolveAgentName)).toEqual([
      'claude',
      'gemini',
      null,
      null,
    ])
  })

  test('over the protocol with the keys of its vendor', () => {
    const { keys, prices } = driverFor('acp:codex-acp', {})
    expect([keys, prices]).toEqual([codex.keys, codex.prices])
    expect(driverFor('acp:my-agent', {}).keys).toEqual([])
    expect(driverFor('acp:qwen --acp', {}).keys).toContain('QWEN_*')
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
        code: 'bad-setting',
        message: 'unknown agent "cluade"',
        hint: 'Did you mean "claude"? Known agents: claude, codex, opencode, gemini, copilot, cursor, plain, mine, acp:COMMAND. For another program, add [agents.cluade] with command = ["…"] to .ralph.toml',
      })
    }
  })
})

describe('what is on this machine', () => {
  test('an agent with its version and a login', async () => {
    const path = file('bin/claude', '#!/bin/sh\necho "2.1.197 (Claude Code)"\n')
    const env = { PATH: join(home, 'bin'), HOME: home, ANTHROPIC_API_KEY: 'k' }
    expect(await probeAgent(claude, env, LOOK)).toEqual({
      installed: true,
      path,
      version: '2.1.197',
      tooOld: false,
      login: 'yes',
      unasked: null,
    })
  })

  test('one that is too old', async () => {
    const path = file('bin/codex', '#!/bin/sh\necho "codex-cli 0.99.9"\n')
    file('.codex/auth.json', '{}')
    const env = { PATH: join(home, 'bin'), HOME: home }
    expect(await probeAgent(codex, env, LOOK)).toEqual({
      installed: true,
      path,
      version: '0.99.9',
      tooOld: true,
      login: 'yes',
      unasked: null,
    })
  })

  test('one that says no version', async () => {
    const path = file('bin/codex', '#!/bin/sh\nexit 1\n')
    const env = { PATH: join(home, 'bin'), HOME: home }
    expect(await probeAgent(codex, env, LOOK)).toEqual({
      installed: true,
      path,
      version: null,
      tooOld: false,
      login: 'no',
      unasked: null,
    })
  })

  test('one that is not there; a login we cannot see is unknown', async () => {
    const env = { PATH: join(home, 'bin'), HOME: home }
    const absent = {
      installed: false,
      path: null,
      version: null,
      tooOld: false,
      login: 'unknown',
      unasked: null,
    }
    expect(await probeAgent(claude, env, LOOK)).toEqual(absent)
  })

  test('the program that the user starts instead, with its arguments', async () => {
    const path = file('bin/wrap', '#!/bin/sh\necho "$1 3.4.5"\n')
    const env = { PATH: join(home, 'bin'), HOME: home }
    const wrapped = { program: ['wrap', 'claude'], mayStart: 'anything' } as const
    expect(await probeAgent(claude, env, { ...wrapped, program: [...wrapped.program] })).toMatchObject({
      installed: true,
      path,
      version: '3.4.5',
    })
  })

  describe('a mere look starts', () => {
    const cases: [string, () => Promise<AgentProbeResult>, AgentProbeResult['unasked']][] = [
      ['no program of the user’s own', () => look(claude, { program: ['tell', '--x'] }), 'own'],
      [
        'no agent that the settings describe',
        () => look(driverFor('mine', { mine: { command: ['tell'], output: 'text', fields: {}, env: {} } })),
        'own',
      ],
      ['no agent that is a command line', () => look(driverFor('acp:tell --acp', {})), 'own'],
      ['no program inside the repository', () => look(claude, { outside: home }), 'inside'],
      ['no link that leads into it', () => look(codex, { outside: join(home, 'repository') }), 'inside'],
      ['a vendor’s own program', () => look(claude, { outside: join(home, 'repository') }), null],
    ]
    test.each(cases)('%s', async (_what, probed, unasked) => {
      const told = join(home, 'told')
      const text = `#!/bin/sh\ntouch '${told}'\necho 2.1.0\n`
      for (const name of ['bin/claude', 'bin/tell', 'repository/codex']) file(name, text)
      symlinkSync(join(home, 'repository/codex'), join(home, 'bin/codex'))
      const facts = await probed()
      expect([facts.installed, facts.unasked, existsSync(told)]).toEqual([true, unasked, unasked === null])
    })

    function look(
      driver: Driver,
      { program = [], outside = null }: { program?: string[]; outside?: string | null } = {},
    ): Promise<AgentProbeResult> {
      return probeAgent(driver, { PATH: join(home, 'bin'), HOME: home }, { program, mayStart: { outside } })
    }
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
