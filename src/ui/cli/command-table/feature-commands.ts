/** `ralph feature`: turns an idea into tasks. */
import { defineCommand, defineCommandRow, type Command, type CommandGroup } from '../framework/command.ts'
import { FEATURE_VERBS } from './feature-verbs.ts'
import { QUIET_FLAG, TRUST_FLAG } from './shared-flags.ts'
import { LOOP } from './run-commands.ts'

export const FEATURE_CREATE = defineCommandRow({
  name: 'create',
  summary: 'Draft a feature with an agent: its specification, its plan and its tasks',
  args: { name: { says: 'NAME', takes: 'one', offers: 'features' }, wish: { says: 'WISH', takes: 'maybe' } },
  usage: 'NAME ["what I want"]',
  flags: {
    from: { value: 'FILE', help: 'Make it from this text (- reads the pipe), without an interview' },
    fresh: LOOP.flags.fresh,
    yes: { short: 'y', help: 'Nobody is asked: the agent assumes the careful thing, and the tasks are accepted' },
    json: LOOP.flags.json,
    quiet: QUIET_FLAG,
    trust: TRUST_FLAG,
  },
  settings: 'all',
  outside: true,
  about: `An agent asks you what it cannot know, one question at a time, and writes three papers into .ralph/features/NAME: spec.md, plan.md and tasks.json. The tasks are
then shown and, if you accept them, added. Without a terminal, with --from or with --yes nobody is asked.
Ctrl+C stops it at any moment; the same command goes on where it was: a paper that is there and whole is not written again, and what was said
stands in interview.md. Another terminal answers with ralph steer "…". Whatever else the agent changes in the project is put back.
Exit code 0: drafted. 4: stopped, or a paper did not become whole (it is kept).`,
  examples: [
    ['ralph feature create checkout "pay with a card"', 'answer a few questions, then look at the tasks'],
    ['ralph feature create checkout', 'go on with it'],
    ['ralph feature create search --from docs/search.md --yes', 'from a text, without a question'],
    ['ralph feature create search --agent codex --fresh', 'with another agent, giving up an unfinished run'],
  ],
  touches: 'holds workspace',
})

const FEATURE: CommandGroup = {
  name: 'feature',
  summary: 'How an idea becomes tasks',
  usual: 'list',
  usage: '[VERB]',
  verbs: [defineCommand(FEATURE_CREATE, () => import('../commands/feature/create.ts')), ...FEATURE_VERBS],
  about: `Verbs: create, list, show, accept, delete, reopen. Each has a help of its own: ralph feature accept --help.
FEATURE is a name or an id. Its papers lie in .ralph/features/NAME: spec.md, plan.md, and tasks.json, which becomes its tasks when you accept it.`,
  examples: [
    ['ralph feature create checkout "pay with a card"', 'draft one with an agent that asks'],
    ['ralph feature', 'all of them'],
    ['ralph feature show checkout', 'one from near'],
    ['ralph feature accept checkout', 'look at the drafted tasks, and add them'],
  ],
  touches: 'holds workspace',
}

export const FEATURE_COMMANDS: readonly Command[] = [FEATURE]
