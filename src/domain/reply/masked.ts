/** The reply with every word of the agent masked: the last look before it is recorded, whatever way the words came. */
import type { Reply, ReplyFailure, Signals } from './reply.ts'

/** Ids, the model's name and our own path are no words of the agent, and must stay true. */
export function maskedReply(reply: Reply, mask: (text: string) => string): Reply {
  return {
    ...reply,
    failure: reply.failure === null ? null : maskedFailure(reply.failure, mask),
    signals: maskedSignals(reply.signals, mask),
    denials: reply.denials.map(({ tool, command }) =>
      command === undefined ? { tool: mask(tool) } : { tool: mask(tool), command: mask(command) },
    ),
    ...(reply.allow === undefined
      ? {}
      : { allow: { say: mask(reply.allow.say), args: reply.allow.args.map((word) => mask(word)) } }),
    lastWords: mask(reply.lastWords),
  }
}

function maskedFailure(failure: ReplyFailure, mask: (text: string) => string): ReplyFailure {
  return { ...failure, message: mask(failure.message) }
}

function maskedSignals(signals: Signals, mask: (text: string) => string): Signals {
  const { block, errors, summary, because } = signals
  const words: Pick<NonNullable<Signals['block']>, 'workType' | 'recommendation'> = {}
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
