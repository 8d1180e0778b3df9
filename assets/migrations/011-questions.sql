-- What agents ask people. The id is made of the words: the same question is one question, however often it is asked.
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
  -- Whether the answer is on its way into a prompt: in the record of a run, or in the log of its task.
  told integer not null default 0
);
