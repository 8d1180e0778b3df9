/** What of a run is worth a notification, and how each kind of receiver wants it written. */
import type { Instant, RunId } from '../ids.ts'
import type { OutcomeName } from '../state/outcome.ts'
import { never } from '../assert-never.ts'
import { outcomeHeading, outcomeReason } from './outcome-text.ts'
import type { Verdict } from '../proof/evidence.ts'
import { wasIgnored, type Row } from '../state/row.ts'
import { oneLine } from '../text/sanitize.ts'
import { describeWait } from './wait-text.ts'

export const NOTIFICATION_KINDS = [
  'ended',
  'waiting',
  'paused',
  'breaker',
  'question',
  'refused',
  'iteration',
] as const
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

/** The notices of one row, of the wanted kinds. */
export function notificationsFor(row: Row, { project, on, local }: NotificationOptions): Notification[] {
  if (wasIgnored(row)) return []
  const told = [
    ...ofEvent(row),
    ...row.effects.flatMap((effect) => ofEffect(effect, row.at, local)),
    ...row.decisions.flatMap(ofDecision),
  ]
  return told
    .filter(({ event }) => on.includes(event))
    .map((one) => ({
      outcome: null,
      ...one,
      text: oneLine(one.text, TEXT_MAX),
      run: row.run,
      project,
      at: row.at,
    }))
}

type Told = Pick<Notification, 'event' | 'title' | 'text'> & Partial<Pick<Notification, 'outcome'>>

const TEXT_MAX = 300

function ofEvent({ event }: Row): Told[] {
  if (event.type === 'run-ended') {
    const { is, verdict, exit } = event.outcome
    const title = outcomeHeading(event.outcome)
    return [{ event: 'ended', title, text: outcomeReason(event.outcome), outcome: { is, verdict, exit } }]
  }
  if (event.type === 'run-suspended') {
    const { is, verdict, exit, reason } = event.outcome
    const text = `${reason}; the same command goes on with it`
    return [{ event: 'ended', title: 'Left unfinished', text, outcome: { is, verdict, exit } }]
  }
  if (event.type === 'agent-ended') {
    const text = event.reply.signals.summary || event.reply.failure?.message || event.reply.end
    return [
      { event: 'iteration', title: 'An iteration ended', text },
      ...event.reply.told.asks.map((asked) => ({
        event: 'question' as const,
        title: `The agent asks (${asked.id})`,
        text: asked.text,
      })),
    ]
  }
  return []
}

/** A wait until an hour on the clock is for a limit; a back-off of seconds is nobody's business, and an outage is told once. */
function ofEffect(effect: Row['effects'][number], at: Instant, local: NotificationOptions['local']): Told[] {
  if (effect.type !== 'wait') return []
  const worth = effect.outage === undefined ? effect.forMs === null : effect.outage.since === at
  if (!worth) return []
  const title = effect.outage === undefined ? 'Waiting' : 'An outage'
  return [{ event: 'waiting', title, text: describeWait(effect, { now: at, local }) }]
}

function ofDecision({ by, what, why }: Row['decisions'][number]): Told[] {
  if (by === 'loop' && what === 'pause') return [{ event: 'paused', title: 'Paused', text: why }]
  if (by === 'draft' && what === 'ask') return [{ event: 'question', title: 'The agent asks', text: why }]
  if (by === 'breaker' && what === 'open')
    return [{ event: 'breaker', title: 'The breaker opened', text: why }]
  if (by === 'proof' && what === 'refuse')
    return [{ event: 'refused', title: 'A completion was refused', text: why }]
  return []
}

export const WEBHOOK_FORMATS = ['json', 'slack', 'discord', 'ntfy'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

export interface WebhookRequest {
  headers: Record<string, string>
  body: string
}

/** What is sent to a webhook. Texts of others are quoted as the receiver wants, so that they cannot ping a channel or make links. */
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
      // Header values are Latin-1 by law; ntfy takes RFC 2047 for the rest, so the title stays in ASCII.
      return {
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          title: ascii(`${notice.title}: ${notice.project}`),
          tags: TAGS[notice.event],
        },
        body: `${notice.text}\n${line}`,
      }
    default:
      return never(format)
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

function ascii(text: string): string {
  return text.replace(/[^\u0020-\u007e]/g, '?')
}
