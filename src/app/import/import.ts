/**
 * Turns a requirements document into a project's prompt, plan and specification: by an agent if one is installed, or by a
 * built-in reader. The result always says which of the two did it, and an agent that fails is never silently replaced.
 *
 * Three steps: check, before an agent is paid; read (`read-document.ts`), with an agent in a run of the stage *draft*; write.
 */
import { join } from 'node:path'
import { driverFor } from '../../agents/registry.ts'
import { parseCheckboxes } from '../../core/plan/fix-plan.ts'
import { isUntouchedTemplate } from '../../core/plan/untouched-template.ts'
import type { Settings } from '../../config/resolve.ts'
import { RalphError } from '../../core/error.ts'
import type { SourceEnvironment } from '../../sources/task-source.ts'
import { readTextDocument } from '../../sources/prd.ts'
import { exists, readIfExists, removeIfExists } from '../../system/files/files.ts'
import { probeAllAgents } from '../doctor/agents.ts'
import { initDefaults, initProject, type InitResult, type NewProjectStyle } from '../project/init.ts'
import {
  PLAN_PATH,
  PROMPT_PATH,
  refuseOldLayout,
  refuseWhileRunning,
  writeProjectFile,
  type WrittenFiles,
} from '../project/init-files.ts'
import { addStatusBlock } from '../project/templates.ts'
import { SPEC_PATH, specText, type ImportDocument, type DraftedProjectFiles } from './draft-project-files.ts'

export interface ImportOptions {
  root: string
  document: ImportDocument
  env: SourceEnvironment
  settings: Settings
  /** Replace files that a user has written; a copy is kept beside them. */
  force: boolean
  /** The style of the new project: Ralph's own or the bash tool's. */
  made: NewProjectStyle
  /** Who reads it: the first installed agent, a given one, or the built-in reader. */
  by: 'first' | 'reader' | { agent: string }
}

/** An import that may start. */
export interface CheckedImport extends ImportOptions {
  /** Agents that may read the document, in order. Empty: the built-in reader does. */
  order: string[]
  /** Files that still have the text that Ralph wrote. */
  replaceable: Set<string>
}

/** What `ralph import --json` prints. */
export interface ImportResult {
  root: string
  document: string
  /** The agent's name, or `reader`. */
  by: string
  created: string[]
  kept: string[]
  copies: string[]
  /** Open checkboxes of the new plan. */
  checkboxes: number
  project: InitResult['project']
  gates: InitResult['gates']
  remarks: string[]
}

/** Runs before an agent is paid: refuses to overwrite a person's files, and finds out who can read the document. */
export async function checkImport(options: ImportOptions): Promise<CheckedImport> {
  refuseOldLayout(options.root, options.env)
  await refuseWhileRunning(options.root, 'import')
  const replaceable = refuseToOverwrite(options)
  return { ...options, replaceable, order: await agentsForImport(options) }
}

export async function writeImport(
  { root, document, env, made, replaceable, order, by: wanted }: CheckedImport,
  { by, files, remarks }: DraftedProjectFiles,
): Promise<ImportResult> {
  const done: WrittenFiles = { root, created: [], kept: [], copies: [] }
  if (made === 'bash') files[PROMPT_PATH] = addStatusBlock(files[PROMPT_PATH] ?? '')
  for (const [name, text] of Object.entries(files)) {
    if (replaceable.has(name)) removeIfExists(join(root, name))
    writeProjectFile(done, { name, text, force: true })
  }
  const rest = await initProject({ ...initDefaults(root, env), agents: by === 'reader' ? null : [by], made })
  return {
    ...done,
    document: document.name,
    by,
    created: [...done.created, ...rest.created],
    kept: rest.kept.filter((name) => !Object.hasOwn(files, name)),
    checkboxes: parseCheckboxes(files[PLAN_PATH] ?? '', []).open,
    project: rest.project,
    gates: rest.gates,
    remarks: [...(wanted !== 'reader' && order.length === 0 ? [NOBODY_INSTALLED] : []), ...remarks, ...rest.remarks],
  }
}

const NOBODY_INSTALLED = 'no agent is installed, so Ralph imported the document without one'

/** The text of a file that can be imported; `shown` is how the person named it. */
export function readFileToImport(path: string, shown: string): string {
  return readTextDocument(path, shown)
}

/** Returns the files that still have the text that Ralph wrote. */
function refuseToOverwrite({ root, document, force }: ImportOptions): Set<string> {
  const ours: [string, (text: string) => boolean][] = [
    [PROMPT_PATH, isUntouchedTemplate],
    [PLAN_PATH, isUntouchedTemplate],
    // The imported document may be the specification itself.
    [SPEC_PATH, (text) => text === specText(document)],
  ]
  const untouched = ours.filter(([path, isOurs]) => isOurs(readIfExists(join(root, path)) ?? ''))
  const fresh = new Set(untouched.map(([path]) => path))
  const written = ours.map(([path]) => path).filter((path) => exists(join(root, path)) && !fresh.has(path))
  if (written.length === 0 || force) return fresh
  throw new RalphError('usage', `${written.join(', ')} would be overwritten`, {
    hint: 'Use --force (Ralph keeps the old files as copies), or import into another folder: ralph import FILE FOLDER',
  })
}

/**
 * A named agent must be installed, and no other replaces it. Otherwise the chosen agents that are installed, in their order; if none is,
 * one other installed agent, but no second one, since the user did not choose to pay for it.
 */
async function agentsForImport({ by, settings, env, root }: ImportOptions): Promise<string[]> {
  if (by === 'reader') return []
  const agents = await probeAllAgents(settings, { root, env })
  const installed = agents.filter((agent) => agent.installed && agent.program !== '')
  if (by === 'first') {
    const chosen = installed.filter((agent) => agent.chosen !== null)
    const order = chosen.toSorted((a, b) => (a.chosen ?? 0) - (b.chosen ?? 0))
    return (order.length > 0 ? order : installed.slice(0, 1)).map(({ name }) => name)
  }
  if (installed.some(({ name }) => name === by.agent)) return [by.agent]
  const { install } = driverFor(by.agent, settings.agents)
  throw new RalphError('agent-missing', `${by.agent} is not installed`, {
    hint: `${install}. Or import without an agent: --no-agent`,
  })
}
