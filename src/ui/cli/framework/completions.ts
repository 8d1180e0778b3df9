/**
 * Finds the completions at the cursor from the table of commands and the table of settings, so that completion is always up to
 * date. The shell scripts only ask for them; see `commands/shell/completion.ts`.
 */
import { SETTING_KEYS, settingFlags, settingOf, type SettingKey } from '../../../config/settings.ts'
import { isChangeableRule } from '../../../core/settings/change-rules.ts'
import { KNOWN_AGENTS } from '../../../core/calls/known-agents.ts'
import { GUIDE_TOPICS } from '../../../app/guide.ts'
import { assertNever } from '../../../core/assert-never.ts'
import { COMMANDS } from '../command-table/commands.ts'
import { knownFlags, type KnownFlag } from './known-flags.ts'
import { isCommandGroup, type ArgSpec, type Command, type LeafCommand } from './command.ts'

export interface CompletionCandidate {
  value: string
  about: string
}

/** What to offer: a list of words, the files of the current folder, or the IDs of recent runs, tasks or features. */
export type Completions = { is: 'words'; words: CompletionCandidate[] } | { is: 'files' } | { is: ListedIds }

/** `work`: features and open tasks. */
export type ListedIds = 'runs' | 'tasks' | 'open-tasks' | 'features' | 'work'

/** `words`: the command line from the program's name to the cursor; the last one is being typed and may be empty. */
export function completionsFor(words: string[]): Completions {
  const typed = words.at(-1) ?? ''
  const offered = offerAt(joinEquals(words.slice(1)))
  if (offered.is !== 'words') return offered
  // bash passes the text after `=` as a separate word, and expects only that part back.
  const current = typed === '=' ? '' : typed
  return { is: 'words', words: offered.words.filter(({ value }) => value.startsWith(current)) }
}

/** Bash splits at `=`: `--agent`, `=`, `cl` is one word here, and `=` alone is the same with nothing after it. */
function joinEquals(words: string[]): { words: string[]; split: boolean } {
  const at = words.lastIndexOf('=')
  if (at < 1 || at < words.length - 2) return { words, split: false }
  const joined = `${words[at - 1] ?? ''}=${words[at + 1] ?? ''}`
  return { words: [...words.slice(0, at - 1), joined], split: true }
}

function offerAt({ words, split }: { words: string[]; split: boolean }): Completions {
  const current = words.at(-1) ?? ''
  const [first = ''] = words
  const named = COMMANDS.find((command) => command.name === first)
  if (words.length <= 1 && !current.startsWith('-')) return wordCompletions(commandWords())
  if (first === 'help') return wordCompletions(words.length === 2 ? [...topicWords(), ...commandWords()] : [])
  const top = named ?? (first.startsWith('-') ? COMMANDS.find(({ name }) => name === 'loop') : undefined)
  if (top === undefined) return wordCompletions([])
  const before = named === undefined ? words.slice(0, -1) : words.slice(1, -1)
  const { command, given } = descend(top, positionals(top, before))
  const equals = /^--([\w-]+)=/.exec(current)
  if (equals !== null) return valuesOf(command, equals[1] ?? '', split ? '' : equals[0])
  if (split) return wordCompletions([])
  const waiting = flagNamed(command, before.at(-1) ?? '')
  if (waiting?.value !== undefined && waiting.optional !== true) return valuesOf(command, waiting.long, '')
  if (current.startsWith('-')) return wordCompletions(flagWords(command, { bare: named === undefined }))
  if (!isCommandGroup(command)) return argumentsOf(command, given)
  return wordCompletions(
    given.length > 0 ? [] : command.verbs.map(({ name, summary }) => ({ value: name, about: summary })),
  )
}

function wordCompletions(words: CompletionCandidate[]): Completions {
  return { is: 'words', words }
}

/** Follows the arguments to the deepest command they name; `given`: the arguments left for it. */
function descend(command: Command, given: string[]): { command: Command; given: string[] } {
  const verb = isCommandGroup(command) ? command.verbs.find(({ name }) => name === given[0]) : undefined
  return verb === undefined ? { command, given } : descend(verb, given.slice(1))
}

function topicWords(): CompletionCandidate[] {
  return Object.entries(GUIDE_TOPICS).map(([value, about]) => ({ value, about }))
}

function commandWords(): CompletionCandidate[] {
  const visible = COMMANDS.filter(({ hidden }) => hidden !== true)
  return [
    ...visible.map(({ name, summary }) => ({ value: name, about: summary })),
    { value: 'help', about: 'Help about a command' },
  ]
}

function flagWords(command: Command, { bare }: { bare: boolean }): CompletionCandidate[] {
  const flags = knownFlags(command).map(({ long, help }) => ({ value: `--${long}`, about: help }))
  return bare ? [...flags, { value: '--version', about: 'Print the version' }] : flags
}

function flagNamed(command: Command, word: string): KnownFlag | undefined {
  return knownFlags(command).find(
    ({ long, short }) => word === `--${long}` || (short !== undefined && word === `-${short}`),
  )
}

/** `before`: the prefix that a shell without splitting expects before each value. */
function valuesOf(command: Command, long: string, before: string): Completions {
  const flag = flagNamed(command, `--${long}`)
  if (flag === undefined) return wordCompletions([])
  if (flag.value === 'FILE') return { is: 'files' }
  if (flag.value === 'TASK') return { is: 'tasks' }
  if (flag.value === 'RUN') return { is: 'runs' }
  const values = long === 'agent' ? [...KNOWN_AGENTS] : choicesOf(flag)
  return wordCompletions(values.map((value) => ({ value: `${before}${value}`, about: flag.help })))
}

function choicesOf(flag: KnownFlag): readonly string[] {
  if (flag.of !== undefined) return flag.of
  const key = settingFlags().find((each) => each.flag.long === flag.sets?.name)?.key
  const kind = key === undefined ? null : settingOf(key).kind
  return kind?.is === 'choice' ? kind.of : []
}

/** The arguments given so far, without flags and their values. */
function positionals(command: Command, words: string[]): string[] {
  return words.filter((word, index) => {
    if (word.startsWith('-')) return false
    const flag = flagNamed(command, words[index - 1] ?? '')
    return flag?.value === undefined || flag.optional === true
  })
}

/** The candidates for the next argument, given those before it. */
function argumentsOf(command: LeafCommand, given: string[]): Completions {
  const args = Object.values(command.args ?? {})
  const last = args.at(-1)
  const next = args[given.length] ?? (last?.takes === 'many' || last?.takes === 'some' ? last : undefined)
  return next === undefined ? wordCompletions([]) : offerFor(next)
}

function offerFor({ of, offers }: ArgSpec): Completions {
  if (of !== undefined) return wordCompletions(Object.entries(of).map(([value, about]) => ({ value, about })))
  switch (offers) {
    case undefined:
      return wordCompletions([])
    case 'runs':
    case 'tasks':
    case 'open-tasks':
    case 'features':
    case 'work':
    case 'files':
      return { is: offers }
    case 'settings':
      return wordCompletions(SETTING_KEYS.map(keyWord))
    case 'limits':
      return wordCompletions(
        SETTING_KEYS.filter(isChangeableRule).map((key) => ({ ...keyWord(key), value: `${key}=` })),
      )
    default:
      return assertNever(offers)
  }
}

function keyWord(key: SettingKey): CompletionCandidate {
  return { value: key, about: settingOf(key).help }
}
