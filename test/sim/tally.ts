/** Counts what the seeds have shown, so that a world that has become too tame fails as well. */
import type { OutcomeName } from '../../src/core/state/outcome.ts'
import type { Row } from '../../src/core/state/row.ts'
import type { SimulationResult, SimulationHooks } from './run.ts'

export interface Tally extends Required<SimulationHooks> {
  ended(run: SimulationResult): void
  table(): string
  /** Outcomes and moments that must occur among many seeds and did not. */
  unseen(): string[]
  /** Everything counted so far, for another process to add. */
  counts(): Counts
  add(counts: Counts): void
}

/** By what is counted, then by name. */
export type Counts = Record<'outcomes' | 'faults' | 'decisions' | 'events' | 'sums', Record<string, number>>

/** A new outcome must be put here: the compiler sees to it. */
const EXPECTED: Record<OutcomeName, boolean> = {
  plan_complete: true,
  project_complete: true,
  completion_signals: true,
  test_saturation: true,
  safety_stop: true,
  permission_denied: true,
  breaker: true,
  iteration_limit: true,
  time_limit: true,
  token_limit: true,
  cost_limit: true,
  api_limit_exit: true,
  agent_unusable: true,
  program_missing: true,
  not_started: true,
  // Never the last word: the same command goes on with the run.
  outage: false,
  cannot_prove: true,
  needs_acceptance: true,
  room_failed: true,
  files_deleted: true,
  tasks_complete: true,
  tasks_failed: true,
  // One night in thousands, which no set of seeds is sure to have; a walk shows it.
  tasks_blocked: false,
  // Every graph here has tasks; a walk shows a run that finds none.
  no_plan: false,
  drafted: true,
  // Most agents here change files, and such a turn does not count; its own table shows it.
  not_drafted: false,
  verified: true,
  stopped: true,
  abandoned: true,
  failed: true,
}

/** Phases and proof steps in which a stop and a crash must have been met, and verdicts that a claim must have come to. */
const PLACES = [
  'resolving-base',
  'running-baseline',
  'checking-clean-room',
  'gates',
  'sort',
  'room',
  'original-tests',
  'needed',
  'source-loaded',
  'mutation',
  'expects',
]
const MOMENTS = [
  ...PLACES.flatMap((place) => [`stop in ${place}`, `crash in ${place}`]),
  'crash in final-tree',
  'crash in ignored',
  ...['proven', 'accept', 'refused', 'unproven', 'room-failed'].map((verdict) => `verdict ${verdict}`),
  'the base moves',
  'a person commits',
  'the branch moves under a commit',
  'the tree changed while a claim was tried',
  'thousands of changes of the judge',
  ...['taking-snapshot', 'working', 'checking-document', 'reverting-draft'].flatMap((phase) => [
    `stop in ${phase} of a draft`,
    `crash in ${phase} of a draft`,
  ]),
  'crash in asking of a draft',
]

export function openTally(): Tally {
  const counted = {
    outcomes: new Map(),
    faults: new Map(),
    decisions: new Map(),
    events: new Map(),
    sums: new Map(),
  }
  const kinds: Record<keyof Counts, Map<string, number>> = counted
  return {
    note: (what) => count(kinds.faults, what),
    row(row: Row) {
      count(kinds.sums, 'rows')
      count(kinds.events, row.event.type)
      for (const one of row.decisions) count(kinds.decisions, `${one.by}/${one.what}`)
    },
    ended(run) {
      count(kinds.sums, 'runs')
      count(kinds.sums, 'lives', run.lives)
      count(kinds.outcomes, run.outcome?.is ?? 'none')
    },
    table: () =>
      [
        `${kinds.sums.get('runs') ?? 0} runs, ${kinds.sums.get('lives') ?? 0} lives of the engine, ${kinds.sums.get('rows') ?? 0} rows`,
        `outcomes   ${listed(kinds.outcomes)}`,
        `faults     ${listed(kinds.faults)}`,
        `decisions  ${listed(kinds.decisions)}`,
        `events     ${listed(kinds.events)}`,
      ].join('\n'),
    unseen: () => [
      ...Object.entries(EXPECTED)
        .filter(([name, expected]) => expected && !kinds.outcomes.has(name))
        .map(([name]) => name),
      ...MOMENTS.filter((moment) => !kinds.faults.has(moment)),
    ],
    counts: () =>
      Object.fromEntries(Object.entries(kinds).map(([kind, map]) => [kind, Object.fromEntries(map)])) as Counts,
    add(counts) {
      for (const [kind, names] of Object.entries(counts)) {
        for (const [name, n] of Object.entries(names)) count(kinds[kind as keyof Counts], name, n)
      }
    },
  }
}

function count(counts: Map<string, number>, what: string, n = 1): void {
  counts.set(what, (counts.get(what) ?? 0) + n)
}

function listed(counts: Map<string, number>): string {
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ')
}
