/** Commands that set Ralph up on this machine and in this project, and check the setup. */
import { defineCommand, defineCommandRow, type Command, type CommandGroup } from '../framework/command.ts'
import { JSON_FLAG } from './shared-flags.ts'

export const AGENTS = defineCommandRow({
  name: 'agents',
  summary: 'Which agents there are, which are installed, and what each can do',
  flags: { json: JSON_FLAG },
  examples: [['ralph agents', 'the matrix']],
  touches: 'reads',
})

const CONFIG_INPUT = { flags: { json: JSON_FLAG }, settings: 'all' } as const

export const CONFIG_LIST = defineCommandRow({
  ...CONFIG_INPUT,
  name: 'list',
  summary: 'Every setting and where it was said',
})

export const CONFIG_GET = defineCommandRow({
  ...CONFIG_INPUT,
  name: 'get',
  summary: 'One value',
  args: { key: { says: 'KEY', takes: 'one', offers: 'settings' } },
})

export const CONFIG_SCHEMA = defineCommandRow({ ...CONFIG_INPUT, name: 'schema', summary: 'For your editor' })

const USER_FLAG = { help: 'Your own settings for all projects, instead of those of this project' }

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
  summary: 'Settings: what holds, and where it was said',
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
    ['ralph config', 'every setting with its origin'],
    ['ralph config get budget.usd', 'one of them'],
    ['ralph config set budget.usd 10', 'change it in .ralph.toml'],
    ['ralph config set --user agent.order codex,claude', 'for all your projects'],
    ['ralph config unset budget.usd', 'back to the default'],
    ['ralph config edit', 'open .ralph.toml in your editor'],
    ['ralph config schema > ralph.schema.json', 'for your editor'],
  ],
  touches: 'writes store',
}

export const PRUNE = defineCommandRow({
  name: 'prune',
  summary: 'Forget runs and logs beyond what the settings keep',
  flags: { 'dry-run': { help: 'Only say what would go' }, json: JSON_FLAG },
  outside: true,
  about: 'The end of every run does the same. An unfinished run is never pruned. Settings: keep.runs, keep.logs_gb.',
  examples: [['ralph prune --dry-run', 'what would go']],
  touches: 'writes store',
})

export const UNINSTALL = defineCommandRow({
  name: 'uninstall',
  summary: 'Remove everything Ralph keeps outside your files: runs, tasks, snapshots, clean rooms',
  flags: {
    all: { help: 'For all repositories that Ralph remembers, with its state folder' },
    'dry-run': { help: 'Only list what would be removed' },
    yes: { short: 'y', help: "Don't ask" },
    json: JSON_FLAG,
  },
  outside: true,
  about: `Lists everything and asks first. Commits, branches and the files of your working tree stay, .ralph/ and .ralph.toml too.
Without snapshots \`ralph undo\` can no longer revert a run. To remove the program itself: npm uninstall -g ralph-run`,
  examples: [
    ['ralph uninstall --dry-run', 'list what Ralph keeps for this repository'],
    ['ralph uninstall', 'remove it'],
    ['ralph uninstall --all', 'for all repositories'],
  ],
  touches: 'writes store',
})

export const DOCTOR = defineCommandRow({
  name: 'doctor',
  summary: 'Is everything there that a run needs? What is missing comes with its remedy',
  flags: {
    env: { help: 'List the environment variables that agents and gates do not get, and why; never a value' },
    json: JSON_FLAG,
  },
  examples: [
    ['ralph doctor', 'check this machine and this project'],
    ['ralph doctor --env', 'what of your environment is withheld, and the line that hands it on'],
  ],
  touches: 'reads',
})

export const COMPLETION = defineCommandRow({
  name: 'completion',
  summary: 'Completion for your shell',
  args: { shell: { says: 'SHELL', takes: 'one', of: { bash: 'GNU Bash', zsh: 'Z shell', fish: 'fish' } } },
  examples: [
    ['ralph completion bash >> ~/.bashrc', 'bash'],
    ['ralph completion zsh > ~/.zsh/_ralph', 'zsh'],
    ['ralph completion fish > ~/.config/fish/completions/ralph.fish', 'fish'],
  ],
  touches: 'reads',
})

export const COMPLETE = defineCommandRow({
  name: 'complete',
  summary: 'What the completion scripts ask: the words of a command line, each with a + in front',
  args: { words: { says: '+WORD', takes: 'some' } },
  examples: [['ralph complete +ralph +loop +--ag', 'what can follow']],
  touches: 'reads',
  hidden: true,
})

export const MCP = defineCommandRow({
  name: 'mcp',
  summary: 'The tools by which an agent tells Ralph things; its program starts this by itself',
  about: `Speaks the Model Context Protocol over stdin and stdout. Ralph names it to the agents that take such servers (see \`ralph agents\`); what they
tell goes into the folder of the iteration. Started by anybody else it answers what tools there are, and notes nothing.`,
  examples: [['ralph agents', 'who takes it']],
  touches: 'reads',
  hidden: true,
})

export const DEMO = defineCommandRow({
  name: 'demo',
  summary: 'A real loop in a temporary repository with a scripted agent: no key, no network',
  flags: {
    tasks: { help: 'A graph of six tasks instead: one is tried again, one fails, one stays blocked' },
    resume: { help: 'Go on with the demo that was cut off' },
    json: JSON_FLAG,
  },
  examples: [
    ['ralph demo', 'watch a lie being caught'],
    ['ralph demo --tasks', 'watch tasks being done, retried and given up'],
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
