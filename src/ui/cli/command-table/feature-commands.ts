/** `ralph feature`: turns an idea into tasks. */
import { defineCommand, defineCommandRow, type Command, type CommandGroup } from '../framework/command.ts'
import { FEATURE_VERBS } from './feature-verbs.ts'
import { QUIET_FLAG, TRUST_FLAG } from './shared-flags.ts'
import { LOOP } from './run-commands.ts'

export const FEATURE_CREATE = defineCommandRow({
  name: 'create',
  summary: 'Draft a spec, a plan and tasks with an agent',
  args: { name: { says: 'NAME', takes: 'one', offers: 'features' }, wish: { says: 'WISH', takes: 'maybe' } },
  usage: 'NAME ["what I want"]',
  flags: {
    from: { value: 'FILE', help: 'Draft from this file, without questions (-: standard input)' },
    fresh: LOOP.flags.fresh,
    yes: { short: 'y', help: "Don't prompt: let the agent decide, and accept the tasks" },
    json: LOOP.flags.json,
    quiet: QUIET_FLAG,
    trust: TRUST_FLAG,
  },
  settings: 'all',
  outside: true,
  about: `The agent asks you questions and writes spec.md, plan.md and tasks.json into
.ralph/features/NAME. Ralph then shows the tasks and adds them if you accept.
Without a terminal, with --from or with --yes, the agent asks nothing.
Ctrl+C stops it; the same command continues where it left off. Ralph reverts
anything else the agent changes. More: \`ralph help features\`.
Exit code 0: drafted. 4: stopped, or a document is incomplete (it is kept).`,
  examples: [
    ['ralph feature create checkout "pay with a card"', 'answer questions, review the tasks'],
    ['ralph feature create checkout', 'continue it'],
    ['ralph feature create search --from docs/search.md --yes', 'from a file, without questions'],
    ['ralph feature create search --agent codex --fresh', 'with another agent, from scratch'],
  ],
  touches: 'holds workspace',
})

const FEATURE: CommandGroup = {
  name: 'feature',
  summary: 'Turn an idea into a spec, a plan and tasks',
  usual: 'list',
  usage: '[VERB]',
  verbs: [defineCommand(FEATURE_CREATE, () => import('../commands/feature/create.ts')), ...FEATURE_VERBS],
  about: `Verbs: create, list, show, accept, delete, reopen.
See \`ralph feature VERB --help\`, and the guide: \`ralph help features\`.
The documents of a feature are in .ralph/features/NAME. FEATURE: name or ID.`,
  examples: [
    ['ralph feature create checkout "pay with a card"', 'draft one with an agent'],
    ['ralph feature', 'list them'],
    ['ralph feature show checkout', 'one feature in detail'],
    ['ralph feature accept checkout', 'review its tasks and add them'],
  ],
  touches: 'holds workspace',
}

export const FEATURE_COMMANDS: readonly Command[] = [FEATURE]
