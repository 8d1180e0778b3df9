-- What statistics count, with the call it belongs to. `seq`: the row that asked for it; `task`: the box that was next then; `ended` and
-- `duration_ms`: of its reply, null where none came.
alter table usage add column role text not null default 'work';
alter table usage add column seq integer;
alter table usage add column task text;
alter table usage add column ended text;
alter table usage add column duration_ms integer;

update usage set seq = asked.seq, role = coalesce(asked.role, 'work')
from (
  select record.run, record.seq, json_extract(effect.value, '$.id') as effect, json_extract(effect.value, '$.role') as role
  from record, json_each(case when json_valid(record.effects) then record.effects else '[]' end) as effect
  where json_extract(effect.value, '$.type') = 'run-agent'
) as asked
where asked.run = usage.run and asked.effect = usage.effect;

update usage set task = (
  select case when json_valid(event) then json_extract(event, '$.nextBox') end from record
  where record.run = usage.run and type = 'surveyed' and record.seq <= usage.seq order by record.seq desc limit 1
);

update usage set ended = answer.ended, duration_ms = answer.duration_ms
from (
  -- The first answer is the one that counted: of the other columns SQLite gives the row with the least.
  select run, min(seq), json_extract(event, '$.effect') as effect, json_extract(event, '$.reply.end') as ended,
    json_extract(event, '$.reply.durationMs') as duration_ms
  from record where type = 'agent-ended' group by run, json_extract(event, '$.effect')
) as answer
where answer.run = usage.run and answer.effect = usage.effect;
