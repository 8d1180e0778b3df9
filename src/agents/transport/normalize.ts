/** Normalizes and bounds what vendors report: messages, tool input and output, tokens. */
import type { AgentEvent, Usage } from '../../core/calls/agent-io.ts'
import { numberAt, parseObject, textAt, type JsonObject } from '../../core/text/json.ts'
import { oneLine } from '../../core/text/sanitize.ts'
import type { Driver } from '../driver.ts'
import { splitWords } from '../../core/text/split-words.ts'

/** A message for the record and the screens: one line, no control characters, bounded. */
export function shortMessage(text: string): string {
  return oneLine(text.slice(0, LOOKED_AT), 500)
}

/** A line may be a megabyte long; a short message does not need its end. */
const LOOKED_AT = 4_000

export function remarkEvent(text: string): Extract<AgentEvent, { type: 'remark' }> {
  return { type: 'remark', text: shortMessage(text) }
}

/** `model` and `version` if the vendor reports them. */
export function startedEvent(
  conversation: string | null | undefined,
  { model, version }: { model?: string | undefined; version?: string | undefined } = {},
): AgentEvent {
  return {
    type: 'started',
    conversation: conversation ?? null,
    ...(model === undefined ? {} : { model }),
    ...(version === undefined ? {} : { version }),
  }
}

/** `command`: what a shell tool was to run. */
export function deniedEvent(tool: string, command: string | undefined): AgentEvent {
  return { type: 'denied', tool, ...(command === undefined ? {} : { command: shortMessage(command) }) }
}

/** Reads a program that writes one JSON event per line on stdout. If `event` returns null, the line is a remark. */
export function createJsonLineReader({
  event,
  noise = () => false,
  stderr = (line) => [remarkEvent(line)],
}: {
  event: (json: JsonObject, line: string) => AgentEvent[] | null
  noise?: (line: string) => boolean
  stderr?: (line: string) => AgentEvent[]
}): Driver['read'] {
  return (line, from) => {
    if (line.trim() === '' || noise(line)) return []
    if (from === 'stderr') return stderr(line)
    const json = parseObject(line)
    return (json === null ? null : event(json, line)) ?? [remarkEvent(line)]
  }
}

/** Only people and the error filter read tool output; the raw log has all of it. */
export function shortOutput(text: string): string {
  return text.length <= 4_000 ? text : `${text.slice(0, 2_000)}\n…\n${text.slice(-2_000)}`
}

/** Drops values that the vendor did not report. */
export function toUsage(told: { [K in keyof Omit<Usage, 'estimated'>]: number | undefined }): Usage {
  const usage: Usage = {}
  for (const key of ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning', 'usd'] as const) {
    const value = told[key]
    if (value !== undefined) usage[key] = value
  }
  return usage
}

type Told = Parameters<typeof toUsage>[0]

/** The usage in these fields. */
export function usageAt(json: JsonObject, fields: { [K in keyof Told]?: string }): Usage {
  const told = Object.entries(fields).map(([name, field]) => [name, numberAt(json, field)])
  return toUsage(Object.fromEntries(told) as Told)
}

/** The same for vendors that count cached tokens as input. */
export function usageWithCachedInput(json: JsonObject, fields: { [K in keyof Told]?: string }): Usage {
  const { input, ...rest } = usageAt(json, fields)
  if (input === undefined) return rest
  return { input: Math.max(0, input - (rest.cacheRead ?? 0) - (rest.cacheWrite ?? 0)), ...rest }
}

/** Fields that describe a tool call, most useful first. */
const TELLING = splitWords(`
  command cmd file_path filePath path notebook_path absolute_path dir_path pattern query url
  description subject prompt
`)
const PATHS = ['file_path', 'filePath', 'path', 'notebook_path', 'absolute_path', 'dir_path']

function tellingOf(input: JsonObject): string {
  for (const key of TELLING) {
    const text = textAt(input, key)
    if (text !== undefined) return text
  }
  return Object.keys(input).length === 0 ? '' : JSON.stringify(input)
}

/** A tool call's input as one line for a person, and the files it names. */
export function describeToolInput(input: JsonObject): { input: string; paths: string[] } {
  const paths: string[] = []
  for (const key of PATHS) {
    const path = textAt(input, key)
    if (path !== undefined) paths.push(path)
  }
  return { input: shortMessage(tellingOf(input)), paths }
}

/** The message that a text belongs to, by the vendor's id. */
export function messageIdField(id: unknown): { message?: string } {
  return typeof id === 'string' && id !== '' ? { message: id } : {}
}
