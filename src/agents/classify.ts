/**
 * What a vendor's error text amounts to. Only words a vendor says about itself come here: error events, a final result
 * that is an error, stderr of vendors that report there. Tool results, echoed files and echoed prompts never do, or a
 * test fixture about rate limits would put the run to sleep.
 */
import type { AgentEvent, FailureKind, LimitKind } from '../domain/agent.ts'
import { parseObject, asObject, numberAt, shortMessage, textAt, type Json } from './json.ts'

export interface Trouble {
  kind: FailureKind
  /** Trying again later, perhaps with a fresh conversation, can help. */
  retryable: boolean
}

/** First match wins, so the particular stands before the general: a usage limit is also a 429, an overflow also a 400. */
const WORDS: [FailureKind, RegExp][] = [
  [
    'usage-limit',
    /(?<!(?:rate|context|token|output|turn)[ -])limit (?:was |has been )?reached|hit your (?:[\w-]+ ){0,3}limit|(?:usage|session|weekly|daily|monthly|hour|opus|sonnet)[ -]limit|out of extra usage|limit will reset|usage_limit/i,
  ],
  ['rate-limit', /per[ -]minute|perminute|tokens per min|requests per min|\b(?:TPM|RPM)\b/i],
  [
    'quota',
    /insufficient_quota|(?:current )?quota|credit balance|billing|payment required|(?:out of|insufficient|not enough) (?:credits?|funds|balance)|spend(?:ing)? limit|no premium requests/i,
  ],
  ['rate-limit', /rate[ _-]?limit|too many requests|throttl|resource_exhausted/i],
  [
    'bad-conversation',
    /no conversation found|no rollout found|session not found|invalid session identifier|no session, task, or name matched|(?:thread|conversation|session)\b[^.]{0,60} (?:not found|does not exist|unknown)|tool_use[^.]{0,60}(?:concurrency|without)|resuming session/i,
  ],
  [
    'context-overflow',
    /(?:prompt|input|request|conversation) is too (?:long|large)|context (?:length|window|limit)|context_length|maximum context|too many (?:input )?tokens|exceeds? the (?:maximum|model'?s|context)|contextoverflow/i,
  ],
  [
    'authentication',
    /unauthori[sz]ed|unauthenticated|authenticat|invalid (?:x-)?api[ -]?key|api[ -]key (?:is )?(?:not |in)valid|not logged in|(?:please )?run (?:`|')?(?:\/login|[\w-]+ login)|log ?in (?:required|again)|oauth|token (?:has )?expired|bad key|missing environment variable: `?\w*(?:KEY|TOKEN)/i,
  ],
  ['permission', /permission denied|permission_error|forbidden|not permitted|access denied/i],
  [
    'server',
    /overload|high demand|internal (?:server )?error|server(?:-side)? (?:error|issue|failure)|service unavailable|bad gateway|gateway timeout|temporarily unavailable|unexpected server/i,
  ],
  [
    'network',
    /\bE(?:CONN\w+|NOTFOUND|AI_AGAIN|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH)\b|socket hang up|fetch failed|unable to connect|cannot connect|api error: terminated|connection (?:was )?(?:error|refused|reset|closed|lost)|error (?:decoding|reading)[^.]{0,40} body|stream disconnected|error sending request|network|timed? ?out|certificate/i,
  ],
  [
    'bad-request',
    /invalid_request|bad request|invalid_argument|unexpected argument|unknown (?:option|argument|flag)|unrecognized|model[^.]{0,60} (?:not found|does not exist|not supported)|invalid model|require an explicit model|cannot be used with root|not inside a trusted/i,
  ],
]

const RETRYABLE: Record<FailureKind, boolean> = {
  'usage-limit': true,
  'rate-limit': true,
  // Somebody must pay or raise it; waiting alone does not help.
  quota: false,
  authentication: false,
  permission: false,
  'context-overflow': true,
  'bad-conversation': true,
  'bad-request': false,
  network: true,
  server: true,
  crash: true,
  killed: true,
  timeout: true,
  missing: false,
  unknown: true,
}

/** Words decide before the status: vendors hide limits behind 400 and 403, and an overflow behind 400. */
export function classify(message: string, status?: number): Trouble {
  const byWords = WORDS.find(([, words]) => words.test(message))?.[0]
  const kind = byStatus(byWords, status) ?? 'unknown'
  return { kind, retryable: RETRYABLE[kind] }
}

function byStatus(words: FailureKind | undefined, status: number | undefined): FailureKind | undefined {
  if (status === undefined || words === 'usage-limit' || words === 'quota') return words
  if (status === 429) return 'rate-limit'
  if (words === 'context-overflow' || words === 'bad-conversation') return words
  if (status === 401) return 'authentication'
  if (status === 402) return 'quota'
  if (status === 403) return words === 'authentication' ? words : 'permission'
  if (status === 408) return 'network'
  if (status >= 500) return 'server'
  if (status >= 400) return words === 'authentication' || words === 'rate-limit' ? words : 'bad-request'
  return words
}

const LIMITS: ReadonlySet<FailureKind> = new Set<FailureKind>(['usage-limit', 'rate-limit', 'quota'])

function isLimit(kind: FailureKind): kind is LimitKind {
  return LIMITS.has(kind)
}

type Troubled = Extract<AgentEvent, { type: 'limited' | 'failed' }>

/** A vendor's final event that tells an error. */
export function endedBadly(text: string, status?: number): AgentEvent[] {
  const event = trouble(text, { status })
  return [event, { type: 'ended', ok: false, reason: event.kind }]
}

/** The event a vendor's error amounts to, final or not: one that the vendor overcomes by itself is forgotten at a good end. */
export function trouble(text: string, about: { status?: number | undefined } = {}): Troubled {
  const body = unwrap(text)
  const message = shortMessage(body.message)
  const { kind, retryable } = classify(`${body.type} ${message}`, about.status ?? body.status)
  return isLimit(kind) ? { type: 'limited', kind, message } : { type: 'failed', kind, retryable, message }
}

/** For `Driver.exited`: the process is gone without its final event; what it left on stderr is all there is. */
export function troubleAtExit(end: { code: number | null; stderrTail: string }): Troubled | null {
  if (end.code === 0 || end.code === null) return null
  if (end.stderrTail.trim() === '') return null
  return trouble(end.stderrTail)
}

/** Some vendors put the provider's whole JSON answer into their message: the sentence inside is what a person wants. */
function unwrap(text: string): { message: string; type: string; status: number | undefined } {
  const begin = text.indexOf('{')
  const end = text.lastIndexOf('}')
  const body = begin >= 0 && end > begin ? parseObject(text.slice(begin, end + 1)) : null
  const error: Json | null = body === null ? null : (asObject(body['error']) ?? body)
  const message = error === null ? undefined : textAt(error, 'message')
  if (error === null || message === undefined) return { message: text, type: '', status: undefined }
  return {
    message: message.trim() === '' ? text : message,
    type: textAt(error, 'type') ?? textAt(error, 'status') ?? '',
    status: numberAt(error, 'code'),
  }
}
