/** Which files steer a run: the prompt, the plan, the agent's notes, the settings, and what people keep in `.ralph` beside them. */
import { LIVE_LOG, LOGS_FOLDER, RUN_FILES } from './run-files.ts'

const NOTES = ['.ralph/AGENT.md', '.ralph/@AGENT.md']
export const SETTINGS = ['.ralph.toml', '.ralphrc', '.ralph/.ralphrc', '.ralph/config.json']

/** Relative to the project; a loop cannot do without the first. */
export function controlFiles({ prompt, plan }: { prompt: string; plan: string | null }): string[] {
  return [prompt, ...(plan === null ? [] : [plan]), ...NOTES, ...SETTINGS]
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
const OWN = new Set<string>([...RUN_FILES, LIVE_LOG, '.gitignore', '.json_parse_result', 'snapshot.json'])
const OWN_FOLDERS = [`${LOGS_FOLDER}/`, 'reports/', 'state/']

function isRunFile(name: string): boolean {
  return OWN.has(name) || OWN_FOLDERS.some((folder) => `${name}/`.startsWith(folder))
}

/** Of a name below `.ralph`. */
export function isOwnFile(name: string): boolean {
  return isRunFile(name) || TEXTS.some((folder) => `${name}/`.startsWith(folder))
}

/** As a look at the tree wants it. `writes`: see `draftWrites`; undefined: it is no draft. Of a draft it is all that people write. */
export function controlNames(
  loop: { prompt: string; plan: string | null },
  writes: string[] | undefined,
): { named: string[]; isOwn: (name: string) => boolean; all?: true } {
  const named = controlFiles(loop)
  if (writes === undefined) return { named, isOwn: isOwnFile }
  return {
    named: named.filter((path) => !writes.includes(path)),
    isOwn: (name) =>
      isRunFile(name) ||
      IS_HIDDEN.test(name) ||
      writes.some((path) => `.ralph/${name}/`.startsWith(withSlash(path))),
    all: true,
  }
}

/** What editors put beside the file that a person has open, and papers of deleted features. */
const IS_HIDDEN = /(^|\/)\./

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}
