/**
 * The scripted model: a server on 127.0.0.1 that speaks to whichever program asks, in its own wire format, and says what the
 * script says. Requests that offer no tools (a title, a summary) get a short answer and use up no turn. It is also the proxy
 * that the programs are given for everything else, and lets nothing through.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callFor } from './tool-calls.ts'
import type { Turn } from './script.ts'
import { WIRE_FORMATS, type Answer, type WireFormat } from './wire-formats.ts'

export interface ModelOptions {
  /** Where relative paths of the script lie. */
  folder: string
  /** See `tool-calls.ts`. */
  habits: string[]
}

export interface Asked {
  wire: WireFormat['name']
  /** The whole request, as JSON text. */
  body: string
  tools: string[]
  /** Who is to answer, in the body or in the path. */
  model: string
}

export interface Model {
  /** `http://127.0.0.1:PORT` */
  url: string
  /** Begins a script. */
  play(turns: Turn[], options: ModelOptions): void
  /** Requests of the script that offered tools. */
  asked: Asked[]
  /** Resolves at the next request that offers tools. */
  nextAsked(): Promise<void>
  /** Hosts that a program wanted to reach outside. */
  strays: string[]
  close(): Promise<void>
}

/** It costs nothing, because nobody knows whether it is asked for before the work is over or after. */
const ASIDE: Turn = { text: 'A title', usage: { input: 0, output: 0, cached: 0, reasoning: 0 } }

export async function startModel(): Promise<Model> {
  let turns: Turn[] = []
  let options: ModelOptions = { folder: '/', habits: [] }
  let number = 0
  let waiting: (() => void)[] = []
  const asked: Asked[] = []
  const strays: string[] = []

  function nextTurn(
    wire: WireFormat,
    body: Record<string, unknown>,
    model: string,
  ): { turn: Turn; call: Answer['call'] } {
    const offered = wire.offered(body)
    if (offered.tools.length === 0) return { turn: ASIDE, call: null }
    const turn = turns[Math.min(asked.length, turns.length - 1)] ?? { text: 'Nothing is scripted.' }
    asked.push({ wire: wire.name, body: JSON.stringify(body), tools: offered.tools, model })
    for (const wake of waiting.splice(0)) wake()
    return { turn, call: callFor(turn, { offered, ...options }) }
  }

  async function answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? ''
    const body = parse(await textOf(request))
    const wire = WIRE_FORMATS.find((one) => request.method === 'POST' && one.path.test(path))
    if (wire === undefined) return answerAside(path, reply)
    const named = /\/models\/([^/:]+):/.exec(path)?.[1]
    const model = typeof body['model'] === 'string' ? body['model'] : (named ?? 'scripted')
    const { turn, call } = nextTurn(wire, body, model)
    if (turn.hang === true) return
    if (turn.refuse !== undefined) {
      const { status, retryAfter } = turn.refuse
      const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
      return sendJson(reply, { status, body: wire.refusal(turn.refuse), headers })
    }
    number += 1
    const said: Answer = { turn, call, model, number }
    if (!wire.streams(body, path))
      return sendJson(reply, { status: 200, body: wire.whole(said), headers: {}, broken: turn.cut === true })
    sendPieces(reply, { ...wire.pieces(said), broken: turn.cut === true })
  }

  const server = createServer((request, reply) => void answer(request, reply))
  server.on('connect', (request, socket) => {
    strays.push(request.url ?? '')
    socket.on('error', () => {}) // whoever asked may be gone before the answer
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  return {
    url: await listen(server),
    asked,
    strays,
    play(script, where) {
      turns = script
      options = where
      asked.length = 0
    },
    nextAsked: () => new Promise((resolve) => waiting.push(resolve)),
    close: () => close(server),
  }
}

/** What programs ask besides: which models there are, how many tokens a text has, whether anybody is there. */
function answerAside(path: string, reply: ServerResponse): void {
  if (/count_?tokens/i.test(path))
    return sendJson(reply, { status: 200, body: { input_tokens: 10, totalTokens: 10 }, headers: {} })
  if (path.endsWith('/models')) {
    const data = [{ id: 'scripted', object: 'model' }]
    return sendJson(reply, { status: 200, body: { object: 'list', data, models: [] }, headers: {} })
  }
  sendJson(reply, { status: 404, body: { error: { message: 'no such path' } }, headers: {} })
}

function sendJson(
  reply: ServerResponse,
  {
    status,
    body,
    headers,
    broken = false,
  }: { status: number; body: object; headers: Record<string, string>; broken?: boolean },
): void {
  reply.writeHead(status, { 'content-type': 'application/json', ...headers })
  const text = JSON.stringify(body)
  if (broken) reply.write(text.slice(0, text.length / 2), () => reply.destroy())
  else reply.end(text)
}

function sendPieces(
  reply: ServerResponse,
  { pieces, cut, broken }: { pieces: string[]; cut: number; broken: boolean },
): void {
  reply.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  if (broken) reply.write(pieces.slice(0, cut).join(''), () => reply.destroy())
  else reply.end(pieces.join(''))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
