/** Finds the command that the words of a command line name: the table is a tree, and the words may follow flags. */
import { parseArgs } from 'node:util'
import { RalphError } from '../../../core/error.ts'
import { quoteShellWord } from '../../../core/text/shell.ts'
import { suggest } from '../../../core/text/suggest.ts'
import { COMMANDS } from '../command-table/commands.ts'
import { knownFlags, toParseArgsOptions } from './known-flags.ts'
import { unsupportedFeatureError } from '../../../config/unsupported.ts'
import { isCommandGroup, type Command, type LeafCommand } from './command.ts'
import { usageOf } from './command-usage.ts'
import { commandHint, goalHint, sameVerb } from './other-tools.ts'

export interface FoundCommand<C extends Command = LeafCommand> {
  command: C
  /** The words that name it. */
  path: string[]
  /** The other words of the line. */
  rest: string[]
}

/** The command's word is always the first one. `pages`: the caller only shows help, so the word may be the name of one of these pages. */
export function findCommand(
  name: string,
  rest: string[],
  { pages = null }: { pages?: string[] | null } = {},
): FoundCommand<Command> {
  const command = COMMANDS.find((one) => one.name === name)
  if (command !== undefined) return { command, path: [name], rest }
  if (name === 'queue') throw unsupportedFeatureError('queue', `ralph ${name}`)
  throw new RalphError('usage', `there is no command ${pages === null ? '' : 'or guide '}"${name}"`, {
    hint: pages === null ? hintFor(name, rest) : helpHint(name, pages),
  })
}

/** The next step for an unknown command: a word of another tool, a typo, or a goal that the user typed. */
function hintFor(name: string, rest: string[]): string {
  const ofOtherTool = commandHint(name)
  if (ofOtherTool !== null) return ofOtherTool
  if (/\s/.test(name)) return goalHint(name)
  const near = suggest(name, COMMAND_NAMES)
  if (near !== null) return `Did you mean: ralph ${near}?`
  const isGoal = rest.length >= 2 && !rest.some((word) => word.startsWith('-'))
  return isGoal ? goalHint([name, ...rest].join(' ')) : 'See: ralph --help'
}

function helpHint(name: string, pages: string[]): string {
  const near = suggest(name, [...pages, ...COMMAND_NAMES])
  return near === null ? (commandHint(name) ?? 'See: ralph help') : `Did you mean: ralph help ${near}?`
}

const COMMAND_NAMES = COMMANDS.filter(({ hidden }) => hidden !== true).map(({ name }) => name)

/** Descends to the command that can be called. */
export function findLeafCommand(found: FoundCommand<Command>): FoundCommand {
  const { command, path, rest } = found
  if (!isCommandGroup(command)) return { command, path, rest }
  const below = verbIn(found) ?? usualOf(found)
  if (below === null) throw noVerb(found)
  return findLeafCommand(below)
}

/** The deepest command on the path that has a help page of its own. */
export function findCommandWithHelpPage(found: FoundCommand<Command>): FoundCommand<Command> {
  const below = verbIn(found)
  if (below === null || below.command.examples === undefined) return found
  return findCommandWithHelpPage(below)
}

/** The verb that the first argument names. */
function verbIn({ command, path, rest }: FoundCommand<Command>): FoundCommand<Command> | null {
  if (!isCommandGroup(command)) return null
  const at = firstArgument(command, rest)
  const verb = command.verbs.find(({ name }) => name === rest[at])
  if (verb === undefined) return null
  return { command: verb, path: [...path, verb.name], rest: rest.toSpliced(at, 1) }
}

/** The default verb, only if there is no argument: a typo must not call it. Its path is the words that were typed. */
function usualOf({ command, path, rest }: FoundCommand<Command>): FoundCommand<Command> | null {
  if (!isCommandGroup(command) || firstArgument(command, rest) !== -1) return null
  const usual = command.verbs.find(({ name }) => name === command.usual)
  return usual === undefined ? null : { command: usual, path, rest }
}

/** -1: there is none. */
function firstArgument(command: Command, words: string[]): number {
  const { tokens } = parseArgs({
    args: words,
    options: toParseArgsOptions(knownFlags(command)),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  return tokens.find(({ kind }) => kind === 'positional')?.index ?? -1
}

function noVerb({ command, path, rest }: FoundCommand<Command>): RalphError {
  const names = isCommandGroup(command) ? command.verbs.map(({ name }) => name) : []
  const said = rest[firstArgument(command, rest)]
  const line = path.join(' ')
  if (said === undefined)
    return new RalphError('usage', `ralph ${line} needs ${usageOf(command)}`, { hint: `See: ralph ${line} --help` })
  const meant = sameVerb(said, names) ?? suggest(said, names)
  const hint = meant === null ? argumentHint({ line, said, names }) : `Did you mean: ralph ${line} ${meant}?`
  return new RalphError('usage', `there is no command "ralph ${line} ${said}"`, { hint })
}

/** The word is probably the argument of a verb that was left out. */
function argumentHint({ line, said, names }: { line: string; said: string; names: string[] }): string {
  const word = quoteShellWord(said)
  if (/\s/.test(said) && names.includes('add')) return `Did you mean: ralph ${line} add ${word}?`
  if (/\s/.test(said) && names.includes('create')) return `Did you mean: ralph ${line} create NAME ${word}?`
  const show = names.includes('show') ? `To see one: ralph ${line} show ${word}. ` : ''
  return `${show}Verbs: ${names.join(', ')}`
}
