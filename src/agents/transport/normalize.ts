/** What a vendor tells, in our words and bounded: messages, what a tool was called with and gave, tokens. */
import type { Usage } from '../../core/calls/agent.ts'
import { textAt, type Json } from '../../core/text/json.ts'
import { oneLine } from '../../core/text/sanitize.ts'

/** A message for the record and the screens: one line, no control characters, bounded. */
export function shortMessage(text: string): string {
  return oneLine(text.slice(0, LOOKED_AT), 500)
}

/** A line may be a megabyte long; nobody needs its end for one short line. */
const LOOKED_AT = 4_000

/** Tool output is only looked at by people and by the error filter; the raw log has all of it. */
export function shortOutput(text: string): string {
  return text.length <= 4_000 ? text : `${text.slice(0, 2_000)}\n…\n${text.slice(-2_000)}`
}

/** Drops what the vendor did not tell. */
export function toUsage(told: { [K in keyof Omit<Usage, 'estimated'>]: number | undefined }): Usage {
  const usage: Usage = {}
  for (const key of ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning', 'usd'] as const) {
    const value = told[key]
    if (value !== undefined) usage[key] = value
  }
  return usage
}

/** Input as vendors count it who include cached tokens, turned into ours. */
export function uncachedInput(
  input: number | undefined,
  ...cached: (number | undefined)[]
): number | undefined {
  if (input === undefined) return undefined
  return Math.max(
    0,
    cached.reduce<number>((left, tokens) => left - (tokens ?? 0), input),
  )
}

/** Fields that name what a tool call is about, most telling first. */
const TELLING = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'path',
  'notebook_path',
  'absolute_path',
  'dir_path',
  'pattern',
  'query',
  'url',
  'description',
  'subject',
  'prompt',
]
const PATHS = ['file_path', 'filePath', 'path', 'notebook_path', 'absolute_path', 'dir_path']

function tellingOf(input: Json): string {
  for (const key of TELLING) {
    const text = textAt(input, key)
    if (text !== undefined) return text
  }
  return Object.keys(input).length === 0 ? '' : JSON.stringify(input)
}

/** A tool call's input as one line for a person, and the files it names. */
export function describeInput(input: Json): { input: string; paths: string[] } {
  const paths: string[] = []
  for (const key of PATHS) {
    const path = textAt(input, key)
    if (path !== undefined) paths.push(path)
  }
  return { input: shortMessage(tellingOf(input)), paths }
}

/** Which message a text is a part of, by the vendor's id. */
export function messagePartOf(id: unknown): { message?: string } {
  return typeof id === 'string' && id !== '' ? { message: id } : {}
}
