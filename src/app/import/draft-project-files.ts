/**
 * Turns a document into prompt, plan and specification: with the built-in reader, or from the files an agent wrote. The agent works in an
 * empty folder outside the project, so a malicious document cannot damage the project.
 */
import { basename, join } from 'node:path'
import { parsePrd } from '../../compat/prd.ts'
import type { Settings } from '../../config/resolve.ts'
import { RalphError } from '../../core/error.ts'
import { importPromptPath, importWorkspacePath, type ImportRequest } from '../../core/features/import-job.ts'
import type { EndCause, Outcome } from '../../core/state/outcome.ts'
import type { Rules } from '../../core/state/rules.ts'
import type { RunState } from '../../core/state/state.ts'
import { oneLine, stripControl } from '../../core/text/sanitize.ts'
import { randomId } from '../../system/clock.ts'
import {
  ensureFolder,
  exists,
  listFolder,
  makeTempFolder,
  removeFolder,
  writeWithoutSync,
} from '../../system/files/files.ts'
import { formatLocalDateTime } from '../../system/time-formats.ts'
import { readImportedFiles } from '../../workspace/imported-files.ts'
import { readRolePrompt } from '../../workspace/prompt-files.ts'
import { projectFoldersOf } from '../open-store.ts'
import { PLAN_PATH, PROMPT_PATH } from '../project/init-files.ts'
import { importedPromptText, planText } from '../project/templates.ts'

export interface ImportDocument {
  /** For people, and for the copy in the project: `prd.md`, `issue-12.md`. */
  name: string
  text: string
}

/** The resulting texts, by their paths in the project. */
export interface DraftedProjectFiles {
  /** The agent's name, or `reader`. */
  by: string
  files: Record<string, string>
  remarks: string[]
}

export const SPEC_PATH = '.ralph/specs/requirements.md'

/** Every iteration reads the plan again; a longer list is too much for it. */
const CHECKBOXES_MAX = 500

export function draftFilesWithoutAgent(document: ImportDocument): DraftedProjectFiles {
  const prd = parsePrd(document.text)
  const tasks = prd.tasks.slice(0, CHECKBOXES_MAX)
  const told =
    tasks.length > 0
      ? `Ralph made the plan from the document's ${prd.by}`
      : 'the document lists no tasks: write the plan yourself'
  const cut =
    prd.tasks.length > tasks.length
      ? [`the document lists ${prd.tasks.length} tasks; the plan has the first ${CHECKBOXES_MAX}`]
      : []
  const left = prd.leftOut.map((section) => `"${section}"`).join(', ')
  const kept =
    left === '' ? [] : [`Ralph did not turn the lists under ${left} into tasks; they are still in ${SPEC_PATH}`]
  const title = prd.title ?? document.name
  const summary = prd.summary === '' ? 'See the requirements.' : prd.summary
  return {
    by: 'reader',
    files: {
      [PROMPT_PATH]: importedPromptText({ title, summary }),
      [PLAN_PATH]: planText(tasks),
      [SPEC_PATH]: specText(document),
    },
    remarks: [told, ...cut, ...kept],
  }
}

export function specText(document: ImportDocument): string {
  return `${stripControl(document.text).trimEnd()}\n`
}

/**
 * Has an agent read the document: `work` runs the stage in the folder it gets. The run needs a store. Without a repository that creates
 * folders, and they would make this folder a project, so they are removed if the import fails (`work` returns no files).
 */
export async function withImportFolder<T>(
  { root, document }: { root: string; document: ImportDocument },
  work: (request: ImportRequest) => Promise<DraftedProjectFiles | T>,
): Promise<DraftedProjectFiles | T> {
  const own = join(root, '.ralph')
  const fresh = [own, root].filter((folder) => !exists(folder))
  const request = { folder: makeTempFolder('ralph-import-') }
  let isRead = false
  try {
    ensureFolder(root, 0o755)
    if ((await projectFoldersOf(root)).repo.git === null) ensureFolder(own, 0o755)
    writeWithoutSync(importPromptPath(request), promptFor(root, document))
    const read = await work(request)
    isRead = typeof read === 'object'
    return read
  } finally {
    removeFolder(request.folder)
    // The inner folder first: the outer one may be empty then.
    if (!isRead) for (const folder of fresh) removeIfOurs(folder)
  }
}

/** All the tools an agent needs to write three files. */
const TOOLS = ['Read', 'Write', 'Edit']

/** One call of an agent in this order: no gates run, and settings for work such as effort do not apply. */
export function rulesForImport(settings: Settings, order: string[]): Rules {
  const rules = settings.rules()
  const { format: _, ...agent } = rules.agent
  return {
    ...rules,
    agent: { ...agent, order, tools: TOOLS, effort: null, maxTurns: null },
    model: { ...rules.model, strategy: 'fixed' },
    gates: [],
  }
}

/** Leaves the folder if somebody has put something there meanwhile. */
function removeIfOurs(folder: string): void {
  if (exists(folder) && listFolder(folder).every((name) => name === 'state')) removeFolder(folder)
}

/** The marks around the document are random, so the document cannot contain its own end mark. */
function promptFor(root: string, { name, text }: ImportDocument): string {
  const mark = `document ${randomId(12)}`
  return `${readRolePrompt(root, 'import').text}\n\n----- ${mark} begins: ${oneLine(name, 100)} -----\n${stripControl(text).trimEnd()}\n----- ${mark} ends -----\n`
}

/** The files that the agent of a finished run wrote. Throws if they are missing. */
export function readAgentWrittenFiles(
  { outcome, state }: { outcome: Outcome; state: RunState },
  { request, document }: { request: ImportRequest; document: ImportDocument },
): DraftedProjectFiles {
  const [worker] = Object.values(state.workers)
  if (outcome.is !== 'drafted' || worker === undefined) throw notImported(outcome)
  const made = readImportedFiles(importWorkspacePath(request, worker.iteration))
  const name = basename(document.name)
  const original = name === 'requirements.md' ? 'original.md' : name
  return {
    by: worker.author ?? '',
    files: {
      [PROMPT_PATH]: made.prompt,
      [PLAN_PATH]: made.plan,
      [SPEC_PATH]: made.requirements,
      [`.ralph/specs/${original}`]: stripControl(document.text),
    },
    remarks: [],
  }
}

function notImported({ is, reason, cause }: Outcome): RalphError {
  if (is === 'agent_unusable')
    return new RalphError('agent-unusable', reason, {
      hint: 'Nothing was written. Try again, choose another agent (--agent NAME), or import without one: --no-agent',
    })
  if (is === 'cost_limit' || is === 'token_limit' || is === 'time_limit')
    return new RalphError('limited', reason, {
      hint: 'Nothing was written. Raise the budget (budget.usd, budget.tokens, budget.minutes), or import without an agent: --no-agent',
    })
  if (is === 'api_limit_exit' || is === 'outage')
    return new RalphError('limited', `${reason}${whenAgain(cause)}`, {
      hint: 'Nothing was written. Try again later, or import without an agent now: --no-agent',
    })
  return new RalphError('io', reason)
}

function whenAgain(cause: EndCause | undefined): string {
  return cause?.is === 'not-now'
    ? `: agents are available again at ${formatLocalDateTime(cause.until).slice(0, -3)}`
    : ''
}
