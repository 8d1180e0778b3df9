/** `ralph inspect`: shows how Ralph parses a file, or what it would decide. */
import { resolve } from 'node:path'
import {
  inspectEvidence,
  inspectPlan,
  inspectReply,
  evaluateReplyExits,
  inspectSnapshot,
  type InspectReplyOptions,
} from '../../../app/doctor/inspect.ts'
import { simulateBreaker } from '../../../app/doctor/simulate-breaker.ts'
import { buildPromptPreview } from '../../../app/doctor/prompt-preview.ts'
import type { Settings } from '../../../config/resolve.ts'
import { promptPreviewScreen } from '../../plain/screens/prompt-preview.ts'
import {
  simulatedBreakerScreen,
  evidenceScreen,
  planScreen,
  inspectedReplyScreen,
  replyExitsScreen,
  snapshotScreen,
} from '../../plain/screens/inspect.ts'
import type { CommandHandler, CommandInput } from '../framework/command.ts'
import { createPrintCommand } from '../framework/print-result.ts'
import { openProject, openProjectOrFolder } from '../framework/open-project.ts'
import type {
  INSPECT_BREAKER,
  INSPECT_EVIDENCE,
  INSPECT_PLAN,
  INSPECT_PROMPT,
  INSPECT_REPLY,
  INSPECT_SIGNALS,
  INSPECT_SNAPSHOT,
} from '../command-table/view-commands.ts'

export const reply: CommandHandler<typeof INSPECT_REPLY> = createPrintCommand(
  async (input, io) => {
    const { settings } = await openProjectOrFolder(input, io)
    return inspectReply(resolve(io.cwd, input.args.file), readOptionsFrom(input, settings))
  },
  (facts, { p }) => inspectedReplyScreen(facts, p),
)

export const signals: CommandHandler<typeof INSPECT_SIGNALS> = createPrintCommand(
  async (input, io) => {
    const { settings } = await openProjectOrFolder(input, io)
    const paths = input.args.files.map((file) => resolve(io.cwd, file))
    return evaluateReplyExits(paths, readOptionsFrom(input, settings), settings.rules())
  },
  (facts, { p }) => replyExitsScreen(facts, p),
)

export const breaker: CommandHandler<typeof INSPECT_BREAKER> = createPrintCommand(
  async (input, io) => {
    const { settings } = await openProjectOrFolder(input, io)
    return simulateBreaker(resolve(io.cwd, input.args.file), settings.rules().breaker)
  },
  (facts, { p }) => simulatedBreakerScreen(facts, p),
)

export const evidence: CommandHandler<typeof INSPECT_EVIDENCE> = createPrintCommand(
  async (input, io) => inspectEvidence((await openProject(input, io)).root, input.args.run),
  (facts, { p }) => evidenceScreen(facts, p),
)

export const snapshot: CommandHandler<typeof INSPECT_SNAPSHOT> = createPrintCommand(
  async (input, io) => inspectSnapshot((await openProject(input, io)).root),
  (facts, { p }) => snapshotScreen(facts, p),
)

export const plan: CommandHandler<typeof INSPECT_PLAN> = createPrintCommand(
  async (input, io) => {
    const { root, settings } = await openProject(input, io)
    return inspectPlan(root, settings.rules().loop)
  },
  (facts, { p }) => planScreen(facts, p),
)

export const prompt: CommandHandler<typeof INSPECT_PROMPT> = createPrintCommand(
  async (input, io) => {
    const { root, settings } = await openProject(input, io)
    const role = input.flags.verify ? 'review' : 'work'
    return buildPromptPreview(root, input.args.task, { role, settings })
  },
  (facts, style, { flags }) => (flags.full ? facts.text : promptPreviewScreen(facts, style)),
)

function readOptionsFrom(
  { flags: { agent, text } }: Pick<CommandInput<typeof INSPECT_REPLY>, 'flags'>,
  settings: Settings,
): InspectReplyOptions {
  return { agent, text, custom: settings.agents }
}
