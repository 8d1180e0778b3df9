-- What screens show of a run, written with the row it comes from. A run without a glance is of an earlier version: its record is folded.
alter table runs add column glance text;

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
insert into orphans (run, pid, start_time, command)
select record.run, json_extract(orphan.value, '$.pid'), json_extract(orphan.value, '$.startTime'), json_extract(orphan.value, '$.command')
from record, json_each(record.event, '$.orphans.named') as orphan
where record.type in ('agent-ended', 'gate-ended', 'room-tried')
order by record.run, record.seq, orphan.key;
