/** Ends that only the agent, its vendor or a missing program can mend: what is advised names the right program or flag, and helps. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { NOT_YET, type Program, type ScriptedTurn } from '../test-project.ts'
import {
  expectAdvice,
  runToEnding,
  followAdvice,
  expectContinues,
  LAST,
  ONE_CLAIM,
  project,
  read,
  jsonResultOf,
  type,
  type EndingOptions,
} from './ending-kit.ts'
import { install } from '../walk/setup-kit.ts'

const I_MAY_NOT = { do: 'status', text: 'I may not.', fields: NOT_YET } as const
const DENIED: ScriptedTurn = [{ do: 'denied', tool: 'Bash', command: 'npm install' }, I_MAY_NOT]
const HALT = `${ONE_CLAIM}denial = "halt"\n`
const LISTED = `${HALT}[agent]\ntools = ["Read", "Edit"]\n`

function by(agent: string): string {
  return `agent = "${agent}"\n${ONE_CLAIM}`
}

/** The first denied tool ends the run, as in a project of the bash tool. */
function halting(agent: string, permission = 'list'): string {
  return `${HALT}[agent]\norder = ["${agent}"]\npermission = "${permission}"\n`
}

describe('a denied tool', () => {
  test('that is not on the list of Claude Code: the flag that adds it', async () => {
    const plot = { toml: LISTED, turns: [DENIED, LAST] }
    const command = "ralph loop --allow 'Bash(npm install)'"
    const [ending, program] = await Promise.all([runToEnding(plot), jsonResultOf(plot)])
    expectAdvice(ending, 'permission_denied', command)
    expect(program.next[0]).toBe(command)
    expect(ending.screens.foreground).toContain('the agent was denied Bash(npm install)')
    await expectContinues(ending)
    expect(ending.fixture.starts().at(-1)?.args).toEqual(
      expect.arrayContaining(['--allowedTools', 'Read', 'Edit', 'Bash(npm install)']),
    )
  })

  test('outside the sandbox of Codex: the flag that lifts it', async () => {
    const ending = await runToEnding({ toml: halting('codex'), turns: [DENIED, LAST] })
    expectAdvice(ending, 'permission_denied', 'ralph loop --permission bypass')
    await expectContinues(ending)
    expect(ending.fixture.starts().at(-1)).toMatchObject({
      dialect: 'codex',
      args: expect.arrayContaining(['--sandbox', 'danger-full-access']) as string[],
    })
  })

  const OWN: [string, string][] = [
    ['claude', 'A "permissions" rule in a settings file of Claude Code denies it.'],
    ['opencode', 'Allow it under "permission" in opencode.json.'],
    ['copilot', 'Copilot denied a tool although it runs with --yolo: check its settings for deny rules.'],
    ['cursor', 'Allow it under "permissions" in ~/.cursor/cli-config.json.'],
  ]
  test.each(OWN)('that only the settings of %s can allow: where', async (agent, line) => {
    const ending = await runToEnding({ toml: halting(agent, 'bypass'), turns: [DENIED, LAST] })
    expectAdvice(ending, 'permission_denied', 'ralph loop')
    expect(ending.status.lines).toEqual([line])
    if (agent === 'opencode') await expectContinues(ending)
  })

  const LISTS = [['opencode'], ['gemini'], ['copilot']]
  const TSX = [{ do: 'denied', tool: 'Bash', command: 'tsx build.ts' } as const, I_MAY_NOT]
  test.each(LISTS)('that is not on the list of %s: the flag that adds it', async (agent) => {
    const ending = await runToEnding({ toml: halting(agent), turns: [TSX, LAST] })
    expectAdvice(ending, 'permission_denied', "ralph loop --allow 'Bash(tsx *)'")
    await expectContinues(ending)
  })

  test('in a project of ours: it is told with the list, and twice in a row ends the run', async () => {
    const told = {
      do: 'expect-prompt',
      matches: 'Bash\\(tsx build.ts\\) is not allowed; find another way. You may use: Write, Read',
    } as const
    const ending = await runToEnding({ turns: [TSX, [told, ...TSX], LAST] })
    expectAdvice(ending, 'breaker', "ralph loop --allow 'Bash(tsx *)' --auto-reset-circuit")
    await expectContinues(ending)
  })

  test('in a run with --agent: the same agent continues', async () => {
    const ending = await runToEnding({ toml: HALT, args: ['--agent', 'codex'], turns: [DENIED, LAST] })
    await expectContinues(ending)
    expect(ending.fixture.starts().map(({ dialect }) => dialect)).toEqual(['codex', 'codex'])
  })

  test('twice in a row, in two runs: the second advice helps, too', async () => {
    const another: ScriptedTurn = [{ do: 'denied', tool: 'WebFetch' }, I_MAY_NOT]
    const first = await runToEnding({ toml: LISTED, turns: [DENIED, another, LAST] })
    const second = await read(first.fixture, await type(first.fixture, first.next[0] ?? ''))
    expect(second.next[0]).toMatch(/WebFetch/)
    await expectContinues(second)
  })
})

const VENDORS: [agent: string, program: Program][] = [
  ['claude', 'claude'],
  ['codex', 'codex'],
  ['opencode', 'opencode'],
  ['gemini', 'gemini'],
  ['copilot', 'copilot'],
  ['cursor', 'cursor-agent'],
]

/** What a vendor says when it refuses, then work. */
function refused(agent: string, kind: 'auth' | 'balance' | 'model'): EndingOptions {
  return { toml: by(agent), turns: [[{ do: 'limit', kind }], LAST] }
}

describe('a vendor that refuses', () => {
  test.each(VENDORS)('401 of %s: its own command to log in', async (agent, program) => {
    const ending = await runToEnding(refused(agent, 'auth'))
    const login = ending.next[0] ?? ''
    expectAdvice(ending, 'agent_unusable', login)
    expect(login.split(' ')[0]).toBe(program)
    if (agent !== 'codex') return
    // Somebody has logged in, and goes on as the screen says.
    await expectContinues({ ...ending, next: ending.next.slice(1) })
    expect(ending.fixture.starts().at(-1)?.dialect).toBe(agent)
  })

  test('no balance: what to do, then on with the work', async () => {
    const ending = await runToEnding(refused('claude', 'balance'))
    expectAdvice(ending, 'agent_unusable', 'ralph loop')
    expect(ending.status.lines).toEqual(['Top up the account or raise its spending limit.'])
    await expectContinues(ending)
  })

  test('an unknown model in the settings: once it is corrected, the command continues', async () => {
    const toml = `${ONE_CLAIM}[agent]\nmodel = "opsu"\n`
    const ending = await runToEnding({ ...refused('claude', 'model'), toml })
    await ending.fixture.write('.ralph.toml', ONE_CLAIM)
    await expectContinues(ending)
  })

  test('an unknown model of a flag: the command does not call it "default"', async () => {
    const ending = await runToEnding({ ...refused('claude', 'model'), args: ['--model', 'opsu'] })
    expect((await followAdvice(ending)).stdout).not.toMatch(/^default$/m)
  })
})

describe('a program that is missing', () => {
  test('the agent, in the middle of a run', async () => {
    const gone = { do: 'shell', command: 'rm ../bin/claude' } as const
    const ending = await runToEnding({ turns: [[gone, I_MAY_NOT]] })
    expectAdvice(ending, 'agent_unusable', 'npm install -g @anthropic-ai/claude-code')
  })

  test('the agent, before the first: how to install it, then on with what was typed', async () => {
    const fixture = await project({ agents: [], turns: [LAST] })
    const ran = await type(fixture, 'ralph loop')
    expect([ran.code, ran.stderr]).toEqual([6, expect.stringMatching(/Next: npm install -g \S+/)])
    await install(
      fixture,
      'claude',
      `exec '${process.execPath}' '${AGENT}' --scenario ../scenario.json --dialect claude "$@"`,
    )
    expect([(await type(fixture, 'ralph loop')).code, fixture.starts().length]).toEqual([0, 1])
  })

  test('the agent, before the first: the command stands alone, for people and for programs', async () => {
    const fixture = await project({ agents: [] })
    const [ran, json] = [await type(fixture, 'ralph loop'), await type(fixture, 'ralph loop --json')]
    expect.soft(ran.stderr).toMatch(/^ *Next: npm install -g \S+( |$)/m)
    expect.soft(JSON.parse(json.stdout)).toMatchObject({ next: [expect.stringMatching(/^npm install/)] })
  })

  test('of a gate, by its name: it is named, and nobody is paid', async () => {
    const fixture = await project({ toml: gate('no-such-program --all'), turns: [LAST] })
    const ran = await type(fixture, 'ralph loop')
    expect([ran.code, ran.stderr]).toEqual([6, expect.stringContaining('Install no-such-program')])
    await install(fixture, 'no-such-program', 'exit 0')
    expect((await type(fixture, 'ralph loop')).code).toBe(0)
  })

  test('of a gate, inside its command: once it is there, the run begins', async () => {
    const ending = await runToEnding({ toml: gate("sh -c 'no-such-program --all'"), turns: [LAST] })
    expectAdvice(ending, 'program_missing', 'ralph loop')
    expect(ending.screens.foreground).toContain('needs no-such-program, which is not installed')
    await install(ending.fixture, 'no-such-program', 'exit 0')
    await expectContinues(ending)
  })

  test('of a gate, inside its command: the command shows what is missing', async () => {
    const ending = await runToEnding({ toml: gate("sh -c 'no-such-program --all'"), turns: [LAST] })
    const ran = await followAdvice(ending)
    expect([ran.code, ran.stdout]).not.toEqual([0, expect.stringContaining('Ready to run.')])
  })
})

const AGENT = join(import.meta.dirname, '..', '..', 'bin', 'ralph-scripted-agent.mjs')

function gate(run: string): string {
  return `${ONE_CLAIM}[[gate]]\nname = "test"\nrun = "${run}"\n`
}
