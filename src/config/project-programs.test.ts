import { describe, expect, test } from 'vitest'
import type { ProjectProgram } from '../core/trust/trust.ts'
import { SETTING_KEYS, settingOf } from './settings.ts'
import { settingsOf, type SettingsFixture } from '../../test/kit/config.ts'
import { AGENT_FIELDS, GATE_FIELDS, type TableField } from './gate-agent-tables.ts'

/** As a loop would start them. */
async function executedIn(place: SettingsFixture): Promise<ProjectProgram[]> {
  const { values, gates, executed } = await settingsOf(place)
  const review = values['proof.reviewer']
  return executed({
    agents: [...values['agent.order'], ...(review === null ? [] : [review])],
    gates: gates.map(({ name }) => name),
  })
}

const toml = (text: string): SettingsFixture => ({ files: { '.ralph.toml': text } })
const start = (setting: string, run: string | string[], where: string): ProjectProgram => ({
  setting,
  run,
  cwd: '.',
  env: {},
  where,
})

describe('a file of the project names', () => {
  test.each<[string, SettingsFixture, ProjectProgram[]]>([
    ['nothing by choosing an agent', toml('agent = ["codex", "claude"]\n[budget]\nusd = 5'), []],
    [
      'a command that becomes the agent',
      toml('[agent]\ncommand = ["./evil.sh", "--now"]'),
      [start('agent.command', ['./evil.sh', '--now'], '.ralph.toml:2')],
    ],
    [
      'another program for the first agent',
      toml('[agent]\norder = ["codex"]\ncommand = "./codex"'),
      [start('agent.command', ['./codex'], '.ralph.toml:3')],
    ],
    [
      'agents that are command lines, with or without the word for it',
      toml('agent = ["claude", "acp:./evil.sh --acp", "./more.sh now"]'),
      [
        start('agent.order', './evil.sh --acp', '.ralph.toml:1'),
        start('agent.order', './more.sh now', '.ralph.toml:1'),
      ],
    ],
    [
      'a second opinion',
      toml('[proof]\nreviewer = "acp:./evil.sh"'),
      [start('proof.reviewer', './evil.sh', '.ralph.toml:2')],
    ],
    [
      'an agent of its own, with the variables that are set for it',
      toml('agent = "mine"\n[agents.mine]\ncommand = "./evil.sh"\nenv = { LD_PRELOAD = "./evil.so" }'),
      [{ ...start('agents.mine', ['./evil.sh'], '.ralph.toml:2'), env: { LD_PRELOAD: './evil.so' } }],
    ],
    [
      'an agent of its own that is started by another command: both count',
      toml('agent.order = ["mine"]\nagent.command = "./evil.sh"\n[agents.mine]\ncommand = "mine"'),
      [start('agent.command', ['./evil.sh'], '.ralph.toml:2'), start('agents.mine', ['mine'], '.ralph.toml:3')],
    ],
    [
      'another program for an agent that takes over later',
      toml('agent = ["claude", "codex"]\n[agents.codex]\ncommand = "./codex"'),
      [start('agents.codex', ['./codex'], '.ralph.toml:2')],
    ],
    [
      'gates, with folder and variables',
      toml('[[gate]]\nname = "t"\nrun = "make"\ncwd = "a"\nenv = { PATH = "./bin" }\n[[gate]]\nname = "u"\nrun = "u"'),
      [
        { setting: 'gate t', run: 'make', cwd: 'a', env: { PATH: './bin' }, where: '.ralph.toml:1' },
        start('gate u', 'u', '.ralph.toml:6'),
      ],
    ],
    [
      'what sets the clean room up, where gates are started',
      toml('[proof]\nsetup = "./evil.sh"\n[[gate]]\nname = "t"\nrun = "t"'),
      [start('gate t', 't', '.ralph.toml:3'), start('proof.setup', './evil.sh', '.ralph.toml:2')],
    ],
    ['no set-up without gates', toml('[proof]\nsetup = "./evil.sh"'), []],
    [
      'no program by the word for none',
      toml('[proof]\nsetup = "none"\n[[gate]]\nname = "t"\nrun = "t"'),
      [start('gate t', 't', '.ralph.toml:3')],
    ],
    [
      "the bash tool's program and gates",
      {
        files: {
          '.ralphrc': 'CLAUDE_CODE_CMD="./evil.sh -x"\nTEST_COMMAND="make t"\nQUALITY_GATES="a; b"\n',
        },
      },
      [
        start('agent.command', ['./evil.sh', '-x'], '.ralphrc:1'),
        start('gate test', 'make t', '.ralphrc:2'),
        start('gate gate-1', 'a', '.ralphrc:3'),
        start('gate gate-2', 'b', '.ralphrc:3'),
      ],
    ],
    [
      "a command in the orchestrator's file",
      { files: { '.ralph/config.json': '{"agent": {"command": ["./evil.sh"]}}' } },
      [start('agent.command', ['./evil.sh'], '.ralph/config.json')],
    ],
  ])('%s', async (_what, place, expected) => {
    expect(await executedIn(place)).toEqual(expected)
  })
})

describe('what the user says is not asked about', () => {
  test.each<[string, SettingsFixture]>([
    ['a flag', { flags: { agent: 'acp:mine --acp' } }],
    ['the environment', { env: { RALPH_AGENT_COMMAND: './mine.sh' } }],
    ['their own file', { files: { '~/.config/ralph/config.toml': 'agent = "mine"\n[agents.mine]\ncommand = "mine"' } }],
    [
      'their own file, from which the project only chooses',
      {
        files: {
          '.ralph.toml': 'agent = "mine"',
          '~/.config/ralph/config.toml': '[agents.mine]\ncommand = "mine"',
        },
      },
    ],
    [
      'a flag that leaves the command of the project unused',
      { ...toml('[agent]\ncommand = "./evil.sh"'), flags: { agent: 'codex' } },
    ],
    [
      'a command that goes before the one of the project',
      { ...toml('[agents.claude]\ncommand = "./evil.sh"'), env: { CLAUDE_CODE_CMD: '/opt/claude' } },
    ],
  ])('%s', async (_what, place) => {
    expect(await executedIn(place)).toEqual([])
  })

  test('but variables of the project for a command of the user are', async () => {
    const place = {
      ...toml('[agent]\norder = ["mine"]\n[agents.mine]\ncommand = "mine"\nenv = { NODE_OPTIONS = "-r ./evil" }'),
      env: { RALPH_AGENT_COMMAND: '/opt/mine' },
    }
    const evil = { ...start('agents.mine', ['mine'], '.ralph.toml:3'), env: { NODE_OPTIONS: '-r ./evil' } }
    expect(await executedIn(place)).toEqual([evil])
  })
})

test('only what is started counts', async () => {
  const { executed } = await settingsOf(
    toml('[agents.mine]\ncommand = "./evil.sh"\n[[gate]]\nname = "a"\nrun = "a"\n[[gate]]\nname = "b"\nrun = "b"'),
  )
  expect(executed({ agents: ['claude'], gates: ['b'] }).map(({ setting }) => setting)).toEqual(['gate b'])
})

test('without the files of the project, the user’s own entry of the same name holds', async () => {
  const { users, agents, programs } = await settingsOf({
    files: {
      '.ralph.toml': '[agents.mine]\ncommand = "./evil.sh"\n[agents.claude]\ncommand = "./evil.sh"',
      '~/.config/ralph/config.toml': '[agents.mine]\ncommand = "mine"\n[agents.codex]\ncommand = "/opt/codex"',
    },
  })
  const mine = { output: 'text', fields: {}, env: {} }
  expect({ agents, programs }).toEqual({
    agents: { mine: { ...mine, command: ['./evil.sh'] } },
    programs: { claude: ['./evil.sh'], codex: ['/opt/codex'] },
  })
  expect(users).toEqual({
    agents: { mine: { ...mine, command: ['mine'] } },
    programs: { codex: ['/opt/codex'] },
  })
})

test('these are marked as executed, and no others', () => {
  const marked = (fields: Readonly<Record<string, TableField>>): string[] =>
    Object.keys(fields).filter((name) => fields[name]?.executed === true)
  expect({
    settings: SETTING_KEYS.filter((key) => settingOf(key).executed === true),
    gate: marked(GATE_FIELDS),
    agents: marked(AGENT_FIELDS),
  }).toEqual({
    settings: ['agent.order', 'agent.command', 'proof.setup', 'proof.reviewer'],
    gate: ['run', 'cwd', 'env'],
    agents: ['command', 'env'],
  })
})
