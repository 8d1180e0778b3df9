/** The error about a flag that a command does not have: suggests a similar flag, or the command that has it. */
import { RalphError } from '../../../core/error.ts'
import { quoteShellWord } from '../../../core/text/shell.ts'
import { suggest } from '../../../core/text/suggest.ts'
import { COMMANDS } from '../command-table/commands.ts'
import { knownFlags } from './known-flags.ts'
import type { LeafCommand } from './command.ts'

export function unknownFlagError({
  command,
  name,
  word,
  bare,
}: {
  command: LeafCommand
  name: string
  word: string
  bare: boolean
}): RalphError {
  const raw = word.replace(/=.*$/s, '')
  const names = [...knownFlags(command).map(({ long }) => long), ...(bare ? ['version'] : [])]
  // An argument of many words is a text.
  const isText = Object.values(command.args ?? {}).some(({ takes }) => takes === 'some')
  const dash = isText
    ? `. A text that begins with a dash stands after --: ralph ${name} -- ${quoteShellWord(word)}`
    : ''
  const hint = nearFlag(raw, names) ?? otherCommands(name, raw) ?? `See: ralph ${name} --help${dash}`
  return new RalphError('usage', `ralph ${name} has no flag ${raw}`, { hint })
}

/** Finds a typo, a long flag after one dash, an abbreviation or the opposite of a switch; null: the command has no similar flag. */
function nearFlag(raw: string, names: string[]): string | null {
  const typed = raw.replace(/^-+/, '')
  if (names.includes(typed)) return `Did you mean --${typed}?`
  if (names.includes(`no-${typed}`)) return `That is so unless you say --no-${typed}.`
  if (typed.startsWith('no-') && names.includes(typed.slice(3))) return `That is so unless you say --${typed.slice(3)}.`
  const near = suggest(typed, names) ?? findFlagByPrefix(typed, names)
  return near === null ? null : `Did you mean --${near}?`
}

/** Shorter prefixes match too many flags. */
const BEGINNING = 3

/** The only flag that starts with the typed text, or with nearly all of it: `--lim`, `--max-iters`. */
function findFlagByPrefix(typed: string, names: string[]): string | null {
  for (let length = typed.length; length >= Math.max(BEGINNING, Math.ceil((typed.length * 2) / 3)); length--) {
    const found = names.filter((name) => name.startsWith(typed.slice(0, length)))
    if (found.length > 0) return found.length === 1 ? (found[0] ?? null) : null
  }
  return null
}

/** Nobody reads a longer list. */
const COMMANDS_NAMED = 3

/** The commands that have a flag of exactly this name. */
function otherCommands(name: string, raw: string): string | null {
  const typed = raw.replace(/^-+/, '')
  const having = COMMANDS.filter(
    (one) => one.name !== name && one.hidden !== true && knownFlags(one).some((flag) => flag.long === typed),
  ).map((one) => `ralph ${one.name} --${typed}`)
  if (having.length === 0) return null
  const named = having.slice(0, COMMANDS_NAMED).join(', ')
  return `Another command has it: ${named}. Those of this one: ralph ${name} --help`
}
