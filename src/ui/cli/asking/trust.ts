/** Asks once on a terminal before a command starts programs that a file of the project names, and refuses without a terminal. */
import { openTrustStore, type TrustStore } from '../../../app/project/trust-store.ts'
import { EXIT, RalphError, type ExitCode } from '../../../core/error.ts'
import type { RunId } from '../../../core/ids.ts'
import { joinCommand } from '../../../core/text/shell.ts'
import { clip, escapeInvisible } from '../../../core/text/sanitize.ts'
import type { UntrustedProgram, ProjectProgram } from '../../../core/trust/trust.ts'
import { plural } from '../../plain/format-values.ts'
import { createPaint } from '../../plain/colours.ts'
import { untrustedProgramLines } from '../../plain/screens/trust.ts'
import { wrapOutputLine } from '../../plain/wrap.ts'
import type { CommonInput } from '../framework/command.ts'
import type { Io } from '../framework/io.ts'
import { homeOf } from '../framework/open-project.ts'
import { askYesNo } from './terminal-prompts.ts'

/** The command line that would start the programs. */
export interface TrustInput extends Pick<CommonInput, 'command' | 'words'> {
  flags: { json: boolean; trust?: boolean }
}

export interface TrustRequest {
  root: string
  /** Programs that the command would start because a file of the project names them. */
  programs: ProjectProgram[]
  /** The unfinished run whose record names them; absent: settings files name them. */
  record?: RunId
  /** The drafted document that names them. */
  document?: string
  input: TrustInput
}

/** Programs that the user has not trusted yet, and the question about them. */
export interface TrustQuestion {
  /** Null: the user trusts them. Otherwise the exit code after a no. Throws when there is no terminal to ask on. */
  promptUser(): Promise<ExitCode | null>
}

/** Null: every program is trusted. */
export async function trustQuestionFor({ programs, ...wanted }: TrustRequest, io: Io): Promise<TrustQuestion | null> {
  if (programs.length === 0 || trustsThisTime(io)) return null
  const { root, input } = wanted
  const trustStore = await openTrustStore({ root, env: io.env, home: homeOf(io) })
  const doubts = trustStore.doubts(programs)
  if (doubts.length === 0) return null
  for (const remark of trustStore.remarks) io.err(`ralph: ${remark}\n`)
  if (input.flags.trust !== true) return { promptUser: () => ask({ ...wanted, doubts, trustStore }, io) }
  remember(doubts, trustStore, io)
  return null
}

/** Finds the untrusted programs and asks about them at once. */
export async function askTrust(wanted: TrustRequest, io: Io): Promise<ExitCode | null> {
  return (await trustQuestionFor(wanted, io))?.promptUser() ?? null
}

/** Thrown on a no where the caller cannot return it, with the exit code. */
export class DeclinedError extends Error {
  readonly exit: ExitCode
  constructor(exit: ExitCode) {
    super('declined')
    this.exit = exit
  }
}

/** The programs that the user has not trusted yet. */
export async function findUntrustedPrograms({ root, programs }: TrustRequest, io: Io): Promise<ProjectProgram[]> {
  if (programs.length === 0 || trustsThisTime(io)) return []
  const trustStore = await openTrustStore({ root, env: io.env, home: homeOf(io) })
  return trustStore.doubts(programs).map(({ program }) => program)
}

function trustsThisTime(io: Io): boolean {
  return io.env['RALPH_TRUST'] === '1'
}

interface Asked extends Omit<TrustRequest, 'programs'> {
  doubts: UntrustedProgram[]
  trustStore: TrustStore
}

async function ask(asked: Asked, io: Io): Promise<ExitCode | null> {
  const { doubts, trustStore } = asked
  if (!io.asks || asked.input.flags.json) throw refusal(asked)
  const lines = untrustedProgramLines(doubts, io.columns(), createPaint(io.colour))
  io.out(`${wrapOutputLine(`The ${named(asked)} before:`, io.columns()).join('\n')}\n\n${lines.join('\n')}\n`)
  const long = lines.length > LONG ? ` (${lines.length} lines: scroll up and read all of them)` : ''
  const message = `Let Ralph run ${doubts.length === 1 ? 'it' : 'them'} in this repository, as your user?${long}`
  const answer = await askYesNo(message)
  if (answer === null) return EXIT.interrupted
  if (!answer) {
    io.out('Nothing was started.\n')
    return EXIT.usage
  }
  remember(doubts, trustStore, io)
  return null
}

/** More lines than a screen has: the important ones may have scrolled away. */
const LONG = 20

function remember(doubts: UntrustedProgram[], trustStore: TrustStore, io: Io): void {
  const problem = trustStore.remember(doubts.map(({ program }) => program))
  if (problem !== null) io.err(`ralph: your answer couldn't be saved: ${problem}\n`)
}

/** Names the project folder: Ralph may have found it in a folder above. */
function named({ root, record, document, doubts }: Asked): string {
  const programs = `${plural(doubts.length, 'command')} that you haven't approved`
  if (document !== undefined)
    return `document ${escapeInvisible(document)} in ${escapeInvisible(root)} specifies ${programs}`
  if (record === undefined) return `settings files in ${escapeInvisible(root)} specify ${programs}`
  return `record of the unfinished run ${escapeInvisible(record)} in ${escapeInvisible(root)} specifies ${programs}`
}

function refusal(asked: Asked): RalphError {
  const { doubts, input, record, document } = asked
  // Repeat the arguments: without them the command may mean more.
  const line = escapeInvisible([input.command, joinCommand(input.words)].join(' ').trimEnd())
  const names = [...new Set(doubts.map(({ program }) => escapeInvisible(program.setting)))].join(', ')
  const nothing = document === undefined ? 'Nothing was started' : 'Nothing was accepted'
  return new RalphError('untrusted', `the ${named(asked)}: ${clip(names, 200)}. ${nothing}`, {
    hint: [
      `To approve: ralph ${line} --trust. This time only: RALPH_TRUST=1 ralph ${line}`,
      ...(record === undefined
        ? []
        : [`To abandon that run and start a new one: ralph ${input.command === 'run' ? line : 'loop'} --fresh`]),
    ].join('. '),
    more: { lines: untrustedProgramLines(doubts, null, createPaint(false)), facts: { programs: doubts.map(facts) } },
  })
}

function facts({ program, was }: UntrustedProgram): object {
  const { setting, run, cwd, env, where } = program
  return { setting, run, cwd, env, where, was: was === null ? null : { run: was.run, cwd: was.cwd, env: was.env } }
}
