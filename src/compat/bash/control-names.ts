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

/** Papers of features are no work either: an agent that drafts them changes nothing else, and what one changes else is told from them. */
const FEATURES_FOLDER = 'features/'

/** Written by Ralph or the bash tool while they work; a person has no lines in them. */
const OWN = new Set<string>([...RUN_FILES, LIVE_LOG, '.gitignore', '.json_parse_result', 'snapshot.json'])
const OWN_FOLDERS = [`${LOGS_FOLDER}/`, 'reports/', 'state/', KNOWLEDGE_FOLDER, FEATURES_FOLDER]

/** Of a name below `.ralph`. */
export function isOwnFile(name: string): boolean {
  return OWN.has(name) || OWN_FOLDERS.some((folder) => `${name}/`.startsWith(folder))
}
