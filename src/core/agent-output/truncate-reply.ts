/** Limits a reply to the size of one event in the record: 16 KB. */
import { clip, clipStart, utf8Length } from '../text/sanitize.ts'
import type { Reply } from './reply.ts'
import type { AgentReport } from './agent-report.ts'

const REPLY_BYTES_MAX = 16 * 1024

/** Shortens the reply step by step, the least useful parts first, until it fits. Ordinary replies are far smaller and stay unchanged. */
export function truncateReply(reply: Reply): Reply {
  let fitting = reply
  let told = { told: reply.told, bytes: reportBytes(reply) }
  for (const shorten of STEPS) {
    if (fitting.told !== told.told) told = { told: fitting.told, bytes: reportBytes(fitting) }
    const { told: _, ...rest } = fitting
    if (sizeOf(rest) + told.bytes <= REPLY_BYTES_MAX) return fitting
    fitting = shorten(fitting)
  }
  return fitting
}

/** The report is the largest part of a long reply, so it is measured again only after it was shortened. */
function reportBytes({ told }: Reply): number {
  return told === undefined ? 0 : sizeOf(told) + KEY_BYTES
}

const STEPS: ((reply: Reply) => Reply)[] = [
  (reply) => ({
    ...reply,
    denials: reply.denials.map(({ tool, command }) =>
      command === undefined ? { tool } : { tool, command: clip(command, 60) },
    ),
  }),
  (reply) => ({ ...reply, lastMessage: clipStart(reply.lastMessage, 1_000) }),
  (reply) => ({ ...reply, signals: { ...reply.signals, errors: reply.signals.errors.slice(0, 5) } }),
  // Notes for other agents are worth more than the rest of the lists.
  (reply) => withShorterReport(reply, TOLD_BYTES),
  (reply) => ({ ...reply, denials: reply.denials.slice(0, 5), lastMessage: clipStart(reply.lastMessage, 300) }),
  (reply) => withShorterReport(reply, 0),
]

/** The minimum for notes and knowledge; they also get the space that the rest of the reply leaves. */
const TOLD_BYTES = 8 * 1024

function withShorterReport(reply: Reply, least: number): Reply {
  const { told, ...rest } = reply
  return { ...rest, told: truncateReport(told, Math.max(least, REPLY_BYTES_MAX - sizeOf(rest) - KEY_BYTES)) }
}

const KEY_BYTES = '"told":,'.length

/** Texts are not shortened below this length; then the last ones are dropped. */
const TEXT_MIN = 200

/** Halves the longest texts, so that part of each is kept; if that is not enough, drops the last ones. */
function truncateReport(told: AgentReport, bytes: number): AgentReport {
  if (sizeOf(told) <= bytes) return told
  const tell = 'Your notes were longer than the limit for one reply and were cut. Write less.'
  let fitting: AgentReport = { ...told, problems: [tell, ...told.problems.slice(0, 2)] }
  for (;;) {
    const lengths = textsOf(fitting).map((text) => text.length)
    // The texts alone are often too long: then there is no need to serialise the report.
    if (lengths.reduce((sum, one) => sum + one, 0) <= bytes && sizeOf(fitting) <= bytes) return fitting
    const longest = Math.max(0, ...lengths)
    const shorter = longest > TEXT_MIN ? halved(fitting, longest) : withoutLast(fitting)
    if (shorter === null) return fitting
    fitting = shorter
  }
}

function textsOf({ notes, knowledge, findings, asks }: AgentReport): string[] {
  return [...notes, ...knowledge.map(({ body }) => body), ...findings, ...asks.map(({ text }) => text)]
}

function halved(told: AgentReport, longest: number): AgentReport {
  const half = (text: string) => (text.length === longest ? clip(text, Math.floor(longest / 2)) : text)
  return {
    ...told,
    notes: told.notes.map(half),
    knowledge: told.knowledge.map((entry) => ({ ...entry, body: half(entry.body) })),
    findings: told.findings.map(half),
    asks: told.asks.map((ask) => ({ ...ask, text: half(ask.text) })),
  }
}

/** In the order in which they are dropped. */
const LISTS = ['findings', 'knowledge', 'notes', 'asks'] as const

/** Null: nothing is left to drop. */
function withoutLast(told: AgentReport): AgentReport | null {
  const list = LISTS.find((name) => told[name].length > 0)
  return list === undefined ? null : { ...told, [list]: told[list].slice(0, -1) }
}

function sizeOf(value: object): number {
  return utf8Length(JSON.stringify(value))
}
