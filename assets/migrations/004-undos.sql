-- Runs that were taken back: what the working tree was before and after, so that it can be taken back in turn.
create table undos (
  id integer primary key,
  run text not null,
  at integer not null,
  -- begun: cut off if nobody holds the tree; done: the run is undone; returning: being taken back; returned: as if never done.
  state text not null check (state in ('begun', 'done', 'returning', 'returned')),
  -- The git refs that keep both states, as JSON.
  body text not null
);
create index undos_by_run on undos (run, id);
