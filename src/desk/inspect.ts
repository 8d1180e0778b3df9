/**
 * How Ralph reads a file or would decide: the very functions that a run uses, on what a person hands in. Everything here only looks.
 */
import { resolve } from 'node:path'
import { priceOf } from '../agents/prices.ts'
import { driverFor } from '../agents/registry.ts'
import { countBoxes, nextOpenBox, type PlanItem } from '../compat/fix-plan.ts'
import type { Settings } from '../config/resolve.ts'
import type { Snapshot } from '../domain/change.ts'
import { RalphError } from '../domain/error.ts'
import type { TreeHash } from '../domain/ids.ts'
import { isCompound } from '../domain/loop/denial.ts'
import { NO_TALLY, weigh, type Weighed } from '../domain/loop/exit.ts'
import { passed } from '../domain/proof/verdict.ts'
import { analyze } from '../domain/reply/analyze.ts'
import { replyFold } from '../domain/reply/fold.ts'
import type { Denial, Reply, Signals } from '../domain/reply/reply.ts'
import { textOf, type Hints, type Shape } from '../domain/reply/shapes.ts'
import type { Rules } from '../domain/rules.ts'
import { evidenceOfRun, type EvidenceEntry } from '../store/evidence.ts'
import type { RunEntry } from '../store/runs.ts'
import { exists, readBytes, readIfThere, readText, sizeOf } from '../system/files.ts'
import { lineReader } from '../system/lines.ts'
import type { Manifest } from '../workspace/manifest.ts'
import { survey, takeSnapshot } from '../workspace/snapshot.ts'
import { placeOf, withPlace } from './place.ts'
import { chooseRun } from './runs.ts'
import { standingOf } from './standing.ts'
import { runTitle } from '../domain/run-title.ts'

/** `inspect reply --json`. What was said and why, and how it was read: as a certain agent's output, or by its shape. */
export interface InspectedReply {
  file: string
  bytes: number
  /** json: the status block alone counts; text: the words as well. */
  mode: 'json' | 'text'
  read:
    | { by: 'agent'; agent: string; reply: Omit<Reply, 'signals'> }
    | { by: 'shape'; shape: Shape; hints: Hints }
  signals: Signals
}

export interface HowToRead {
  /** Null: the shape of the file decides. */
  agent: string | null
  /** Weigh the words even where the agent has a status block to speak through. */
  text: boolean
  custom: Settings['agents']
}

export async function inspectReply(path: string, how: HowToRead): Promise<InspectedReply> {
  const bytes = sizeOf(path)
  if (bytes === null) {
    throw new RalphError('not-found', `there is no file ${path}`, {
      hint: "An agent's output of a run is kept beside the store: see `log` in ralph replay --json",
    })
  }
  const file = { file: path, bytes }
  return how.agent === null ? readByShape(file, how) : readByAgent(file, { ...how, agent: how.agent })
}

interface File {
  file: string
  bytes: number
}

async function readByAgent(
  { file, bytes }: File,
  how: HowToRead & { agent: string },
): Promise<InspectedReply> {
  const driver = driverFor(how.agent, how.custom)
  const mode = how.text || !driver.finalEvent ? 'text' : 'json'
  const fold = replyFold({ mode, priceOf: (model) => priceOf(driver.prices, model) })
  let sawEnd = false
  for (const channel of ['stdout', 'stderr'] as const) {
    // A run keeps stderr beside the log; there an agent tells why it gave up.
    const path = channel === 'stdout' ? file : `${file}.err`
    if (!exists(path)) continue
    const reader = lineReader({
      onLine(line) {
        for (const event of driver.read(line, channel)) {
          if (event.type === 'ended') sawEnd = true
          fold.take(event)
        }
      },
    })
    for await (const chunk of readBytes(path)) reader.push(chunk)
    reader.end()
  }
  // A file does not tell how the process ended; for agents without a final event a clean end is assumed.
  const { signals, ...reply } = fold.finish({
    by: 'itself',
    code: 0,
    signal: null,
    problem: null,
    missing: false,
    sawEnd,
    finalEvent: driver.finalEvent,
    durationMs: 0,
    log: { path: file, bytes },
    stderrTail: '',
  })
  return { file, bytes, mode, read: { by: 'agent', agent: driver.name, reply }, signals }
}

/** Without an agent's name the whole file is looked at, and a text file cannot be longer than this. */
const WHOLE_MAX = 64 * 1024 * 1024

function readByShape({ file, bytes }: File, how: HowToRead): InspectedReply {
  if (bytes > WHOLE_MAX) {
    throw new RalphError('usage', `${file} is too large to be read without knowing whose it is`, {
      hint: 'Say which agent wrote it: --agent claude',
    })
  }
  const raw = readText(file)
  const { text, shape, hints } = textOf(raw)
  const mode = how.text || shape === 'text' ? 'text' : 'json'
  // In text mode the words inside a document count as if the agent had printed them bare.
  const words = how.text && hints.block === null ? text : raw
  const signals = analyze({ text: words, mode, change: null, previousLength: null })
  return { file, bytes, mode, read: { by: 'shape', shape, hints }, signals }
}

/** `inspect signals --json`: a list of these, one per file. */
export interface InspectedExit extends Weighed {
  file: string
  signals: Pick<Signals, 'from' | 'exitSignal' | 'complete' | 'testOnly' | 'summary'>
}

/**
 * The exit decision after each of the replies in turn, with the rules that hold here. The plan is left out: its boxes as they were
 * then are not in the replies. Nor is what changed: here the agent's own word for it has to do.
 */
export async function inspectSignals(
  paths: string[],
  how: HowToRead,
  rules: Rules,
): Promise<InspectedExit[]> {
  const decided: InspectedExit[] = []
  let tally = NO_TALLY
  for (const path of paths) {
    const { file, signals, read } = await inspectReply(path, how)
    const denials = denialsOf(read).filter((denial) => !isCompound(denial, rules.agent.tools))
    const moved = (signals.block?.filesModified ?? 0) > 0
    const facts = { signals, denials, boxes: null, gates: rules.gates.length > 0, moved }
    const weighed = weigh(tally, facts, rules.exit)
    tally = weighed.tally
    const { from, exitSignal, complete, testOnly, summary } = signals
    decided.push({ file, signals: { from, exitSignal, complete, testOnly, summary }, ...weighed })
  }
  return decided
}

function denialsOf(read: InspectedReply['read']): Denial[] {
  return read.by === 'agent' ? read.reply.denials : read.hints.denials
}

/** `inspect evidence --json`. */
export interface InspectedEvidence {
  run: RunEntry
  /** How it stands today, in a few words. */
  standing: string
  /** The tree that is there now: evidence counts for the tree it was measured on and for no other. */
  present: TreeHash
  evidence: (EvidenceEntry & { passed: boolean; isPresent: boolean })[]
}

export function inspectEvidence(root: string, named: string | null): Promise<InspectedEvidence> {
  return withPlace(root, async ({ sql }, { repo }) => {
    const run = await chooseRun(sql, root, named)
    const { tree: present } = await takeSnapshot(repo, { ref: null })
    const entries = await evidenceOfRun(sql, run.id)
    const evidence = entries.map((entry) => ({
      ...entry,
      passed: passed(entry.evidence),
      isPresent: entry.evidence.tree === present,
    }))
    return { run, standing: runTitle(await standingOf(sql, run)), present, evidence }
  })
}

/** `inspect snapshot --json`. */
export interface InspectedSnapshot {
  root: string
  snapshot: Snapshot
  /** What is hashed and not stored: single files, folders of too many, repositories inside this one. */
  manifest: Manifest
}

export async function inspectSnapshot(root: string): Promise<InspectedSnapshot> {
  const { repo } = await placeOf(root)
  return { root, ...(await survey(repo, { ref: null })) }
}

/** `inspect plan --json`. Lines are counted from 1. */
export interface InspectedPlan {
  file: string
  open: number
  done: number
  next: string | null
  items: PlanItem[]
}

export function inspectPlan(root: string, loop: Rules['loop']): InspectedPlan {
  if (loop.plan === null) {
    throw new RalphError('not-found', 'this project has no plan: loop.plan is "none"', {
      hint: 'See: ralph config get loop.plan',
    })
  }
  const text = readIfThere(resolve(root, loop.plan))
  if (text === null) {
    throw new RalphError('not-found', `there is no plan ${loop.plan} in ${root}`, {
      hint: 'Write one with a line `- [ ] …` for each thing to do, or let Ralph make one: ralph init',
    })
  }
  const { open, done, items } = countBoxes(text, loop.optionalSections)
  const next = nextOpenBox(text, loop.optionalSections)
  return { file: loop.plan, open, done, next, items: items.map((item) => ({ ...item, line: item.line + 1 })) }
}
