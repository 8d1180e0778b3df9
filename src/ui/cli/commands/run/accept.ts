/** `ralph accept`: a person decides about changes of protected files that the work needs. */
import { join } from 'node:path/posix'
import {
  answerAcceptance,
  loadPendingAcceptance,
  type PendingAcceptance,
  type PendingFile,
  type AcceptDecision,
} from '../../../../app/run/accept.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { ENTIRE_TREE } from '../../../../core/proof/acceptance.ts'
import { escapeInvisible } from '../../../../core/text/sanitize.ts'
import { acceptHeader, pendingFileBlock } from '../../../plain/screens/accept.ts'
import { plural } from '../../../plain/format-values.ts'
import { createPaint } from '../../../plain/colours.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import type { ACCEPT } from '../../command-table/run-commands.ts'
import type { Io } from '../../framework/io.ts'
import { printResult } from '../../framework/print-result.ts'
import { homeOf, openProject } from '../../framework/open-project.ts'
import { askYesNo } from '../../asking/terminal-prompts.ts'

export const run: CommandHandler<typeof ACCEPT> = async (input, io) => {
  const { root } = await openProject(input, io)
  const json = input.flags.json
  const whose = { env: io.env, home: homeOf(io) }
  const asked = await loadPendingAcceptance(root, whose)
  const beforehand = parseDecisionFlags(input, asked.files)
  const p = createPaint(io.colour)
  const asks = io.asks && !json && beforehand.no === false
  if (!json) io.out(acceptHeader(asked, p))
  const refused: string[] = []
  const open: string[] = []
  for (const file of asked.files) {
    if (!json) io.out(`\n${pendingFileBlock(file, p)}`)
    if (beforehand.yes.has(file.path)) continue
    if (!asks) {
      ;(beforehand.no ? refused : open).push(file.path)
      continue
    }
    const said = await ask(file)
    if (said === null) return EXIT.interrupted
    if (!said) refused.push(file.path)
  }
  if (open.length > 0) return unanswered({ asked, open, json }, io)
  const said: AcceptDecision = refused.length === 0 ? { answer: 'yes' } : { answer: 'no', files: refused }
  const who = await answerAcceptance(root, whose, { asked, said })
  const isAccepted = said.answer === 'yes'
  const screen = (): string => (said.answer === 'yes' ? accepted(asked, who) : notAccepted(said.files))
  const exit = isAccepted ? EXIT.done : EXIT.unproven
  return printResult({ ...asked, ...said, accepted: isAccepted, who }, screen, { json, io, exit })
}

interface Beforehand {
  yes: ReadonlySet<string>
  /** Rejects every file that is not in `yes`. */
  no: boolean
}

/** `--yes` alone accepts all changes; a named path must be among them. */
function parseDecisionFlags({ args, flags }: CommandInput<typeof ACCEPT>, files: PendingFile[]): Beforehand {
  const { yes, no } = flags
  if (yes === null && args.files.length > 0)
    throw new RalphError('usage', `no decision given for "${args.files[0] ?? ''}"`, {
      hint: `To accept it: ralph accept --yes ${args.files.join(' ')}`,
    })
  const named = [...(yes ?? []), ...args.files].filter((name) => name !== '')
  if (yes !== null && named.length === 0 && no)
    throw new RalphError(
      'usage',
      '--yes without a file accepts everything, so --no cannot be added: name files after --yes',
    )
  const all = yes !== null && named.length === 0 ? files.map(({ path }) => path) : []
  return { yes: new Set([...all, ...named.map((name) => pathOf(name, files))]), no }
}

/** The path as it is shown, or as one types it in the current folder. */
function pathOf(name: string, files: PendingFile[]): string {
  const wanted = join(name)
  const exact = files.find(({ path }) => path === wanted)
  const below = files.filter(({ path }) => path.endsWith(`/${wanted}`))
  const found = exact ?? (below.length === 1 ? below[0] : undefined)
  if (found !== undefined) return found.path
  throw new RalphError('usage', `"${name}" is not waiting for review`, {
    hint: `Waiting: ${files.map(({ path }) => path).join(', ')}`,
  })
}

/** Null: the user cancelled, so nothing is decided. */
function ask({ path, kind }: PendingFile): Promise<boolean | null> {
  return askYesNo(`Accept ${kind === 'whole' ? 'the whole working tree' : escapeInvisible(path)}?`)
}

function unanswered(
  { asked, open, json }: { asked: PendingAcceptance; open: string[]; json: boolean },
  io: Io,
): number {
  const screen = (): string =>
    `\nNot decided: ${escapeInvisible(open.join(', '))}\nAccept all: ralph accept --yes. Some: ralph accept --yes FILE. None: ralph accept --no\n`
  return printResult({ ...asked, answer: null, accepted: false, open }, screen, { json, io, exit: EXIT.unproven })
}

function accepted({ run: id, files }: PendingAcceptance, who: string): string {
  const isWhole = files.some(({ kind }) => kind === 'whole')
  const what = isWhole ? 'the whole tree' : plural(files.length, 'file')
  return `\nproven: ${escapeInvisible(who)} accepted ${what} of run ${id}. Ralph compares later work with this state.\n`
}

function notAccepted(files: string[]): string {
  if (files.every((path) => path === ENTIRE_TREE))
    return '\nNot accepted: the whole working tree. Your files are unchanged. Fix them, or compare with a good commit: ralph verify --since REF\n'
  return [
    '',
    `Not accepted: ${escapeInvisible(files.join(', '))}`,
    'Your files are unchanged. The next `ralph loop` tells the agent to restore the original versions of these files and make the gates pass with them.',
    'To revert the whole run: ralph undo',
    '',
  ].join('\n')
}
