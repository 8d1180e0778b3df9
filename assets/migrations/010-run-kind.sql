-- What a run works on: the prompt again and again, or tasks. A command goes on with runs of its own kind only.
alter table runs add column kind text not null default 'loop';
