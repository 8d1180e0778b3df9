/**
 * Folds an agent's events into a reply as they arrive, in bounded memory. The final message decides: the one in the vendor's final
 * event, else all text since the last tool call. Of a long message the end is kept, where the status block is.
 */
import type { AgentEvent, FailureKind, LimitKind, Usage } from '../calls/agent-io.ts'
import { assertNever } from '../assert-never.ts'
import { clipStart, oneLine, stripControl } from '../text/sanitize.ts'
import { analyzeReply } from './analyze-reply.ts'
import { parseJsonReply, type JsonReply } from './json-reply.ts'
import { addDenial } from './denials.ts'
import { decideReplyEnd, FAILURE_MESSAGE_MAX, type ProcessEnd } from './reply-end.ts'
import { findErrorLines, mergeErrorLines } from './error-lines.ts'
import { truncateReply } from './truncate-reply.ts'
import type { AllowAdvice, Denial, Reply, ReplyFailure } from './reply.ts'
import { findStatusBlock } from './status/status-block.ts'
import { type TagScanResult, createTagScan, type TagScan, scanTags, MESSAGE_END } from './tags/tag-scan.ts'
import { createAgentReportFold, type AgentReportFold } from './tags/agent-report-fold.ts'
import { type TextTail, createTextTail } from './text-tail.ts'
import { createUsageCounter, type UsageCounterOptions, type UsageCounter } from './usage.ts'

export interface ReplyFoldOptions {
  /** Phrases count as well as a status block, as in every plain-text reply. */
  words?: boolean
  /** `textLength` of the previous reply, for the output-decline rule. */
  previousLength?: number | null
  /** `conversationUsage` of the previous reply, if its conversation continues. */
  previousConversationUsage?: Usage | null
  /** The price of a model's tokens, for vendors that report only tokens. */
  priceOf?: NonNullable<UsageCounterOptions['priceOf']>
  /** The vendor's own fix for a failure, where it has one. */
  fixes?: Partial<Record<FailureKind, FailureFix>>
  /** How a person allows the denied tools with this vendor. */
  allow?: (denials: Denial[]) => AllowAdvice
}

/** How to fix a failure: a sentence, and the command in it, if there is one. */
export interface FailureFix {
  say: string
  command?: string
}

export interface ReplyFold {
  take(event: AgentEvent): void
  /** The usage of this iteration so far; null while the vendor has reported none. */
  usage(): Usage | null
  conversation(): string | null
  /** The reply, before the change is measured; see `withMeasuredChange`. */
  finish(end: ProcessEnd): Reply
}

export function createReplyFold(options: ReplyFoldOptions): ReplyFold {
  const heard = createFoldState(options)
  return {
    take: (event) => take(heard, event),
    usage: () => heard.usage.iteration(),
    conversation: () => heard.conversation,
    finish: (end) => finish(heard, { options, end }),
  }
}

/** The longest message that is kept. Replies of 140 KB occur. */
const TEXT_MAX = 256 * 1024
/** Errors are at the end of a tool's output. */
const TOOL_OUTPUT_MAX = 64 * 1024
const LAST_WORDS_MAX = 2_000
/** A longer text is not an id. */
const CONVERSATION_MAX = 512

interface Heard extends Pick<
  Reply,
  'conversation' | 'model' | 'failure' | 'limit' | 'denials' | 'tools' | 'textLength' | 'remarks'
> {
  /** The text since the last tool call. */
  message: TextTail
  /** The tags of the current vendor message, where in the text it begins and its id, and the report from all messages. */
  tags: TagScan
  tagsFrom: number
  tagsOf: string | null
  told: AgentReportFold
  /** Where in `message` the current run of deltas begins; the vendor may repeat it as one message. */
  growingFrom: number | null
  /** A tool was called since the last text: the next text begins a new message. */
  toolSince: boolean
  /** Error lines of the last failed tool call, until another call succeeds: what the agent leaves broken. */
  toolErrors: string[]
  errors: string[]
  usage: UsageCounter
  ended: {
    ok: boolean
    reason: string
    text: string | null
    tags: TagScanResult | null
    wrapped: Pick<JsonReply, 'keys' | 'errors'> | null
  } | null
}

function createFoldState({ previousConversationUsage = null, priceOf }: ReplyFoldOptions): Heard {
  return {
    message: createTextTail(TEXT_MAX),
    tags: createTagScan(),
    tagsFrom: 0,
    tagsOf: null,
    told: createAgentReportFold(),
    growingFrom: null,
    toolSince: false,
    textLength: 0,
    tools: 0,
    toolErrors: [],
    errors: [],
    denials: [],
    usage: createUsageCounter({ previous: previousConversationUsage, ...(priceOf === undefined ? {} : { priceOf }) }),
    conversation: null,
    model: null,
    failure: null,
    limit: null,
    ended: null,
    remarks: 0,
  }
}

function take(heard: Heard, event: AgentEvent): void {
  switch (event.type) {
    case 'started':
      if (event.conversation !== null && event.conversation.length <= CONVERSATION_MAX)
        heard.conversation = event.conversation
      if (event.model !== undefined) heard.model = oneLine(event.model, 100)
      return
    case 'text':
      return event.delta ? takeDelta(heard, event) : takeMessage(heard, event)
    case 'thought':
      return
    case 'tool':
      heard.tools++
      heard.toolSince = true
      heard.growingFrom = null
      // The model answers again, so the earlier failure is over.
      heard.failure = null
      return
    case 'tool-ended':
      heard.toolErrors = event.ok ? [] : findErrorLines(event.output.slice(-TOOL_OUTPUT_MAX))
      return
    case 'usage':
      return heard.usage.take(heard.model === null ? event : { model: heard.model, ...event })
    case 'denied':
      return addDenial(heard.denials, event)
    case 'limited':
    case 'failed':
      return takeFailure(heard, event)
    case 'ended':
      heard.ended = {
        ok: event.ok,
        reason: event.reason,
        text: event.text?.slice(-TEXT_MAX) ?? null,
        // Scans the full text: in a truncated one it is unclear what is code.
        tags: event.text === undefined ? null : tagsIn(event.text),
        wrapped: event.wrapped ?? null,
      }
      heard.textLength = Math.max(heard.textLength, event.text?.length ?? 0)
      return
    case 'remark':
      heard.remarks++
      return
    default:
      return assertNever(event)
  }
}

type Words = Extract<AgentEvent, { type: 'text' }>

function takeDelta(heard: Heard, words: Words): void {
  const { text } = words
  if (text === '') return
  beginMessage(heard)
  if (heard.growingFrom === null) {
    separate(heard, words)
    heard.growingFrom = heard.message.pushed()
  }
  addWords(heard, text)
}

/** A complete message. Some vendors stream it in deltas and then repeat it: the same text counts once. */
function takeMessage(heard: Heard, words: Words): void {
  const { text } = words
  const streamed = heard.growingFrom === null ? null : heard.message.text(heard.growingFrom).trim()
  heard.growingFrom = null
  if (text.trim() === '' || streamed === text.slice(-TEXT_MAX).trim()) return
  beginMessage(heard)
  separate(heard, words)
  addWords(heard, text)
}

function addWords(heard: Heard, text: string): void {
  heard.message.push(text)
  heard.tags.push(text)
  heard.textLength += text.length
}

function beginMessage(heard: Heard): void {
  if (!heard.toolSince) return
  heard.toolSince = false
  heard.errors = mergeErrorLines(findErrorLines(heard.message.text()), heard.errors)
  heard.told.take(tagsSaid(heard))
  heard.message = createTextTail(TEXT_MAX)
  beginTags(heard)
}

/** Text without a tool call in between is read as one message. Tags are read per vendor message, because after a hook or a person the
 *  next one may retract the verdict of the one before. Text without a message id belongs to the current message. */
function separate(heard: Heard, words: Words): void {
  const message = words.message ?? heard.tagsOf
  const isAnother = heard.tagsOf !== null && message !== heard.tagsOf
  heard.tagsOf = message
  if (heard.message.pushed() === 0) return
  if (isAnother) heard.told.take(tagsSaid(heard))
  else heard.tags.push(MESSAGE_END)
  heard.message.push('\n')
  if (isAnother) beginTags(heard)
}

function beginTags(heard: Heard): void {
  heard.tags = createTagScan()
  heard.tagsFrom = heard.message.pushed()
}

/** For a JSON message, scans the text inside it: in the raw JSON, lines and code cannot be recognised. */
function tagsIn(text: string): TagScanResult {
  return scanTags(parseJsonReply(text)?.words ?? text)
}

function tagsSaid(heard: Heard): TagScanResult {
  const answer = parseJsonReply(heard.message.text(heard.tagsFrom))
  return answer === null ? heard.tags.end() : scanTags(answer.words)
}

/** A vague failure does not replace one that gives a cause. Vendors report a limit more than once, and not every time with its reset:
 *  the announced reset stays. */
function takeFailure(heard: Heard, event: Extract<AgentEvent, { type: 'failed' | 'limited' }>): void {
  const before = heard.failure
  if (isLimit(event.kind)) heard.limit = event.kind
  if (isVague(event.kind) && before !== null && !isVague(before.kind)) return
  const announced = isLimit(event.kind) ? before?.resetsAt : undefined
  const resetsAt = (event.type === 'limited' ? event.resetsAt : undefined) ?? announced
  heard.failure = {
    kind: event.kind,
    message: oneLine(event.message, FAILURE_MESSAGE_MAX),
    ...(resetsAt === undefined ? {} : { resetsAt }),
  }
}

function isVague(kind: ReplyFailure['kind']): boolean {
  return kind === 'unknown' || kind === 'crash'
}

function isLimit(kind: ReplyFailure['kind']): kind is LimitKind {
  return kind === 'usage-limit' || kind === 'rate-limit'
}

function finish(heard: Heard, { options, end }: { options: ReplyFoldOptions; end: ProcessEnd }): Reply {
  const { limit, denials, usage, conversation, model, tools, textLength, remarks } = heard
  const text = finalMessage(heard)
  const signals = analyzeReply({
    text,
    wrapped: heard.ended?.wrapped ?? null,
    mode: options.words === true || !end.finalEvent ? 'text' : 'json',
    change: null,
    previousLength: options.previousLength ?? null,
    length: textLength,
  })
  const errors = mergeErrorLines(mergeErrorLines(signals.errors, heard.errors), heard.toolErrors)
  const { end: how, failure } = decideReplyEnd(end, heard)
  return truncateReply({
    end: how,
    failure: addFix(failure, options.fixes),
    limit,
    signals: { ...signals, errors },
    told: heard.told.finish(lastMessages(heard)),
    denials,
    ...allowed(denials, options.allow),
    usage: usage.iteration(),
    conversationUsage: usage.conversation() ?? options.previousConversationUsage ?? null,
    conversation,
    model,
    tools,
    textLength,
    lastMessage: clipStart(stripControl(text).trim(), LAST_WORDS_MAX),
    remarks,
    durationMs: end.durationMs,
    log: end.log,
  })
}

function addFix(failure: ReplyFailure | null, fixes: ReplyFoldOptions['fixes']): ReplyFailure | null {
  const fix = failure === null ? undefined : fixes?.[failure.kind]
  if (failure === null || fix === undefined) return failure
  const { say, command } = fix
  return { ...failure, fix: say, ...(command === undefined ? {} : { command }) }
}

/** Nobody types a longer command line, and the record has to store it. */
const ARGS_MAX = 2_000

function allowed(denials: Denial[], allow: ReplyFoldOptions['allow']): Pick<Reply, 'allow'> {
  if (allow === undefined || denials.length === 0) return {}
  const { say, args } = allow(denials)
  return { allow: { say, args: args.join(' ').length > ARGS_MAX ? [] : args } }
}

/** The final message in the vendor's final event, unless the vendor left out the part with the status block. */
function finalMessage(heard: Heard): string {
  const said = heard.message.text()
  const final = heard.ended?.text ?? null
  if (final === null || final.trim() === '') return said
  return findStatusBlock(final) === null && findStatusBlock(said) !== null ? said : final
}

/** The last message as the vendor repeats it, and as it was streamed. A message before a tool call is not the last if another follows. */
function lastMessages(heard: Heard): TagScanResult[] {
  const said = tagsSaid(heard)
  const repeated = heard.ended?.tags ?? null
  if (repeated === null || heard.ended?.text?.trim() === '') return [said]
  if (!heard.toolSince) return [repeated, said]
  heard.told.take(said)
  return [repeated]
}
