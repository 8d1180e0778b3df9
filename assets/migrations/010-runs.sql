-- What a run works on: the prompt again and again, or tasks. A command goes on with runs of its own kind only.
alter table runs add column kind text not null default 'loop';
-- What a run has spent and who was asked how often, as JSON, written with the row it follows from: a screen adds up nothing.
alter table runs add column used text;
