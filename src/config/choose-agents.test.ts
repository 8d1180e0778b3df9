import { describe, expect, test } from 'vitest'
import { settingsOf, type SettingsFixture } from '../../test/kit/config.ts'

async function chosen(place: SettingsFixture) {
  const { values, programs, remarks } = await settingsOf(place)
  return { order: values['agent.order'], programs, remarks }
}

const toml = (text: string): SettingsFixture => ({ files: { '.ralph.toml': text } })

const own = (agent: string): string[] => [
  `.ralph.toml:2 agent.command: Ralph runs it as the agent ${agent}, not over ACP`,
]

describe('which agents are meant, and what is started for them', () => {
  test.each<[string, SettingsFixture, { order: string[]; programs?: Record<string, string[]>; remarks?: string[] }]>([
    ['nothing said', {}, { order: ['claude'] }],
    ['the short form', toml('agent = "codex"'), { order: ['codex'] }],
    ['the short form with several', toml('agent = ["codex", "claude"]'), { order: ['codex', 'claude'] }],
    ['a flag with several', { flags: { agent: 'codex, gemini' } }, { order: ['codex', 'gemini'] }],
    [
      "the planning front's name",
      { files: { '.ralph/.ralphrc': 'PLATFORM_DRIVER=claude-code' } },
      { order: ['claude'] },
    ],
    ['an ACP agent', { flags: { agent: 'acp:my-agent --x' } }, { order: ['acp:my-agent --x'] }],
    ['a command line as a name', { env: { RALPH_AGENT: 'my-agent --acp' } }, { order: ['acp:my-agent --acp'] }],
    [
      "the Rust tool's command, by name",
      toml('[agent]\ncommand = "codex"'),
      { order: ['codex'], remarks: own('codex') },
    ],
    [
      "the Rust tool's command, by path",
      toml('[agent]\ncommand = "/opt/bin/gemini"'),
      { order: ['gemini'], programs: { gemini: ['/opt/bin/gemini'] }, remarks: own('gemini') },
    ],
    [
      "the Rust tool's command, through npx",
      toml('[agent]\ncommand = "npx -y @anthropic-ai/claude-code@2.1"'),
      {
        order: ['claude'],
        programs: { claude: ['npx', '-y', '@anthropic-ai/claude-code@2.1'] },
        remarks: own('claude'),
      },
    ],
    [
      "the Rust tool's command, speaking ACP",
      toml('[agent]\ncommand = "claude-agent-acp"'),
      { order: ['acp:claude-agent-acp'] },
    ],
    [
      'a known program that is asked to speak ACP',
      toml('[agent]\ncommand = ["gemini", "--acp", "two words"]'),
      { order: ["acp:gemini --acp 'two words'"] },
    ],
    [
      "an agent of the user's own",
      toml('[agent]\ncommand = "mine --fast"\n[agents.mine]\ncommand = "mine"'),
      { order: ['mine'], programs: { mine: ['mine', '--fast'] } },
    ],
    [
      'a program for the first of an order',
      toml('[agent]\norder = ["codex", "claude"]\ncommand = "my-codex"'),
      { order: ['codex', 'claude'], programs: { codex: ['my-codex'] } },
    ],
    [
      "the bash tool's program",
      { env: { CLAUDE_CODE_CMD: 'npx claude' } },
      { order: ['claude'], programs: { claude: ['npx', 'claude'] } },
    ],
    [
      "the bash tool's program beside another agent",
      { files: { '.ralphrc': 'CLAUDE_CODE_CMD="my claude"' }, flags: { agent: 'codex' } },
      { order: ['codex'], programs: { claude: ['my', 'claude'] } },
    ],
    ["the bash tool's own default", { files: { '.ralphrc': 'CLAUDE_CODE_CMD="claude"' } }, { order: ['claude'] }],
    ['the word for nothing', toml('[agent]\ncommand = "default"'), { order: ['claude'] }],
  ])('%s', async (_, place, { order, programs = {}, remarks = [] }) => {
    expect(await chosen(place)).toEqual({ order, programs, remarks })
  })
})

test('a program does not follow when a stronger layer chooses another agent', async () => {
  const place = { ...toml('[agent]\ncommand = "my-claude"\norder = "claude"'), flags: { agent: 'codex' } }
  expect(await chosen(place)).toEqual({
    order: ['codex'],
    programs: {},
    remarks: ['agent.command (.ralph.toml:2 agent.command) is not used, because codex takes precedence'],
  })
})
