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
    help: "Program (and first arguments) to start instead of the first agent's own",
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
      help: 'How to pick the model: fixed (with --model), cost-optimized, escalate or plan-then-execute',
    },
  }),
  'models.light': defineSetting({
    ...MODEL,
    help: 'Model for easy work, unless `[agents.NAME]` sets its own',
  }),
  'models.medium': defineSetting({ ...MODEL, help: 'Model for most work, unless `[agents.NAME]` sets its own' }),
  'models.strong': defineSetting({ ...MODEL, help: 'Model for hard work, unless `[agents.NAME]` sets its own' }),
  ...ruleSetting('agent.effort', { flag: { long: 'effort', value: 'LEVEL' }, old: ['CLAUDE_EFFORT'] }),
  ...ruleSetting('agent.tools', {
    flag: { long: 'allowed-tools', value: 'LIST' },
    old: ['ALLOWED_TOOLS', 'CLAUDE_ALLOWED_TOOLS'],
    missing: toolEntryProblem,
  }),
  'agent.allow': defineSetting({
    kind: { is: 'list' },
    default: [],
    help: 'Tools to allow in addition to `agent.tools`, such as `Bash(make *)`',
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
    help: 'Let ACP agents run their commands through Ralph; most agents run them themselves',
  }),
  ...ruleSetting('agent.continue', {
    flag: { long: 'continue', negated: true, help: 'Start a new agent session in each iteration' },
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
    help: 'Warn if the agent is older than this; default: the oldest version known to work',
    old: ['CLAUDE_MIN_VERSION'],
  }),
  'agent.update_check': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Check for a newer agent version before a run (at most 5 s, never in CI); never installs it',
    old: ['CLAUDE_AUTO_UPDATE'],
  }),
  ...ruleSetting('agent.timeout', {
    flag: {
      long: 'timeout',
      short: 't',
      value: 'MINUTES',
      help: 'Time limit per iteration, 1 to 120 minutes (in a settings file: up to a week, or 0 for no limit)',
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
    help: 'Offer agents the tools of `ralph mcp`, so that they can report results by tool calls',
  }),
  'agent.output': defineSetting({
    kind: { is: 'choice', of: ['stream-json', 'json', 'text'] },
    default: 'stream-json',
    help: 'Output format of Claude Code; json and text show nothing until the end, and text is parsed by heuristics',
    flag: { long: 'output-format', value: 'FORMAT' },
    old: ['CLAUDE_OUTPUT_FORMAT'],
    // Every `.ralphrc` that the bash tool wrote contains it, so there it is no choice, and the user keeps live output and budgets during
    // a call; in a flag, a variable or a `.ralph.toml` it is one.
    generated: 'json',
  }),
} satisfies Record<string, Setting>
