-- The digest of the document that was accepted last; null: none was.
alter table features add column accepted text;

-- What its tasks were called in that document, and what it said of each then: a later one is compared with that.
create table feature_tasks (
  feature text not null,
  key text not null,
  task text not null,
  said text not null,
  primary key (feature, key)
) without rowid;
