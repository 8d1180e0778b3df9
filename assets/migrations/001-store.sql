-- The store. Booleans are 0 and 1, times are milliseconds since 1970, JSON is text.
-- A migration that was released is never edited: a change is a new file with the next number.

-- Small facts about the file itself. `opening:…` is who writes to it now; see open.ts.
create table meta (
  key text primary key,
  value text not null
) without rowid;

-- The record: the truth of a run, in the order of seq. `type` and `worker` repeat what the event says, to find rows by.
create table record (
  run text not null,
  seq integer not null,
  at integer not null,
  up integer not null,
  rules integer not null,
  type text not null,
  worker text,
  event text not null,
  effects text not null,
  decisions text not null,
  primary key (run, seq)
) without rowid;
create index record_by_type on record (run, type, seq);

-- The state after the last row, updated in the transaction that appends it. It is saved in parts; each is written only when it changed.
create table state (
  run text primary key,
  version integer not null,
  seq integer not null
) without rowid;
create table parts (
  run text not null,
  part text not null,
  body text not null,
  -- What screens show of it, as JSON; null: nothing, or another version wrote it, and the record is folded.
  summary text,
  primary key (run, part)
) without rowid;

-- All tables from here to `evidence` are indexes of the record, written with the row they come from.
create table runs (
  id text primary key,
  -- What it works on: the prompt again and again, tasks, or a draft. A command resumes only runs of its own kind.
  kind text not null default 'loop',
  workspace text not null,
  project text not null,
  command text not null,
  started_at integer not null,
  ended_at integer,
  outcome text,
  reason text,
  verdict text,
  exit_code integer,
  iterations integer not null default 0,
  agent text,
  version text not null,
  pid integer not null
) without rowid;
create index runs_by_start on runs (started_at desc);
create index runs_unfinished on runs (workspace, started_at desc) where ended_at is null;

-- One per iteration, in the order in which they began: what it came to, as a view tells it.
create table iterations (
  id integer primary key,
  run text not null,
  worker text not null,
  n integer not null,
  body text not null
);
create unique index iterations_by_number on iterations (run, worker, n);
create index iterations_by_run on iterations (run, id);

-- Processes that were left in the project and are not ours to end.
create table orphans (
  id integer primary key,
  run text not null,
  pid integer not null,
  start_time text not null,
  command text not null
);
create index orphans_by_run on orphans (run, id);

-- One row per agent process, inserted before it is started. Null: the vendor reports nothing, which is not zero.
create table usage (
  id integer primary key,
  run text not null,
  worker text not null,
  iteration integer not null,
  effect text not null,
  agent text not null,
  model text,
  at integer not null,
  calls integer not null,
  input integer,
  output integer,
  cache_read integer,
  cache_write integer,
  reasoning integer,
  usd real,
  -- 1: the vendor reported no price, and list prices were used.
  estimated integer not null default 0,
  settled integer not null,
  role text not null default 'work',
  -- The row that asked for it, and the checkbox that was next then.
  seq integer,
  task text,
  -- Of its reply; null: none came.
  ended text,
  duration_ms integer
);
create index usage_by_time on usage (at);
create unique index usage_by_run on usage (run, effect);

-- One row per gate that ran.
create table evidence (
  id integer primary key,
  run text not null,
  worker text not null,
  iteration integer not null,
  gate text not null,
  command text not null,
  tree text not null,
  guarded text not null,
  exit_code integer,
  signal text,
  timed_out integer not null,
  missing integer not null,
  duration_ms integer not null,
  at integer not null,
  log text not null,
  summary text not null,
  unstable integer not null,
  purpose text not null,
  -- JSON list of names.
  failing text not null,
  -- How many tests ran; null: the output does not say.
  tests integer
);
create index evidence_by_run on evidence (run);
create index evidence_by_tree on evidence (tree, gate);

-- What people ask of a running engine from another process. Ids are never used twice: the engine reads those after its last.
create table requests (
  id integer primary key autoincrement,
  run text not null,
  at integer not null,
  from_who text not null,
  body text not null,
  state text not null check (state in ('waiting', 'accepted', 'applied', 'refused', 'expired')),
  note text,
  iteration integer
);
create index requests_by_run on requests (run, id);

-- Which process works in a working tree.
create table locks (
  workspace text primary key,
  pid integer not null,
  start_time text not null,
  boot text not null,
  command text not null,
  run text,
  since integer not null
) without rowid;

-- What claims are judged against, one row per working tree: the last proven or accepted state, and what Ralph saw there last.
create table bases (
  workspace text primary key,
  tree text not null,
  plan text,
  refs text,
  origin text not null,
  -- The snapshot and the plan after the last look; null: an agent may have worked since, so nobody knows whose a change is.
  seen_tree text,
  seen_plan text,
  run text not null,
  at integer not null,
  -- What a person is asked to accept, as JSON; null: nothing.
  acceptance text
);

-- Clean rooms that were found fit, by set-up, lock files and gates.
create table clean_room_checks (
  workspace text not null,
  key text not null,
  result text not null,
  at integer not null,
  primary key (workspace, key)
);

-- What people answered when they were asked to accept changes of the judge.
create table acceptances (
  id integer primary key,
  workspace text not null,
  run text not null,
  at integer not null,
  who text not null,
  answer text not null,
  files text not null
);

-- Runs that were taken back: what the working tree was before and after, so that it can be taken back in turn.
create table undos (
  id integer primary key,
  run text not null,
  at integer not null,
  -- begun: cut off if nobody holds the tree; done: the run is undone; returning: being taken back; returned: as if never done.
  state text not null check (state in ('begun', 'done', 'returning', 'returned')),
  -- The git refs that keep both states, as JSON.
  body text not null,
  -- Whose work was reverted; null: all of the run.
  task text
);
create index undos_by_run on undos (run, id);

-- The task graph.
-- `n` is the order of arrival. Everything from `children` to `scheduled` is kept by whoever changes the graph, in the same transaction:
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
  scheduled integer not null check (scheduled in (0, 1)),
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
create index tasks_scheduled on tasks (not_before) where scheduled = 1;

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
  -- The digest of the document that was accepted last; null: none was.
  accepted text,
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

-- What its tasks were called in that document, and what it said of each then: a later one is compared with that.
create table feature_tasks (
  feature text not null,
  key text not null,
  task text not null,
  said text not null,
  primary key (feature, key)
) without rowid;

-- What agents ask people. The id is made of the words: the same question is one question, however often it is asked.
-- A row without text is an answer to no question: guidance that a person gave between runs.
create table questions (
  id text primary key,
  run text not null,
  workspace text not null,
  iteration integer not null,
  task text,
  agent text not null,
  at integer not null,
  text text not null,
  answer text,
  answered_at integer,
  -- A person decided that it needs no answer.
  dismissed_at integer,
  -- Whether the answer is on its way into a prompt: in the record of a run, or in the log of its task.
  told integer not null default 0
);

-- The notes iterations leave for later ones, searchable by words.
create table journal (
  id integer primary key autoincrement,
  run text,
  iteration integer,
  task text,
  at integer not null,
  author text not null,
  text text not null
);
create index journal_by_run on journal (run, id);

create virtual table journal_words using fts5 (text, content = 'journal', content_rowid = 'id', tokenize = 'porter unicode61');
create trigger journal_added after insert on journal begin
  insert into journal_words (rowid, text) values (new.id, new.text);
end;
create trigger journal_removed after delete on journal begin
  insert into journal_words (journal_words, rowid, text) values ('delete', old.id, old.text);
end;
create trigger journal_changed after update of text on journal begin
  insert into journal_words (journal_words, rowid, text) values ('delete', old.id, old.text);
  insert into journal_words (rowid, text) values (new.id, new.text);
end;
