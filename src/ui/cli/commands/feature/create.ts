/** `ralph feature create`: turns an idea into a spec, a plan and tasks, with an agent that asks questions. */
import { resolve } from 'node:path'
import { refuseUnsupportedSettings } from '../../../../config/resolve.ts'
import {
  prepareDraft,
  hasNewDescription,
  lacksDescription,
  requestTaskRevision,
  missingDocuments,
} from '../../../../app/feature/prepare-draft.ts'
import { checkFeatureName } from '../../../../app/feature/task-draft.ts'
import { copyExternalDocuments, findExternalDocuments } from '../../../../app/feature/copy-documents.ts'
import { loadFeatureFacts } from '../../../../app/feature/features.ts'
import type { StoreLocation } from '../../../../app/task/task-store.ts'
import { readFileOrStdin } from '../../../../app/read-input.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { escapeInvisible } from '../../../../core/text/sanitize.ts'
import { quoteShellWord, splitCommand } from '../../../../core/text/shell.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import type { Io } from '../../framework/io.ts'
import { openProject, type OpenProject } from '../../framework/open-project.ts'
import type { FEATURE_CREATE } from '../../command-table/feature-commands.ts'
import { askToAcceptDraft } from '../../asking/accept-draft.ts'
import { printResult } from '../../framework/print-result.ts'
import { askText } from '../../asking/terminal-prompts.ts'
import { startDraft } from '../run/start-run.ts'
import { canPersonAnswer } from '../run/foreground.ts'

/** Every prompt of the draft includes the idea, so it is limited. */
const WISH_MAX = 8_000

/** Longer than any text that an agent reads to its end. */
const SOURCE_BYTES = 2 * 1024 * 1024

export const run: CommandHandler<typeof FEATURE_CREATE> = async (input, io) => {
  const { name } = input.args
  checkFeatureName(name)
  const project = await openProject(input, io)
  refuseUnsupportedSettings(project.settings)
  const location: StoreLocation = { root: project.root, notice: (text) => io.err(`${text}\n`) }
  if (project.settings.values['loop.dry_run']) return dryRun(location, project.settings, input, io)
  await copyExternalDocuments(location, name)
  const said = await wishOf(project.root, input, io)
  if (said === null) return EXIT.interrupted
  const typed = { ...input, typed: withoutWish(input) }
  for (let wish = { name, ...said }; ; wish = { ...wish, wish: null, source: null }) {
    const news = hasNewDescription(project.root, wish)
    const draft = await prepareDraft(location, wish)
    if (draft === null && news) io.err(notDrafted(name))
    const exit = draft === null ? EXIT.done : await startDraft({ project, draft, input: typed }, io)
    if (exit !== EXIT.done) return exit
    if (!mayAccept(input, io)) return draft === null ? later(location, input, io) : EXIT.done
    const end = await askToAcceptDraft({ location, name, input: typed, canRevise: said.asks }, io)
    if (end.is !== 'mend') return end.exit
    requestTaskRevision(project.root, name, end.words)
  }
}

/** The prompts depend on the answers, so a dry run shows only the files that would be written. */
async function dryRun(
  location: StoreLocation,
  settings: OpenProject['settings'],
  { args, flags }: CommandInput<typeof FEATURE_CREATE>,
  io: Io,
): Promise<number> {
  const there = await findExternalDocuments(location, args.name)
  const brought = new Set(there.flatMap(({ to, whole }) => (whole ? [to] : [])))
  const documents = missingDocuments(location.root, args.name).filter((path) => !brought.has(path))
  const agents = settings.rules().agent.order
  return printResult(
    { documents, agents },
    () =>
      documents.length === 0
        ? `Nothing to draft: the documents of ${args.name} are complete.\n`
        : `${escapeInvisible(agents.join(', then '))} would write ${documents.join(', ')}. Nothing was started.\n`,
    { json: flags.json, io },
  )
}

/** Whether the tasks may be accepted now: with `--yes`, or by a person at the terminal. */
function mayAccept({ flags: { yes, json } }: CommandInput<typeof FEATURE_CREATE>, io: Io): boolean {
  return yes || (io.asks && !json)
}

/** A notice, because the user may expect a new draft. */
function notDrafted(name: string): string {
  return `Saved, but nothing was drafted: the documents of ${name} are complete. To rewrite them: ralph feature reopen ${name} --from spec, then ralph feature create ${name}\n`
}

/** Prints the next step, because no run has printed one. */
async function later(
  location: StoreLocation,
  { args: { name }, flags: { json } }: CommandInput<typeof FEATURE_CREATE>,
  io: Io,
): Promise<number> {
  const { next, accepted } = await loadFeatureFacts(location, name)
  const how = accepted ? 'Its tasks were accepted.' : 'Review its tasks and add them.'
  return printResult(
    { type: 'result', run: null, outcome: 'drafted', exit: EXIT.done, next: next === null ? [] : [next] },
    () => `The documents of ${name} are in .ralph/features/${name}. ${how}${next === null ? '' : ` Next: ${next}`}\n`,
    { json, io },
  )
}

interface Said {
  wish: string | null
  source: string | null
  asks: boolean
}

/** The text of the idea and whether a person answers questions; null: the user cancelled. */
async function wishOf(root: string, input: CommandInput<typeof FEATURE_CREATE>, io: Io): Promise<Said | null> {
  const { name, wish } = input.args
  const { from } = input.flags
  const source =
    from === null ? null : await readFileOrStdin(from === '-' ? from : resolve(io.cwd, from), { max: SOURCE_BYTES })
  const said = from === '-' ? 'standard input' : (from ?? '')
  if (source !== null && source.trim() === '') throw new RalphError('usage', `${said} is empty`)
  // No agent can read a binary file.
  if (source?.includes('\0') === true)
    throw new RalphError('usage', `${said} is not a text file: it contains a null character`)
  const asks = source === null && canPersonAnswer(input, io)
  const given = wish === null || wish.trim() === '' ? null : wish.trim()
  if (given !== null && given.length > WISH_MAX)
    throw new RalphError('usage', `the description has ${given.length} characters; the limit is ${WISH_MAX}`, {
      hint: `Put it in a file: ralph feature create ${name} --from FILE`,
    })
  if (given !== null || source !== null || !lacksDescription(root, name)) return { wish: given, source, asks }
  if (!asks)
    throw new RalphError('usage', `the feature ${name} has no description`, {
      hint: `ralph feature create ${name} "what I want", or from a file: ralph feature create ${name} --from FILE`,
    })
  const typed = await askText({
    message: `What should ${name} do?`,
    validate: (words) => (words.trim() === '' ? 'Describe it in a sentence.' : undefined),
    max: WISH_MAX,
  })
  return typed === null ? null : { wish: typed.trim(), source, asks }
}

/** The record gets the command without the idea, which may be long and is in the interview. */
function withoutWish({ typed, args: { wish } }: CommandInput<typeof FEATURE_CREATE>): string {
  const words = splitCommand(typed) ?? []
  return words
    .filter((word) => word !== wish)
    .map(quoteShellWord)
    .join(' ')
}
