/** Shows how Ralph parses a file or would decide, with the functions that a run uses. Read-only. */
import { resolve } from 'node:path'
import { openAgentStreams, reportExit } from '../../agents/transport/agent-streams.ts'
import type { Driver } from '../../agents/driver.ts'
import { readSafely, type OutputShape } from '../../agents/transport/output-reader.ts'
import { priceOf } from '../../agents/prices.ts'
import { allDrivers, driverFor } from '../../agents/registry.ts'
import { parseCheckboxes, nextOpenCheckbox, type PlanItem } from '../../core/plan/fix-plan.ts'
import type { Settings } from '../../config/resolve.ts'
import type { Snapshot } from '../../core/tree/change.ts'
import { RalphError } from '../../core/error.ts'
import type { TreeHash } from '../../core/ids.ts'
import { isDeniedAsCompound } from '../../core/calls/denial.ts'
import { evaluateExit, type ExitEvaluation } from '../../core/calls/exit-rules.ts'
import { NO_EXIT_COUNTS } from '../../core/state/job.ts'
import { hasPassed } from '../../core/proof/verdict.ts'
import type { ProcessEnd } from '../../core/agent-output/reply-end.ts'
import { createReplyFold } from '../../core/agent-output/reply-fold.ts'
import type { Reply, ReplySignals } from '../../core/agent-output/reply.ts'
import type { Rules } from '../../core/state/rules.ts'
import { evidenceOfRun, type EvidenceEntry } from '../../store/evidence.ts'
import type { RunEntry } from '../../store/runs.ts'
import { exists, readFileChunks, readIfExists, sizeOf } from '../../system/files/files.ts'
import { readFilePart } from '../../system/files/read-part.ts'
import type { UnstoredManifest } from '../../workspace/snapshot/unstored-manifest.ts'
import { takeSnapshotWithManifest, takeSnapshot } from '../../workspace/snapshot/snapshot.ts'
import { projectFoldersOf, withStoreAndFolders } from '../open-store.ts'
import { findRunOrLatest } from '../run/find-run.ts'
import { currentStatusOf } from '../run/current-status.ts'
import { runStatusText } from '../../core/presentation/outcome-text.ts'

/** `inspect reply --json`: the signals, and how the file was parsed: as the output of a given agent, or by its shape. */
export interface InspectedReply {
  file: string
  bytes: number
  /** json: only the status block counts; text: the prose counts as well. */
  mode: 'json' | 'text'
  /** Whose output it was parsed as, and in which shape; null: the file is empty. */
  read: { as: string; by: 'agent' | 'shape'; shape: OutputShape | null }
  /** As in a run whose agent exited with code 0. */
  reply: Omit<Reply, 'signals'>
  signals: ReplySignals
}

export interface InspectReplyOptions {
  /** Null: the agent whose driver understands the file best. */
  agent: string | null
  /** Evaluate the prose even if the agent can report by a status block. */
  text: boolean
  custom: Settings['agents']
}

export async function inspectReply(path: string, how: InspectReplyOptions): Promise<InspectedReply> {
  const bytes = sizeOf(path)
  if (bytes === null) {
    throw new RalphError('not-found', `there is no file ${path}`, {
      hint: 'Ralph saves agent output in files; `ralph replay --json` shows their paths (`log`)',
    })
  }
  const driver = how.agent === null ? guessDriver(path) : driverFor(how.agent, how.custom)
  const fold = createReplyFold({ words: how.text, priceOf: (model) => priceOf(driver.prices, model) })
  const heard = openAgentStreams({ driver, clock: null, onEvent: (event) => fold.take(event) })
  // A run saves stderr beside the log; some agents report there why they gave up.
  for (const [file, reader] of [
    [path, heard.stdout],
    [`${path}.err`, heard.stderr],
  ] as const) {
    if (exists(file)) for await (const chunk of readFileChunks(file)) reader.push(chunk)
    reader.end()
  }
  // A file does not say how the process ended, so exit code 0 is assumed.
  const exit = { code: 0, signal: null, problem: null, missing: false }
  const stderrTail = readStderrTail(`${path}.err`)
  reportExit(heard.listener, driver, { ...exit, byItself: true, stderrTail, lastLines: heard.stdout.lastLines() })
  const end: ProcessEnd = {
    ...exit,
    by: 'itself',
    sawEnd: heard.listener.sawEnd,
    finalEvent: heard.finalEvent(),
    durationMs: 0,
    log: { path, bytes },
    stderrTail,
  }
  const { signals, ...reply } = fold.finish(end)
  return {
    file: path,
    bytes,
    mode: how.text || !end.finalEvent ? 'text' : 'json',
    read: { as: driver.name, by: how.agent === null ? 'shape' : 'agent', shape: heard.stdout.shape() },
    reply,
    signals,
  }
}

/** As much of stderr as a run keeps for its messages. */
const STDERR_TAIL = 4 * 1024

function readStderrTail(path: string): string {
  const from = Math.max(0, (sizeOf(path) ?? 0) - STDERR_TAIL)
  return readFilePart(path, { from, max: STDERR_TAIL })?.bytes.toString('utf8') ?? ''
}

const BEGINNING = 64 * 1024

/** The agent whose driver reports the fewest unknown lines at the start of the file; the first one if all are equal. */
function guessDriver(path: string): Driver {
  const beginning = readFilePart(path, { from: 0, max: BEGINNING })?.bytes.toString('utf8') ?? ''
  const lines = beginning.split('\n').filter((line) => line.trimStart().startsWith('{'))
  const strange = (driver: Driver): number =>
    lines.flatMap((line) => readSafely(line, () => driver.read(line, 'stdout'))).filter(({ type }) => type === 'remark')
      .length
  const [first, ...others] = allDrivers().filter((driver) => driver.finalEvent)
  if (first === undefined) throw new RalphError('bug', 'there is no driver')
  return others.reduce((best, driver) => (strange(driver) < strange(best) ? driver : best), first)
}

/** `inspect signals --json`: a list of these, one per file. */
export interface ReplyExitEvaluation extends ExitEvaluation {
  file: string
  signals: Pick<ReplySignals, 'from' | 'exitSignal' | 'complete' | 'testOnly' | 'summary'>
}

/**
 * The exit decision after each reply in turn, with the project's rules. The plan is left out, because the replies do not contain its
 * checkboxes. Nor do they say what changed on disk, so the file count in the agent's status block is used instead.
 */
export async function evaluateReplyExits(
  paths: string[],
  how: InspectReplyOptions,
  rules: Rules,
): Promise<ReplyExitEvaluation[]> {
  const decided: ReplyExitEvaluation[] = []
  let exitCounts = NO_EXIT_COUNTS
  for (const path of paths) {
    const { file, signals, reply } = await inspectReply(path, how)
    const denials = reply.denials.filter((denial) => !isDeniedAsCompound(denial, rules.agent.tools))
    const moved = (signals.block?.filesModified ?? 0) > 0
    const facts = { signals, denials, checkboxes: null, gates: rules.gates.length > 0, moved }
    const weighed = evaluateExit(exitCounts, facts, rules.exit)
    exitCounts = weighed.exitCounts
    const { from, exitSignal, complete, testOnly, summary } = signals
    decided.push({ file, signals: { from, exitSignal, complete, testOnly, summary }, ...weighed })
  }
  return decided
}

/** `inspect evidence --json`. */
export interface InspectedEvidence {
  run: RunEntry
  /** The current status of the run, in a few words. */
  standing: string
  /** The tree as it is now: evidence counts only for the tree it was measured on. */
  present: TreeHash
  evidence: (EvidenceEntry & { passed: boolean; isPresent: boolean })[]
}

export function inspectEvidence(root: string, named: string | null): Promise<InspectedEvidence> {
  return withStoreAndFolders(root, async ({ sql }, { repo }) => {
    const run = await findRunOrLatest(sql, root, named)
    const { tree: present } = await takeSnapshot(repo, { ref: null })
    const entries = await evidenceOfRun(sql, run.id)
    const evidence = entries.map((entry) => ({
      ...entry,
      passed: hasPassed(entry.evidence),
      isPresent: entry.evidence.tree === present,
    }))
    return { run, standing: runStatusText(await currentStatusOf(sql, run)), present, evidence }
  })
}

/** `inspect snapshot --json`. */
export interface InspectedSnapshot {
  root: string
  snapshot: Snapshot
  /** What is hashed but not stored: single files, folders with too many files, nested repositories. */
  manifest: UnstoredManifest
}

export async function inspectSnapshot(root: string): Promise<InspectedSnapshot> {
  const { repo } = await projectFoldersOf(root)
  return { root, ...(await takeSnapshotWithManifest(repo, { ref: null })) }
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
  const text = readIfExists(resolve(root, loop.plan))
  if (text === null) {
    throw new RalphError('not-found', `${loop.plan} is missing in ${root}`, {
      hint: 'Write one with a line `- [ ] …` for each item, or create one: ralph init',
    })
  }
  const { open, done, items } = parseCheckboxes(text, loop.optionalSections)
  const next = nextOpenCheckbox(text, loop.optionalSections)
  return { file: loop.plan, open, done, next, items: items.map((item) => ({ ...item, line: item.line + 1 })) }
}
