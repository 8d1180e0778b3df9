/**
 * Converts the Rust tool's `.ralph/progress.db` into Ralph's tasks. The rows may be of any of its five versions, or of a database whose
 * upgrade was interrupted: missing columns are ignored, and values that are invalid here are mapped or left out. The report and the
 * log of each task say so.
 */
import type { Instant } from '../../core/ids.ts'
import {
  DEPTH_MAX,
  descriptionProblem,
  numberProblem,
  retriesProblem,
  titleProblem,
} from '../../core/tasks/validate-task.ts'
import { describeCycle, findCycle, waitGraph, type WaitNode } from '../../core/tasks/cycle.ts'
import { featureNameProblem, taskIdProblem } from '../../core/tasks/task-id.ts'
import { batchTotalsOf } from '../../core/tasks/plan-insert.ts'
import {
  newTask,
  type NewTask,
  type ImportedFeature,
  type TaskId,
  type TaskLogEntry,
  type ImportedTaskState,
} from '../../core/tasks/task.ts'
import { jsonOrNull, asNumber, asText, asTexts } from '../../core/text/json.ts'
import { clip, oneLine, stripControl, escapeInvisible } from '../../core/text/sanitize.ts'
import {
  createRemarkCollector,
  type ImportCounts,
  type ImportRemark,
  type RemarkCollector,
} from './rust-import-report.ts'

export interface RustDatabase {
  /** `user_version` of the database. Only reported: the columns themselves show what it contains. */
  version: number
  tables: Readonly<Record<string, readonly RustRow[]>>
}

export type RustRow = Readonly<Record<string, unknown>>

/** The rows of each table in the order in which they were written. */
export const RUST_TABLES = ['tasks', 'dependencies', 'task_logs', 'features', 'journal', 'model_overrides'] as const

/** The newest version of that database. */
const VERSION_MAX = 5

export interface ConvertedRustData {
  features: ImportedFeature[]
  tasks: ImportedTask[]
  logs: Omit<TaskLogEntry, 'n'>[]
  notes: ImportedNote[]
  report: RustImportReport
}

export type ImportedTask = NewTask & { id: TaskId; past: ImportedTaskState }

export interface ImportedNote {
  run: string | null
  iteration: number | null
  task: TaskId | null
  at: Instant
  author: string
  text: string
}

export interface RustImportReport extends ImportCounts {
  version: number
  /** What was imported with changes. */
  mapped: ImportRemark[]
  /** What was not imported. */
  left: ImportRemark[]
}

/** `at`: now, for rows without a readable time. `taken`: ids of tasks that exist here already. */
export function convertRustDatabase(old: RustDatabase, at: Instant, taken: readonly TaskId[] = []): ConvertedRustData {
  const taking: ImportContext = { old, at, taken, remarks: createRemarkCollector(), logs: [] }
  if (old.version > VERSION_MAX) taking.remarks.note('newer', `version ${old.version}`)
  const features = featuresOf(taking)
  const tasks = tasksOf(taking, features)
  setParents(taking, tasks)
  const edges = blockersOf(taking, tasks)
  rollUp(taking, tasks)
  logsOf(taking, tasks)
  const notes = notesOf(taking, tasks)
  for (const row of rowsOf(old, 'model_overrides'))
    taking.remarks.note('model-override', `iteration ${describeValue(row['iteration'])}`)
  const { mapped, left } = taking.remarks.told()
  return {
    features: [...features.values()],
    tasks: tasks.map(({ task }) => task),
    logs: taking.logs,
    notes,
    report: {
      version: old.version,
      tasks: tasks.length,
      edges,
      features: features.size,
      logs: rowsOf(old, 'task_logs').length - taking.remarks.count('log-orphan'),
      notes: notes.length,
      mapped,
      left,
    },
  }
}

interface ImportContext {
  old: RustDatabase
  at: Instant
  taken: readonly TaskId[]
  remarks: RemarkCollector
  logs: Omit<TaskLogEntry, 'n'>[]
}

/** A task and its old row. */
interface ConvertedTask {
  row: RustRow
  /** Its old id. */
  was: string
  task: ImportedTask
}

function featuresOf({ old, at, remarks }: ImportContext): Map<string, ImportedFeature> {
  const features = new Map<string, ImportedFeature>()
  const taken = new Set<string>()
  for (const row of rowsOf(old, 'features')) {
    const id = asText(row['id'])
    const said = asText(row['name'])
    if (id === null || said === null) {
      remarks.note('feature-unreadable', id ?? said ?? '?')
      continue
    }
    const name = unique(featureNameProblem(said) === null ? said : toFeatureName(said), taken)
    if (name !== said) remarks.note('feature-name', `${escapeInvisible(clip(said, 60))} is ${name}`)
    const stage = asText(row['status'])
    features.set(id, {
      id: taskIdProblem(id) === null && id.startsWith('f-') ? id : null,
      name,
      stage: stage === 'draft' || stage === 'planned' ? stage : 'ready',
      spec: documentOf(row['spec_path']) ?? (name === said ? null : oldDocumentPath(said, 'spec')),
      plan: documentOf(row['plan_path']) ?? (name === said ? null : oldDocumentPath(said, 'plan')),
      createdAt: timeIn(row, 'created_at') ?? at,
      updatedAt: timeIn(row, 'updated_at') ?? at,
    })
  }
  return features
}

/** That tool stored absolute paths; the document is in the project, even if the project was moved. */
function documentOf(path: unknown): string | null {
  const said = asText(path)
  return said === null ? null : (/(?:^|\/)(\.ralph\/features\/.+)$/.exec(said)?.[1] ?? said)
}

/** That tool stored a path only for a finished document; an unfinished one is in the folder of the old name. */
function oldDocumentPath(said: string, document: 'spec' | 'plan'): string | null {
  return /^[^/\\\0]+$/.test(said) && !said.startsWith('.') ? `.ralph/features/${said}/${document}.md` : null
}

/** That tool allowed any text as a name, also for the folder. */
function toFeatureName(said: string): string {
  const plain = said.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+|-+$/g, '')
  return (/^[tf]-/.test(plain) || plain === '' ? `feature-${plain}` : plain).slice(0, 60).replace(/-$/, '')
}

function unique(name: string, taken: Set<string>): string {
  let free = name
  for (let n = 2; taken.has(free); n += 1) free = `${name}-${n}`
  taken.add(free)
  return free
}

/** In order of creation, which decides between equal priorities in both tools. */
function tasksOf(taking: ImportContext, features: ReadonlyMap<string, ImportedFeature>): ConvertedTask[] {
  const rows = rowsOf(taking.old, 'tasks').map((row) => ({ row, at: timeIn(row, 'created_at') ?? taking.at }))
  const failures = lastMessage(taking.old)
  const kept = rows.flatMap(({ row }) => asText(row['id']) ?? []).filter((id) => taskIdProblem(id) === null)
  const ids: Ids = { given: new Set(taking.taken), spoken: new Set([...taking.taken, ...kept]) }
  const tasks: ConvertedTask[] = []
  for (const { row } of rows.toSorted((a, b) => a.at - b.at)) {
    const was = asText(row['id'])
    if (was === null) taking.remarks.note('task-unreadable', describeValue(row['title']))
    else tasks.push(taskOf(taking, { row, was, id: idOf(taking, was, ids), features, why: failures.get(was) ?? null }))
  }
  return tasks
}

interface Ids {
  /** Ids that tasks have by now. */
  given: Set<TaskId>
  /** These and the ids still to be assigned: no other task gets one of them. */
  spoken: Set<TaskId>
}

function idOf(taking: ImportContext, was: string, { given, spoken }: Ids): TaskId {
  const isId = taskIdProblem(was) === null
  const plain = isId ? was : was.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '')
  const id = isId && !given.has(was) ? was : unique(plain.slice(0, 60) || 't-old', spoken)
  given.add(id)
  if (id !== was) {
    taking.remarks.note(isId ? 'id-taken' : 'id', `${describeValue(was) || '""'} is ${id}`)
    logMoved(taking, id, `Its id in Rust Ralph was ${JSON.stringify(was)}`)
  }
  return id
}

interface Found {
  row: RustRow
  was: string
  id: TaskId
  features: ReadonlyMap<string, ImportedFeature>
  /** The last message about it. */
  why: string | null
}

function taskOf(taking: ImportContext, { row, was, id, features, why }: Found): ConvertedTask {
  const { remarks, at } = taking
  const feature = asText(row['feature_id'])
  const found = feature === null ? undefined : features.get(feature)
  if (feature !== null && found === undefined) remarks.note('feature-orphan', id)
  const createdAt = timeOf(taking, row, { key: 'created_at', id }) ?? at
  const task = newTask(titleOf(taking, row, id), {
    id,
    description: descriptionOf(taking, row, id),
    feature: found?.name ?? null,
    priority: priorityOf(taking, row, id),
    maxRetries: maxRetriesOf(taking, row, id),
  })
  const retries = asNumber(row['retry_count']) ?? 0
  const verification = asText(row['verification_status'])
  const status = statusOf(taking, row, id)
  const past: ImportedTaskState = {
    status,
    why:
      status === 'failed'
        ? oneLine(why ?? '', WHY_MAX) || 'failed in Rust Ralph'
        : status === 'done'
          ? 'done in Rust Ralph'
          : null,
    retries: Number.isInteger(retries) && retries > 0 ? retries : 0,
    verification: verification === 'passed' || verification === 'failed' ? verification : null,
    createdAt,
    updatedAt: timeOf(taking, row, { key: 'updated_at', id }) ?? createdAt,
  }
  return { row, was, task: { ...task, id, past } }
}

const WHY_MAX = 300

/** That tool wrote the reason of a failure to the log. */
function lastMessage(old: RustDatabase): Map<string, string> {
  const words = new Map<string, string>()
  for (const row of rowsOf(old, 'task_logs')) {
    const [task, message] = [asText(row['task_id']), asText(row['message'])]
    if (task !== null && message !== null) words.set(task, message)
  }
  return words
}

function titleOf(taking: ImportContext, row: RustRow, id: TaskId): string {
  const title = asText(row['title']) ?? ''
  if (titleProblem(title) === null) return title
  keep(taking, { id, kind: 'title', text: title })
  return fitting([500, 250], (max) => oneLine(title, max), titleProblem) ?? '(no title)'
}

function descriptionOf(taking: ImportContext, row: RustRow, id: TaskId): string {
  const description = asText(row['description']) ?? ''
  if (descriptionProblem(description) === null) return description
  keep(taking, { id, kind: 'description', text: description })
  return fitting([64 * 1024, 32 * 1024], (max) => clip(stripControl(description), max), descriptionProblem) ?? ''
}

/** The longest valid text: some characters count twice. */
function fitting(
  sizes: number[],
  cut: (max: number) => string,
  problem: (text: string) => string | null,
): string | null {
  return sizes.map(cut).find((text) => problem(text) === null) ?? null
}

/** The original goes to the task's log, escaped for the terminal. */
function keep(
  taking: ImportContext,
  { id, kind, text: original }: { id: TaskId; kind: 'title' | 'description'; text: string },
): void {
  taking.remarks.note(kind, id)
  logMoved(taking, id, `Its ${kind} in Rust Ralph was ${JSON.stringify(original)}`)
}

function logMoved({ logs, at }: ImportContext, task: TaskId, text: string): void {
  logs.push({ task, at, author: 'ralph', kind: 'moved', text })
}

function priorityOf({ remarks }: ImportContext, row: RustRow, id: TaskId): number {
  const raw = row['priority'] ?? 0
  const priority = Number(raw)
  if (typeof raw === 'number' && numberProblem('priority', priority) === null) return priority
  remarks.note('priority', id)
  const bounded = Math.max(-1_000_000, Math.min(1_000_000, Math.round(priority)))
  return Number.isFinite(bounded) ? bounded : 0
}

/** That tool set 3 for every task and never used it: only another number is somebody's choice. */
const MAX_RETRIES_UNCHOSEN = 3

function maxRetriesOf({ remarks }: ImportContext, row: RustRow, id: TaskId): number | null {
  const raw = row['max_retries'] ?? null
  if (raw === null || raw === MAX_RETRIES_UNCHOSEN) return null
  if (typeof raw === 'number' && retriesProblem(raw) === null) return raw
  remarks.note('max-retries', id)
  return null
}

function statusOf({ remarks }: ImportContext, row: RustRow, id: TaskId): ImportedTaskState['status'] {
  const status = row['status']
  if (status === 'done' || status === 'failed' || status === 'pending') return status
  remarks.note(status === 'in_progress' || status === 'blocked' ? status : 'status', id)
  return 'pending'
}

/** Of several tasks with one id, the first is meant. */
function byOldId(tasks: ConvertedTask[]): ReadonlyMap<string | null, ConvertedTask> {
  return new Map(tasks.toReversed().map((taken) => [taken.was, taken]))
}

/** Sets parents that exist, form no cycle and are within the allowed depth. */
function setParents(taking: ImportContext, tasks: ConvertedTask[]): void {
  const byOld = byOldId(tasks)
  const depths = new Map<ConvertedTask, number>()
  const drop = ({ task }: ConvertedTask, kind: 'parent-orphan' | 'parent-ring' | 'depth', parent: string): void => {
    const words = `Its parent in Rust Ralph was ${escapeInvisible(parent)}; Ralph could not keep this parent`
    taking.remarks.note(kind, task.id)
    logMoved(taking, task.id, words)
  }
  for (const first of tasks) {
    const way: ConvertedTask[] = []
    // Upwards to a task whose depth is known, or to one without a parent.
    for (let taken: ConvertedTask | undefined = first; taken !== undefined && !depths.has(taken);) {
      way.push(taken)
      depths.set(taken, 0)
      const said = asText(taken.row['parent_id'])
      const parent: ConvertedTask | undefined = byOld.get(said)
      if (said !== null && parent === undefined) drop(taken, 'parent-orphan', said)
      if (parent !== undefined && way.includes(parent)) drop(taken, 'parent-ring', parent.task.id)
      else if (parent !== undefined) taken.task.parent = parent.task.id
      taken = taken.task.parent === null ? undefined : parent
    }
    for (const taken of way.toReversed()) {
      const parent = taken.task.parent === null ? undefined : byOld.get(asText(taken.row['parent_id']))
      const depth = parent === undefined ? 1 : (depths.get(parent) ?? 0) + 1
      if (depth > DEPTH_MAX && parent !== undefined) {
        drop(taken, 'depth', parent.task.id)
        taken.task.parent = null
      }
      depths.set(taken, depth > DEPTH_MAX ? 1 : depth)
    }
  }
}

interface OldEdge {
  blocker: ConvertedTask
  blocked: ConvertedTask
  /** The order in which they were written. */
  n: number
}

/** Sets the blockers of each task and returns their number. That tool ignored parents when it looked for cycles. */
function blockersOf(taking: ImportContext, tasks: ConvertedTask[]): number {
  const { old, remarks } = taking
  const byOld = byOldId(tasks)
  const edges = new Map<string, OldEdge>()
  for (const [n, row] of rowsOf(old, 'dependencies').entries()) {
    const blocker = byOld.get(asText(row['blocker_id']))
    const blocked = byOld.get(asText(row['blocked_id']))
    if (blocker === undefined || blocked === undefined)
      remarks.note('edge-orphan', `${describeValue(row['blocker_id'])} before ${describeValue(row['blocked_id'])}`)
    else edges.set(edgeKey(blocker.task.id, blocked.task.id), { blocker, blocked, n })
  }
  const nodes = waitNodes(tasks, edges)
  const leaveOut = (edge: OldEdge, why: string): void => {
    const [blocker, blocked] = [edge.blocker.task.id, edge.blocked.task.id]
    edges.delete(edgeKey(blocker, blocked))
    const node = nodes.get(blocked)
    if (node !== undefined) node.blockers = node.blockers.filter(({ id }) => id !== blocker)
    remarks.note('edge-ring', `${blocker} before ${blocked}: ${why}`)
    logMoved(taking, blocked, `In Rust Ralph it waited for ${blocker}; not imported: ${why}`)
  }
  // Each of these edges is a cycle by itself and the usual case: to search for one cycle after the other would be slow.
  for (const edge of edges.values()) {
    const why = kinWords(edge, nodes)
    if (why !== null) leaveOut(edge, why)
  }
  for (let ring = findCycle(nodes.values()); ring !== null; ring = findCycle(nodes.values())) {
    const edge = superfluous(ring, edges)
    if (edge === null) break
    leaveOut(edge, `circular dependency (${describeCycle(ring)})`)
  }
  for (const { blocker, blocked } of edges.values()) blocked.task.blockers.push(blocker.task.id)
  return edges.size
}

function edgeKey(blocker: TaskId, blocked: TaskId): string {
  return `${blocker} ${blocked}`
}

function waitNodes(tasks: ConvertedTask[], edges: ReadonlyMap<string, OldEdge>): Map<TaskId, WaitNode> {
  const nodes = waitGraph(tasks.map(({ task }) => ({ ...task, blockers: [] })))
  for (const { blocker, blocked } of edges.values()) {
    const from = nodes.get(blocker.task.id)
    if (from !== undefined) nodes.get(blocked.task.id)?.blockers.push(from)
  }
  return nodes
}

/** The edge of a cycle that is missed least: one whose blocker is done already, else the newest. */
function superfluous(ring: WaitNode[], edges: ReadonlyMap<string, OldEdge>): OldEdge | null {
  const found: OldEdge[] = []
  for (const [i, waiting] of ring.entries()) {
    const next = ring[(i + 1) % ring.length]
    // The task itself waits, or one above it does.
    for (let node: WaitNode | null = waiting; node !== null && next !== undefined; node = node.parent) {
      const edge = edges.get(edgeKey(next.id, node.id))
      if (edge !== undefined) found.push(edge)
    }
  }
  const isOver = ({ blocker }: OldEdge): number => Number(blocker.task.past.status === 'done')
  return found.toSorted((a, b) => isOver(b) - isOver(a) || b.n - a.n)[0] ?? null
}

/** Why an edge between a task and one above it is meaningless; null: it is between others. */
function kinWords({ blocker, blocked }: OldEdge, nodes: ReadonlyMap<TaskId, WaitNode>): string | null {
  const [first, then] = [blocker.task.id, blocked.task.id]
  const isBelow = (id: TaskId, above: TaskId): boolean => {
    let node = nodes.get(id)?.parent ?? null
    while (node !== null && node.id !== above) node = node.parent
    return node !== null
  }
  if (isBelow(first, then)) return `${first} is a subtask of ${then}, which waits for it anyway`
  return isBelow(then, first) ? `${then} is a subtask of ${first}` : null
}

/** The status of a task with children follows from theirs. */
function rollUp({ remarks }: ImportContext, tasks: ConvertedTask[]): void {
  const batchTotals = batchTotalsOf(tasks.map(({ task }) => task))
  for (const { task } of tasks) {
    const status = batchTotals.status.get(task.id)
    if (batchTotals.children.has(task.id) && status !== task.past.status)
      remarks.note('rolled-up', `${task.id} (${task.past.status} in Rust Ralph, ${status ?? 'pending'} here)`)
  }
}

function logsOf(taking: ImportContext, tasks: ConvertedTask[]): void {
  const byOld = byOldId(tasks)
  const entries: Omit<TaskLogEntry, 'n'>[] = []
  for (const row of rowsOf(taking.old, 'task_logs')) {
    const task = byOld.get(asText(row['task_id']))?.task.id
    if (task === undefined) taking.remarks.note('log-orphan', describeValue(row['task_id']))
    else
      entries.push({
        task,
        at: timeOf(taking, row, { key: 'timestamp', id: task }) ?? taking.at,
        author: 'agent',
        kind: 'note',
        text: stripControl(asText(row['message']) ?? ''),
      })
  }
  for (const { row, task } of tasks)
    if (row['status'] === 'in_progress')
      logMoved(taking, task.id, `It was in progress in Rust Ralph${byWhom(row)}; now pending`)
  taking.logs.unshift(...entries)
}

function byWhom(row: RustRow): string {
  const by = asText(row['claimed_by'])
  return by === null || by === '' ? '' : ` (${oneLine(by, 60)})`
}

function notesOf(taking: ImportContext, tasks: ConvertedTask[]): ImportedNote[] {
  const byOld = byOldId(tasks)
  return rowsOf(taking.old, 'journal').map((row) => {
    const said = asText(row['task_id'])
    const task = byOld.get(said)?.task.id ?? null
    if (said !== null && task === null) taking.remarks.note('note-orphan', oneLine(said, 60))
    const iteration = asNumber(row['iteration'])
    return {
      run: asText(row['run_id']),
      iteration: iteration !== null && Number.isInteger(iteration) ? iteration : null,
      task,
      at: timeIn(row, 'created_at') ?? taking.at,
      author: 'agent',
      text: noteText(row),
    }
  })
}

/** The notes, and in brackets the other data of the iteration. */
function noteText(row: RustRow): string {
  const seconds = asNumber(row['duration_secs'])
  const files = asTexts(jsonOrNull(asText(row['files_modified']) ?? '')) ?? []
  const facts = [
    asText(row['outcome']),
    asText(row['model']),
    seconds === null ? null : `${Math.round(seconds)} s`,
    files.length === 0 ? null : `files: ${files.join(', ')}`,
  ].filter((fact) => fact !== null && fact !== '')
  const notes = stripControl(asText(row['notes']) ?? '').trim()
  return [notes, `(${stripControl(facts.join(' · '))})`].filter((part) => part !== '').join('\n')
}

function rowsOf({ tables }: RustDatabase, name: (typeof RUST_TABLES)[number]): readonly RustRow[] {
  return tables[name] ?? []
}

function timeOf({ remarks }: ImportContext, row: RustRow, { key, id }: { key: string; id: TaskId }): Instant | null {
  const at = timeIn(row, key)
  if (at === null) remarks.note('time', id)
  return at
}

/** `2026-02-22T08:01:51.902657+00:00`, or SQLite's own format: `2026-02-22 08:01:51`, which is UTC as well. */
const TIME = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):?(\d\d))?$/

function timeIn(row: RustRow, key: string): Instant | null {
  const parts = TIME.exec(asText(row[key])?.trim() ?? '')
  if (parts === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number)
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return null
  const ms = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3))
  const offset = (Number(parts[9] ?? 0) * 60 + Number(parts[10] ?? 0)) * (parts[8] === '-' ? -1 : 1)
  return Date.UTC(year, month - 1, day, hour, minute - offset, second, ms)
}

/** Any value, for a person. */
function describeValue(value: unknown): string {
  return escapeInvisible(clip(typeof value === 'string' ? value : String(value), 60))
}
