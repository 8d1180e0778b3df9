/** The reply with every word of the agent masked: the last look before it is recorded, whatever way the words came. */
import type { Reply, ReplyFailure, ReplySignals } from './reply.ts'
import type { AgentReport } from './agent-report.ts'

/** Ids, the model's name and our own path are no words of the agent, and must stay true. */
export function maskReply(reply: Reply, mask: (text: string) => string): Reply {
  return {
    ...reply,
    failure: reply.failure === null ? null : maskedFailure(reply.failure, mask),
    signals: maskedSignals(reply.signals, mask),
    told: maskedTold(reply.told, mask),
    denials: reply.denials.map(({ tool, command }) =>
      command === undefined ? { tool: mask(tool) } : { tool: mask(tool), command: mask(command) },
    ),
    ...(reply.allow === undefined
      ? {}
      : { allow: { say: mask(reply.allow.say), args: reply.allow.args.map((word) => mask(word)) } }),
    lastMessage: mask(reply.lastMessage),
  }
}

function maskedFailure(failure: ReplyFailure, mask: (text: string) => string): ReplyFailure {
  return { ...failure, message: mask(failure.message) }
}

function maskedSignals(signals: ReplySignals, mask: (text: string) => string): ReplySignals {
  const { block, errors, summary, because } = signals
  const words: Pick<NonNullable<ReplySignals['block']>, 'workType' | 'recommendation'> = {}
  if (block?.workType !== undefined) words.workType = mask(block.workType)
  if (block?.recommendation !== undefined) words.recommendation = mask(block.recommendation)
  return {
    ...signals,
    block: block === null ? null : { ...block, ...words },
    errors: errors.map((line) => mask(line)),
    summary: mask(summary),
    because: Object.fromEntries(Object.entries(because).map(([field, why]) => [field, mask(why)])),
  }
}

/** Ids and names in it are the agent's words too: what it takes for one may be anything. */
function maskedTold(told: AgentReport, mask: (text: string) => string): AgentReport {
  const all = (texts: string[]) => texts.map((text) => mask(text))
  const { review } = told
  return {
    ...told,
    done: all(told.done),
    failed: all(told.failed),
    ...(told.why === undefined ? {} : { why: mask(told.why) }),
    nextModel: told.nextModel === null ? null : mask(told.nextModel),
    notes: all(told.notes),
    knowledge: told.knowledge.map(({ title, tags, body }) => ({
      title: mask(title),
      tags: all(tags),
      body: mask(body),
    })),
    ...(review?.is === 'fail' ? { review: { ...review, why: mask(review.why) } } : {}),
    asks: told.asks.map(({ id, text }) => ({ id, text: mask(text) })),
    progress: told.progress === null ? null : mask(told.progress),
    findings: all(told.findings),
    problems: all(told.problems),
  }
}
