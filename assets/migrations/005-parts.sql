-- The house after the last row, in parts: each is overwritten only when it changed. A state of an earlier version is one part of its
-- own, 'house', until the run is taken up.
create table parts (
  run text not null,
  part text not null,
  body text not null,
  primary key (run, part)
) without rowid;
insert into parts (run, part, body) select run, 'house', house from state;
alter table state drop column house;
