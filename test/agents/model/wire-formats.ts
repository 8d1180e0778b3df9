/**
 * The four wire formats the programs speak. Each turns a turn of the script into what its provider would send: the pieces of a
 * stream, or one JSON answer for callers that do not stream.
 */
import type { Call, Offered } from './tool-calls.ts'
import { TOKENS, type Refusal, type Tokens, type Turn } from './script.ts'

type Json = Record<string, unknown>

export interface WireFormat {
  name: 'responses' | 'chat' | 'anthropic' | 'gemini'
  /** Whether a request for this path speaks it. */
  path: RegExp
  offered(body: Json): Offered
  streams(body: Json, path: string): boolean
  whole(answer: Answer): Json
  /** `cut` is where a broken connection breaks: pieces up to there are sent. */
  pieces(answer: Answer): { pieces: string[]; cut: number }
  refusal(refusal: Refusal): Json
}

export interface Answer {
  turn: Turn
  call: Call | null
  model: string
  number: number
}

export const WIRE_FORMATS: WireFormat[] = [
  {
    name: 'responses',
    path: /\/responses$/,
    offered: (body) => ({
      tools: responseTools(body).map((tool) => textAt(tool, 'name') ?? ''),
      freeText: responseTools(body)
        .filter((tool) => tool['type'] === 'custom')
        .map((tool) => textAt(tool, 'name') ?? ''),
    }),
    streams: (body) => body['stream'] === true,
    whole: (answer) => response(answer),
    pieces: responsePieces,
    refusal: openaiRefusal,
  },
  {
    name: 'chat',
    path: /\/chat\/completions$/,
    offered: (body) => ({
      tools: listAt(body, 'tools').map((tool) => textAt(objectAt(tool, 'function'), 'name') ?? ''),
      freeText: [],
    }),
    streams: (body) => body['stream'] === true,
    whole: chatWhole,
    pieces: chatPieces,
    refusal: openaiRefusal,
  },
  {
    name: 'anthropic',
    path: /\/messages$/,
    offered: (body) => ({
      tools: listAt(body, 'tools').map((tool) => textAt(tool, 'name') ?? ''),
      freeText: [],
    }),
    streams: (body) => body['stream'] === true,
    whole: messageWhole,
    pieces: messagePieces,
    refusal: (refusal) => ({
      type: 'error',
      error: { type: typeOf(refusal), message: refusal.message },
    }),
  },
  {
    name: 'gemini',
    path: /:(?:stream)?generateContent$/i,
    offered: (body) => ({
      tools: listAt(body, 'tools')
        .flatMap((tool) => listAt(tool, 'functionDeclarations'))
        .map((tool) => textAt(tool, 'name') ?? ''),
      freeText: [],
    }),
    streams: (_body, path) => /:stream/i.test(path),
    whole: (answer) => content(answer, 'STOP'),
    pieces: (answer) => ({
      pieces: [
        `data: ${JSON.stringify(content({ ...answer, call: null }))}\r\n\r\n`,
        `data: ${JSON.stringify(content({ ...answer, turn: { usage: answer.turn.usage ?? {} } }, 'STOP'))}\r\n\r\n`,
      ],
      cut: 1,
    }),
    refusal: ({ status, message }) => ({
      error: { code: status, message, status: GEMINI_STATUS[status] ?? 'UNKNOWN' },
    }),
  },
]

function tokensOf({ usage }: Turn): Tokens {
  return { ...TOKENS, ...usage }
}

/** An event of a stream that names its events. */
function named(type: string, data: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}

/** For its newer models codex offers them as a part of the conversation. */
function responseTools(body: Json): Json[] {
  const told = listAt(body, 'input').filter((item) => item['type'] === 'additional_tools')
  return [body, ...told].flatMap((one) => listAt(one, 'tools'))
}

function response({ turn, call, model, number }: Answer): Json & { output: Json[] } {
  const tokens = tokensOf(turn)
  const output: Json[] = []
  if (turn.reasoning !== undefined)
    output.push({
      type: 'reasoning',
      id: `rs_${number}`,
      summary: [{ type: 'summary_text', text: turn.reasoning }],
    })
  if (turn.text !== undefined)
    output.push({
      type: 'message',
      id: `msg_${number}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: turn.text, annotations: [] }],
    })
  if (call !== null) output.push(responseCall(call, number))
  return {
    id: `resp_${number}`,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model,
    output,
    usage: {
      input_tokens: tokens.input,
      input_tokens_details: { cached_tokens: tokens.cached },
      output_tokens: tokens.output,
      output_tokens_details: { reasoning_tokens: tokens.reasoning },
      total_tokens: tokens.input + tokens.output,
    },
  }
}

function responseCall(call: Call, number: number): Json {
  const common = { call_id: `call_${number}`, name: call.name, status: 'completed' }
  return call.kind === 'text'
    ? { type: 'custom_tool_call', id: `ctc_${number}`, ...common, input: call.input }
    : {
        type: 'function_call',
        id: `fc_${number}`,
        ...common,
        ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
        arguments: JSON.stringify(call.args),
      }
}

/** Items are sent whole: the piecemeal events between are for screens, and no program needs them to go on. */
function responsePieces(answer: Answer): { pieces: string[]; cut: number } {
  const full = response(answer)
  const begun = { ...full, status: 'in_progress', output: [], usage: null }
  const items = full.output.flatMap((item, output_index) => [
    named('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } }),
    ...(item['type'] === 'message'
      ? [
          named('response.output_text.delta', {
            item_id: item['id'],
            output_index,
            content_index: 0,
            delta: answer.turn.text,
          }),
        ]
      : []),
    named('response.output_item.done', { output_index, item }),
  ])
  const pieces = [
    named('response.created', { response: begun }),
    ...items,
    named('response.completed', { response: full }),
  ]
  return { pieces, cut: pieces.length - 1 }
}

function chatCommon({ model, number }: Answer): Json {
  return { id: `chatcmpl-${number}`, created: 1, model }
}

function chatUsage(turn: Turn): Json {
  const tokens = tokensOf(turn)
  return {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
    prompt_tokens_details: { cached_tokens: tokens.cached },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
  }
}

function chatCalls({ call, number }: Answer): Json {
  if (call === null || call.kind === 'text') return {}
  const made = { name: call.name, arguments: JSON.stringify(call.args) }
  return { tool_calls: [{ index: 0, id: `call_${number}`, type: 'function', function: made }] }
}

function chatWhole(answer: Answer): Json {
  const { turn, call } = answer
  const message = { role: 'assistant', content: turn.text ?? null, ...chatCalls(answer) }
  const finish_reason = call === null ? 'stop' : 'tool_calls'
  return {
    ...chatCommon(answer),
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason }],
    usage: chatUsage(turn),
  }
}

function chatPieces(answer: Answer): { pieces: string[]; cut: number } {
  const { turn, call } = answer
  const chunk = (rest: Json) =>
    `data: ${JSON.stringify({ ...chatCommon(answer), object: 'chat.completion.chunk', ...rest })}\n\n`
  const delta = (said: Json, finish_reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: said, finish_reason }] })
  const words = [
    delta({ role: 'assistant', content: '' }),
    ...(turn.reasoning === undefined ? [] : [delta({ reasoning_content: turn.reasoning })]),
    ...(turn.text === undefined ? [] : [delta({ content: turn.text })]),
  ]
  const rest = [
    ...(call === null ? [] : [delta(chatCalls(answer))]),
    delta({}, call === null ? 'stop' : 'tool_calls'),
    chunk({ choices: [], usage: chatUsage(turn) }),
    'data: [DONE]\n\n',
  ]
  return { pieces: [...words, ...rest], cut: words.length }
}

function messageBlocks({ turn, call, number }: Answer): Json[] {
  const blocks: Json[] = []
  if (turn.reasoning !== undefined) blocks.push({ type: 'thinking', thinking: turn.reasoning, signature: 'signed' })
  if (turn.text !== undefined) blocks.push({ type: 'text', text: turn.text })
  if (call?.kind === 'json') blocks.push({ type: 'tool_use', id: `toolu_${number}`, name: call.name, input: call.args })
  return blocks
}

function messageBase({ turn, model, number }: Answer): Json & { usage: Json } {
  const tokens = tokensOf(turn)
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: tokens.input - tokens.cached,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: tokens.cached,
      output_tokens: 1,
    },
  }
}

function messageWhole(answer: Answer): Json {
  const base = messageBase(answer)
  const usage = { ...base.usage, output_tokens: tokensOf(answer.turn).output }
  return { ...base, content: messageBlocks(answer), stop_reason: stopReason(answer), usage }
}

function stopReason({ call }: Answer): string {
  return call === null ? 'end_turn' : 'tool_use'
}

function messagePieces(answer: Answer): { pieces: string[]; cut: number } {
  const blocks = messageBlocks(answer).flatMap((block, index) => [
    named('content_block_start', { index, content_block: emptied(block) }),
    ...filled(block).map((delta) => named('content_block_delta', { index, delta })),
    named('content_block_stop', { index }),
  ])
  const end = { stop_reason: stopReason(answer), stop_sequence: null }
  const pieces = [
    named('message_start', { message: messageBase(answer) }),
    ...blocks,
    named('message_delta', { delta: end, usage: { output_tokens: tokensOf(answer.turn).output } }),
    named('message_stop', {}),
  ]
  return { pieces, cut: 1 + blocks.length }
}

function emptied(block: Json): Json {
  if (block['type'] === 'thinking') return { ...block, thinking: '', signature: '' }
  return block['type'] === 'text' ? { ...block, text: '' } : { ...block, input: {} }
}

function filled(block: Json): Json[] {
  if (block['type'] === 'text') return [{ type: 'text_delta', text: block['text'] }]
  if (block['type'] === 'tool_use') return [{ type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }]
  return [
    { type: 'thinking_delta', thinking: block['thinking'] },
    { type: 'signature_delta', signature: block['signature'] },
  ]
}

function content({ turn, call, number }: Answer, finishReason?: 'STOP'): Json {
  const tokens = tokensOf(turn)
  const parts: Json[] = []
  if (turn.reasoning !== undefined) parts.push({ text: turn.reasoning, thought: true })
  if (turn.text !== undefined) parts.push({ text: turn.text })
  if (call?.kind === 'json') parts.push({ functionCall: { name: call.name, args: call.args } })
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata: {
      promptTokenCount: tokens.input,
      candidatesTokenCount: tokens.output,
      cachedContentTokenCount: tokens.cached,
      thoughtsTokenCount: tokens.reasoning,
      totalTokenCount: tokens.input + tokens.output,
    },
    modelVersion: 'scripted',
    responseId: `r${number}`,
  }
}

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

const GEMINI_STATUS: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
}

function typeOf({ status, type }: Refusal): string {
  return type ?? TYPES[status] ?? 'api_error'
}

function openaiRefusal(refusal: Refusal): Json {
  const type = typeOf(refusal)
  return { error: { message: refusal.message, type, code: type } }
}

function objectAt(json: Json, key: string): Json {
  const value = json[key]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

function listAt(json: Json, key: string): Json[] {
  const value = json[key]
  return Array.isArray(value) ? (value as Json[]) : []
}

function textAt(json: Json, key: string): string | undefined {
  const value = json[key]
  return typeof value === 'string' ? value : undefined
}
