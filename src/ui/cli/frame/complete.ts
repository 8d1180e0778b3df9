/**
 * What may stand where the cursor is, worked out from the table of commands and the table of settings, so that completion never lags
 * behind them. The shells only ask; see `commands/completion.ts`.
 */
import {
  isChangeable,
  SETTING_KEYS,
  settingFlags,
  settingOf,
  type SettingKey,
} from '../../../config/settings.ts'
import { KNOWN_AGENTS } from '../../../config/tables.ts'
import { TOPICS } from '../../../desk/guide.ts'
import type { Command } from './row.ts'
import { COMMANDS } from '../table/table.ts'
import { knownFlags } from './parse.ts'

export interface Candidate {
  value: string
  about: string
}

/** What to offer: certain words, or the files of the current folder, or the ids of recent runs. */
export type Offer = { is: 'words'; words: Candidate[] } | { is: 'files' } | { is: 'runs' }

/** `words`: the command line from the program's name up to the cursor; the last one is being typed and may be empty. */
export function offer(words: string[]): Offer {
  const typed = words.at(-1) ?? ''
  const offered = offerAt(joinEquals(words.slice(1)))
  if (offered.is !== 'words') return offered
  // bash hands over what stands after `=` as a word of its own, and wants only that one back.
  const current = typed === '=' ? '' : typed
  return { is: 'words', words: offered.words.filter(({ value }) => value.startsWith(current)) }
}

/** Bash splits at `=`: `--agent`, `=`, `cl` is one word to us, and `=` alone is the same with nothing after it. */
function joinEquals(words: string[]): { words: string[]; split: boolean } {
  const at = words.lastIndexOf('=')
  if (at < 1 || at < words.length - 2) return { words, split: false }
  const joined = `${words[at - 1] ?? ''}=${words[at + 1] ?? ''}`
  return { words: [...words.slice(0, at - 1), joined], split: true }
}

function offerAt({ words, split }: { words: string[]; split: boolean }): Offer {
  const current = words.at(-1) ?? ''
  const [first = ''] = words
  const named = COMMANDS.find((command) => command.name === first)
  if (words.length <= 1 && !current.startsWith('-')) return said(commandWords())
  if (first === 'help') return said(words.length === 2 ? [...topicWords(), ...commandWords()] : [])
  const command = named ?? (first.startsWith('-') ? COMMANDS.find(({ name }) => name === 'loop') : undefined)
  if (command === undefined) return said([])
  const before = named === undefined ? words.slice(0, -1) : words.slice(1, -1)
  const equals = /^--([\w-]+)=/.exec(current)
  if (equals !== null) return valuesOf(command, equals[1] ?? '', split ? '' : equals[0])
  if (split) return said([])
  const waiting = flagNamed(command, before.at(-1) ?? '')
  if (waiting?.value !== undefined && waiting.optional !== true) return valuesOf(command, waiting.long, '')
  if (current.startsWith('-')) return said(flagWords(command, { bare: named === undefined }))
  return argumentsOf(command, positionals(command, before))
}

function said(words: Candidate[]): Offer {
  return { is: 'words', words }
}

function topicWords(): Candidate[] {
  return Object.entries(TOPICS).map(([value, about]) => ({ value, about }))
}

function commandWords(): Candidate[] {
  const visible = COMMANDS.filter((command) => command.hidden !== true)
  return [
    ...visible.map(({ name, summary }) => ({ value: name, about: summary })),
    { value: 'help', about: 'Help about a command' },
  ]
}

function flagWords(command: Command, { bare }: { bare: boolean }): Candidate[] {
  const flags = knownFlags(command).map(({ long, help }) => ({ value: `--${long}`, about: help }))
  return bare ? [...flags, { value: '--version', about: 'Print the version' }] : flags
}

type Known = ReturnType<typeof knownFlags>[number]

function flagNamed(command: Command, word: string): Known | undefined {
  return knownFlags(command).find(
    ({ long, short }) => word === `--${long}` || (short !== undefined && word === `-${short}`),
  )
}

/** `before`: what a shell without splitting expects in front of each value. */
function valuesOf(command: Command, long: string, before: string): Offer {
  const flag = flagNamed(command, `--${long}`)
  if (flag === undefined) return said([])
  if (flag.value === 'FILE') return { is: 'files' }
  const values = long === 'agent' ? [...KNOWN_AGENTS] : choicesOf(flag)
  return said(values.map((value) => ({ value: `${before}${value}`, about: flag.help })))
}

function choicesOf(flag: Known): string[] {
  const key = settingFlags().find((each) => each.flag.long === flag.sets?.name)?.key
  const kind = key === undefined ? null : settingOf(key).kind
  return kind?.is === 'choice' ? [...kind.of] : []
}

/** The arguments given so far, without flags and their values. */
function positionals(command: Command, words: string[]): string[] {
  return words.filter((word, index) => {
    if (word.startsWith('-')) return false
    const flag = flagNamed(command, words[index - 1] ?? '')
    return flag?.value === undefined || flag.optional === true
  })
}

/** By command: what its next argument may be, given those before it. A command that is not here takes none that we know. */
const ARGUMENTS: Record<string, (given: string[]) => Offer> = {
  completion: (given) =>
    said(given.length > 0 ? [] : literals({ bash: 'GNU Bash', zsh: 'Z shell', fish: 'fish' })),
  config: ([what, key]) => {
    if (what === undefined)
      return said(
        literals({
          list: 'Every setting and where it was said',
          get: 'One value',
          schema: 'For your editor',
        }),
      )
    return said(what === 'get' && key === undefined ? SETTING_KEYS.map(keyWord) : [])
  },
  set: (given) =>
    said(
      given.length > 0
        ? []
        : SETTING_KEYS.filter(isChangeable).map((key) => ({ ...keyWord(key), value: `${key}=` })),
    ),
  inspect: ([what, ...files]) => {
    if (what === undefined) return said(literals(SUBJECTS))
    if (what === 'evidence') return files.length === 0 ? { is: 'runs' } : said([])
    const many = what === 'signals'
    const takesFile = many || what === 'reply' || what === 'breaker'
    return takesFile && (many || files.length === 0) ? { is: 'files' } : said([])
  },
  resume: oneRun,
  replay: oneRun,
  undo: oneRun,
  init: (given) => (given.length === 0 ? { is: 'files' } : said([])),
}

const SUBJECTS = {
  reply: "An agent's saved output",
  signals: 'The exit decision after each reply',
  breaker: 'The breaker after each line',
  evidence: 'Gate results of a run',
  snapshot: "The working tree's hash",
  plan: 'The boxes of the plan',
}

function argumentsOf(command: Command, given: string[]): Offer {
  return ARGUMENTS[command.name]?.(given) ?? said([])
}

function oneRun(given: string[]): Offer {
  return given.length === 0 ? { is: 'runs' } : said([])
}

function literals(words: Record<string, string>): Candidate[] {
  return Object.entries(words).map(([value, about]) => ({ value, about }))
}

function keyWord(key: SettingKey): Candidate {
  return { value: key, about: settingOf(key).help }
}
