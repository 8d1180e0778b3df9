/**
 * Lets an agent turn a document into prompt, plan and specification. It works in an empty folder of its own, so a document that
 * talks it into something can spoil nothing; what it leaves there is checked before a byte of it reaches the project.
 */
import { join } from 'node:path'
import { startAgent } from '../../agents/transport/agent-process.ts'
import { fixesOf, type Driver } from '../../agents/driver.ts'
import { priceOf } from '../../agents/prices.ts'
import { driverFor } from '../../agents/registry.ts'
import { readCheckboxes } from '../../core/plan/fix-plan.ts'
import type { AgentRequest } from '../../core/calls/agent.ts'
import { allowanceTenths } from '../../core/admission/budget.ts'
import { replyFold } from '../../core/agent-output/fold.ts'
import type { Reply } from '../../core/agent-output/reply.ts'
import { oneLine, stripControl } from '../../core/text/sanitize.ts'
import { IMPORTS_RUN } from '../../store/usage.ts'
import { type Clock, randomId, systemClock } from '../../system/clock.ts'
import {
  assetPath,
  ensureFolder,
  makeTempFolder,
  readIfExists,
  readText,
  removeFolder,
  sizeOf,
} from '../../system/files/files.ts'
import { UNMASKED } from '../../system/mask/mask.ts'
import { onSignals } from '../../system/signals.ts'
import {
  callImportAgent,
  importFailed,
  type ImportCallResult,
  type ImportCall,
  type ImportAgentCall,
} from './import-call.ts'
import type { ImportDocument } from './import.ts'

export interface AgentImport extends Omit<ImportCall, 'clock' | 'talk'> {
  document: ImportDocument
}

export type AgentImportResult =
  | { is: 'made'; by: string; prompt: string; plan: string; requirements: string }
  | Exclude<ImportCallResult, { is: 'answered' }>

export async function importByAgent(options: AgentImport): Promise<AgentImportResult> {
  const folder = makeTempFolder('ralph-import-')
  const clock = systemClock()
  try {
    const called = await callImportAgent({
      ...options,
      clock,
      talk: (talk) => talkWith(options, { ...talk, folder: join(folder, talk.effect), clock }),
    })
    if (called.is !== 'answered') return called
    return { is: 'made', by: called.agent, ...collect(join(folder, called.effect, 'work'), called.agent) }
  } finally {
    removeFolder(folder)
  }
}

/** Each start has a folder of its own: what one left that failed is not taken for what the next one made. */
type Talking = ImportAgentCall & { folder: string; clock: Clock }

async function talkWith(
  options: AgentImport,
  talk: Talking,
): Promise<{ reply: Reply; interrupted: boolean }> {
  const { agents, values, envPolicy } = options.settings
  const { folder, allowed } = talk
  const driver = driverFor(talk.agent, agents)
  ensureFolder(join(folder, 'work'))
  const fold = replyFold({
    priceOf: (model) => priceOf(driver.prices, model ?? values['agent.model']),
    fixes: fixesOf(driver),
  })
  let over = false
  const log = join(folder, 'agent.log')
  const conversation = startAgent({
    driver,
    request: requestFor(options, driver, talk),
    limits: { ...talk.limits, idleMs: driver.idleMs ?? talk.limits.idleMs },
    log,
    effect: talk.effect,
    runId: IMPORTS_RUN,
    clock: talk.clock,
    envPolicy,
    // Its folder is gone when it is done, and nothing of its words is kept.
    mask: UNMASKED,
    onBegan: () => {},
    onEvent(event) {
      fold.take(event)
      const usage = event.type === 'usage' ? fold.usage() : null
      if (over || usage === null || allowanceTenths(usage, allowed) < 10) return
      over = true
      void conversation.stop({ now: false })
    },
  })
  let interrupted = false
  const deaf = onSignals((_, count) => {
    interrupted = true
    void conversation.stop({ now: count > 1 })
  })
  const end = await conversation.ended
  deaf()
  const by = over && end.by === 'stopped' ? 'over-budget' : end.by
  return { reply: fold.finish({ ...end, by, log: { path: log, bytes: end.bytes } }), interrupted }
}

/** All it needs for three files. */
const TOOLS = ['Read', 'Write', 'Edit']

function requestFor(
  { root, document, settings }: AgentImport,
  driver: Driver,
  { agent, folder }: Talking,
): AgentRequest {
  const { values, programs } = settings
  const request: AgentRequest = {
    cwd: join(folder, 'work'),
    prompt: promptFor(root, document),
    extraDirs: [],
    env: {},
    scratch: folder,
  }
  if (driver.toolNames !== null && TOOLS.every((tool) => driver.toolNames?.includes(tool)))
    request.tools = TOOLS
  if (values['agent.model'] !== null) request.model = values['agent.model']
  const program = programs[agent]
  if (program !== undefined) request.program = program
  return request
}

/** The marks around the document cannot be guessed, so the document cannot end itself. */
function promptFor(root: string, document: ImportDocument): string {
  const fixed =
    readIfExists(join(root, '.ralph', 'prompts', 'import.md')) ?? readText(assetPath('prompts/import.md'))
  const mark = `document ${randomId(12)}`
  return `${fixed.trimEnd()}\n\n----- ${mark} begins: ${oneLine(document.name, 100)} -----\n${stripControl(document.text).trimEnd()}\n----- ${mark} ends -----\n`
}

/** More than any plan or specification that an agent could go on to read. */
const FILE_MAX = 512 * 1024

function collect(folder: string, agent: string): Record<'prompt' | 'plan' | 'requirements', string> {
  const read = (name: string): string => {
    const size = sizeOf(join(folder, name))
    if (size === null) throw importFailed(agent, `it left no ${name}`)
    if (size > FILE_MAX) throw importFailed(agent, `its ${name} has ${size} bytes, which nobody could read`)
    const text = stripControl(readText(join(folder, name))).trim()
    if (text === '') throw importFailed(agent, `its ${name} is empty`)
    return `${text}\n`
  }
  const made = { prompt: read('PROMPT.md'), plan: read('fix_plan.md'), requirements: read('requirements.md') }
  if (readCheckboxes(made.plan, []).open === 0) throw importFailed(agent, 'its fix_plan.md has no open box')
  return made
}
