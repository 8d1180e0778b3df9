/**
 * Lets an agent turn a document into prompt, plan and specification. It works in an empty folder of its own, so a document that
 * talks it into something can spoil nothing; what it leaves there is checked before a byte of it reaches the project.
 */
import { join } from 'node:path'
import { converse } from '../../agents/wire/converse.ts'
import type { Driver, Environment } from '../../agents/driver.ts'
import { driverFor } from '../../agents/registry.ts'
import { countBoxes } from '../../compat/fix-plan.ts'
import type { Settings } from '../../config/resolve.ts'
import type { AgentEvent, AgentRequest } from '../../domain/call/agent.ts'
import { RalphError } from '../../domain/error.ts'
import { oneLine, stripControl } from '../../domain/text/text.ts'
import { randomId, realClock } from '../../system/clock.ts'
import {
  asset,
  ensureFolder,
  makeTempFolder,
  readIfThere,
  readText,
  removeFolder,
  sizeOf,
} from '../../system/files/files.ts'
import { UNMASKED } from '../../system/mask/mask.ts'
import { onSignals } from '../../system/signals.ts'
import type { Document } from './import.ts'

export interface AgentImport {
  root: string
  document: Document
  agent: string
  settings: Settings
  env: Environment
}

export type AgentMade =
  | { is: 'made'; prompt: string; plan: string; requirements: string }
  | { is: 'interrupted' }

export async function convertByAgent(options: AgentImport): Promise<AgentMade> {
  const folder = makeTempFolder('ralph-import-')
  try {
    const trouble = await talk(options, folder)
    if (trouble === 'interrupted') return { is: 'interrupted' }
    if (trouble !== null) throw failed(options.agent, trouble)
    return collect(join(folder, 'work'), options.agent)
  } finally {
    removeFolder(folder)
  }
}

/** Null: it ended well. */
async function talk(options: AgentImport, folder: string): Promise<string | null> {
  const { values, agents } = options.settings
  const driver = driverFor(options.agent, agents)
  const clock = realClock()
  ensureFolder(join(folder, 'work'))
  let complaint: string | null = null
  const conversation = converse({
    driver,
    request: requestFor(options, driver, folder),
    limits: {
      idleMs: driver.idleMs ?? values['agent.idle'],
      wallMs: values['agent.timeout'],
      completionGraceMs: values['agent.completion_grace'],
      stopGraceMs: values['agent.stop_grace'],
      handshakeMs: values['agent.handshake'],
    },
    log: join(folder, 'agent.log'),
    effect: `import.${randomId(10)}`,
    runId: 'import',
    clock,
    handover: options.settings.handover,
    // Its folder is gone when it is done, and nothing of its words is kept.
    mask: UNMASKED,
    onBegan: () => {},
    onEvent: (event) => (complaint = complaintOf(event) ?? complaint),
  })
  let interrupted = false
  const deaf = onSignals((_, count) => {
    interrupted = true
    void conversation.stop({ now: count > 1 })
  })
  const end = await conversation.ended
  deaf()
  if (interrupted) return 'interrupted'
  if (end.problem !== null) return end.problem
  if (end.by !== 'itself' && end.by !== 'grace')
    return `it was ended after ${Math.round(end.durationMs / 1000)} s (${end.by} limit)`
  if (end.code === 0 || end.by === 'grace') return null
  return complaint ?? (oneLine(end.stderrTail, 200) || `it ended with exit code ${end.code ?? 'of a signal'}`)
}

function complaintOf(event: AgentEvent): string | null {
  return event.type === 'failed' || event.type === 'limited' ? oneLine(event.message, 200) : null
}

/** All it needs for three files. */
const TOOLS = ['Read', 'Write', 'Edit']

function requestFor(
  { root, document, agent, settings }: AgentImport,
  driver: Driver,
  folder: string,
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
function promptFor(root: string, document: Document): string {
  const fixed =
    readIfThere(join(root, '.ralph', 'prompts', 'import.md')) ?? readText(asset('prompts/import.md'))
  const mark = `document ${randomId(12)}`
  return `${fixed.trimEnd()}\n\n----- ${mark} begins: ${oneLine(document.name, 100)} -----\n${stripControl(document.text).trimEnd()}\n----- ${mark} ends -----\n`
}

/** More than any plan or specification that an agent could go on to read. */
const FILE_MAX = 512 * 1024

function collect(folder: string, agent: string): AgentMade {
  const read = (name: string): string => {
    const size = sizeOf(join(folder, name))
    if (size === null) throw failed(agent, `it left no ${name}`)
    if (size > FILE_MAX) throw failed(agent, `its ${name} has ${size} bytes, which nobody could read`)
    const text = stripControl(readText(join(folder, name))).trim()
    if (text === '') throw failed(agent, `its ${name} is empty`)
    return `${text}\n`
  }
  const made = { prompt: read('PROMPT.md'), plan: read('fix_plan.md'), requirements: read('requirements.md') }
  if (countBoxes(made.plan, []).open === 0) throw failed(agent, 'its fix_plan.md has no open box')
  return { is: 'made', ...made }
}

function failed(agent: string, why: string): RalphError {
  return new RalphError('agent-unusable', `${agent} did not turn the document into a project: ${why}`, {
    hint: 'Nothing was written. Try again, choose another agent (--agent NAME), or do without one: --no-agent',
  })
}
