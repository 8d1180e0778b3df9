/** The reply with every word of the agent masked: the last look before it is recorded, whatever way the words came. */
import { isObject } from '../text/json.ts'
import type { Reply } from './reply.ts'

type Mask = (text: string) => string

/** Ids, the model's name and our own path are no words of the agent, and must stay true. */
export function maskReply(reply: Reply, mask: Mask): Reply {
  const { failure, signals, told, denials, allow, lastMessage } = reply
  const { from, because } = signals
  return {
    ...reply,
    failure: failure && { ...failure, message: mask(failure.message) },
    signals: { ...masked(signals, mask), from, because: masked(because, mask) },
    told: masked(told, mask),
    denials: masked(denials, mask),
    ...(allow === undefined ? {} : { allow: masked(allow, mask) }),
    lastMessage: mask(lastMessage),
  }
}

/** What we made of its words: one of a few that we know, or the id of a question. Task ids and names of models are the agent's words. */
const OURS: ReadonlySet<string> = new Set(['is', 'id', 'status', 'tests', 'promise', 'phase'])

/** Every text in a value, however deep. */
function masked<T>(value: T, mask: Mask): T
function masked(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((one: unknown) => masked(one, mask))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, OURS.has(key) ? one : masked(one, mask)]))
}
