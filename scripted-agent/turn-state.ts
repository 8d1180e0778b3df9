/**
 * Which turn to play. The state file has one JSON line per start, appended atomically: the position of our own line among the starts is
 * the number of our turn, so agents that start at the same moment never play the same one, and a test can read how each was started. A
 * finished turn adds a line with its usage, because some vendors report totals of the conversation.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import type { Usage } from '../src/core/calls/agent-io.ts'
import { parseObject } from '../src/core/text/json.ts'

export interface Start {
  /** Unique for each start. */
  start: string
  at: number
  pid: number
  dialect: string
  resume: string | null
  args: string[]
}

interface Spent {
  conversation: string
  usage: Usage
}

/** Records the start and returns its number, counted from 0. */
export function nextTurnNumber(file: string, start: Start): number {
  appendFileSync(file, `${JSON.stringify(start)}\n`)
  return readStarts(file).findIndex((each) => each.start === start.start)
}

export function recordUsage(file: string, spent: Spent): void {
  appendFileSync(file, `${JSON.stringify(spent)}\n`)
}

/** The usage of a conversation in earlier turns. */
export function earlierUsage(file: string, conversation: string): Usage {
  const spent = readLines(file).filter((each): each is Spent => 'usage' in each && each.conversation === conversation)
  return spent.reduce<Usage>((sum, { usage }) => addUsage(sum, usage), {})
}

export function readStarts(file: string): Start[] {
  return readLines(file).filter((each): each is Start => 'start' in each)
}

export function addUsage(one: Usage, other: Usage): Usage {
  const sum: Usage = { ...one }
  for (const key of ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning', 'usd'] as const) {
    const more = other[key]
    if (more !== undefined) sum[key] = (sum[key] ?? 0) + more
  }
  return sum
}

function readLines(file: string): (Start | Spent)[] {
  const whole = readFileSync(file, 'utf8')
    .split('\n')
    .filter((each) => each !== '')
  return whole.flatMap((each) => (parseObject(each) as (Start | Spent) | null) ?? [])
}
