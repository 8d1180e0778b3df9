-- The task graph anew. No command ever wrote the tables of the first shape, so nothing is carried over.
drop table claims;
drop table edges;
drop table tasks;

-- `n` is the order of arrival. Everything from `children` to `asleep` is kept by whoever changes the graph, in the same transaction:
-- what is ready is then read, not computed. *Blocked* is no status: it is what a pending task is called while `waits` or `above` is not 0.
create table tasks (
  n integer primary key,
  id text not null unique,
  parent text,
  feature text,
  title text not null,
  description text not null,
  status text not null check (status in ('pending', 'in_progress', 'done', 'failed')),
  priority integer not null,
  -- Null: as the setting says.
  max_retries integer,
  not_before integer,
  -- JSON lists of text: commands, globs, sentences.
  checks text not null,
  tests text not null,
  criteria text not null,
  children integer not null check (children >= 0),
  children_done integer not null check (children_done >= 0),
  children_failed integer not null check (children_failed >= 0),
  children_going integer not null check (children_going >= 0),
  -- Its own blockers that are not done, and its ancestors that have such.
  waits integer not null check (waits >= 0),
  above integer not null check (above >= 0),
  -- Its time was still to come when somebody looked last.
  asleep integer not null check (asleep in (0, 1)),
  -- The number of the newest claim: the fencing token.
  attempt integer not null,
  retries integer not null,
  verification text check (verification in ('passed', 'failed')),
  why text,
  claimed_by text,
  archived_at integer,
  created_at integer not null,
  updated_at integer not null
);
create index tasks_by_parent on tasks (parent) where parent is not null;
create index tasks_by_feature on tasks (feature) where feature is not null;
create index tasks_in_order on tasks (priority, n) where archived_at is null;
-- Who only looks on counts leaves by their status, and names some of them in their order.
create index tasks_by_status on tasks (status, priority) where children = 0 and archived_at is null;
create index tasks_asleep on tasks (not_before) where asleep = 1;

create table edges (
  blocker text not null references tasks (id),
  blocked text not null references tasks (id),
  primary key (blocker, blocked),
  check (blocker <> blocked)
) without rowid;
create index edges_by_blocked on edges (blocked);

-- One row for each ready task and each scope it is found in: `all`, `f:` and its feature, `t:` and itself or an ancestor.
create table ready (
  scope text not null,
  priority integer not null,
  n integer not null,
  task text not null,
  primary key (scope, priority, n)
) without rowid;
create index ready_by_task on ready (task);

-- `tasks` to `going` count its tasks that have no children.
create table features (
  n integer primary key,
  id text not null unique,
  name text not null unique,
  stage text not null check (stage in ('draft', 'planned', 'ready')),
  spec text,
  plan text,
  tasks integer not null check (tasks >= 0),
  done integer not null check (done >= 0),
  failed integer not null check (failed >= 0),
  going integer not null check (going >= 0),
  created_at integer not null,
  updated_at integer not null
);

create table claims (
  task text not null references tasks (id),
  attempt integer not null,
  run text not null,
  worker text not null,
  lease_until integer not null,
  state text not null check (state in ('held', 'done', 'failed', 'released', 'lost')),
  claimed_at integer not null,
  ended_at integer,
  from_head text,
  to_head text,
  why text,
  primary key (task, attempt)
) without rowid;
create index claims_by_lease on claims (lease_until) where state = 'held';
create index claims_by_run on claims (run, state);

create table task_log (
  n integer primary key,
  task text not null references tasks (id),
  at integer not null,
  author text not null,
  kind text not null check (kind in ('note', 'guidance', 'failed', 'verified', 'summary', 'moved')),
  text text not null
);
create index task_log_by_task on task_log (task, n);

-- Whose work was taken back; null: all of the run.
alter table undos add column task text;
