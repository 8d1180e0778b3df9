/** What the import of the Rust tool's tasks changed or left out: counted by kind, with some names. */
import { plural } from '../../core/text/format-amounts.ts'

/** One sentence for all of a kind. */
export interface ImportRemark {
  is: RemarkKind
  count: number
  words: string
  /** The first few of them. */
  some: string[]
}

export interface RemarkCollector {
  note(kind: RemarkKind, which: string): void
  count(kind: RemarkKind): number
  told(): { mapped: ImportRemark[]; left: ImportRemark[] }
}

/** The rest is in the tasks' logs. */
const SOME_MAX = 20

interface Kind {
  /** The noun to count. */
  one: string
  many?: string
  became: string
}

const MAPPED = {
  in_progress: { one: 'task', became: 'was in progress; now pending' },
  blocked: { one: 'task', became: 'was marked as blocked; Ralph derives that from dependencies' },
  status: { one: 'task', became: 'with an unknown status: set to pending' },
  'rolled-up': { one: 'parent', became: 'with a different status here: Ralph derives it from the children' },
  title: {
    one: 'title',
    became: 'too long, empty or with control characters: fixed; the original is in the log of the task',
  },
  description: {
    one: 'description',
    became: 'too long or with control characters: fixed; the original is in the log of the task',
  },
  id: { one: 'id', became: 'not allowed here: replaced' },
  'id-taken': { one: 'id', became: 'already used by another task: replaced' },
  priority: { one: 'priority', many: 'priorities', became: 'out of range: set to the nearest allowed value' },
  'max-retries': {
    one: 'limit of retries',
    many: 'limits of retries',
    became: 'out of range: the setting task.max_retries applies',
  },
  time: { one: 'time', became: 'unreadable: set to the time of the import' },
  'feature-name': { one: "feature's name", many: "features' names", became: 'not possible here' },
  'note-orphan': {
    one: 'journal entry',
    many: 'journal entries',
    became: 'about a missing task: imported without it',
  },
} as const satisfies Record<string, Kind>

const LEFT = {
  newer: { one: 'schema', became: 'newer than Ralph knows: imported as far as possible' },
  'task-unreadable': { one: 'task', became: 'without an id' },
  'feature-unreadable': { one: 'feature', became: 'without an id or a name' },
  'parent-orphan': { one: 'parent', became: 'missing: the task now has none' },
  'parent-ring': { one: 'parent', became: 'in a cycle of parents: the task now has none' },
  depth: { one: 'parent', became: 'too deep: the task now has none' },
  'feature-orphan': {
    one: 'feature of a task',
    many: 'features of tasks',
    became: 'missing: the task now has none',
  },
  'edge-orphan': { one: 'dependency', many: 'dependencies', became: 'with a task that is not there' },
  'edge-ring': { one: 'dependency', many: 'dependencies', became: 'in a dependency cycle' },
  'log-orphan': { one: 'line of a log', many: 'lines of logs', became: 'about a missing task' },
  'model-override': {
    one: 'note about a choice of model',
    many: 'notes about choices of models',
    became: 'which Ralph does not use',
  },
} as const satisfies Record<string, Kind>

export type RemarkKind = keyof typeof MAPPED | keyof typeof LEFT

export function createRemarkCollector(): RemarkCollector {
  const found = new Map<RemarkKind, { count: number; some: string[] }>()
  const told = (kinds: Readonly<Record<string, Kind>>): ImportRemark[] =>
    Object.entries(kinds).flatMap(([name, kind]) => {
      const is = name as RemarkKind
      const noted = found.get(is)
      return noted === undefined
        ? []
        : [{ is, ...noted, words: `${plural(noted.count, kind.one, kind.many)} ${kind.became}` }]
    })
  return {
    note(kind, which) {
      const noted = found.get(kind) ?? { count: 0, some: [] }
      noted.count += 1
      if (noted.some.length < SOME_MAX) noted.some.push(which)
      found.set(kind, noted)
    },
    count: (kind) => found.get(kind)?.count ?? 0,
    told: () => ({ mapped: told(MAPPED), left: told(LEFT) }),
  }
}

export interface ImportCounts {
  tasks: number
  edges: number
  features: number
  logs: number
  notes: number
}

/** `3 tasks, 1 dependency, …` */
export function describeImportCounts({ tasks, edges, features, logs, notes }: ImportCounts): string {
  const words = [
    plural(tasks, 'task'),
    plural(edges, 'dependency', 'dependencies'),
    plural(features, 'feature'),
    plural(logs, 'log line', 'log lines'),
  ]
  return `${words.join(', ')} and ${plural(notes, 'journal entry', 'journal entries')}`
}
