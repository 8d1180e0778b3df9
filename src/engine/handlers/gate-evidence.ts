/** Turns a gate's run into evidence: command, tree, result, and the test counts in its output. */
import type { TreeHash } from '../../core/ids.ts'
import type { Evidence, Gate, GateRunPurpose } from '../../core/proof/evidence.ts'
import { parseFailingTests } from '../../core/proof/gate-output.ts'
import { parseTestCount } from '../../core/proof/test-count.ts'
import { readFilePart } from '../../system/files/read-part.ts'
import type { GateRunResult } from '../../workspace/run-gate.ts'

/** Limit of the log of one run. */
const OUTPUT_MAX = 11 * 1024 * 1024

/** Test runners print counts and failures last, so only the end of a long output is parsed. */
const CLOSING = 512 * 1024

/** Enough to compare two runs; the whole list would make the record heavy. */
const FAILING_MAX = 30

export function evidenceOf(
  { run, log, from = 0 }: { run: GateRunResult; log: string; from?: number },
  of: {
    gate: Gate
    purpose: GateRunPurpose
    tree: TreeHash
    at: number
    guarded?: string
    unstable?: boolean
  },
): Evidence {
  const { exit, signal, timedOut, missing, durationMs, summary } = run
  const output = readFilePart(log, { from, max: OUTPUT_MAX })?.bytes.toString('utf8') ?? ''
  return {
    gate: of.gate.name,
    purpose: of.purpose,
    command: of.gate.run,
    tree: of.tree,
    guarded: of.guarded ?? '',
    exit,
    signal,
    timedOut,
    missing,
    durationMs,
    at: of.at,
    log,
    summary,
    unstable: of.unstable ?? false,
    failing: exit === 0 ? [] : parseFailingTests(output.slice(-CLOSING)).slice(0, FAILING_MAX),
    tests: parseTestCount(output.slice(-CLOSING))?.ran ?? null,
  }
}

/** Gate names are the user's words; as file names they keep only what every file system takes. */
export function safeFileName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, 80)
}
