/**
 * THE table of settings: name, kind, default, flag, environment, old names and help of everything a user can choose.
 * Types, the settings page, the JSON schema, the flags and the readers of all files come from here and nowhere else.
 */
import { splitCommand } from '../compat/bash/shell-words.ts'
import { CHANGEABLE } from '../domain/run/change-rules.ts'
import { NOTICE_KINDS, WEBHOOK_FORMATS } from '../domain/tell/notice.ts'
import { HOUR, MINUTE, SECOND, type Kind, type Value, type ValueOf } from '../domain/text/kind.ts'
import { missingIn } from '../domain/call/tool-list.ts'

export interface Setting {
  kind: Kind
  default: Value
  /** One line for help, docs and editors. */
  help: string
  flag?: Flag
  /** Names in `.ralphrc` and in the environment that the old tools used; the first that is set wins. */
  old?: readonly string[]
  /** Short or old names that exist only in the environment. */
  env?: readonly string[]
  /** Paths in `.ralph/config.json` of the old orchestrator. */
  json?: readonly string[]
  /** What the bash tool wrote into every `.ralphrc` by its old name, where that is nobody's choice. */
  generated?: string
  /** Old values that have another name here. */
  renamed?: Readonly<Record<string, string>>
  /** How text becomes a list; without it: at commas. Null: the text cannot be split. */
  split?: (text: string) => string[] | null
  /** What is missing in a word of a list, as the end of a sentence; null: nothing. */
  missing?: (word: string) => string | null
  /** It can name a program: where a file of the project says it, the person is asked first (`executed.ts`). */
  executed?: boolean
  /** It becomes a word of the agent's command line, where one that begins with a dash would be another flag. */
  argument?: true
}

export interface Flag {
  long: string
  short?: string
  /** The value's placeholder; absent: a switch. */
  value?: string
  /** The flag is `--no-<long>` and switches off. */
  negated?: true
  /** What the flag does, where that is not what the setting says. */
  help?: string
  /** The flag takes whole numbers of its unit only, as it did in the bash tool; other places may say more. */
  whole?: { of: string; max?: number }
}

/** Ties the default to the kind, and tells the compiler which settings are executed. */
function setting<const K extends Kind, const E extends boolean = false>(
  entry: Omit<Setting, 'kind' | 'default' | 'executed'> & {
    kind: K
    default: NoInfer<ValueOf<K>>
    executed?: E
  },
): Setting & { kind: K; executed: E } {
  return { ...entry, default: entry.default as Value, executed: (entry.executed ?? false) as E }
}

const COUNT = { is: 'integer', min: 0 } as const
const THRESHOLD = { is: 'integer', min: 1 } as const
const SWITCH = { is: 'boolean' } as const
const VERSION = { pattern: /^v?\d+(?:\.\d+)*/, words: 'a version such as "2.1.0"' }
const VARIABLE = { pattern: /^[A-Za-z_]\w*$/, words: 'the name of an environment variable' }
const VARIABLES = {
  pattern: /^(?:[A-Za-z_]\w*\*?|\*)$/,
  words: 'names of environment variables, which may end in "*"',
}

export const SETTINGS = {
  'agent.order': setting({
    kind: { is: 'list' },
    default: ['claude'],
    help: 'The agent to use; further ones take over in this order when it hits a limit. `acp:COMMAND` for any ACP agent',
    flag: { long: 'agent', value: 'NAMES' },
    env: ['RALPH_AGENT'],
    old: ['PLATFORM_DRIVER'],
    json: ['runtime.backend'],
    renamed: { 'claude-code': 'claude', 'cursor-agent': 'cursor' },
    executed: true,
  }),
  'agent.command': setting({
    kind: { is: 'list', or: 'default' },
    default: null,
    help: "The program to start instead of the first agent's own, with leading arguments",
    old: ['CLAUDE_CODE_CMD'],
    split: splitCommand,
    executed: true,
  }),
  'agent.model': setting({
    kind: { is: 'text', or: 'default' },
    default: null,
    help: "The model, in the agent's own words",
    flag: { long: 'model', value: 'NAME' },
    env: ['RALPH_MODEL'],
    old: ['CLAUDE_MODEL'],
    argument: true,
  }),
  'agent.effort': setting({
    kind: { is: 'text', or: 'default' },
    default: null,
    help: "How hard the model thinks, in the agent's own words",
    flag: { long: 'effort', value: 'LEVEL' },
    old: ['CLAUDE_EFFORT'],
    argument: true,
  }),
  'agent.tools': setting({
    kind: { is: 'list', or: 'default' },
    default: null,
    help: 'Tools to use without asking, where `!` takes one away; default: a safe list for the project (see the guide on agents)',
    flag: { long: 'allowed-tools', value: 'LIST' },
    old: ['ALLOWED_TOOLS', 'CLAUDE_ALLOWED_TOOLS'],
    missing: missingIn,
    argument: true,
  }),
  'agent.allow': setting({
    kind: { is: 'list' },
    default: [],
    help: 'Tools on top of `agent.tools`, such as `Bash(make *)`',
    flag: { long: 'allow', value: 'LIST' },
    missing: missingIn,
    argument: true,
  }),
  'agent.permission': setting({
    kind: { is: 'text' },
    default: 'list',
    help: "How far it may go: list (its tools), edits (files too), bypass (everything unasked), or a mode of the vendor's own",
    renamed: { default: 'list' },
    flag: { long: 'permission', value: 'MODE' },
    old: ['CLAUDE_PERMISSION_MODE'],
  }),
  'agent.continue': setting({
    kind: SWITCH,
    default: true,
    help: "Go on with the agent's conversation from iteration to iteration",
    flag: {
      long: 'continue',
      negated: true,
      help: 'Begin a new conversation of the agent in each iteration',
    },
    old: ['SESSION_CONTINUITY', 'CLAUDE_USE_CONTINUE'],
  }),
  'agent.conversation_hours': setting({
    kind: { is: 'duration', unit: 'h', min: 1, max: 10_000 * HOUR },
    default: 24 * HOUR,
    help: 'A conversation that was not used for this long is not resumed',
    flag: { long: 'session-expiry', value: 'HOURS', whole: { of: 'hours' } },
    old: ['SESSION_EXPIRY_HOURS', 'CLAUDE_SESSION_EXPIRY_HOURS'],
  }),
  'agent.max_turns': setting({
    kind: { ...THRESHOLD, or: 'none' },
    default: null,
    help: 'Turns the agent may take in one iteration, where it can count them',
  }),
  'agent.min_version': setting({
    kind: { is: 'text', or: 'default', like: VERSION },
    default: null,
    help: 'Warn when the agent is older than this; `default` is the oldest version the driver is known to work with',
    old: ['CLAUDE_MIN_VERSION'],
  }),
  'agent.update_check': setting({
    kind: SWITCH,
    default: false,
    help: 'Look for a newer version of the agent before a run, for at most 5 s; nothing is ever installed. Never in CI',
    old: ['CLAUDE_AUTO_UPDATE'],
  }),
  'agent.timeout': setting({
    kind: { is: 'duration', unit: 'm', min: 0, max: 168 * HOUR },
    default: 15 * MINUTE,
    help: 'The longest one iteration may take; 0: no limit',
    flag: {
      long: 'timeout',
      short: 't',
      value: 'MINUTES',
      help: 'The longest one iteration may take, up to 120; in a file up to a week, or 0: no limit',
      whole: { of: 'minutes', max: 120 },
    },
    old: ['CLAUDE_TIMEOUT_MINUTES'],
  }),
  'agent.idle': setting({
    kind: { is: 'duration', unit: 'm', min: 0 },
    default: 10 * MINUTE,
    help: 'An agent that says nothing at all for this long is ended; 0: never',
  }),
  'agent.completion_grace': setting({
    kind: { is: 'duration', unit: 's', min: 0 },
    default: 60 * SECOND,
    help: 'How long an agent may linger after it said that it is done; 0: for ever',
  }),
  'agent.stop_grace': setting({
    kind: { is: 'duration', unit: 's', min: 0 },
    default: 3 * SECOND,
    help: 'Time between asking an agent to stop and killing it',
  }),
  'agent.handshake': setting({
    kind: { is: 'duration', unit: 's', min: 0 },
    default: 60 * SECOND,
    help: 'How long an agent that speaks ACP may take to open its session; 0: no limit of its own',
  }),
  'agent.output': setting({
    kind: { is: 'choice', of: ['stream-json', 'json', 'text'] },
    default: 'stream-json',
    help: 'What Claude Code is asked to write; json and text tell nothing before the end, and in text the words count as well',
    flag: { long: 'output-format', value: 'FORMAT' },
    old: ['CLAUDE_OUTPUT_FORMAT'],
    // It stands in every `.ralphrc` that the bash tool wrote. Whoever never chose it keeps live words and budgets in flight; a flag,
    // a variable and a `.ralph.toml` do choose it.
    generated: 'json',
  }),

  'loop.prompt': setting({
    kind: { is: 'text' },
    default: '.ralph/PROMPT.md',
    help: 'The prompt file, sent in every iteration; relative to the project',
    flag: { long: 'prompt', short: 'p', value: 'FILE' },
    old: ['PROMPT_FILE'],
  }),
  'loop.plan': setting({
    kind: { is: 'text', or: 'none' },
    default: '.ralph/fix_plan.md',
    help: 'The plan whose boxes are counted; relative to the project',
    old: ['FIX_PLAN_FILE'],
  }),
  'loop.max_iterations': setting({
    kind: { ...COUNT, or: 'auto' },
    default: null,
    help: 'Iterations after which a run ends; 0: no limit; auto: 20 where there is a .ralph.toml, none in a project of the bash tool',
    flag: { long: 'max-iterations', value: 'N' },
    env: ['RALPH_LIMIT'],
    json: ['workers.max_iterations'],
  }),
  'loop.pause': setting({
    kind: { is: 'duration', unit: 's', min: 0 },
    default: 0,
    help: 'Rest between two iterations',
    json: ['workers.sleep_seconds'],
  }),
  'loop.commit': setting({
    kind: { is: 'choice', of: ['agent', 'iteration'] },
    default: 'agent',
    help: 'Who commits: the agent alone, or Ralph after each iteration that changed something',
  }),
  'commits.require': setting({
    kind: SWITCH,
    default: false,
    help: 'Where the agent commits: a completion is refused while files are in no commit',
  }),
  'loop.optional_sections': setting({
    kind: { is: 'list' },
    default: ['Optional', 'Future', 'Future Enhancements', 'Nice to Have'],
    help: 'Headings of the plan whose open boxes do not keep a run from being complete',
    old: ['OPTIONAL_SECTIONS'],
  }),
  'loop.backup': setting({
    kind: SWITCH,
    default: false,
    help: 'Keep a git branch from before each iteration, besides the snapshot that is always kept',
    flag: { long: 'backup', short: 'b' },
    old: ['ENABLE_BACKUP'],
  }),
  'loop.dry_run': setting({
    kind: SWITCH,
    default: false,
    help: 'Show what would be done and start no agent',
    flag: { long: 'dry-run' },
    old: ['DRY_RUN'],
  }),

  'quota.calls_per_hour': setting({
    kind: COUNT,
    default: 100,
    help: 'Iterations that may be started per clock hour; 0: no limit',
    flag: { long: 'calls', short: 'c', value: 'N' },
    old: ['MAX_CALLS_PER_HOUR'],
  }),
  'quota.tokens_per_hour': setting({
    kind: COUNT,
    default: 0,
    help: 'Tokens (input and output) that may be used per clock hour; 0: no limit',
    old: ['MAX_TOKENS_PER_HOUR'],
  }),

  'budget.usd': setting({
    kind: { is: 'number', min: 0.01, or: 'none' },
    default: null,
    help: 'Money a run may spend, in US dollars; estimated from tokens where the agent does not tell it',
    flag: { long: 'budget-usd', value: 'USD' },
  }),
  'budget.tokens': setting({
    kind: { ...THRESHOLD, or: 'none' },
    default: null,
    help: 'Tokens a run may use: fresh input, stored in a cache or not, and output',
    flag: { long: 'budget-tokens', value: 'N' },
  }),
  'budget.minutes': setting({
    kind: { is: 'duration', unit: 'm', min: 1, or: 'none' },
    default: null,
    help: 'Time a run may take',
    flag: { long: 'minutes', value: 'MINUTES' },
  }),
  'budget.reserve': setting({
    kind: { is: 'number', min: 0 },
    default: 1,
    help: 'US dollars set aside for an iteration while nothing is known about what one costs',
  }),

  'breaker.no_progress': setting({
    kind: THRESHOLD,
    default: 3,
    help: 'Iterations in a row without progress that open the breaker',
    old: ['CB_NO_PROGRESS_THRESHOLD'],
  }),
  'breaker.same_error': setting({
    kind: THRESHOLD,
    default: 5,
    help: 'Iterations in a row with the same error that open the breaker',
    old: ['CB_SAME_ERROR_THRESHOLD'],
  }),
  'breaker.denials': setting({
    kind: THRESHOLD,
    default: 2,
    help: 'Iterations in a row with a denied tool that open the breaker',
    old: ['CB_PERMISSION_DENIAL_THRESHOLD'],
  }),
  'breaker.output_decline': setting({
    kind: { is: 'integer', min: 0, max: 100 },
    default: 70,
    help: 'Percent by which the agent must say less than before to count as declining; 0: never',
    old: ['CB_OUTPUT_DECLINE_THRESHOLD'],
  }),
  'breaker.half_open': setting({
    kind: THRESHOLD,
    default: 2,
    help: 'Iterations in a row without progress after which the breaker warns the agent',
  }),
  'breaker.cooldown': setting({
    kind: { is: 'duration', unit: 'm', min: 0 },
    default: 30 * MINUTE,
    help: 'How long an open breaker stays open before one more try',
    old: ['CB_COOLDOWN_MINUTES'],
  }),
  'breaker.auto_reset': setting({
    kind: SWITCH,
    default: false,
    help: 'Close an open breaker at the start of a run without waiting',
    flag: { long: 'auto-reset-circuit' },
    old: ['CB_AUTO_RESET'],
  }),
  'breaker.wait': setting({
    kind: SWITCH,
    default: false,
    help: 'Wait for an open breaker to cool down inside the run instead of ending it',
  }),

  'exit.test_only': setting({
    kind: THRESHOLD,
    default: 3,
    help: 'Iterations that only ran tests which end a run',
  }),
  'exit.done_signals': setting({
    kind: THRESHOLD,
    default: 2,
    help: 'Replies that claim completion without an explicit exit signal which end a run',
  }),
  'exit.safety': setting({
    kind: THRESHOLD,
    default: 5,
    help: 'Exit signals that end a run in any case, as incomplete',
  }),
  'exit.confirm': setting({
    kind: { ...THRESHOLD, or: 'auto' },
    default: null,
    help: 'Explicit exit signals needed to end a run; auto: 1 where gates prove it, else 2',
  }),
  'exit.plan': setting({
    kind: { is: 'choice', of: ['require', 'ignore'] },
    default: 'require',
    help: 'Whether open boxes in the plan refuse a completion',
  }),
  'exit.denial': setting({
    kind: { is: 'choice', of: ['halt', 'threshold', 'continue'], or: 'auto' },
    default: null,
    help: 'What a denied tool does: halt, threshold (told, counted), continue (told); auto: halt in bash projects, else threshold',
    old: ['PERMISSION_DENIAL_MODE'],
  }),

  'retry.first': setting({
    kind: { is: 'duration', unit: 's', min: 0 },
    default: 5 * SECOND,
    help: 'Wait after the first failure of the agent; doubles with each further one',
    json: ['claude.initial_backoff_seconds'],
  }),
  'retry.max': setting({
    kind: { is: 'duration', unit: 's', min: 0 },
    default: 5 * MINUTE,
    help: 'The longest wait between two tries',
    json: ['claude.max_backoff_seconds'],
  }),
  'retry.limit_wait': setting({
    kind: { is: 'duration', unit: 'm', min: 0 },
    default: 60 * MINUTE,
    help: 'Wait after a usage limit that names no time of reset',
  }),
  'retry.outage': setting({
    kind: { is: 'duration', unit: 'm', min: 0 },
    default: 2 * HOUR,
    help: 'How long an outage of all agents is waited out (0: not at all) before the run is left unfinished, exit code 4',
  }),

  'proof.required': setting({
    kind: SWITCH,
    default: false,
    help: 'Work that no gate proves does not count as done (exit code 5)',
  }),
  'proof.refusals': setting({
    kind: THRESHOLD,
    default: 3,
    help: 'Refused completions in a row that end a run',
  }),
  'proof.baseline': setting({
    kind: { is: 'choice', of: ['start', 'off'] },
    default: 'start',
    help: 'Run the gates once before the first iteration, so that nobody is blamed for what was red already',
  }),
  'proof.reruns': setting({
    kind: COUNT,
    default: 1,
    help: 'How often a failed gate is run again; a pass after a failure needs a second one in a row',
  }),
  'proof.level': setting({
    kind: { is: 'choice', of: ['full', 'quick'] },
    default: 'full',
    help: 'full: a completion is judged by trial in a clean room; quick: the gates in the working tree, which prove nothing',
  }),
  'proof.work': setting({
    kind: { is: 'list' },
    default: [],
    help: 'Globs of the source folders: code in them is work, the rest judges it. Empty: found in the project',
  }),
  'proof.protect': setting({
    kind: { is: 'list' },
    default: [],
    help: 'More globs of files that judge the work, besides the usual places of tests and their configuration',
  }),
  'proof.allow_tests': setting({
    kind: { is: 'list' },
    default: [],
    help: 'Globs of tests that may be changed, moved, deleted or added even where the work passes only with that',
  }),
  'proof.allow_judge': setting({
    kind: { is: 'list' },
    default: [],
    help: 'The same for whatever judges the work: globs of configuration, scripts, test data, tools',
  }),
  'proof.trials': setting({
    kind: COUNT,
    default: 12,
    help: 'Runs of the gates that the search for the changes a completion needs may take; 0: none, all are named',
  }),
  'proof.quarantine': setting({
    kind: { is: 'list' },
    default: [],
    help: 'Names (globs) of tests known to be flaky: a gate that fails only by them counts as passed',
  }),
  'proof.setup': setting({
    kind: { is: 'text', or: 'auto' },
    default: null,
    help: 'The command that brings the tools into the clean room (`npm ci`); auto: found by the lock files, none: no set-up',
    executed: true,
  }),
  'proof.opinion': setting({
    kind: { is: 'text', or: 'none' },
    default: null,
    help: 'An agent that must agree that the work is done; it reads only, and can veto but never overrule a red gate',
    executed: true,
  }),

  'workspace.copy': setting({
    kind: { is: 'list' },
    default: [],
    help: 'Files and folders that git ignores and the gates need, such as `.env`: the clean room gets them as the run found them',
  }),

  'run.on_hangup': setting({
    kind: { is: 'choice', of: ['continue', 'stop'] },
    default: 'continue',
    help: 'What a run does when its terminal is closed',
  }),
  'env.mode': setting({
    kind: { is: 'choice', of: ['filtered', 'listed'] },
    default: 'filtered',
    help: 'What agents and gates get of your environment: all but secrets and what injects code, or only a short list of names',
  }),
  'env.pass': setting({
    kind: { is: 'list', like: VARIABLES },
    default: [],
    help: 'Environment variables handed on in any case; a name may end in `*`. `ralph doctor --env` lists what is withheld',
  }),

  'logs.raw': setting({
    kind: SWITCH,
    default: false,
    help: 'Keep what agents and gates print as received; otherwise keys and tokens in it are masked at the same length',
  }),

  'keep.runs': setting({
    kind: THRESHOLD,
    default: 50,
    help: 'Finished runs whose record is kept',
  }),
  'keep.logs_gb': setting({
    kind: { is: 'number', min: 0 },
    default: 2,
    help: 'Gigabytes of logs that are kept',
  }),
  'keep.snapshots': setting({
    kind: THRESHOLD,
    default: 20,
    help: 'Snapshots kept per run',
  }),

  'ui.live': setting({
    kind: SWITCH,
    default: false,
    help: "Show the agent's words as they come",
    flag: { long: 'live', short: 'l' },
  }),
  'ui.monitor': setting({
    kind: { is: 'choice', of: ['dashboard', 'tmux'] },
    default: 'dashboard',
    help: 'What --monitor opens: the dashboard, or a tmux session of three panes',
  }),
  'ui.tool_args': setting({
    kind: SWITCH,
    default: false,
    help: 'Show what tools are called with in the live output',
    flag: { long: 'show-tool-args' },
    old: ['LIVE_SHOW_TOOL_ARGS'],
  }),
  'ui.verbose': setting({
    kind: SWITCH,
    default: false,
    help: 'Say more about what is done and why',
    flag: { long: 'verbose', short: 'v' },
    old: ['RALPH_VERBOSE', 'VERBOSE_PROGRESS'],
  }),
  'ui.notify': setting({
    kind: SWITCH,
    default: false,
    help: 'Tell when a run ends or waits: on the desktop, or by the bell where there is none',
    flag: { long: 'notify', short: 'n' },
    old: ['ENABLE_NOTIFICATIONS'],
  }),
  'ui.projections': setting({
    kind: { ...SWITCH, or: 'auto' },
    default: null,
    help: "Keep the bash tool's state files in .ralph current for its monitors; auto: where its files are, or no .ralph.toml",
  }),

  'notify.desktop': setting({
    kind: SWITCH,
    default: false,
    help: 'Tell on the desktop what `notify.on` names; `ui.notify` is the same with the bell where there is no desktop',
  }),
  'notify.bell': setting({
    kind: SWITCH,
    default: false,
    help: "Ring the terminal's bell for what `notify.on` names",
  }),
  'notify.webhook': setting({
    kind: SWITCH,
    default: true,
    help: 'Post what `notify.on` names to a webhook, where the environment holds its address',
  }),
  'notify.webhook_env': setting({
    kind: { is: 'text', like: VARIABLE },
    default: 'RALPH_WEBHOOK_URL',
    help: "The environment variable that holds the webhook's address, which is a secret and stands in no file",
  }),
  'notify.format': setting({
    kind: { is: 'choice', of: WEBHOOK_FORMATS },
    default: 'json',
    help: 'How the webhook wants to be told',
  }),
  'notify.on': setting({
    kind: { is: 'list', of: NOTICE_KINDS },
    default: ['ended', 'waiting', 'paused', 'breaker'],
    help: `What is told: any of ${NOTICE_KINDS.join(', ')}`,
  }),
} satisfies Record<string, Setting>

export type SettingKey = keyof typeof SETTINGS

/** Every setting's value, typed; durations are milliseconds. */
export type Values = { [K in SettingKey]: ValueOf<(typeof SETTINGS)[K]['kind']> }

/** The settings that can name a program. */
export type ExecutedKey = {
  [K in SettingKey]: (typeof SETTINGS)[K] extends { executed: true } ? K : never
}[SettingKey]

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[]

export function settingOf(key: SettingKey): Setting {
  return SETTINGS[key]
}

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key)
}

/** The first part of a key: `quota`. */
export function groupOf(key: SettingKey): string {
  return key.slice(0, key.indexOf('.'))
}

export function isGroup(word: string): boolean {
  return SETTING_KEYS.some((key) => groupOf(key) === word)
}

/** The environment variable every setting has: `quota.calls_per_hour` is `RALPH_QUOTA_CALLS_PER_HOUR`. */
export function environmentName(key: string): string {
  return `RALPH_${key.replace('.', '_').toUpperCase()}`
}

/** Whether `ralph set` may change it while a run goes on. */
export function isChangeable(key: SettingKey): boolean {
  return Object.hasOwn(CHANGEABLE, key)
}

/** A flag as the help shows it and a command-line parser takes it: `-c, --calls <N>`. */
export function flagWords(flag: Flag): string {
  const short = flag.short === undefined ? '' : `-${flag.short}, `
  const long = flag.negated === true ? `--no-${flag.long}` : `--${flag.long}`
  return `${short}${long}${flag.value === undefined ? '' : ` <${flag.value}>`}`
}

/** All flags that are settings, in the order of the table. */
export function settingFlags(): { key: SettingKey; flag: Flag; words: string; help: string }[] {
  return SETTING_KEYS.flatMap((key) => {
    const { flag, help } = settingOf(key)
    return flag === undefined ? [] : [{ key, flag, words: flagWords(flag), help: flag.help ?? help }]
  })
}
