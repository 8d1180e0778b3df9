/** Turns the protocol's `session/update` notifications into events. Remembers the tool calls in flight, because an agent reports one in
 *  pieces: first that it begins, later its details. */
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import { toolRequestOf } from './acp-permission.ts'
import { failureEvent } from '../error-text/classify-failure.ts'
import { numberAt, objectAt, objectsAt, textAt, type JsonObject } from '../../core/text/json.ts'
import { describeToolInput, remarkEvent, shortMessage, shortOutput, usageWithCachedInput } from './normalize.ts'

export interface AcpUpdateReader {
  take: (update: JsonObject) => void
  /** The agent reported that its turn failed, whatever its final answer says. */
  hasFailed: () => boolean
}

export function createUpdateReader(emit: (event: AgentEvent) => void): AcpUpdateReader {
  let hasFailed = false
  const calls = new Map<string, { call: JsonObject; told: boolean }>()

  function takeCall(update: JsonObject): void {
    const id = textAt(update, 'toolCallId') ?? ''
    const before = calls.get(id)
    const call = { ...before?.call, ...told(update) }
    const status = textAt(call, 'status')
    const over = status === 'completed' || status === 'failed'
    const known = over || Object.keys(objectAt(call, 'rawInput')).length > 0 || objectsAt(call, 'locations').length > 0
    if (known && before?.told !== true) emit(toolOf(id, call))
    calls.set(id, { call, told: known || before?.told === true })
    if (!over) return
    calls.delete(id)
    emit({ type: 'tool-ended', id, ok: status === 'completed', output: shortOutput(outputOf(call)) })
  }

  /** Codex's adapter answers a failed turn like a good one: the failure is reported here, its cause in the message that follows. */
  function takeInfo(update: JsonObject): void {
    const codex = objectAt(objectAt(update, '_meta'), 'codex')
    const status = textAt(objectAt(codex, 'threadStatus'), 'type')
    if (status !== undefined) hasFailed = status === 'systemError'
    const error = objectAt(codex, 'error')
    const message = textAt(error, 'additionalDetails') ?? textAt(error, 'message')
    if (message !== undefined) emit(failureEvent(message))
  }

  function take(update: JsonObject): void {
    switch (update['sessionUpdate']) {
      case 'agent_message_chunk':
        emitUsage(update, emit)
        return emitText(update, (text) => emit(hasFailed ? failureEvent(text) : { type: 'text', text, delta: true }))
      case 'agent_thought_chunk':
        return emitText(update, (text) => emit({ type: 'thought', text }))
      case 'tool_call':
      case 'tool_call_update':
        return takeCall(update)
      case 'usage_update': {
        const cost = objectAt(update, 'cost')
        const usd = textAt(cost, 'currency') === 'USD' ? numberAt(cost, 'amount') : undefined
        return usd === undefined ? undefined : emit({ type: 'usage', counts: 'conversation', usage: { usd } })
      }
      case 'session_info_update':
        return takeInfo(update)
      case 'notice':
        return emit(remarkEvent(textAt(update, 'message') ?? JSON.stringify(update)))
      case 'user_message_chunk':
      case 'plan':
      case 'available_commands_update':
      case 'current_mode_update':
      case 'config_option_update':
      case 'compaction_update':
      case 'compaction_summary_chunk':
        return
      default:
        return emit(remarkEvent(JSON.stringify(update)))
    }
  }

  return { take, hasFailed: () => hasFailed }
}

/** Qwen Code reports the tokens of each request beside an empty piece of a message; its input includes cached tokens. */
function emitUsage(update: JsonObject, emit: (event: AgentEvent) => void): void {
  const told = usageWithCachedInput(objectAt(objectAt(update, '_meta'), 'usage'), {
    input: 'inputTokens',
    output: 'outputTokens',
    cacheRead: 'cachedReadTokens',
    reasoning: 'thoughtTokens',
  })
  if (Object.keys(told).length > 0) emit({ type: 'usage', counts: 'add', usage: told })
}

function emitText(update: JsonObject, emit: (text: string) => void): void {
  const text = textAt(objectAt(update, 'content'), 'text')
  if (text !== undefined && text !== '') emit(text)
}

/** Later pieces add and replace fields; fields that they omit (null) stay. */
function told(update: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value !== null && value !== undefined))
}

function toolOf(id: string, call: JsonObject): AgentEvent {
  const { name, command } = toolRequestOf(call)
  const described = describeToolInput(objectAt(call, 'rawInput'))
  const places = objectsAt(call, 'locations').flatMap((location) => textAt(location, 'path') ?? [])
  const input = described.input === '' ? (command ?? textAt(call, 'title') ?? '') : described.input
  return { type: 'tool', id, name, input: shortMessage(input), paths: [...new Set([...places, ...described.paths])] }
}

function outputOf(call: JsonObject): string {
  const blocks = objectsAt(call, 'content').map((block) => textAt(objectAt(block, 'content'), 'text') ?? '')
  const text = blocks.filter((block) => block !== '').join('\n')
  return text === '' ? (textAt(call, 'rawOutput') ?? '') : text
}
