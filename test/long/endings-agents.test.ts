/** Ends that only the agent, its vendor or a missing program can mend: what is advised names the right program or flag, and helps. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { NOT_YET, type Program, type ScriptedTurn } from '../garden.ts'
import {
  advises,
  endOf,
  follow,
  goesOn,
  LAST,
  ONE_CLAIM,
  project,
  read,
  toldToPrograms,
  type,
  type Plot,
} from './ending.ts'
import { install } from '../walk/set-up-kit.ts'

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
    const [ending, program] = await Promise.all([endOf(plot), toldToPrograms(plot)])
    advises(ending, 'permission_denied', command)
    expect(program.next[0]).toBe(command)
    expect(ending.screens.foreground).toContain('the agent was denied Bash(npm install)')
    await goesOn(ending)
    expect(ending.place.starts().at(-1)?.args).toEqual(
      expect.arrayContaining(['--allowedTools', 'Read', 'Edit', 'Bash(npm install)']),
    )
  })

  test('outside the sandbox of Codex: the flag that lifts it', async () => {
    const ending = await endOf({ toml: halting('codex'), turns: [DENIED, LAST] })
    advises(ending, 'permission_denied', 'ralph loop --permission bypass')
    await goesOn(ending)
    expect(ending.place.starts().at(-1)).toMatchObject({
      dialect: 'codex',
      args: expect.arrayContaining(['--sandbox', 'danger-full-access']) as string[],
    })
  })

  const OWN: [string, string][] = [
    ['claude', 'A rule under "permissions" in a settings file of Claude Code denies it.'],
    ['opencode', 'Allow it under "permission" in opencode.json.'],
    ['copilot', 'Copilot refused a tool although it runs with --yolo: look for deny rules in its settings.'],
    ['cursor', 'Allow it under "permissions" in ~/.cursor/cli-config.json.'],
  ]
  test.each(OWN)('that only the settings of %s can allow: where', async (agent, line) => {
    const ending = await endOf({ toml: halting(agent, 'bypass'), turns: [DENIED, LAST] })
    advises(ending, 'permission_denied', 'ralph loop')
    expect(ending.status.lines).toEqual([line])
    if (agent === 'opencode') await goesOn(ending)
  })

  const LISTS = [['opencode'], ['gemini'], ['copilot']]
  const TSX = [{ do: 'denied', tool: 'Bash', command: 'tsx build.ts' } as const, I_MAY_NOT]
  test.each(LISTS)('that is not on the list of %s: the flag that adds it', async (agent) => {
    const ending = await endOf({ toml: halting(agent), turns: [TSX, LAST] })
    advises(ending, 'permission_denied', "ralph loop --allow 'Bash(tsx *)'")
    await goesOn(ending)
  })

  test('in a project of ours: it is told with the list, and twice in a row ends the run', async () => {
    const told = {
      do: 'expect-prompt',
      matches: 'Bash\\(tsx build.ts\\) is not allowed; find another way. What you may use: Write, Read',
    } as const
    const ending = await endOf({ turns: [TSX, [told, ...TSX], LAST] })
    advises(ending, 'breaker', "ralph loop --allow 'Bash(tsx *)' --auto-reset-circuit")
    await goesOn(ending)
  })

  test('in a run with --agent: the same agent goes on', async () => {
    const ending = await endOf({ toml: HALT, args: ['--agent', 'codex'], turns: [DENIED, LAST] })
    await goesOn(ending)
    expect(ending.place.starts().map(({ dialect }) => dialect)).toEqual(['codex', 'codex'])
  })

  test('twice in a row, in two runs: the second advice helps, too', async () => {
    const another: ScriptedTurn = [{ do: 'denied', tool: 'WebFetch' }, I_MAY_NOT]
    const first = await endOf({ toml: LISTED, turns: [DENIED, another, LAST] })
    const second = await read(first.place, await type(first.place, first.next[0] ?? ''))
    expect(second.next[0]).toMatch(/WebFetch/)
    await goesOn(second)
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
function refused(agent: string, kind: 'auth' | 'balance' | 'model'): Plot {
  return { toml: by(agent), turns: [[{ do: 'limit', kind }], LAST] }
}

describe('a vendor that refuses', () => {
  test.each(VENDORS)('401 of %s: its own command to log in', async (agent, program) => {
    const ending = await endOf(refused(agent, 'auth'))
    const login = ending.next[0] ?? ''
    advises(ending, 'agent_unusable', login)
    expect(login.split(' ')[0]).toBe(program)
    if (agent !== 'codex') return
    // Somebody has logged in, and goes on as the screen says.
    await goesOn({ ...ending, next: ending.next.slice(1) })
    expect(ending.place.starts().at(-1)?.dialect).toBe(agent)
  })

  test('no balance: what to do, then on with the work', async () => {
    const ending = await endOf(refused('claude', 'balance'))
    advises(ending, 'agent_unusable', 'ralph loop')
    expect(ending.status.lines).toEqual(['Top up the account or raise its spending limit.'])
    await goesOn(ending)
  })

  test('an unknown model in the settings: once it is corrected, the command goes on', async () => {
    const toml = `${ONE_CLAIM}[agent]\nmodel = "opsu"\n`
    const ending = await endOf({ ...refused('claude', 'model'), toml })
    await ending.place.write('.ralph.toml', ONE_CLAIM)
    await goesOn(ending)
  })

  test('an unknown model of a flag: the command does not call it "default"', async () => {
    const ending = await endOf({ ...refused('claude', 'model'), args: ['--model', 'opsu'] })
    expect((await follow(ending)).stdout).not.toMatch(/^default$/m)
  })
})

describe('a program that is missing', () => {
  test('the agent, in the middle of a run', async () => {
    const gone = { do: 'shell', command: 'rm ../bin/claude' } as const
    const ending = await endOf({ turns: [[gone, I_MAY_NOT]] })
    advises(ending, 'agent_unusable', 'npm install -g @anthropic-ai/claude-code')
  })

  test('the agent, before the first: how to install it, then on with what was typed', async () => {
    const place = await project({ agents: [], turns: [LAST] })
    const ran = await type(place, 'ralph loop')
    expect([ran.code, ran.stderr]).toEqual([6, expect.stringMatching(/Next: npm install -g \S+/)])
    await install(
      place,
      'claude',
      `exec '${process.execPath}' '${AGENT}' --scenario ../scenario.json --dialect claude "$@"`,
    )
    expect([(await type(place, 'ralph loop')).code, place.starts().length]).toEqual([0, 1])
  })

  test('the agent, before the first: the command stands alone, for people and for programs', async () => {
    const place = await project({ agents: [] })
    const [ran, json] = [await type(place, 'ralph loop'), await type(place, 'ralph loop --json')]
    expect.soft(ran.stderr).toMatch(/^ *Next: npm install -g \S+( |$)/m)
    expect.soft(JSON.parse(json.stdout)).toMatchObject({ next: [expect.stringMatching(/^npm install/)] })
  })

  test('of a gate, by its name: it is named, and nobody is paid', async () => {
    const place = await project({ toml: gate('no-such-program --all'), turns: [LAST] })
    const ran = await type(place, 'ralph loop')
    expect([ran.code, ran.stderr]).toEqual([6, expect.stringContaining('Install no-such-program')])
    await install(place, 'no-such-program', 'exit 0')
    expect((await type(place, 'ralph loop')).code).toBe(0)
  })

  test('of a gate, inside its command: once it is there, the run begins', async () => {
    const ending = await endOf({ toml: gate("sh -c 'no-such-program --all'"), turns: [LAST] })
    advises(ending, 'program_missing', 'ralph loop')
    expect(ending.screens.foreground).toContain('needs no-such-program, which is not there')
    await install(ending.place, 'no-such-program', 'exit 0')
    await goesOn(ending)
  })

  test('of a gate, inside its command: the command shows what is missing', async () => {
    const ending = await endOf({ toml: gate("sh -c 'no-such-program --all'"), turns: [LAST] })
    const ran = await follow(ending)
    expect([ran.code, ran.stdout]).not.toEqual([0, expect.stringContaining('All is well')])
  })
})

const AGENT = join(import.meta.dirname, '..', '..', 'bin', 'ralph-scripted-agent.mjs')

function gate(run: string): string {
  return `${ONE_CLAIM}[[gate]]\nname = "test"\nrun = "${run}"\n`
}
