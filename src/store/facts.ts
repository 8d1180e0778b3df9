/** What statistics are counted from: one fact per run and per iteration, read from the record's few rows that tell them. */
import type { Effect } from '../domain/run/effect.ts'
import type { Event } from '../domain/run/event.ts'
import { tokensOf } from '../domain/call/budget.ts'
import type { Facts, IterationFact, RunFact } from '../domain/tell/stats.ts'
import { listRuns } from './runs.ts'
import type { Sql } from './db/sql.ts'

/** More than anybody keeps. */
const ALL = 10_000
const PAGE = 2_000

export async function statsFacts(sql: Sql): Promise<Facts> {
  const entries = await listRuns(sql, ALL)
  const runs: RunFact[] = entries
    .toReversed()
    .map(({ id, startedAt, end }) => ({ run: id, startedAt, verdict: end?.verdict ?? null }))
  const iterations: IterationFact[] = []
  for (const { run } of runs) iterations.push(...(await iterationsOf(sql, run)))
  return { runs, iterations }
}

interface Telling {
  seq: number
  at: number
  event: string
  effects: string
}

async function iterationsOf(sql: Sql, run: string): Promise<IterationFact[]> {
  const facts: IterationFact[] = []
  const begun = new Map<string, { agent: string; task: string | null; at: number }>()
  let task: string | null = null
  for (let seq = 0; ;) {
    const rows = await sql.all<Telling>(
      `select seq, at, event, effects from record where run = ? and seq > ? and (event like '%"type":"agent-ended"%'
         or event like '%"type":"surveyed"%' or effects like '%"type":"run-agent"%') order by seq limit ?`,
      run,
      seq,
      PAGE,
    )
    for (const row of rows) {
      const event = JSON.parse(row.event) as Event
      if (event.type === 'surveyed') task = event.nextBox
      if (event.type === 'agent-ended') {
        const of = begun.get(event.effect)
        begun.delete(event.effect)
        // An opinion is no iteration, and a second answer is none either.
        if (of !== undefined) facts.push(factOf(run, of, event.reply))
      }
      for (const effect of JSON.parse(row.effects) as Effect[]) {
        if (effect.type === 'run-agent' && effect.role === 'work')
          begun.set(effect.id, { agent: effect.agent, task, at: row.at })
      }
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return facts
    seq = last.seq
  }
}

type Reply = Extract<Event, { type: 'agent-ended' }>['reply']

function factOf(
  run: string,
  of: { agent: string; task: string | null; at: number },
  reply: Reply,
): IterationFact {
  const { usage } = reply
  return {
    run,
    at: of.at,
    agent: of.agent,
    model: reply.model,
    task: of.task,
    ok: reply.end === 'success',
    durationMs: reply.durationMs,
    tokens:
      usage === null || (usage.input === undefined && usage.output === undefined) ? null : tokensOf(usage),
    usd: usage?.usd ?? null,
    estimated: usage?.estimated === true,
  }
}
