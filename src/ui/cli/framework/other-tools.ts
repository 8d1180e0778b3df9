/**
 * Words that people type because another tool has them, or because Ralph could have been named so, and what to type instead. A typo is
 * found by its spelling (`core/text/suggest.ts`); these are found by their meaning.
 */
import { quoteShellWord } from '../../../core/text/shell.ts'

/** Verbs that mean the same; a command usually has one of each row. */
const SAME_VERBS: readonly (readonly string[])[] = [
  ['delete', 'rm', 'remove', 'del', 'drop', 'destroy'],
  ['list', 'ls', 'all'],
  ['show', 'view', 'cat', 'info', 'open', 'describe', 'read'],
  ['add', 'create', 'new', 'insert', 'write', 'draft'],
  ['update', 'edit', 'change', 'modify', 'rename', 'set'],
  ['done', 'finish', 'complete', 'close', 'resolve'],
  ['fail', 'cancel', 'abort'],
  ['reset', 'retry', 'redo', 'rerun', 'restart', 'clear', 'close'],
  ['accept', 'approve', 'confirm'],
  ['search', 'find', 'grep', 'query'],
  ['status', 'show', 'state', 'info'],
  ['history', 'log', 'list'],
]

/** The verb of `verbs` that means the same as `word`; null: none does. */
export function sameVerb(word: string, verbs: readonly string[]): string | null {
  const same = SAME_VERBS.filter((row) => row.includes(word)).flat()
  return same.find((verb) => verbs.includes(verb)) ?? null
}

const LOG_IN = "Log in with the agent's own program (claude auth login, codex login, …), then check: ralph doctor"
const UPGRADE = 'To upgrade: npm install -g ralph-run@latest'
const VERIFY = 'Did you mean: ralph verify (run the gates and the proof)?'
const STEER = 'To guide a running agent: ralph steer "TEXT". To give it work: ralph task add "TEXT"'
const NO_GIT = 'Ralph has no git commands: use git itself. What a run changed: ralph show'

/** What to type instead of a command that does not exist. */
const COMMAND_HINTS: Readonly<Record<string, readonly string[]>> = {
  'Did you mean: ralph loop (work on PROMPT.md) or ralph run (work through tasks)?': [
    'start',
    'begin',
    'go',
    'exec',
    'execute',
    'work',
    'up',
    'launch',
    'do',
    'auto',
  ],
  'Did you mean: ralph resume?': ['continue', 'unpause', 'restart'],
  'Did you mean: ralph stop?': ['kill', 'quit', 'exit', 'abort', 'cancel', 'end', 'down'],
  'Did you mean: ralph init?': ['setup', 'enable', 'install', 'new', 'bootstrap', 'onboard'],
  'Did you mean: ralph task add "TEXT" or ralph feature create NAME "TEXT"?': ['add', 'create'],
  'Did you mean: ralph task?': ['todo', 'todos', 'list', 'ls', 'issue', 'issues', 'ticket', 'backlog', 'next', 'deps'],
  'Did you mean: ralph feature?': ['spec', 'specs', 'prd', 'epic', 'story'],
  'Did you mean: ralph feature create NAME "TEXT" (draft a plan) or ralph inspect plan (show it)?': ['plan', 'draft'],
  'Did you mean: ralph runs?': ['history', 'sessions'],
  'Did you mean: ralph stats?': ['cost', 'costs', 'usage', 'spend', 'tokens', 'budget', 'quota'],
  'Did you mean: ralph show?': ['diff', 'view', 'info', 'details', 'changes'],
  'Did you mean: ralph status?': ['ps', 'state', 'health', 'progress', 'ping'],
  'Did you mean: ralph watch?': ['monitor', 'dashboard', 'ui', 'tui', 'top', 'attach', 'follow', 'web', 'serve'],
  'Did you mean: ralph logs?': ['tail', 'output', 'events', 'trace'],
  'Did you mean: ralph undo?': ['revert', 'restore', 'discard', 'rewind'],
  'Did you mean: ralph undo, ralph circuit reset or ralph task reset TASK?': ['reset', 'clear', 'retry', 'redo'],
  'Did you mean: ralph accept?': ['approve', 'confirm', 'allow', 'merge'],
  'Did you mean: ralph answer?': ['reply', 'questions'],
  'Did you mean: ralph config?': ['settings', 'setting', 'options', 'preferences', 'env', 'get'],
  'Did you mean: ralph doctor?': ['diagnose', 'whoami'],
  'Did you mean: ralph prune?': ['clean', 'cleanup', 'gc', 'purge'],
  'Did you mean: ralph knowledge or ralph journal?': ['memory', 'note', 'notes', 'learn', 'remember', 'rules', 'docs'],
  'Did you mean: ralph circuit?': ['breaker', 'circuit-breaker'],
  'Did you mean: ralph agents?': ['models', 'model', 'providers', 'claude', 'codex', 'gemini', 'opencode', 'copilot'],
  'Did you mean: ralph help prompts (guide) or ralph inspect prompt TASK?': ['prompt', 'prompts'],
  'To change permissions: ralph loop --permission MODE. Guide: ralph help agents': [
    'permissions',
    'permission',
    'yolo',
  ],
  'Did you mean: ralph help?': ['man', 'guide', 'guides'],
  [LOG_IN]: ['login', 'logout', 'auth', 'signin', 'sign-in', 'token', 'key', 'apikey'],
  [UPGRADE]: ['upgrade', 'update', 'self-update'],
  [VERIFY]: ['test', 'tests', 'check', 'gate', 'gates', 'proof', 'prove', 'lint', 'review', 'validate'],
  [STEER]: ['ask', 'chat', 'tell', 'say', 'message', 'instruct', 'hint', '/clear', '/compact'],
  [NO_GIT]: ['commit', 'push', 'pull', 'branch', 'checkout', 'git', 'pr', 'clone', 'deploy'],
}

export function commandHint(word: string): string | null {
  const typed = word.replace(/^\//, '').toLowerCase()
  return Object.entries(COMMAND_HINTS).find(([, words]) => words.includes(typed))?.[0] ?? null
}

/** Somebody typed what they want, as one does with an agent's own program. */
export function goalHint(goal: string): string {
  const text = quoteShellWord(goal)
  return `As this project's goal: ralph init --task ${text}, then ralph loop. As a task: ralph task add ${text}, then ralph run`
}

/** What to type instead of a flag that a command does not have. `flag`: only for commands that have that flag of ours. */
const FLAG_HINTS: readonly { flag?: string; hint: string; words: readonly string[] }[] = [
  {
    flag: 'permission',
    hint: 'Use --permission bypass (the agent may do everything, without asking)',
    words: [
      'dangerously-skip-permissions',
      'allow-dangerously-skip-permissions',
      'dangerously-bypass-approvals-and-sandbox',
      'yolo',
      'allow-all-tools',
      'allow-all',
      'skip-permissions',
      'no-permissions',
      'trust-all-tools',
      'approve-mcps',
    ],
  },
  { flag: 'permission', hint: 'Use --permission edits', words: ['full-auto', 'auto-edit', 'accept-edits'] },
  {
    flag: 'permission',
    hint: 'Use --permission MODE: list, edits, bypass or ask',
    words: ['permission-mode', 'permissions', 'approval-mode', 'ask-for-approval', 'approval-policy', 'mode'],
  },
  { flag: 'allowed-tools', hint: 'Use --allowed-tools LIST', words: ['allowedTools', 'tools', 'allow-tool'] },
  {
    flag: 'allowed-tools',
    hint: "Use --allowed-tools '!TOOL' to remove a tool",
    words: ['disallowedTools', 'disallowed-tools', 'deny-tool', 'deny'],
  },
  {
    flag: 'max-iterations',
    hint: 'Use --max-iterations N',
    words: [
      'max-turns',
      'max-loops',
      'loops',
      'iterations',
      'max-iter',
      'count',
      'turns',
      'steps',
      'max-steps',
      'times',
    ],
  },
  {
    flag: 'budget-usd',
    hint: 'Use --budget-usd USD',
    words: ['budget', 'max-budget-usd', 'max-cost', 'cost', 'max-budget', 'max-usd', 'usd', 'dollars', 'price'],
  },
  { flag: 'budget-tokens', hint: 'Use --budget-tokens N', words: ['tokens', 'max-tokens', 'token-limit'] },
  {
    flag: 'minutes',
    hint: 'Use --minutes MINUTES for the whole run, or --timeout MINUTES for each iteration',
    words: ['hours', 'time', 'duration', 'max-time', 'time-limit', 'max-duration', 'seconds', 'for'],
  },
  { flag: 'detach', hint: 'Use --detach', words: ['background', 'bg', 'daemon', 'headless', 'async'] },
  { flag: 'monitor', hint: 'Use --monitor', words: ['watch', 'dashboard', 'tui', 'ui'] },
  {
    flag: 'yes',
    hint: 'Use --yes',
    words: ['force', 'non-interactive', 'no-confirm', 'assume-yes', 'yes-always', 'no-interactive', 'no-input'],
  },
  { flag: 'quiet', hint: 'Use --quiet', words: ['silent'] },
  { flag: 'verbose', hint: 'Use --verbose', words: ['debug', 'vv', 'log-level', 'trace'] },
  { flag: 'dry-run', hint: 'Use --dry-run', words: ['what-if', 'plan', 'simulate', 'preview', 'noop'] },
  { flag: 'effort', hint: 'Use --effort LEVEL', words: ['thinking', 'reasoning', 'reasoning-effort', 'think'] },
  {
    flag: 'agent',
    hint: 'Use --agent claude,codex',
    words: ['fallback', 'provider', 'fallback-agent', 'cli', 'engine', 'tool'],
  },
  { flag: 'model', hint: 'Use --model NAME', words: ['opus', 'sonnet', 'haiku'] },
  { flag: 'json', hint: 'Use --json', words: ['format', 'output'] },
  { hint: 'Use: ralph resume', words: ['resume', 'r', 'session-id', 'session'] },
  { hint: 'Use: ralph --version', words: ['version', 'V'] },
  {
    hint: 'To say what to build: ralph init --task "TEXT", or ralph task add "TEXT"',
    words: ['task', 'goal', 'message', 'print', 'query', 'instruction', 'text', 'message-file'],
  },
  {
    hint: 'Put standing instructions into .ralph/PROMPT.md',
    words: ['system-prompt', 'append-system-prompt', 'prompt-append', 'rules', 'context', 'add-dir', 'file', 'read'],
  },
  {
    hint: 'Change into the project first: cd DIR',
    words: ['cwd', 'cd', 'C', 'dir', 'directory', 'project', 'path'],
  },
  {
    hint: 'Put gates into .ralph.toml: [[gate]], name = "test", run = "npm test"',
    words: ['test-cmd', 'gate', 'lint-cmd', 'check', 'test'],
  },
  { hint: 'Use: ralph task add "TEXT", and ralph run', words: ['issue', 'issues'] },
]

/** Null: nothing of another tool. `names`: the long flags that the command has. */
export function flagHint(typed: string, names: readonly string[]): string | null {
  const found = FLAG_HINTS.find(
    ({ flag, words }) => words.includes(typed) && (flag === undefined || names.includes(flag)),
  )
  return found?.hint ?? null
}

/** What to type when a command gets more words than it takes; null: its help is the best advice. */
export function extraWordHint(name: string, words: readonly string[]): string | null {
  const [word = '', ...others] = words
  if (word === 'help') return null
  const first = quoteShellWord(word)
  const text = quoteShellWord(words.join(' '))
  switch (name) {
    case 'loop':
      if (/^\d+$/.test(word)) return `Did you mean: ralph loop --max-iterations ${word}?`
      if (words.length > 1 || /\s/.test(word)) return goalHint(words.join(' '))
      return `For a task or feature: ralph run ${first}. Flags: ralph loop --help`
    case 'run':
      return words.length > 2
        ? goalHint(words.join(' '))
        : 'Name one feature or task, or none to run all tasks: ralph run'
    case 'status':
      return `For one run: ralph show ${first}. For a task: ralph task show ${first}`
    case 'steer':
      return `Did you mean: ralph steer ${text}?`
    case 'init':
      return `Did you mean: ralph init --task ${text}?`
    case 'feature create':
      return `Did you mean: ralph feature create NAME ${text}?`
    case 'set':
      return `Did you mean: ralph set ${quoteShellWord(`${word}=${others[0] ?? ''}`)}?`
    default:
      return null
  }
}
