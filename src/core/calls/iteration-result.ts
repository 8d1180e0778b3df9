/** What an iteration leaves for the next one: corrections for the prompt, and which conversation to resume. */
import { describeTools } from './tool-list.ts'
import type { Conversation } from './conversation.ts'
import type { WorkerId } from '../ids.ts'
import type { Denial, Reply } from '../agent-output/reply.ts'
import type { Ending } from '../pipeline/end-worker.ts'
import type { Worker } from '../state/state.ts'
import type { Rules } from '../state/rules.ts'
import { workerOf, type StepContext } from '../state/context.ts'
import type { Change } from '../tree/change.ts'
import { describeDenials, isDeniedAsCompound } from './denial.ts'
import { branchCorrection } from '../tree/branch-state.ts'

export interface IterationResult {
  agent: string
  reply: Reply
  change: Change
  ticked: boolean
  /** Control files it deleted. */
  deleted: string[]
}

/** `joined`: lines of several commands, each of which would have been allowed. */
export function splitDenials(
  { denials }: Pick<Reply, 'denials'>,
  tools: string[] | null,
): { joined: Denial[]; real: Denial[] } {
  const joined = denials.filter((denial) => isDeniedAsCompound(denial, tools))
  return { joined, real: denials.filter((denial) => !joined.includes(denial)) }
}

/** What the agent must put right. `refused`: why its completion does not count. */
export function correctionsFor(
  ctx: StepContext,
  id: WorkerId,
  { reply, deleted }: IterationResult,
  refused: string | null = null,
): string[] {
  const { tools } = ctx.state.run.rules.agent
  const { nextCheckbox, branchState } = workerOf(ctx, id)
  const { joined, real: denied } = splitDenials(reply, tools)
  const list: string[] = []
  const advice = branchState === null ? null : branchCorrection(branchState)
  if (advice !== null) list.push(advice)
  if (deleted.length > 0)
    list.push(`You deleted ${deleted.join(', ')}, which Ralph needs. Ralph restored them; leave them alone.`)
  if (refused !== null)
    list.push(`${refused}. Do the open ones first${nextCheckbox === null ? '' : `, next: ${nextCheckbox}`}.`)
  if (reply.signals.questions > 0) {
    list.push(
      'You asked a question. Nobody will answer: choose the most conservative option, note it in the plan, and continue.',
    )
  }
  if (denied.length > 0) {
    const may = tools === null ? '' : ` You may use: ${describeTools(tools)}.`
    list.push(`${describeDenials(denied)} is not allowed; find another way.${may}`)
  }
  if (joined.length > 0)
    list.push(
      `${describeDenials(joined)} was denied because it joins several commands; run them one at a time, without pipes.`,
    )
  return list.slice(0, 4)
}

/** Guidance that arrived while the agent worked; guidance in its prompt is done with. */
export function undeliveredSteering({ steering }: Pick<Worker, 'steering'>): Worker['steering'] {
  return steering.filter(({ told }) => told !== true)
}

/** The errors in its tags, as one correction. */
export function tagProblems({ told }: Pick<Reply, 'told'>): string[] {
  return told.problems.length === 0 ? [] : [told.problems.join(' ')]
}

/** Every call has the same MCP tools: a task result reported in a plain loop has no effect, and a correction says so. */
export function strayReportCorrections({ told }: Pick<Reply, 'told'>): string[] {
  const said = told.done.length + told.failed.length
  return said === 0 ? [] : [NO_TASK]
}

const NO_TASK =
  'You reported the result of a task, but this loop has no tasks: report progress in the block at the end of your reply.'

export function conversationAfter(ctx: StepContext, id: WorkerId, done: IterationResult): Conversation | null {
  const before = workerOf(ctx, id).conversation
  const { reply, agent } = done
  // A conversation in which the agent deleted its own instructions is not resumed.
  if (done.deleted.length > 0) return null
  if (reply.conversation === null) return before?.agent === agent ? before : null
  return { agent, id: reply.conversation, usedAt: ctx.now.at, usage: reply.conversationUsage }
}

/** How a denied tool ends the run (`exit.denial = "halt"`). Null: it continues. */
export function endingOnDenial(denied: Denial[], { allow }: Reply, { denial }: Rules['exit']): Ending | null {
  if (denied.length === 0 || denial !== 'halt') return null
  const what = describeDenials(denied)
  const cause = allow === undefined ? {} : { cause: { is: 'denied' as const, what, allow } }
  return { is: 'permission_denied', why: `the agent was denied ${what}`, ...cause }
}
