-- The first shape of the store. Booleans are 0 and 1, times are milliseconds since 1970, JSON is text.
-- A migration that was released is never edited: a change is a new file with the next number.

-- Small facts about the file itself. `opening:…` is who writes to it now; see open.ts.
create table meta (
  key text primary key,
  value text not null
) without rowid;

-- The record: the truth of a run, in the order of seq.
create table record (
  run text not null,
  seq integer not null,
  at integer not null,
  up integer not null,
  rules integer not null,
  event text not null,
  effects text not null,
  decisions text not null,
  primary key (run, seq)
) without rowid;

-- The house after the last row, overwritten in the transaction that appends it.
create table state (
  run text primary key,
  version integer not null,
  seq integer not null,
  house text not null
) without rowid;

-- runs, usage and evidence are indexes of the record, written with the row they come from.
create table runs (
  id text primary key,
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

-- One row per agent process, inserted before it is started. Null: the vendor tells nothing, which is not zero.
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
  settled integer not null
);
create index usage_by_time on usage (at);
create unique index usage_by_run on usage (run, effect);

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
  unsettled integer not null,
  purpose text not null,
  -- JSON list of names.
  failing text not null
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
create table holders (
  workspace text primary key,
  pid integer not null,
  start_time text not null,
  boot text not null,
  command text not null,
  run text,
  since integer not null
) without rowid;

-- The task graph. `blockers` (unfinished ones) and `children` are kept, not computed, so that the ready set costs the same
-- on a hundred tasks and on a hundred thousand. `attempt` is the number of the newest claim: the fencing token.
create table tasks (
  id text primary key,
  parent text references tasks (id),
  title text not null,
  description text not null,
  status text not null check (status in ('pending', 'in_progress', 'done', 'blocked', 'failed')),
  priority integer not null,
  blockers integer not null default 0 check (blockers >= 0),
  children integer not null default 0 check (children >= 0),
  attempt integer not null default 0,
  created_at integer not null,
  updated_at integer not null
) without rowid;
create index tasks_ready on tasks (priority, created_at, id) where status = 'pending' and blockers = 0 and children = 0;
create index tasks_by_parent on tasks (parent);

create table edges (
  blocker text not null references tasks (id),
  blocked text not null references tasks (id),
  primary key (blocker, blocked),
  check (blocker <> blocked)
) without rowid;
create index edges_by_blocked on edges (blocked);

create table claims (
  task text not null references tasks (id),
  attempt integer not null,
  worker text not null,
  run text not null,
  lease_until integer not null,
  state text not null check (state in ('held', 'done', 'failed', 'released', 'lost')),
  primary key (task, attempt)
) without rowid;

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
