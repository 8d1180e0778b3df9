/** Names of files in a project: those that steer a run (prompt, plan, the agent's notes, settings, what people keep in `.ralph`) and those that Ralph writes. */

/** State files that Ralph writes below `.ralph`, under the names that the bash tool gave them; `.gitignore` keeps them out of git. */
export const STATE_FILES = [
  'status.json',
  'progress.json',
  '.call_count',
  '.token_count',
  '.last_reset',
  '.exit_signals',
  '.response_analysis',
  '.last_output_length',
  '.loop_start_sha',
  '.circuit_breaker_state',
  '.circuit_breaker_history',
  '.claude_session_id',
  '.ralph_session',
  '.ralph_session_history',
] as const

export type StateFile = (typeof STATE_FILES)[number]

/** Written line by line instead of as a whole. */
export const LIVE_LOG = 'live.log'
export const LOGS_FOLDER = 'logs'

export const GITIGNORE_TEXT = `# Written by Ralph while it works; none of it belongs in the repository.
${['.gitignore', ...STATE_FILES, LIVE_LOG, `${LOGS_FOLDER}/`, 'state/'].map((name) => `/${name}`).join('\n')}
`

const NOTES = ['.ralph/AGENT.md', '.ralph/@AGENT.md']
export const SETTINGS_FILES = ['.ralph.toml', '.ralphrc', '.ralph/.ralphrc', '.ralph/config.json']

/** Relative to the project; a loop cannot do without the first. */
export function controlFiles({ prompt, plan }: { prompt: string; plan: string | null }): string[] {
  return [prompt, ...(plan === null ? [] : [plan]), ...NOTES, ...SETTINGS_FILES]
}

/**
 * What is known is written by people too, but while a run works by Ralph alone. It belongs to no task: as work, each entry would count as
 * somebody else's doing, and what a task that failed has learnt would go with it.
 */
const KNOWLEDGE_FOLDER = 'knowledge/'

/** Papers of features are no work either. Whoever drafts one of them has no business in the others, nor in what is known. */
const FEATURES_FOLDER = 'features/'
const TEXTS = [KNOWLEDGE_FOLDER, FEATURES_FOLDER]

/** Written by Ralph or the bash tool while they work; a person has no lines in them. */
const OWN = new Set<string>([...STATE_FILES, LIVE_LOG, '.gitignore', '.json_parse_result', 'snapshot.json'])
const OWN_FOLDERS = [`${LOGS_FOLDER}/`, 'reports/', 'state/']

function isRunFile(name: string): boolean {
  return OWN.has(name) || OWN_FOLDERS.some((folder) => `${name}/`.startsWith(folder))
}

/** Of a name below `.ralph`. */
export function isControlFileName(name: string): boolean {
  return isRunFile(name) || TEXTS.some((folder) => `${name}/`.startsWith(folder))
}

/** As a look at the tree wants it. `writes`: see `draftWritablePaths`; undefined: it is no draft. Of a draft it is all that people write. */
export function controlNames(
  loop: { prompt: string; plan: string | null },
  writes: string[] | undefined,
): { named: string[]; isOwn: (name: string) => boolean; all?: true } {
  const named = controlFiles(loop)
  if (writes === undefined) return { named, isOwn: isControlFileName }
  return {
    named: named.filter((path) => !writes.includes(path)),
    isOwn: (name) =>
      isRunFile(name) || IS_HIDDEN.test(name) || writes.some((path) => `.ralph/${name}/`.startsWith(withSlash(path))),
    all: true,
  }
}

/** What editors put beside the file that a person has open, and documents of deleted features. */
const IS_HIDDEN = /(^|\/)\./

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}
