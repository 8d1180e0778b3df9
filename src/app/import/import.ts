/**
 * Turns a requirements document into a project's prompt, plan and specification: by an agent where one is installed, or by a
 * reader that needs none. Which of the two did it is always said, and an agent that fails is never quietly replaced.
 */
import { basename, join } from 'node:path'
import { driverFor } from '../../agents/registry.ts'
import { readCheckboxes } from '../../core/plan/fix-plan.ts'
import { readPrd } from '../../compat/prd.ts'
import { isUntouchedTemplate } from '../../core/plan/untouched-template.ts'
import type { Settings } from '../../config/resolve.ts'
import { RalphError, type ExitCode } from '../../core/error.ts'
import { stripControl } from '../../core/text/sanitize.ts'
import type { SourceEnvironment } from '../../sources/source.ts'
import { readDocument } from '../../sources/prd.ts'
import {
  ensureFolder,
  exists,
  listFolder,
  readIfExists,
  removeFolder,
  removeIfExists,
} from '../../system/files/files.ts'
import { agentMatrix } from '../doctor/agents.ts'
import { projectFoldersOf } from '../open-store.ts'
import { importByAgent, type AgentImportResult } from './import-agent.ts'
import { initDefaults, initProject, type InitResult, type NewProjectStyle } from '../project/init.ts'
import {
  PLAN_PATH,
  PROMPT_PATH,
  refuseOldLayout,
  refuseWhileRunning,
  writeProjectFile,
  type FileReport,
} from '../project/init-files.ts'
import { importedPromptText, planText, withStatusBlock } from '../project/templates.ts'

export interface ImportDocument {
  /** For people and for the copy that is kept: `prd.md`, `issue-12.md`. */
  name: string
  text: string
}

export interface ImportOptions {
  root: string
  document: ImportDocument
  env: SourceEnvironment
  settings: Settings
  /** Replace files that a user has written; they are kept beside. */
  force: boolean
  /** Whose project is made. */
  made: NewProjectStyle
  /** Who reads it: the first agent that is installed, a certain one, or the reader whatever is installed. */
  by: 'first' | 'reader' | { agent: string }
  /** Asked before an agent is started, because it may be somebody's program. Not null: the import ends so. */
  mayStart: (agent: string) => Promise<ExitCode | null>
  /** It is admitted and starts now, which takes minutes. */
  onStart: (agent: string) => void
  notice: (text: string) => void
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

export type ImportOutcome =
  | { is: 'imported'; imported: ImportResult }
  | { is: 'interrupted' }
  /** The agent is not to be started. */
  | { is: 'refused'; exit: ExitCode }

export async function importDocument(options: ImportOptions): Promise<ImportOutcome> {
  const { root, document } = options
  refuseOldLayout(root, options.env)
  await refuseWhileRunning(root, 'import')
  const replaceable = refuseToOverwrite(options)
  const converted = await convert(options)
  if (converted.is !== 'converted') return converted
  const { by, files, remarks } = converted
  const done: FileReport = { root, created: [], kept: [], copies: [] }
  if (options.made === 'bash') files[PROMPT_PATH] = withStatusBlock(files[PROMPT_PATH] ?? '')
  for (const [name, text] of Object.entries(files)) {
    if (replaceable.has(name)) removeIfExists(join(root, name))
    writeProjectFile(done, { name, text, force: true })
  }
  const rest = await initProject({
    ...initDefaults(root, options.env),
    agents: by === 'reader' ? null : [by],
    made: options.made,
  })
  const imported: ImportResult = {
    ...done,
    document: document.name,
    by,
    created: [...done.created, ...rest.created],
    kept: rest.kept.filter((name) => !Object.hasOwn(files, name)),
    checkboxes: readCheckboxes(files[PLAN_PATH] ?? '', []).open,
    project: rest.project,
    gates: rest.gates,
    remarks: [...remarks, ...rest.remarks],
  }
  return { is: 'imported', imported }
}

/** The text of a file that can be imported; `shown` is how the person named it. */
export function readFileToImport(path: string, shown: string): string {
  return readDocument(path, shown)
}

const SPEC = '.ralph/specs/requirements.md'

/** Before an agent is paid for it: files that a person has written stay. Returns those that are still as Ralph wrote them. */
function refuseToOverwrite({ root, document, force }: ImportOptions): Set<string> {
  const ours: [string, (text: string) => boolean][] = [
    [PROMPT_PATH, isUntouchedTemplate],
    [PLAN_PATH, isUntouchedTemplate],
    // Somebody may import the specification that is there.
    [SPEC, (text) => text === specText(document)],
  ]
  const untouched = ours.filter(([path, isOurs]) => isOurs(readIfExists(join(root, path)) ?? ''))
  const fresh = new Set(untouched.map(([path]) => path))
  const written = ours.map(([path]) => path).filter((path) => exists(join(root, path)) && !fresh.has(path))
  if (written.length === 0 || force) return fresh
  throw new RalphError('usage', `${written.join(', ')} would be overwritten`, {
    hint: 'Import with --force: what stands there is kept beside it. Or import into another folder: ralph import FILE FOLDER',
  })
}

type Converted =
  | { is: 'converted'; by: string; files: Record<string, string>; remarks: string[] }
  | Exclude<ImportOutcome, { is: 'imported' }>

async function convert(options: ImportOptions): Promise<Converted> {
  if (options.by === 'reader') return byReviewer(options.document, [])
  const order = await whoMayRead(options.by, options)
  if (order.length === 0)
    return byReviewer(options.document, ['no agent is installed, so the document was read without one'])
  const made = await inFolder(options.root, () => importByAgent({ ...options, order }))
  if (made.is !== 'made') return made
  const original =
    basename(options.document.name) === 'requirements.md' ? 'original.md' : basename(options.document.name)
  const files = {
    [PROMPT_PATH]: made.prompt,
    [PLAN_PATH]: made.plan,
    [SPEC]: made.requirements,
    [`.ralph/specs/${original}`]: stripControl(options.document.text),
  }
  return { is: 'converted', by: made.by, files, remarks: [] }
}

/**
 * The call of an agent is counted before it starts. Where there is no repository to remember it in, that makes folders, and what has such a
 * folder passes for a project: they go again when nothing comes of it. A folder that is no project has no hour to count.
 */
async function inFolder(root: string, work: () => Promise<AgentImportResult>): Promise<AgentImportResult> {
  const own = join(root, '.ralph')
  const fresh = [own, root].filter((folder) => !exists(folder))
  ensureFolder(root, 0o755)
  if ((await projectFoldersOf(root)).repo.git === null) ensureFolder(own, 0o755)
  let made: AgentImportResult | null = null
  try {
    return (made = await work())
  } finally {
    // The inner one first: of the outer one nothing may be left then.
    if (made?.is !== 'made') for (const folder of fresh) removeIfOurs(folder)
  }
}

/** Unless somebody has put something there meanwhile. */
function removeIfOurs(folder: string): void {
  if (exists(folder) && listFolder(folder).every((name) => name === 'state')) removeFolder(folder)
}

/**
 * One that was named must be there, and nobody is asked in its place. Else the chosen ones that are installed, in their order; where none of
 * them is, any other, but no second one: whom somebody did not choose they may not want to pay.
 */
async function whoMayRead(
  by: 'first' | { agent: string },
  { settings, env, root }: ImportOptions,
): Promise<string[]> {
  const agents = await agentMatrix(settings, { root, env })
  const installed = agents.filter((agent) => agent.installed && agent.program !== '')
  if (by === 'first') {
    const chosen = installed.filter((agent) => agent.chosen !== null)
    const order = chosen.toSorted((a, b) => (a.chosen ?? 0) - (b.chosen ?? 0))
    return (order.length > 0 ? order : installed.slice(0, 1)).map(({ name }) => name)
  }
  if (installed.some(({ name }) => name === by.agent)) return [by.agent]
  const { install } = driverFor(by.agent, settings.agents)
  throw new RalphError('agent-missing', `${by.agent} is not installed`, {
    hint: `${install}. Or do without an agent: --no-agent`,
  })
}

/** A plan is read again in every iteration; whoever lists more than this wrote a catalogue. */
const CHECKBOXES_MAX = 500

function byReviewer(document: ImportDocument, remarks: string[]): Converted {
  const prd = readPrd(document.text)
  const tasks = prd.tasks.slice(0, CHECKBOXES_MAX)
  const told =
    tasks.length > 0
      ? `the plan was made from the document's ${prd.by}`
      : 'the document lists no work: write the plan yourself'
  const cut =
    prd.tasks.length > tasks.length
      ? [`the document lists ${prd.tasks.length} tasks; the plan has the first ${CHECKBOXES_MAX}`]
      : []
  const left = prd.leftOut.map((section) => `"${section}"`).join(', ')
  const kept =
    left === '' ? [] : [`the lists under ${left} are no tasks; they stand in .ralph/specs/requirements.md`]
  const title = prd.title ?? document.name
  const summary = prd.summary === '' ? 'See the requirements.' : prd.summary
  return {
    is: 'converted',
    by: 'reader',
    files: {
      [PROMPT_PATH]: importedPromptText({ title, summary }),
      [PLAN_PATH]: planText(tasks),
      [SPEC]: specText(document),
    },
    remarks: [...remarks, told, ...cut, ...kept],
  }
}

function specText(document: ImportDocument): string {
  return `${stripControl(document.text).trimEnd()}\n`
}
