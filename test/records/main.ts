/**
 * Writes the records of this version: `npm run records` (or `-- NAME` for another folder than the version's own). The simulator plays
 * fixed seeds, so the same program always writes the same files:
 *
 *   states.jsonl   of everything that a state can show (see `phases.ts`) the smallest state that shows it
 *   loop.jsonl, tasks.jsonl, draft.jsonl   of each kind of run the record with the most different rows
 *
 * Run it before the shape changes; files of a version that was released are never written again.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunState } from '../../src/core/state/state.ts'
import type { Row } from '../../src/core/state/row.ts'
import { step } from '../../src/core/run/step.ts'
import { STATE_VERSION } from '../../src/core/state/upgrade.ts'
import { simulate } from '../sim/run.ts'
import { memoryStore } from '../sim/store.ts'
import { shownBy, WANTED } from './phases.ts'

/** Enough for every phase to be met. */
const SEEDS = 800
/** More would only make the files larger. */
const RECORD_BYTES_MAX = 40_000

interface Night {
  rows: string[]
  bytes: number
  /** How many different events, effects and decisions it has. */
  kinds: number
}

async function main(): Promise<number> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const into = join('test', 'records', process.argv[2] ?? version)
  const states = new Map<string, string>()
  const nights = new Map<string, Night>()
  const store = await memoryStore()
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    let state: RunState | null = null
    const rows: Row[] = []
    const { failure } = await simulate(store, seed, {
      note: () => {},
      row(row) {
        state = step(state, row.event, row).state
        rows.push(row)
        keepSmallest(states, state)
      },
    })
    if (failure !== null) throw new Error(failure)
    keepRichest(nights, rows)
  }
  await store.close()
  const missing = WANTED.filter((name) => !states.has(name))
  if (missing.length > 0) throw new Error(`no run came to: ${missing.join(', ')}`)
  mkdirSync(into, { recursive: true })
  // A state that shows several things is written once.
  const lines = new Map([...states].toSorted(([one], [other]) => one.localeCompare(other)).map(([name, state]) => [state, name]))
  write(
    join(into, 'states.jsonl'),
    [...lines].map(([state, name]) => `{"name":${JSON.stringify(name)},"version":${STATE_VERSION},"state":${state}}`),
  )
  for (const [kind, night] of nights) write(join(into, `${kind}.jsonl`), night.rows)
  return 0
}

function keepSmallest(states: Map<string, string>, state: RunState): void {
  const text = JSON.stringify(state)
  for (const name of shownBy(state)) {
    const smallest = states.get(name)
    if (smallest === undefined || text.length < smallest.length) states.set(name, text)
  }
}

function keepRichest(nights: Map<string, Night>, rows: Row[]): void {
  const night = nightOf(rows)
  const kind = kindOf(rows[0])
  const richest = nights.get(kind)
  if (night.bytes <= RECORD_BYTES_MAX && (richest === undefined || night.kinds > richest.kinds)) nights.set(kind, night)
}

function nightOf(rows: Row[]): Night {
  const lines = rows.map((row) => JSON.stringify(row))
  const kinds = rows.flatMap(({ event, effects, decisions }) => [
    event.type,
    ...effects.map(({ type }) => `asks ${type}`),
    ...decisions.map(({ by, what }) => `${by} ${what}`),
  ])
  return { rows: lines, bytes: lines.join('').length, kinds: new Set(kinds).size }
}

function kindOf(first: Row | undefined): 'loop' | 'tasks' | 'draft' {
  if (first?.event.type !== 'run-started') throw new Error('a record begins with the start of its run')
  if (first.event.draft !== undefined) return 'draft'
  return first.event.tasks === undefined ? 'loop' : 'tasks'
}

function write(file: string, lines: string[]): void {
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  console.log(`${file}: ${lines.length} lines`)
}

process.exitCode = await main()
