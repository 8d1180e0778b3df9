/**
 * What the vendors really say, and what it must be taken for. The rows were collected from the vendors' sources and from reports of
 * users by somebody who had not read the classifier. `also`: what may be concluded from the words just as well.
 */
import { describe, expect, test } from 'vitest'
import type { AgentEvent, FailureKind } from '../../core/calls/agent-io.ts'
import { failureEvent } from './classify-failure.ts'
import { claude } from '../claude.ts'
import type { Driver } from '../driver.ts'
import { opencode } from '../opencode.ts'
import { addResetTime } from './reset-time.ts'
import { sample } from '../../../test/agents/samples/samples.ts'

interface Wording {
  vendor: string
  text: string
  status?: number
  expect: { is: string; resets?: { at?: string; after?: string } }
  also?: string[]
  why?: string
}

const MEANING: Record<FailureKind, string> = {
  'usage-limit': 'usage-limit',
  'rate-limit': 'rate-limit',
  balance: 'balance',
  authentication: 'unusable',
  permission: 'unusable',
  model: 'unusable',
  missing: 'unusable',
  'context-overflow': 'overflow',
  'bad-conversation': 'bad-conversation',
  'bad-request': 'other',
  network: 'outage',
  server: 'outage',
  crash: 'other',
  killed: 'other',
  timeout: 'other',
  unknown: 'other',
}

/** A Monday morning in Greenwich. */
const HERE = { at: Date.UTC(2026, 10, 16, 5), zone: 0 }

const ROWS = JSON.parse(sample('wordings.json')) as Wording[]
const quoted = (row: Wording): boolean => row.why?.startsWith('words of the agent or a tool') === true
const titled = (rows: Wording[]): [string, string, Wording][] => rows.map((row) => [row.vendor, row.text, row])

describe('what a vendor says about itself', () => {
  test.each(titled(ROWS.filter((row) => !quoted(row))))('%s: %s', (_vendor, _text, row) => {
    const event = heard(row)
    const is = meaning(event)
    expect([row.expect.is, ...(row.also ?? [])]).toContain(is)
    if (event?.type !== 'limited' || (is !== row.expect.is && row.expect.resets === undefined)) return
    const resolved = addResetTime(event, HERE)
    expect(resolved.type === 'limited' ? (resolved.resetsAt ?? null) : null).toBe(resetOf(row))
  })
})

describe('the same words in an agent’s mouth or a tool’s output stop nothing', () => {
  test.each(titled(ROWS.filter(quoted)))('%s: %s', (_vendor, text) => {
    const block = (content: object): string => JSON.stringify({ type: 'assistant', message: { content: [content] } })
    const result = { type: 'user', message: { content: [{ type: 'tool_result', content: text }] } }
    const said = [block({ type: 'text', text }), JSON.stringify(result)]
    const events = said.flatMap((line) => claude.read(line, 'stdout'))
    expect(events.map(({ type }) => type)).toEqual(['text', 'tool-ended'])
  })
})

function heard({ vendor, text, status }: Wording): AgentEvent | undefined {
  const line = lineOf(vendor, text)
  if (line === null) return failureEvent(text, { status })
  return line.driver
    .read(line.text, 'stdout')
    .find(({ type }) => type === 'limited' || type === 'failed' || type === 'remark')
}

/** Some rows are whole lines of a vendor's stream, which its driver reads. */
function lineOf(vendor: string, text: string): { driver: Driver; text: string } | null {
  if (vendor === 'claude' && /^\{"type":"(?:system|rate_limit_event|result)"/.test(text))
    return { driver: claude, text }
  if (vendor === 'opencode' && text.startsWith('{"name":'))
    return { driver: opencode, text: `{"type":"error","error":${text}}` }
  return null
}

function meaning(event: AgentEvent | undefined): string {
  return event?.type === 'limited' || event?.type === 'failed' ? MEANING[event.kind] : 'warning'
}

/** A reset that is over already is none. */
function resetOf({ expect: { resets } }: Wording): number | null {
  if (resets?.at !== undefined) return Date.parse(resets.at)
  if (resets?.after === undefined) return null
  const [, days, hours, minutes, seconds] =
    /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(resets.after) ?? []
  const part = (text: string | undefined, size: number): number => Number(text ?? 0) * size
  const ms = part(days, 86_400_000) + part(hours, 3_600_000) + part(minutes, 60_000) + part(seconds, 1_000)
  return ms === 0 ? null : Math.round(HERE.at + ms)
}
