/** Masks secrets in all text of the agent in a reply: the last step before it is recorded. */
import { isObject } from '../text/json.ts'
import type { Reply } from './reply.ts'

type Mask = (text: string) => string

/** Ids, the model's name and the path of the log are not the agent's text, and must stay unchanged. */
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

/** Keys whose values Ralph wrote: closed lists, or the id of a question. Task ids and model names are the agent's text. */
const OURS: ReadonlySet<string> = new Set(['is', 'id', 'status', 'tests', 'promise', 'phase'])

/** Masks every text in a value, at any depth. */
function masked<T>(value: T, mask: Mask): T
function masked(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((one: unknown) => masked(one, mask))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, OURS.has(key) ? one : masked(one, mask)]))
}
