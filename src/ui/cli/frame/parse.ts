/** Reads a command line against a command's table row. Node's own parser splits the words; what is wrong is said with a remedy. */
import { shellWord } from '../../../domain/text/shell.ts'
import { parseArgs } from 'node:util'
import { settingFlags } from '../../../config/settings.ts'
import { RalphError } from '../../../domain/error.ts'
import { suggest } from '../../../domain/text/suggest.ts'
import type { Command, Flag, Input } from './row.ts'
import { COMMANDS } from '../table/table.ts'
import { refusedFlag } from './refused-flags.ts'

interface Known extends Flag {
  sets: { name: string; negated: boolean } | null
}

/** `bare`: no command was named, so a slip may be one in a flag of the program itself. */
export function parseLine(command: Command, words: string[], { bare = false } = {}): Input {
  const known = knownFlags(command)
  const input: Input = {
    command: command.name,
    args: [],
    flags: {},
    settings: {},
    typed: ['ralph', command.name, ...words.map(shellWord)].join(' '),
  }
  const names = [...known.map((flag) => flag.long), ...(bare ? ['version'] : [])]
  const byName = new Map(known.map((flag) => [flag.long, flag]))
  const byShort = new Map(known.flatMap((flag) => (flag.short === undefined ? [] : [[flag.short, flag]])))
  const { tokens } = parseArgs({
    args: words,
    options: optionsOf(known),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  let waiting: Known | null = null
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (waiting === null) input.args.push(token.value)
      else takeValue(input, waiting, token.value)
    }
    waiting = null
    if (token.kind !== 'option') continue
    const flag = byName.get(token.name) ?? byShort.get(token.name)
    if (flag === undefined)
      throw refusedFlag(token.rawName) ?? unknownFlag(command, words[token.index] ?? token.rawName, names)
    takeFlag(input, flag, token)
    // A value that may be left out is the very next word, unless that is a flag.
    if (flag.optional === true && token.value === undefined) waiting = flag
  }
  checkArguments(command, input.args)
  return input
}

/** The word after a flag whose value may be left out. */
function takeValue(input: Input, flag: Known, value: string): void {
  const before = input.flags[flag.long]
  input.flags[flag.long] = flag.many === true && typeof before === 'string' ? `${before}${value}` : value
}

function takeFlag(
  input: Input,
  flag: Known,
  token: { rawName: string; value: string | undefined; inlineValue: boolean | undefined },
): void {
  const { value } = token
  if (flag.value === undefined && value !== undefined) {
    throw new RalphError('usage', `${token.rawName} is a switch and takes no value, but "${value}" was given`)
  }
  const empty = flag.optional === true ? value === '' : isMissing(flag, value, token.inlineValue)
  if (flag.value !== undefined && empty) {
    throw new RalphError('usage', `${token.rawName} needs a value: ${token.rawName} ${flag.value}`, {
      hint: `See: ralph ${input.command} --help`,
    })
  }
  const before = input.flags[flag.long]
  if (flag.many === true && typeof before === 'string') input.flags[flag.long] = `${before}\n${value ?? ''}`
  else if (flag.sets === null) input.flags[flag.long] = value ?? true
  else input.settings[flag.sets.name] = flag.sets.negated ? false : (value ?? true)
}

/** A following flag is not a value; a negative number is. Nothing is one only where a setting's kind allows it: an empty list. */
function isMissing(flag: Known, value: string | undefined, inline: boolean | undefined): boolean {
  if (value === undefined || (value === '' && (inline !== true || flag.sets === null))) return true
  return inline !== true && value.startsWith('-') && value.length > 1 && !/^-\d/.test(value)
}

export function knownFlags(command: Command): Known[] {
  const own = (command.flags ?? []).map((flag) => ({ ...flag, sets: null }))
  const help: Known = { long: 'help', short: 'h', help: 'Show this help', sets: null }
  return [...own, ...flagsOfSettings(command), help]
}

function flagsOfSettings(command: Command): Known[] {
  const wanted = command.settings ?? []
  return settingFlags()
    .filter(({ key }) => wanted === 'all' || wanted.includes(key))
    .map(({ flag, help }) => {
      const long = flag.negated === true ? `no-${flag.long}` : flag.long
      const known: Known = { long, help, sets: { name: flag.long, negated: flag.negated === true } }
      if (flag.short !== undefined) known.short = flag.short
      if (flag.value !== undefined) known.value = flag.value
      return known
    })
}

function optionsOf(known: Known[]): Record<string, { type: 'string' | 'boolean'; short?: string }> {
  return Object.fromEntries(
    known.map((flag) => {
      const type =
        flag.value === undefined || flag.optional === true ? ('boolean' as const) : ('string' as const)
      return [flag.long, flag.short === undefined ? { type } : { type, short: flag.short }]
    }),
  )
}

function unknownFlag(command: Command, word: string, names: string[]): RalphError {
  const raw = word.replace(/=.*$/s, '')
  const hint = nearFlag(raw, names) ?? otherCommands(command, raw) ?? `See: ralph ${command.name} --help`
  return new RalphError('usage', `ralph ${command.name} has no flag ${raw}`, { hint })
}

/** A slip, a long flag behind one dash, a beginning, or the other side of a switch; null: nothing of this command is near. */
function nearFlag(raw: string, names: string[]): string | null {
  const typed = raw.replace(/^-+/, '')
  if (names.includes(typed)) return `Did you mean --${typed}?`
  if (names.includes(`no-${typed}`)) return `That is so unless you say --no-${typed}.`
  if (typed.startsWith('no-') && names.includes(typed.slice(3)))
    return `That is so unless you say --${typed.slice(3)}.`
  const near = suggest(typed, names) ?? begun(typed, names)
  return near === null ? null : `Did you mean --${near}?`
}

/** Fewer letters begin too many flags. */
const BEGINNING = 3

/** The only flag that begins as what was typed, or as nearly all of it: `--lim`, `--max-iters`. */
function begun(typed: string, names: string[]): string | null {
  for (
    let length = typed.length;
    length >= Math.max(BEGINNING, Math.ceil((typed.length * 2) / 3));
    length--
  ) {
    const found = names.filter((name) => name.startsWith(typed.slice(0, length)))
    if (found.length > 0) return found.length === 1 ? (found[0] ?? null) : null
  }
  return null
}

/** More would be a list nobody reads. */
const COMMANDS_NAMED = 3

/** Who has a flag of this very name. */
function otherCommands(command: Command, raw: string): string | null {
  const typed = raw.replace(/^-+/, '')
  const having = COMMANDS.filter(
    (one) => one !== command && one.hidden !== true && knownFlags(one).some((flag) => flag.long === typed),
  ).map(({ name }) => `ralph ${name} --${typed}`)
  if (having.length === 0) return null
  const named = having.slice(0, COMMANDS_NAMED).join(', ')
  return `Another command has it: ${named}. Those of this one: ralph ${command.name} --help`
}

function checkArguments(command: Command, args: string[]): void {
  const { min, max } = command.takes ?? { min: 0, max: 0 }
  if (args.length < min) {
    throw new RalphError('usage', `ralph ${command.name} needs ${command.args ?? 'an argument'}`, {
      hint: `See: ralph ${command.name} --help`,
    })
  }
  const extra = args[max]
  if (extra !== undefined) {
    throw new RalphError('usage', `ralph ${command.name} does not know what to do with "${extra}"`, {
      hint: `See: ralph ${command.name} --help`,
    })
  }
}
