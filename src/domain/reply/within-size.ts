/** Keeps a reply within what one event of the record may take: 16 KB, whatever the agent wrote. */
import { clip, clipStart, utf8Bytes } from '../text/text.ts'
import type { Reply } from './reply.ts'

const REPLY_BYTES_MAX = 16 * 1024

/** The reply, shortened step by step, least useful first, until it fits. Ordinary replies are far below and stay as they are. */
export function fitReply(reply: Reply): Reply {
  let fitting = reply
  for (const shorten of STEPS) {
    if (utf8Bytes(JSON.stringify(fitting)) <= REPLY_BYTES_MAX) return fitting
    fitting = shorten(fitting)
  }
  return fitting
}

const STEPS: ((reply: Reply) => Reply)[] = [
  (reply) => ({ ...reply, denials: reply.denials.map((denial) => shortDenial(denial)) }),
  (reply) => ({ ...reply, lastWords: clipStart(reply.lastWords, 1_000) }),
  (reply) => ({ ...reply, signals: { ...reply.signals, errors: reply.signals.errors.slice(0, 5) } }),
  (reply) => ({ ...reply, denials: reply.denials.slice(0, 5), lastWords: clipStart(reply.lastWords, 300) }),
]

function shortDenial(denial: Reply['denials'][number]): Reply['denials'][number] {
  return denial.command === undefined ? denial : { ...denial, command: clip(denial.command, 60) }
}
