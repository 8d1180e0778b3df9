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
create table fitness (
  workspace text not null,
  key text not null,
  fitness text not null,
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

-- Tests that a gate told it ran.
alter table evidence add column tests integer;
