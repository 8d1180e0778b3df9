/** The logs of a run, part by part: the agent's output, the gates' output, the events of the record. */
import type { Driver } from '../../agents/driver.ts'
import type { CustomAgent } from '../../core/calls/agent-io.ts'
import { createMessageMasker } from '../../agents/transport/mask-messages.ts'
import { createOutputReader } from '../../agents/transport/output-reader.ts'
import { driverFor } from '../../agents/registry.ts'
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import { RalphError } from '../../core/error.ts'
import type { EffectId, RunId } from '../../core/ids.ts'
import type { Evidence } from '../../core/proof/evidence.ts'
import type { RunEntry } from '../../store/runs.ts'
import { exists, sizeOf } from '../../system/files/files.ts'
import { createLineReader } from '../../system/line-reader.ts'
import type { Masker } from '../../system/mask/mask.ts'
import { readFilePart } from '../../system/files/read-part.ts'
import { projectFoldersOf, withStoreAndFolders, type ProjectFolders } from '../open-store.ts'
import { streamAllRows } from '../../store/record.ts'
import { findRunOrLatest } from './find-run.ts'
import { logPathOf, timelineOf, type TimelineEntry } from './timeline.ts'

export const LOG_PARTS = ['agent', 'gate', 'events'] as const
export type LogPart = (typeof LOG_PARTS)[number]

export type LogItem = { iteration: number } & (
  | { from: 'events'; moment: TimelineEntry }
  | { from: 'agent'; agent: string; said: AgentEvent }
  | { from: 'gate'; gate: string; line: string }
  /** The log was pruned or deleted by hand. */
  | { from: 'missing'; of: string; path: string }
)

export interface LogsQuery {
  /** An id or the beginning of one; null: the last run of this working tree. */
  run: string | null
  /** Null: all of them. */
  iteration: number | null
  parts: ReadonlySet<LogPart>
  /** The user's own agents; only the settings say how to parse their output. */
  agents: Record<string, CustomAgent>
  /** For text that a log contains in pieces. */
  mask: Masker
}

/** Passes one item after the other to `take`, until there are no more or `take` returns false. */
export function readLogs(root: string, wanted: LogsQuery, take: (item: LogItem) => Promise<boolean>): Promise<RunId> {
  return withStoreAndFolders(root, async ({ sql }, folders) => {
    const entry = await findRunOrLatest(sql, root, wanted.run)
    checkIterationExists(entry, wanted.iteration)
    for await (const item of itemsOf(folders, entry.id, wanted, timelineOf(streamAllRows(sql, entry.id)))) {
      if (!(await take(item))) break
    }
    return entry.id
  })
}

export function checkIterationExists({ id, iterations }: RunEntry, wanted: number | null): void {
  if (wanted === null || (wanted >= 0 && wanted <= iterations)) return
  throw new RalphError(
    'not-found',
    `run ${id} has no iteration ${wanted}: ${iterations === 0 ? 'it has none yet' : `valid: 1 to ${iterations}`}`,
    {
      hint: `List them: ralph show ${id}`,
    },
  )
}

async function* itemsOf(
  { folder }: ProjectFolders,
  run: RunId,
  wanted: LogsQuery,
  moments: AsyncIterable<TimelineEntry>,
): AsyncGenerator<LogItem> {
  const agents = new Map<EffectId, string>()
  const gates: GateOutputReader = gateReader({ folder, run })
  for await (const moment of moments) {
    const { row, iteration } = moment
    for (const effect of row.effects) if (effect.type === 'run-agent') agents.set(effect.id, effect.agent)
    if (wanted.iteration !== null && wanted.iteration !== iteration) continue
    if (wanted.parts.has('events')) yield { from: 'events', iteration, moment }
    const { event } = row
    if (event.type === 'agent-started' && wanted.parts.has('agent')) {
      const agent = agents.get(event.effect) ?? 'agent'
      const path = logPathOf({ folder, run, recorded: event.log })
      const said = readAgentEvents(path, { driver: driverOf(agent, wanted.agents), mask: wanted.mask })
      yield* orMissing(path, { of: agent, iteration }, () =>
        map(said, (one) => ({ from: 'agent' as const, iteration, agent, said: one })),
      )
    }
    if (event.type === 'gate-ended' && wanted.parts.has('gate')) yield* gates(iteration, event.evidence)
  }
}

/** The output of a gate. A gate that runs again appends to its file, so each part is read once. */
export type GateOutputReader = (iteration: number, evidence: Evidence) => AsyncGenerator<LogItem>

export async function openGateOutputReader(root: string, run: RunId): Promise<GateOutputReader> {
  const { folder } = await projectFoldersOf(root)
  return gateReader({ folder, run })
}

function gateReader(location: { folder: string; run: RunId }): GateOutputReader {
  const read = new Map<string, number>()
  return (iteration, { gate, log }) => {
    const path = logPathOf({ ...location, recorded: log })
    const from = read.get(path) ?? 0
    read.set(path, sizeOf(path) ?? 0)
    return orMissing(path, { of: `gate ${gate}`, iteration }, () =>
      map(linesOf(path, from), (line) => ({ from: 'gate' as const, iteration, gate, line })),
    )
  }
}

async function* orMissing(
  path: string,
  about: { of: string; iteration: number },
  read: () => AsyncGenerator<LogItem>,
): AsyncGenerator<LogItem> {
  if (exists(path)) yield* read()
  else yield { from: 'missing', ...about, path }
}

async function* map<T, U>(items: AsyncIterable<T>, to: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield to(item)
}

interface Reading {
  driver: Pick<Driver, 'read' | 'shapes'>
  mask: Masker
}

/** Everything the agent wrote: its stream as its driver parses it, then stderr. */
async function* readAgentEvents(path: string, { driver, mask }: Reading): AsyncGenerator<AgentEvent> {
  let heard: AgentEvent[] = []
  const words = createMessageMasker(mask, (event) => void heard.push(event))
  const output = createOutputReader({ driver, emit: (event) => words.take(event) })
  for (const part of partsOf(path, 0)) {
    output.push(part)
    yield* heard
    heard = []
  }
  output.end()
  words.end()
  yield* heard
  // What its program wrote to stderr, and which requests of it Ralph served.
  for (const extras of [`${path}.err`, `${path}.served`].filter(exists))
    for await (const line of linesOf(extras)) yield { type: 'remark', text: line }
}

/** The output of an agent that is no longer in the settings is shown unparsed. */
function driverOf(name: string, agents: Record<string, CustomAgent>): Pick<Driver, 'read' | 'shapes'> {
  try {
    return driverFor(name, agents)
  } catch {
    return { read: (text) => [{ type: 'text', text, delta: false }] }
  }
}

const PART = 256 * 1024

/** A file of any size, line by line, from a byte offset. */
async function* linesOf(path: string, from = 0): AsyncGenerator<string> {
  let lines: string[] = []
  const reader = createLineReader({ maxBytes: PART, onLine: (line) => void lines.push(line) })
  for (const part of partsOf(path, from)) {
    reader.push(part)
    yield* lines
    lines = []
  }
  reader.end()
  yield* lines
}

function* partsOf(path: string, from: number): Generator<Buffer> {
  for (let offset = from; ;) {
    const part = readFilePart(path, { from: offset, max: PART })
    if (part === null || part.bytes.length === 0) return
    offset += part.bytes.length
    yield part.bytes
  }
}
