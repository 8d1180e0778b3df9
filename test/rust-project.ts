/** Databases as the Rust tool leaves them, built by its own steps: version by version, or cut off between two of them. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { sqliteLibrary } from '../src/system/sqlite-library.ts'

const STEPS: Readonly<Record<number, readonly string[]>> = {
  1: [
    `create table tasks (id text primary key, parent_id text references tasks(id), title text not null, description text,
       status text not null default 'pending' check (status in ('pending','in_progress','done','blocked','failed')),
       priority integer default 0, created_at text not null, updated_at text not null, claimed_by text)`,
    `create table dependencies (blocker_id text not null references tasks(id), blocked_id text not null references tasks(id),
       primary key (blocker_id, blocked_id), check (blocker_id <> blocked_id))`,
    `create table task_logs (id integer primary key autoincrement, task_id text not null references tasks(id),
       message text not null, timestamp text not null)`,
  ],
  2: [
    `create table if not exists features (id text primary key, name text not null unique, spec_path text, plan_path text,
       status text not null default 'draft' check (status in ('draft','planned','ready','running','done','failed')),
       created_at text not null, updated_at text not null)`,
    'alter table tasks add column feature_id text references features(id)',
    `alter table tasks add column task_type text default 'feature' check (task_type in ('feature','standalone'))`,
    'alter table tasks add column retry_count integer default 0',
    'alter table tasks add column max_retries integer default 3',
    `alter table tasks add column verification_status text check (verification_status in ('pending','passed','failed'))`,
  ],
  3: [
    `create table journal (id integer primary key autoincrement, run_id text not null, iteration integer not null,
       task_id text references tasks(id), feature_id text references features(id),
       outcome text not null check (outcome in ('done','failed','retried','blocked')), model text, duration_secs real, cost_usd real,
       files_modified text, notes text, created_at text not null default (datetime('now')))`,
    'create index idx_journal_run_id on journal(run_id, iteration)',
    'create index idx_journal_feature_id on journal(feature_id)',
    `create virtual table journal_fts using fts5(notes, content='journal', content_rowid='id')`,
    `create trigger journal_ai after insert on journal begin insert into journal_fts(rowid, notes) values (new.id, new.notes); end`,
    `create trigger journal_ad after delete on journal begin
       insert into journal_fts(journal_fts, rowid, notes) values ('delete', old.id, old.notes); end`,
    `create trigger journal_au after update on journal begin
       insert into journal_fts(journal_fts, rowid, notes) values ('delete', old.id, old.notes);
       insert into journal_fts(rowid, notes) values (new.id, new.notes); end`,
  ],
  4: [
    'create index if not exists idx_tasks_status_priority_created on tasks(status,priority,created_at)',
    'create index if not exists idx_tasks_parent_id on tasks(parent_id)',
    'create index if not exists idx_dependencies_blocked_id on dependencies(blocked_id)',
    'create index if not exists idx_task_logs_task_id_timestamp on task_logs(task_id,timestamp)',
  ],
  5: [
    `create table model_overrides (id integer primary key autoincrement, iteration integer not null, strategy_choice text not null,
       hint text not null, created_at text not null default (datetime('now')))`,
    'create index idx_model_overrides_iteration on model_overrides(iteration)',
  ],
}

export interface OldDatabase {
  version: number
  /** What was written into it. */
  rows: readonly string[]
  /** So many statements of the next step were done when it was cut off, and `user_version` still says the last whole one. */
  cut?: number
}

/** It is closed again, as after a run that ended. */
export function oldDatabase(file: string, { version, rows, cut = 0 }: OldDatabase): void {
  mkdirSync(dirname(file), { recursive: true })
  const db = openOld(file)
  db.exec('pragma journal_mode = wal')
  for (let step = 1; step <= version; step += 1) for (const text of STEPS[step] ?? []) db.exec(text)
  for (const text of (STEPS[version + 1] ?? []).slice(0, cut)) db.exec(text)
  db.exec(`pragma user_version = ${version}`)
  // That tool's driver has them on; what it did not check is written by hand here.
  db.exec('pragma foreign_keys = off')
  for (const text of rows) db.exec(text)
  db.close()
}

interface Database {
  exec(text: string): void
  close(): void
}

export function openOld(file: string): Database {
  const { DatabaseSync } = sqliteLibrary() as { DatabaseSync: new (file: string) => Database }
  return new DatabaseSync(file)
}

const T1 = "'2026-02-22T08:01:51.902657+00:00'"
const T2 = "'2026-02-22T09:00:00.000+00:00'"
/** As SQLite itself writes it, after a change of status. */
const S1 = "'2026-02-23 10:00:00'"

/** What every version can hold: a parent with two children, one after the other, and one that was being worked on. */
export const PLAIN_ROWS: readonly string[] = [
  `insert into tasks (id, parent_id, title, description, status, priority, created_at, updated_at, claimed_by) values
    ('t-0a1b2c', null, 'Sign in', '', 'pending', 0, ${T1}, ${T1}, null),
    ('t-111111', 't-0a1b2c', 'A form', 'With a name' || char(10) || 'and a password', 'done', 1, ${T1}, ${S1}, null),
    ('t-22222222', 't-0a1b2c', 'A session', null, 'in_progress', null, ${T2}, ${S1}, 'agent-deadbeef'),
    ('t-333333', null, 'Write it down', '', 'failed', 5, ${T2}, ${S1}, null)`,
  `insert into dependencies values ('t-111111', 't-22222222'), ('t-0a1b2c', 't-333333')`,
  `insert into task_logs (task_id, message, timestamp) values ('t-111111', 'looked at the router', ${T1}),
    ('t-333333', 'Agent refused the request', ${T2})`,
]

/** What came with versions 2 and 3. */
export const FEATURE_ROWS: readonly string[] = [
  `insert into features values ('f-abcdef', 'login', '.ralph/features/login/spec.md', '.ralph/features/login/plan.md', 'running', ${T1}, ${S1}),
    ('f-123456', 'search', null, null, 'draft', ${T1}, ${T1})`,
  `update tasks set feature_id = 'f-abcdef' where id in ('t-0a1b2c', 't-111111', 't-22222222')`,
  `update tasks set retry_count = 2, max_retries = 5, verification_status = 'failed' where id = 't-22222222'`,
  `update tasks set verification_status = 'passed' where id = 't-111111'`,
  `update tasks set task_type = 'standalone' where id = 't-333333'`,
]
export const JOURNAL_ROWS: readonly string[] = [
  `insert into journal (run_id, iteration, task_id, feature_id, outcome, model, duration_secs, cost_usd, files_modified, notes, created_at) values
    ('run-12345678', 1, 't-111111', 'f-abcdef', 'done', 'opus', 33.6, 0, '["src/form.ts","src/name.ts"]', 'The router is in src/router.ts', ${T1}),
    ('run-12345678', 2, 't-333333', null, 'failed', null, null, null, null, null, ${S1})`,
]
export const OVERRIDE_ROWS: readonly string[] = [
  `insert into model_overrides (iteration, strategy_choice, hint) values (2, 'sonnet', 'opus')`,
]

/** The rows that a version can hold. */
export function rowsFor(version: number): string[] {
  return [
    ...PLAIN_ROWS,
    ...(version >= 2 ? FEATURE_ROWS : []),
    ...(version >= 3 ? JOURNAL_ROWS : []),
    ...(version >= 5 ? OVERRIDE_ROWS : []),
  ]
}
