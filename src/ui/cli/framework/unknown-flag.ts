/** The error about a flag that a command does not have: suggests what to type instead. */
import { RalphError } from '../../../core/error.ts'
import { quoteShellWord } from '../../../core/text/shell.ts'
import { suggest } from '../../../core/text/suggest.ts'
import { COMMANDS } from '../command-table/commands.ts'
import { knownFlags } from './known-flags.ts'
import type { LeafCommand } from './command.ts'
import { flagHint } from './other-tools.ts'

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
  const dash = isText ? `. For text that starts with a dash: ralph ${name} -- ${quoteShellWord(word)}` : ''
  const hint =
    exactFlag(raw, names) ??
    flagHint(raw.replace(/^-+/, ''), names) ??
    nearFlag(raw, names) ??
    otherCommands(name, raw) ??
    `See: ralph ${name} --help${dash}`
  return new RalphError('usage', `ralph ${name} has no flag ${raw}`, { hint })
}

/** Finds a long flag after one dash, and the opposite of a switch. */
function exactFlag(raw: string, names: string[]): string | null {
  const typed = raw.replace(/^-+/, '')
  if (names.includes(typed)) return `Did you mean --${typed}?`
  if (names.includes(`no-${typed}`)) return `That's the default; use --no-${typed} to turn it off.`
  if (typed.startsWith('no-') && names.includes(typed.slice(3)))
    return `That's the default; --${typed.slice(3)} turns it on.`
  return null
}

/** Finds a typo and an abbreviation; null: the command has no similar flag. */
function nearFlag(raw: string, names: string[]): string | null {
  const typed = raw.replace(/^-+/, '')
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

/** A longer list is not read. */
const COMMANDS_NAMED = 3

/** The commands that have a flag of exactly this name. */
function otherCommands(name: string, raw: string): string | null {
  const typed = raw.replace(/^-+/, '')
  const having = COMMANDS.filter(
    (one) => one.name !== name && one.hidden !== true && knownFlags(one).some((flag) => flag.long === typed),
  ).map((one) => `ralph ${one.name} --${typed}`)
  if (having.length === 0) return null
  const named = having.slice(0, COMMANDS_NAMED).join(', ')
  return `Did you mean: ${named}? The flags of this command: ralph ${name} --help`
}
