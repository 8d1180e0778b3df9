/** Names of files in a project: control files (prompt, plan, the agent's notes, settings, texts in `.ralph`) and those that Ralph writes. */

/** State files that Ralph writes below `.ralph`, with the names of the bash tool; `.gitignore` keeps them out of git. */
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

/** Ralph appends to it instead of rewriting it. */
export const LIVE_LOG = 'live.log'
export const LOGS_FOLDER = 'logs'

export const GITIGNORE_TEXT = `# Written by Ralph while it works; none of it belongs in the repository.
${['.gitignore', ...STATE_FILES, LIVE_LOG, `${LOGS_FOLDER}/`, 'state/'].map((name) => `/${name}`).join('\n')}
`

const NOTES = ['.ralph/AGENT.md', '.ralph/@AGENT.md']
export const SETTINGS_FILES = ['.ralph.toml', '.ralphrc', '.ralph/.ralphrc', '.ralph/config.json']

/** Relative to the project; a loop needs the first one. */
export function controlFiles({ prompt, plan }: { prompt: string; plan: string | null }): string[] {
  return [prompt, ...(plan === null ? [] : [plan]), ...NOTES, ...SETTINGS_FILES]
}

/**
 * People write knowledge too, but during a run only Ralph does. It belongs to no task: counted as work, each entry would look like
 * somebody else's change, and reverting a failed task would delete what it learnt.
 */
const KNOWLEDGE_FOLDER = 'knowledge/'

/** Documents of features are not work either. A draft may change neither the documents of other features nor the knowledge. */
const FEATURES_FOLDER = 'features/'
const TEXTS = [KNOWLEDGE_FOLDER, FEATURES_FOLDER]

/** Written by Ralph or the bash tool while they work; people do not edit them. */
const OWN = new Set<string>([...STATE_FILES, LIVE_LOG, '.gitignore', '.json_parse_result', 'snapshot.json'])
const OWN_FOLDERS = [`${LOGS_FOLDER}/`, 'reports/', 'state/']

function isRunFile(name: string): boolean {
  return OWN.has(name) || OWN_FOLDERS.some((folder) => `${name}/`.startsWith(folder))
}

/** `name`: relative to `.ralph`. */
export function isRalphOwnFile(name: string): boolean {
  return isRunFile(name) || TEXTS.some((folder) => `${name}/`.startsWith(folder))
}

/** The control files for a snapshot. `writes`: see `draftWritablePaths`; undefined: not a draft. For a draft: all that people write. */
export function snapshotControlFiles(
  loop: { prompt: string; plan: string | null },
  writes: string[] | undefined,
): { named: string[]; isOwn: (name: string) => boolean; all?: true } {
  const named = controlFiles(loop)
  if (writes === undefined) return { named, isOwn: isRalphOwnFile }
  return {
    named: named.filter((path) => !writes.includes(path)),
    isOwn: (name) =>
      isRunFile(name) || IS_HIDDEN.test(name) || writes.some((path) => `.ralph/${name}/`.startsWith(withSlash(path))),
    all: true,
  }
}

/** Files that editors create beside an open file, and documents of deleted features. */
const IS_HIDDEN = /(^|\/)\./

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}
