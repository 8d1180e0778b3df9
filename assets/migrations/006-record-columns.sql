-- What a row is about, beside its JSON: nothing is found by searching in texts. Text that is no JSON any more is told when it is read.
alter table record add column type text not null default '';
alter table record add column worker text;
update record set type = coalesce(json_extract(event, '$.type'), ''), worker = json_extract(event, '$.worker')
where json_valid(event);
create index record_by_type on record (run, type, seq);
