/** The agents: which one works, with which tools, and how it is started. */
import { AGENT_ALIASES } from '../../core/calls/known-agents.ts'
import { splitCommand } from '../../core/text/shell.ts'
import { toolEntryProblem } from '../../core/calls/tool-list.ts'
import { ruleSetting, defineSetting, SWITCH_KIND, type Setting } from './setting.ts'

const VERSION = { pattern: /^v?\d+(?:\.\d+)*/, words: 'a version such as "2.1.0"' }

/** Default: the driver's model, else the vendor's default. */
const MODEL = { kind: { is: 'text', or: 'default' }, default: null, argument: true } as const

export const AGENT_SETTINGS = {
  ...ruleSetting('agent.order', {
    flag: { long: 'agent', value: 'NAMES' },
    env: ['RALPH_AGENT'],
    old: ['PLATFORM_DRIVER'],
    json: ['runtime.backend'],
    renamed: AGENT_ALIASES,
    executed: true,
  }),
  'agent.command': defineSetting({
    kind: { is: 'list', or: 'default' },
    default: null,
    help: "The program to start instead of the first agent's own, with leading arguments",
    old: ['CLAUDE_CODE_CMD'],
    split: splitCommand,
    executed: true,
  }),
  ...ruleSetting('agent.model', {
    flag: { long: 'model', value: 'NAME' },
    env: ['RALPH_MODEL'],
    old: ['CLAUDE_MODEL'],
  }),
  ...ruleSetting('model.strategy', {
    flag: {
      long: 'model-strategy',
      value: 'NAME',
      help: 'Which model works: fixed (with --model), cost-optimized, escalate or plan-then-execute',
    },
  }),
  'models.light': defineSetting({
    ...MODEL,
    help: 'The model for what is easy, for agents that have none of their own in `[agents.NAME]`',
  }),
  'models.medium': defineSetting({ ...MODEL, help: 'The same for most work' }),
  'models.strong': defineSetting({ ...MODEL, help: 'The same for what is hard' }),
  ...ruleSetting('agent.effort', { flag: { long: 'effort', value: 'LEVEL' }, old: ['CLAUDE_EFFORT'] }),
  ...ruleSetting('agent.tools', {
    flag: { long: 'allowed-tools', value: 'LIST' },
    old: ['ALLOWED_TOOLS', 'CLAUDE_ALLOWED_TOOLS'],
    missing: toolEntryProblem,
  }),
  'agent.allow': defineSetting({
    kind: { is: 'list' },
    default: [],
    help: 'Tools on top of `agent.tools`, such as `Bash(make *)`',
    flag: { long: 'allow', value: 'LIST' },
    missing: toolEntryProblem,
    argument: true,
  }),
  ...ruleSetting('agent.permission', {
    renamed: { default: 'list' },
    flag: { long: 'permission', value: 'MODE' },
    old: ['CLAUDE_PERMISSION_MODE'],
  }),
  'agent.terminal': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Have Ralph run the commands of agents that speak ACP and leave that to it; most run them themselves',
  }),
  ...ruleSetting('agent.continue', {
    flag: { long: 'continue', negated: true, help: 'Begin a new conversation of the agent in each iteration' },
    old: ['SESSION_CONTINUITY', 'CLAUDE_USE_CONTINUE'],
  }),
  ...ruleSetting('agent.conversation_hours', {
    flag: { long: 'session-expiry', value: 'HOURS', whole: { of: 'hours' } },
    old: ['SESSION_EXPIRY_HOURS', 'CLAUDE_SESSION_EXPIRY_HOURS'],
  }),
  ...ruleSetting('agent.max_turns'),
  'agent.min_version': defineSetting({
    kind: { is: 'text', or: 'default', like: VERSION },
    default: null,
    help: 'Warn when the agent is older than this; `default` is the oldest version the driver is known to work with',
    old: ['CLAUDE_MIN_VERSION'],
  }),
  'agent.update_check': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Look for a newer version of the agent before a run, for at most 5 s; nothing is ever installed. Never in CI',
    old: ['CLAUDE_AUTO_UPDATE'],
  }),
  ...ruleSetting('agent.timeout', {
    flag: {
      long: 'timeout',
      short: 't',
      value: 'MINUTES',
      help: 'The longest one iteration may take, up to 120; in a file up to a week, or 0: no limit',
      whole: { of: 'minutes', max: 120 },
    },
    old: ['CLAUDE_TIMEOUT_MINUTES'],
  }),
  ...ruleSetting('agent.idle'),
  ...ruleSetting('agent.completion_grace'),
  ...ruleSetting('agent.stop_grace'),
  ...ruleSetting('agent.handshake'),
  'agent.mcp': defineSetting({
    kind: { is: 'choice', of: ['auto', 'off'] },
    default: 'auto',
    help: 'Whether agents that take tools of ours are offered `ralph mcp`, to tell by calls what became of their work',
  }),
  'agent.output': defineSetting({
    kind: { is: 'choice', of: ['stream-json', 'json', 'text'] },
    default: 'stream-json',
    help: 'What Claude Code is asked to write; json and text tell nothing before the end, and in text the words count as well',
    flag: { long: 'output-format', value: 'FORMAT' },
    old: ['CLAUDE_OUTPUT_FORMAT'],
    // Every `.ralphrc` that the bash tool wrote contains it, so there it is no choice, and the user keeps live output and budgets during
    // a call; in a flag, a variable or a `.ralph.toml` it is one.
    generated: 'json',
  }),
} satisfies Record<string, Setting>
