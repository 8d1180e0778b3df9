/** Which facts of a run are notified, and the format for each kind of receiver. */
import type { Instant, RunId } from '../ids.ts'
import type { OutcomeName } from '../state/outcome.ts'
import { assertNever } from '../assert-never.ts'
import type { Verdict } from '../proof/evidence.ts'
import type { Row } from '../state/row.ts'
import { oneLine } from '../text/sanitize.ts'
import { narrate, type LineFact, type NarratedLine } from './narrator.ts'
import type { RunView } from './run-view.ts'

export const NOTIFICATION_KINDS = ['ended', 'waiting', 'paused', 'breaker', 'question', 'refused', 'iteration'] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

export interface Notification {
  event: NotificationKind
  run: RunId
  /** The project folder's own name: a full path says too much to a stranger's server. */
  project: string
  at: Instant
  title: string
  text: string
  /** For `ended`. */
  outcome: { is: OutcomeName; verdict: Verdict; exit: number } | null
}

export interface NotificationOptions {
  project: string
  on: readonly NotificationKind[]
  /** An instant in the zone of this machine. */
  local: (at: Instant) => string
}

/** The notifications of one row, of the wanted kinds. `view`: the run as it was folded with it. */
export function notificationsFor(row: Row, view: RunView, { project, on, local }: NotificationOptions): Notification[] {
  return narrate(row, view, local)
    .flatMap((line) => (line.fact === undefined ? [] : messagesFor(line, line.fact, row.at)))
    .filter(({ event }) => on.includes(event))
    .map((one) => ({ outcome: null, ...one, text: oneLine(one.text, TEXT_MAX), run: row.run, project, at: row.at }))
}

type Message = Pick<Notification, 'event' | 'title' | 'text'> & Partial<Pick<Notification, 'outcome'>>

const TEXT_MAX = 300

function messagesFor({ who = '', text }: NarratedLine, fact: LineFact, at: Instant): Message[] {
  switch (fact.is) {
    case 'iteration':
      return [{ event: 'iteration', title: 'Iteration finished', text }]
    case 'question':
      return [{ event: 'question', title: `The agent asks (${fact.id})`, text: fact.text }]
    case 'wait': {
      // A wait until a time of day is for a limit and is news; a back-off of seconds is not, and an outage is reported once.
      const { outage, forMs } = fact.wait
      const isNews = outage === undefined ? forMs === null : outage.since === at
      return isNews ? [{ event: 'waiting', title: outage === undefined ? 'Waiting' : 'Outage', text }] : []
    }
    case 'ended':
    case 'left': {
      const { is, verdict, exit } = fact.outcome
      return [{ event: 'ended', title: who, text, outcome: { is, verdict, exit } }]
    }
    case 'decision': {
      const { by, what, why } = fact.decision
      const [event, title] = DECIDED[`${by}/${what}`] ?? []
      return event === undefined || title === undefined ? [] : [{ event, title, text: why }]
    }
    case 'gate':
      return []
    default:
      return assertNever(fact)
  }
}

/** Decisions that are notified, and their titles. */
const DECIDED: Partial<Record<string, [NotificationKind, string]>> = {
  'loop/pause': ['paused', 'Paused'],
  'draft/ask': ['question', 'The agent asks'],
  'breaker/open': ['breaker', 'The circuit breaker opened'],
  'proof/refuse': ['refused', 'A completion was rejected'],
}

export const WEBHOOK_FORMATS = ['json', 'slack', 'discord', 'ntfy'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

export interface WebhookRequest {
  headers: Record<string, string>
  body: string
}

/** The request to a webhook. Foreign texts are escaped for the receiver, so that they cannot ping a channel or make links. */
export function webhookRequestFor(notice: Notification, format: WebhookFormat): WebhookRequest {
  const json = (body: object): WebhookRequest => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const line = `${notice.project} · run ${notice.run}`
  switch (format) {
    case 'json':
      return json(notice)
    case 'slack':
      return json({ text: `*${slack(notice.title)}* (${slack(line)})\n${slack(notice.text)}` })
    case 'discord':
      return json({
        content: `**${discord(notice.title)}** (${discord(line)})\n${discord(notice.text)}`,
        allowed_mentions: { parse: [] },
      })
    case 'ntfy':
      // HTTP header values are Latin-1, and ntfy needs RFC 2047 for anything else, so the title stays in ASCII.
      return {
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          title: `${notice.title}: ${notice.project}`.replace(/[^\u0020-\u007e]/g, '?'),
          tags: TAGS[notice.event],
        },
        body: `${notice.text}\n${line}`,
      }
    default:
      return assertNever(format)
  }
}

const TAGS: Record<NotificationKind, string> = {
  ended: 'checkered_flag',
  waiting: 'hourglass',
  paused: 'double_vertical_bar',
  breaker: 'warning',
  question: 'question',
  refused: 'x',
  iteration: 'repeat',
}

function slack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function discord(text: string): string {
  return text.replace(/[\\*_~`|>[\]()@#]/g, '\\$&')
}
