/** The texts for a prompt about a task. The documents of its feature are files, which the caller reads. */
import { RalphError } from '../../core/error.ts'
import type { Instant, RunId } from '../../core/ids.ts'
import type {
  FeatureDocuments,
  FinishedBlocker,
  DocumentText,
  PromptNote,
  TaskTexts,
} from '../../core/prompt/task-texts.ts'
import type { FeatureId, Task, TaskId } from '../../core/tasks/task.ts'
import type { Masker } from '../../system/mask/mask.ts'
import type { Sql } from '../db/sql.ts'
import { recentNotes, searchNotes, loadLostWorkLookup, type Note } from '../journal.ts'
import { findFeature } from './features.ts'
import { findTask } from './find-task.ts'
import { loadTaskLog } from './task-log.ts'

const LOG_MAX = 200
const BLOCKERS_MAX = 50
const NOTES_MAX = 10
/** Limit of notes about the task itself: a task with many attempts leaves many, and other notes matter too. */
const OWN_MAX = 5

export async function loadTaskPromptTexts(
  sql: Sql,
  id: TaskId,
  { document, mask }: { document: (path: string) => DocumentText; mask: Pick<Masker, 'text'> },
): Promise<TaskTexts> {
  const task = await findTask(sql, id)
  if (task === null)
    throw new RalphError('not-found', `there is no task ${id}`, { hint: 'List all: ralph task list --all' })
  const { recent, matching } = await notesFor(sql, task)
  return {
    task,
    parent: task.parent === null ? null : await findTask(sql, task.parent),
    blockers: await finishedBlockers(sql, id),
    feature: task.feature === null ? null : await documentsOf(sql, task.feature, document),
    log: maskTexts(await loadTaskLog(sql, id, LOG_MAX), mask),
    notes: {
      recent: maskTexts(recent, mask),
      matching: maskTexts(matching, mask),
    },
  }
}

/** Texts of agents are masked when they are saved; a person's note may contain a secret too. */
function maskTexts<T extends { text: string }>(said: T[], mask: Pick<Masker, 'text'>): T[] {
  return said.map((one) => ({ ...one, text: mask.text(one.text) }))
}

async function documentsOf(
  sql: Sql,
  id: FeatureId,
  document: (path: string) => DocumentText,
): Promise<FeatureDocuments | null> {
  const feature = await findFeature(sql, id)
  if (feature === null) return null
  const { name, spec, plan } = feature
  return { name, spec: spec === null ? null : document(spec), plan: plan === null ? null : document(plan) }
}

interface Blocker {
  id: TaskId
  title: string
  summary: string | null
  why: string | null
  description: string
}

/** Its own blockers, then those of its ancestors. Only summaries count: a note about a failed verification does not say what was done. */
async function finishedBlockers(sql: Sql, id: TaskId): Promise<FinishedBlocker[]> {
  const rows = await sql.all<Blocker>(
    `with recursive up (id, parent, level) as (
       select id, parent, 0 from tasks where id = ?
       union all select tasks.id, tasks.parent, up.level + 1 from tasks join up on tasks.id = up.parent)
     select tasks.id as id, tasks.title as title, tasks.why as why, tasks.description as description,
       (select text from task_log where task = tasks.id and kind = 'summary' order by n desc limit 1) as summary
     from up join edges on edges.blocked = up.id join tasks on tasks.id = edges.blocker
     where tasks.status = 'done' order by up.level, tasks.n limit ${BLOCKERS_MAX}`,
    id,
  )
  const found = new Map<TaskId, FinishedBlocker>()
  for (const { id: blocker, title, summary, why, description } of rows)
    if (!found.has(blocker)) found.set(blocker, { id: blocker, title, summary: summary ?? why ?? description })
  return [...found.values()]
}

/** The notes at the time of the claim: with later ones the prompt would differ in every iteration. */
async function notesFor(sql: Sql, { id, title, description }: Task): Promise<TaskTexts['notes']> {
  const claim = await sql.get<{ run: RunId; at: Instant }>(
    `select run, claimed_at as at from claims where task = ? and state = 'held'`,
    id,
  )
  const until = claim?.at ?? null
  const recent = claim === null ? [] : await recentNotes(sql, { run: claim.run, limit: NOTES_MAX, until })
  const own = await recentNotes(sql, { task: id, limit: OWN_MAX, until })
  const found = await searchNotes(sql, `${title}\n${description}`, 2 * NOTES_MAX, { until })
  // An agent may leave the same note in several iterations.
  const newest = onceEach(recent)
  const said = new Set(newest.map(({ text }) => text))
  const others = onceEach([...own, ...found])
    .filter(({ text }) => !said.has(text))
    .slice(0, NOTES_MAX)
  const lostOf = await loadLostWorkLookup(sql, [...newest, ...others], until)
  const told = (note: Note): PromptNote => {
    const { task, author, text } = note
    const lost = lostOf(note)
    return { task, author, text, ...(lost === null ? {} : { lost }) }
  }
  return { recent: newest.map(told), matching: others.map(told) }
}

function onceEach<T extends PromptNote>(notes: T[]): T[] {
  return notes.filter(({ text }, index) => notes.findIndex((other) => other.text === text) === index)
}
