/**
 * The server's side of the Model Context Protocol over lines, as far as tools need it: `initialize`, `ping`, `tools/list`, `tools/call`.
 * Each line is answered independently, so the server has no state between two lines. Written by hand: ADR 38.
 */
import { AGENT_REPORT_TOOLS, type AgentReportTool } from '../core/agent-output/calls/agent-report-calls.ts'
import { asObject, objectAt, parseJson, textAt, type JsonObject } from '../core/text/json.ts'
import { MCP_INSTRUCTIONS, listMcpTools } from './tools.ts'

/**
 * More than a model writes in one message. A longer one is refused without its id, which may be at its end: the client gets no answer to
 * that request until its own time-out.
 */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024

/** Some clients put several messages into one line; up to this many are answered. */
const BATCH_MAX = 50

/** Newest first. The server's answers are the same in all of them. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']

const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
const NO_SUCH_METHOD = -32_601
const INVALID_PARAMS = -32_602

export interface ToolCallOutcome {
  text: string
  isError: boolean
}

export interface McpHandlerOptions {
  version: string
  call(tool: AgentReportTool, args: JsonObject): ToolCallOutcome
}

/** The answer to a line; null: none is expected. */
export type McpLineHandler = (line: string, info: { cut: boolean }) => string | null

export function createMcpLineHandler(options: McpHandlerOptions): McpLineHandler {
  return (line, { cut }) => {
    if (line.trim() === '') return null
    if (cut)
      return JSON.stringify(refusal(null, INVALID_REQUEST, `a message may have at most ${MAX_MESSAGE_BYTES} bytes`))
    const parsed = parseJson(line)
    if (!parsed.ok) return JSON.stringify(refusal(null, PARSE_ERROR, 'not valid JSON'))
    const answer = Array.isArray(parsed.value) ? answerAll(parsed.value, options) : answerTo(parsed.value, options)
    return answer === null ? null : JSON.stringify(answer)
  }
}

function answerAll(messages: unknown[], options: McpHandlerOptions): JsonObject | JsonObject[] | null {
  if (messages.length === 0 || messages.length > BATCH_MAX)
    return refusal(null, INVALID_REQUEST, `a batch must have 1 to ${BATCH_MAX} messages`)
  const answers = messages.map((message) => answerTo(message, options)).filter((answer) => answer !== null)
  return answers.length === 0 ? null : answers
}

type Id = string | number

function answerTo(value: unknown, options: McpHandlerOptions): JsonObject | null {
  const message = asObject(value) ?? {}
  const { method, id } = message
  // A response; the server never sends requests.
  if (method === undefined && ('result' in message || 'error' in message)) return null
  const isId = typeof id === 'string' || typeof id === 'number'
  if (message['jsonrpc'] !== '2.0' || typeof method !== 'string' || (id !== undefined && !isId))
    return refusal(isId ? id : null, INVALID_REQUEST, 'not a JSON-RPC 2.0 request')
  // A notification. A cancellation always comes too late: each request is answered before the next line is read.
  if (!isId) return null
  return answerRequest({ id, method, params: objectAt(message, 'params') }, options)
}

function answerRequest(
  { id, method, params }: { id: Id; method: string; params: JsonObject },
  options: McpHandlerOptions,
): JsonObject {
  switch (method) {
    case 'initialize':
      return result(id, {
        protocolVersion: VERSIONS.find((known) => known === params['protocolVersion']) ?? VERSIONS[0],
        capabilities: { tools: {} },
        serverInfo: { name: 'ralph', title: 'Ralph', version: options.version },
        instructions: MCP_INSTRUCTIONS,
      })
    case 'ping':
      return result(id, {})
    case 'tools/list':
      return result(id, { tools: listMcpTools() })
    case 'tools/call': {
      const name = textAt(params, 'name')
      const tool = AGENT_REPORT_TOOLS.find((known) => known === name)
      if (tool === undefined)
        return refusal(id, INVALID_PARAMS, `unknown tool; the tools are ${AGENT_REPORT_TOOLS.join(', ')}`)
      const { text, isError } = options.call(tool, objectAt(params, 'arguments'))
      return result(id, { content: [{ type: 'text', text }], isError })
    }
    // A method of a newer client.
    default:
      return refusal(id, NO_SUCH_METHOD, 'unknown method')
  }
}

function result(id: Id, value: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, result: value }
}

function refusal(id: Id | null, code: number, message: string): JsonObject {
  return { jsonrpc: '2.0', id, error: { code, message } }
}
