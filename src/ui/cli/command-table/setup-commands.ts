/** Commands that set Ralph up on this machine and in this project, and check the setup. */
import { defineCommand, defineCommandRow, type Command, type CommandGroup } from '../framework/command.ts'
import { JSON_FLAG } from './shared-flags.ts'

export const AGENTS = defineCommandRow({
  name: 'agents',
  summary: 'List supported agents, which are installed, and what each can do',
  flags: { json: JSON_FLAG },
  examples: [['ralph agents', 'as a table']],
  touches: 'reads',
})

const CONFIG_INPUT = { flags: { json: JSON_FLAG }, settings: 'all' } as const

export const CONFIG_LIST = defineCommandRow({
  ...CONFIG_INPUT,
  name: 'list',
  summary: 'List every setting and where it comes from',
})

export const CONFIG_GET = defineCommandRow({
  ...CONFIG_INPUT,
  name: 'get',
  summary: 'Print one value',
  args: { key: { says: 'KEY', takes: 'one', offers: 'settings' } },
})

export const CONFIG_SCHEMA = defineCommandRow({
  ...CONFIG_INPUT,
  name: 'schema',
  summary: 'Print the JSON schema of .ralph.toml',
})

const USER_FLAG = { help: "Your settings for all projects, instead of this project's" }

export const CONFIG_SET = defineCommandRow({
  name: 'set',
  summary: 'Change one value; comments and other lines stay as they are',
  args: { key: { says: 'KEY', takes: 'one', offers: 'settings' }, value: { says: 'VALUE', takes: 'one' } },
  flags: { user: USER_FLAG, json: JSON_FLAG },
  outside: true,
})

export const CONFIG_UNSET = defineCommandRow({
  name: 'unset',
  summary: 'Remove one value from the file',
  args: { key: { says: 'KEY', takes: 'one', offers: 'settings' } },
  flags: { user: USER_FLAG, json: JSON_FLAG },
  outside: true,
})

export const CONFIG_EDIT = defineCommandRow({
  name: 'edit',
  summary: 'Open the settings file in your editor and check it before it is saved',
  flags: { user: USER_FLAG },
  outside: true,
})

const CONFIG: CommandGroup = {
  name: 'config',
  summary: 'Show effective settings and where each one comes from',
  usual: 'list',
  verbs: [
    defineCommand(CONFIG_LIST, () => import('../commands/config.ts'), 'list'),
    defineCommand(CONFIG_GET, () => import('../commands/config.ts'), 'get'),
    defineCommand(CONFIG_SET, () => import('../commands/config-change.ts'), 'set'),
    defineCommand(CONFIG_UNSET, () => import('../commands/config-change.ts'), 'unset'),
    defineCommand(CONFIG_EDIT, () => import('../commands/config-change.ts'), 'edit'),
    defineCommand(CONFIG_SCHEMA, () => import('../commands/config.ts'), 'schema'),
  ],
  examples: [
    ['ralph config', 'every setting'],
    ['ralph config get budget.usd', 'one setting'],
    ['ralph config set budget.usd 10', 'change it in .ralph.toml'],
    ['ralph config set --user agent.order codex,claude', 'for all your projects'],
    ['ralph config unset budget.usd', 'back to the default'],
    ['ralph config edit', 'open .ralph.toml in your editor'],
    ['ralph config schema > ralph.schema.json', 'completion in your editor'],
  ],
  touches: 'writes store',
}

export const PRUNE = defineCommandRow({
  name: 'prune',
  summary: 'Delete old runs and logs (settings keep.runs, keep.logs_gb)',
  flags: { 'dry-run': { help: 'Show what would be deleted' }, json: JSON_FLAG },
  outside: true,
  about: 'Every run does this at its end. Unfinished runs are never deleted.',
  examples: [['ralph prune --dry-run', 'see what it would delete']],
  touches: 'writes store',
})

export const UNINSTALL = defineCommandRow({
  name: 'uninstall',
  summary: 'Remove runs, tasks, snapshots and clean rooms (not your files)',
  flags: {
    all: { help: 'Include all repositories that Ralph knows, and its own state folder' },
    'dry-run': { help: 'Only list what would be removed' },
    yes: { short: 'y', help: "Don't ask" },
    json: JSON_FLAG,
  },
  outside: true,
  about: `Lists everything and asks first. Commits, branches and the files of your working
tree stay, including .ralph/ and .ralph.toml. Without snapshots, \`ralph undo\` can no
longer revert a run. To remove the program itself: npm uninstall -g ralph-run`,
  examples: [
    ['ralph uninstall --dry-run', 'list what Ralph has stored for this repository'],
    ['ralph uninstall', 'remove it'],
    ['ralph uninstall --all', 'for all repositories'],
  ],
  touches: 'writes store',
})

export const DOCTOR = defineCommandRow({
  name: 'doctor',
  summary: 'Check your setup and show how to fix problems',
  flags: {
    env: { help: 'List the environment variables that agents and gates do not get, and why' },
    json: JSON_FLAG,
  },
  examples: [
    ['ralph doctor', 'this machine and this project'],
    ['ralph doctor --env', 'withheld variables, and how to pass them on'],
  ],
  touches: 'reads',
})

export const COMPLETION = defineCommandRow({
  name: 'completion',
  summary: 'Print a completion script for your shell',
  args: { shell: { says: 'SHELL', takes: 'one', of: { bash: 'GNU Bash', zsh: 'Z shell', fish: 'fish' } } },
  examples: [
    ['source <(ralph completion bash)', 'bash: add this line to ~/.bashrc'],
    ['source <(ralph completion zsh)', 'zsh: add it to ~/.zshrc, after compinit'],
    ['ralph completion fish | source', 'fish: add it to ~/.config/fish/config.fish'],
  ],
  touches: 'reads',
})

export const COMPLETE = defineCommandRow({
  name: 'complete',
  summary: 'Complete a command line (for completion scripts); put a + before each word',
  args: { words: { says: '+WORD', takes: 'some' } },
  examples: [['ralph complete +ralph +loop +--ag', 'flags that start with --ag']],
  touches: 'reads',
  hidden: true,
})

export const MCP = defineCommandRow({
  name: 'mcp',
  summary: 'MCP server through which an agent reports to Ralph; the agent starts it',
  about: `Speaks the Model Context Protocol over stdin and stdout. Ralph configures it for
the agents that support MCP. Started outside a run, it lists its tools and saves
nothing.`,
  examples: [['ralph agents', 'which agents use it']],
  touches: 'reads',
  hidden: true,
})

export const DEMO = defineCommandRow({
  name: 'demo',
  summary: 'Watch a real run with a scripted agent: no account, no network',
  about: 'Each demo runs in a new temporary folder and costs nothing.',
  flags: {
    tasks: { help: 'Show five tasks instead: one is retried, one fails, one stays blocked' },
    resume: { help: 'Resume the newest interrupted demo' },
    json: JSON_FLAG,
  },
  examples: [
    ['ralph demo', 'watch an agent weaken a test and get caught'],
    ['ralph demo --tasks', 'watch tasks with dependencies'],
  ],
  touches: 'holds workspace',
})

export const SETUP_COMMANDS: readonly Command[] = [
  defineCommand(AGENTS, () => import('../commands/doctor/agents.ts')),
  defineCommand(MCP, () => import('../commands/shell/mcp.ts')),
  CONFIG,
  defineCommand(PRUNE, () => import('../commands/project/prune.ts')),
  defineCommand(UNINSTALL, () => import('../commands/project/uninstall.ts')),
  defineCommand(DOCTOR, () => import('../commands/doctor/doctor.ts')),
  defineCommand(COMPLETION, () => import('../commands/shell/completion.ts')),
  defineCommand(COMPLETE, () => import('../commands/shell/complete.ts')),
  defineCommand(DEMO, () => import('../commands/project/demo.ts')),
]
