/**
 * The patterns that classify a vendor's error. A warning that a limit is near is no limit; then specific patterns come before general
 * ones: a usage limit is also a 429, an overflow also a 400, an overloaded model also an unavailable model. Tests try each list on
 * `wordings.json`, the vendors' real texts.
 */
import type { FailureKind } from '../../core/calls/agent-io.ts'
import { MINUTE } from '../../core/text/value-kind.ts'
import { parseAnnouncedWait } from './reset-time.ts'

/** Null: only warnings. Text decides before the status: vendors hide limits behind 400 and 403, and an overflow behind 400. */
export function failureKindOf(text: string, status?: number): FailureKind | null {
  const said = withoutWarnings(text)
  const words = byWords(said, text)
  if (said !== text && words === undefined && status === undefined) return null
  return byStatus(words, status) ?? 'unknown'
}

function any(...parts: string[]): RegExp {
  return new RegExp(parts.join('|'), 'i')
}

/** "You've used 90% of your weekly limit", "Approaching usage limit", "your limit has reset": nothing has stopped. */
const NEAR = any(
  String.raw`\bapproaching\b`,
  String.raw`\b(?:close to|near(?:ing|ly)?|almost (?:at|reached|out)) (?:your|the|its|reaching)`,
  String.raw`\b(?:used|consumed)\s+(?:about |over |more than )?(?!100\b)\d{1,2}(?:\.\d+)?\s?%`,
  String.raw`\b(?!0\b)\d{1,2}(?:\.\d+)?\s?%[^.\n]{0,60}\b(?:left|remain(?:s|ing)?|used)\b`,
  String.raw`\b(?!0\b)\d+ (?:[a-z]+ ){0,3}(?:remaining|left)\b(?![-:])`,
  String.raw`\b(?:will be reached|will run out|running out|running low|run low)\b`,
  String.raw`^\W*heads up\b`,
  String.raw`\bnow using (?:extra usage|(?:usage )?credits)`,
  String.raw`\busage credits are off\b|\blimit increase\b|\bcontinuing autonomously\b`,
  String.raw`\blimits? (?:has|have) (?:been )?reset\b`,
  String.raw`^\W*(?:your )?(?:[\w-]+ ){0,3}(?:allowance|quota|limits?)(?: will)? resets? `,
  String.raw`ratelimit-remaining-\w+[:\s]+[1-9]`,
  String.raw`\$[\d.,]+ of \$[\d.,]+`,
  String.raw`"(?:utilization|totalPercentUsed)"`,
  // German and Portuguese, from the vendors' own pages.
  String.raw`\bfast erreicht\b|\bpróximo do limite\b`,
)
const SPENT =
  /\b(?:reached|hit|exceed(?:ed|s)?|exhausted|used up|out of|depleted|denied|failed|rejected|429|too many)\b/i

function withoutWarnings(text: string): string {
  const sentences = text.split(/(?<=[.!?])\s+|\n/)
  const kept = sentences.filter(
    (sentence) => !NEAR.test(sentence) || SPENT.test(sentence.replace(/\bwill be reached\b/gi, '')),
  )
  return kept.length === sentences.length ? text : kept.join('\n')
}

/** Limits other than the account's: of a conversation, a turn, a retry, the disk. */
const NOT_OURS =
  /\b(?:context|token|output|turn|thread|retry|length|size|budget|recursion|step|\w*file|line|time)s?[ -]limits?\b|\btoken budget\b|\bdisk quota\b|\bnot your usage limit\b|\b(?:CPU profile|Heap snapshot|GitHub API) rate limit\b/gi

/** A quota over hours, days or a month: only waiting for its reset helps. */
const LONG = any(
  String.raw`\b(?:hourly|daily|weekly|monthly|yearly|annual)\b`,
  String.raw`per[ _-]?(?:hour|day|week|month)`,
  String.raw`\b\d+[ -]?(?:h|hr|hours?|d|days?|weeks?|months?)[ -](?:\w+ )?(?:limits?|quota|window|usage|allowance|plan)\b`,
  String.raw`\b(?:token|coding)[ -]plan\b`,
  'weekly_|daily_',
)
const ALLOWANCE = String.raw`(?:limits?|quotas?|allowances?|allotments?|caps?|usage|capacity|allocation|(?:premium|free|fast|agent|chat|included) (?:requests?|messages|usage)|requests|messages|prompts)`
const USAGE = any(
  String.raw`\b(?:hit|reached|exceeded|exhausted|used up|used all|ran out of|run out of|maxed out|over|used 100 ?%(?= ))(?: of)?(?: (?:your|the|its|this|all|a|an|my))*(?: [\w/'’-]+){0,5}? ${ALLOWANCE}\b`,
  String.raw`\b${ALLOWANCE}\b(?: [\w'’-]+){0,6}? (?:reached|hit|exceeded|exhausted|used up|depleted|consumed|spent)\b`,
  'usage_limit|usage[ -]limit|quota_exceeded|limit will reset',
  String.raw`out of (?:extra )?usage|no (?:more )?premium requests|\bno quota\b|使用上限`,
)

const RATE = any(
  'rate[ _-]?limit|ratelimit|limiting requests|too fast|slow down|throttl',
  'too many (?:requests|tokens(?:,| per))',
  'resource[ _](?:has been )?exhausted',
  String.raw`per[ -]?(?:minute|second)|tokens per min|requests per min|\b(?:TPM|RPM|QPS)\b`,
  String.raw`concurren(?:t|cy)[^.\n]{0,20}(?:requests|limit|connections|quota)`,
)

/** Only paying helps. */
const BALANCE = any(
  String.raw`insufficient[ _](?:\w+_)?(?:quota|credits?|funds|balance)`,
  String.raw`(?:out of|not enough|no|add|purchase|buy|refill|requires?)(?: (?:more|any|your))? (?:prepaid |AI )?(?:credits?|funds)\b`,
  String.raw`credits? (?:are |have been |has been |is |were )?(?:exhausted|depleted|used up|expired|required|too low)`,
  'credit balance|account balance|balance (?:is )?(?:too low|insufficient|negative|exhausted)|余额不足',
  'payment (?:required|method|failed|past due)|billing|top up|arrear|unpaid|overdue|can only afford',
  'spend(?:ing)?[ _](?:limit|cap)|budget (?:has been )?exceeded|exceeded ?(?:your |the )?(?:[a-z-]+ )?budget|over budget|shared budget',
  'out of (?:extra )?usage|extra usage is required|cannot accrue|include usage credits',
  String.raw`free (?:promotion|trial|period)[^.\n]{0,40}(?:ended|expired|over)`,
  '(?:plan|package|subscription) (?:has )?expired|renew(?:ing)? (?:your )?subscription',
)

/** Checked in this order; limits and money have been ruled out. */
const OTHERS: [FailureKind, RegExp][] = [
  [
    'bad-conversation',
    any(
      'no conversation found|no rollout found|no thread with id|session not found|invalid session identifier',
      'no session, task, or name matched|resuming session|session state is invalid',
      String.raw`(?:thread|conversation|session)\b[^.]{0,60} (?:not found|does not exist|unknown|expired)`,
      'tool[ _]use[^.]{0,60}(?:concurrency|without)|tool_result[^.]{0,60}(?:missing|without|corresponding)',
    ),
  ],
  [
    'server',
    any(
      'overload|at capacity|no capacity|capacity exceeded|api capacity|high demand|high load|no provider available',
      String.raw`\[unavailable\]`,
      // JSON-RPC wraps any error as `Internal error: …`; the actual error follows the colon.
      'internal[ _]server[ _]error|internal[ _]error(?!; agent|: fail)|server(?:-side)? (?:error|issue|failure)|api_error|server_error',
      'service[ _]unavailable|temporarily unavailable|bad gateway|gateway time-?out|unexpected server',
      String.raw`service disruption|\b5(?:0[0234]|2[0-9])\b (?:error|internal|bad|service|gateway|overloaded)`,
      String.raw`\bunavailable\b(?=[^.\n]{0,40}\btry again)`,
    ),
  ],
  [
    'model',
    any(
      String.raw`(?<!metadata for )(?:model|deployment)(?! metadata)[\w\s:./'"${'`'}-]{0,80} (?:(?:is |was )?not found|does(?: not|n't) exist|(?:is |are )?(?:not|no longer) (?:supported|available|valid)|is deprecated|has been retired|is disabled|requires explicit)`,
      '(?:unknown|invalid|unsupported|no such|unrecognized|not a valid)[ -]model|model not found|model_not_found|DeploymentNotFound',
      String.raw`not_found_error[^.\n]{0,40}model|models?\/\S+ is not found|model identifier is invalid|on-demand throughput`,
      String.raw`(?:issue with|access to|use) (?:the|this) (?:selected |requested )?model|require an explicit model|no models? available`,
      String.raw`don['’]t have access to (?:the )?(?:model|gemini|claude|gpt|o\d)|may not exist or you may not have access`,
      String.raw`no (?:available )?endpoints (?:available|found)|is not available (?:with|on|for|in) (?:the|your)[^.\n]{0,30} plan|free quota tier`,
      'only available hosted',
    ),
  ],
  [
    'authentication',
    any(
      'unauthori[sz]ed|unauthenticated|authenticat|authoriz(?:ation|ed) (?:header|failed|required)',
      String.raw`(?:invalid|incorrect|missing|expired|revoked|disabled|bad|no)[ _](?:x-)?(?:api|access|auth)?[ _-]?(?:key|token|credentials)\b`,
      String.raw`api[ _-]key[^.\n]{0,40}(?:(?:not |in)valid|incorrect|expired|revoked|disabled|missing|not found|deleted|leaked)`,
      String.raw`not (?:logged|signed) in|(?:please )?run (?:${'`'}|')?(?:\/login|[\w-]+ login)|(?:log|sign) ?in (?:required|again)|please (?:log|sign) in|failed to sign in|browser for login`,
      String.raw`oauth|token[^.\n]{0,30} (?:has |was )?(?:been )?(?:expired|revoked|already used|invalid)|needs a [\w. ]*credential`,
      String.raw`must specify the \w*(?:KEY|TOKEN)|(?:missing|set|no) (?:environment variable:? )?${'`'}?\w*(?:API_KEY|_TOKEN)|environment variable: ${'`'}?\w*(?:KEY|TOKEN)|bad key`,
    ),
  ],
  [
    'permission',
    any(
      String.raw`permission_(?:error|denied)|\b403\b|forbidden|not authorized to use|does not have (?:access|permission)`,
      String.raw`organi[sz]ation[^.\n]{0,60}(?:disabled|suspended|deactivated|not (?:allowed|have access)|does not have)`,
      String.raw`(?:service|feature|access)[^.\n]{0,20} (?:is |has been )?disabled|disabled by your (?:admin|organi[sz]ation)`,
      String.raw`account[^.\n]{0,100}(?:disabled|suspended|deactivated|banned|blocked|not (?:eligible|active|allowed))`,
      String.raw`not (?:available|supported) (?:in|for) your (?:country|region|location|plan|account|organi[sz]ation)`,
      String.raw`(?:country|region|location)[^.\n]{0,30}not (?:supported|allowed|authorized)|policy[^.\n]{0,40}(?:disabled|blocked)`,
      String.raw`free trial accounts|upgrade to \w+: |no (?:active )?subscription|subscription (?:is )?(?:required|inactive)|not (?:licensed|entitled)`,
      String.raw`terms of service[^.\n]{0,20}accept`,
    ),
  ],
  [
    'network',
    any(
      String.raw`\bE(?:CONN\w+|NOTFOUND|AI_AGAIN|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|PROTO)\b|getaddrinfo|und_err|\bdns\b`,
      'socket hang up|fetch failed|failed to fetch|premature close|unable to connect|cannot connect|could not connect',
      "(?:could not|couldn't|failed to) (?:resolve|reach)|api error: terminated|offline|network",
      'connection (?:was |has been )?(?:error|refused|reset|closed|lost|failed|aborted|timed out)|connect(?:ion)? error',
      'error (?:decoding|reading)[^.]{0,40} (?:body|response)|stream (?:disconnected|closed|error|ended)|error sending request',
      String.raw`\b(?:request|response|connect|api|fetch|stream|socket|upstream|model|headers?|read)\b[^.\n]{0,30} timed? ?-?out`,
      String.raw`^\W*(?:error: )?(?:timed? ?out|terminated)\W*$|certificate|\b(?:TLS|SSL)\b`,
    ),
  ],
  [
    'bad-request',
    any(
      'invalid_request|bad request|invalid_argument|unexpected argument|unknown (?:option|argument|flag)|unrecognized',
      'cannot be used with root|not inside a trusted',
    ),
  ],
]

const OVERFLOW = any(
  '(?:prompt|input|request|conversation|message)(?: is)? too (?:long|large)|context[ _-](?:length|window|limit|overflow)',
  "context_length|contextoverflow|maximum context|maximum prompt length|exceeds? the (?:maximum|model'?s|context)",
  'too many (?:input )?tokens(?!,? (?:please )?wait| per)|token count[^.]{0,40}exceeds|input token count',
  'ran out of room|request_too_large|request entity too large',
)

/** A quota that resets within this time is a rate limit, and a rate limit that takes longer is a quota, whatever its name. */
const SHORT = 10 * MINUTE

/** `said` excludes warnings; `text` is the original, for a reset time in it. */
function byWords(said: string, text: string): FailureKind | undefined {
  const ours = said.replace(NOT_OURS, ' ').replace(/https?:\/\/\S+/g, ' ')
  const rate = RATE.test(ours)
  const usage = USAGE.test(ours)
  if (OVERFLOW.test(said) && !rate) return 'context-overflow'
  if (/no capacity available|at capacity|service tier capacity/i.test(ours)) return 'server'
  const wait = usage || rate ? parseAnnouncedWait(text) : null
  if (BALANCE.test(ours) && !comesBack(ours, wait)) return 'balance'
  const long = LONG.test(ours) || (wait !== null && wait >= SHORT)
  if (rate && !/usage[ _-]limit|使用上限/i.test(ours)) return long ? 'usage-limit' : 'rate-limit'
  if (usage) return wait === null || long ? 'usage-limit' : 'rate-limit'
  return OTHERS.find(([, words]) => words.test(said))?.[0]
}

/** Buying more is only advice: the quota resets by itself. */
function comesBack(text: string, wait: number | null): boolean {
  return (
    wait !== null ||
    /usage[ _-]limit|limit will reset|\bresets?\b|try again (?:at|later|on)|regain access|free[_ -]?(?:tier|models)|per[ _-]?(?:day|minute)/i.test(
      text,
    )
  )
}

function byStatus(words: FailureKind | undefined, status: number | undefined): FailureKind | undefined {
  if (status === undefined || words === 'usage-limit' || words === 'balance') return words
  if (status === 429) return AT_429.has(words) ? words : 'rate-limit'
  if (words === 'context-overflow' || words === 'bad-conversation') return words
  if (status === 401) return 'authentication'
  if (status === 402) return 'balance'
  if (status === 403) return words === 'authentication' || words === 'model' ? words : 'permission'
  if (status === 408) return 'network'
  if (status >= 500) return words === 'model' ? words : 'server'
  if (status >= 400) return AT_400.has(words) ? words : 'bad-request'
  return words
}

/** Kinds that the text may show behind these two statuses; they are more precise than the status. */
type Words = FailureKind | undefined
const AT_429 = new Set<Words>(['server', 'model', 'permission'])
const AT_400 = new Set<Words>(['authentication', 'rate-limit', 'model', 'permission'])
