/**
 * Which variables of the user's environment an agent or a gate gets. By default all of them but secrets and what injects code
 * (`withheld.ts`); an agent gets its own vendor's keys, and what `env.pass` names is handed on in any case.
 */
import { canLoadCode } from './can-load-code.ts'
import { looksSecret, VARIABLE_RULES, type VariableRule } from './withheld-variables.ts'

export type Env = Record<string, string>

/** What the user chose (`env.mode`, `env.pass`). */
export interface EnvPolicy {
  /** `filtered`: all but what is withheld; `listed`: only the names that every program needs. */
  mode: 'filtered' | 'listed'
  /** Names, or beginnings that end in `*`. */
  pass: readonly string[]
}

export interface EnvReceiver {
  is: 'agent' | 'gate'
  /** Names (or beginnings ending in `*`) that belong to this agent's vendor; none for a gate. */
  keys: readonly string[]
}

export const GATE_RECEIVER: EnvReceiver = { is: 'gate', keys: [] }

/** Why a variable is withheld. `ours` and `shell` go without saying: nobody would miss them. */
export type WithheldReason =
  | 'secret'
  | 'looks-secret'
  | 'injects'
  | 'session'
  | 'asked-only'
  | 'not-listed'
  | 'ours'
  | 'shell'

/** What every program may know; all that is handed on in mode `listed`, and all that Ralph's own helpers get. */
const LISTED = [
  'PATH HOME USER LOGNAME SHELL LANG LC_* TERM TMPDIR TZ XDG_*',
  'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy',
  'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO',
  'SystemRoot ComSpec PATHEXT APPDATA LOCALAPPDATA USERPROFILE TEMP TMP',
].flatMap((names) => names.split(' '))

/** True of the shell that started us, not of a program in another folder. */
const OF_THE_SHELL = ['PWD', 'OLDPWD', 'SHLVL', '_']

export interface EnvironmentOptions {
  envPolicy: EnvPolicy
  receiver: EnvReceiver
  /** Windows does not tell `Path` from `PATH`. */
  caseless: boolean
}

/** What the receiver gets, and what it does not get, by name. */
export function buildEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  options: EnvironmentOptions,
): { env: Env; withheld: Map<string, WithheldReason> } {
  const handed: Env = {}
  const withheld = new Map<string, WithheldReason>()
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue
    const why = whyWithheld(name, value, options)
    if (why === null) handed[name] = value
    else withheld.set(name, why)
  }
  return { env: handed, withheld }
}

/** Null: it is handed on. A name said whole is the strongest word; a pattern does not reach what nobody means by it. */
function whyWithheld(name: string, value: string, options: EnvironmentOptions): WithheldReason | null {
  const { envPolicy, receiver, caseless } = options
  const named = (patterns: readonly string[]) => matches(patterns, name, { caseless })
  if (envPolicy.pass.includes(name)) return null
  if (name.startsWith('RALPH_')) return 'ours'
  if (OF_THE_SHELL.includes(name)) return 'shell'
  const says = variableRuleFor(name, value)?.says ?? null
  if (says === 'session') return 'session'
  if (named(envPolicy.pass) || named(receiver.keys)) return null
  if (envPolicy.mode === 'listed') return named(LISTED) ? null : 'not-listed'
  if (says === 'gates') return receiver.is === 'gate' ? null : 'asked-only'
  if (says !== null) return says === 'fine' ? null : says
  return looksSecret(value) ? 'looks-secret' : null
}

/** The row of the table that a variable falls under; null: its name says nothing. */
export function variableRuleFor(name: string, value: string): VariableRule | null {
  const words = name
    .replace(/([a-z]\d*)([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '_')
  return (
    VARIABLE_RULES.find((row) => row.name.test(words) && (row.value === undefined || row.value.test(value))) ?? null
  )
}

/** The few names that Ralph's own helpers get, and what is passed on top. */
export function listedVariables(
  env: Readonly<Record<string, string | undefined>>,
  { pass, caseless }: { pass: readonly string[]; caseless: boolean },
): Env {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && matches([...LISTED, ...pass], entry[0], { caseless }),
  )
  return Object.fromEntries(kept)
}

function matches(patterns: readonly string[], name: string, { caseless }: { caseless: boolean }): boolean {
  const fold = (text: string) => (caseless ? text.toUpperCase() : text)
  return patterns
    .map(fold)
    .some((pattern) => (pattern.endsWith('*') ? fold(name).startsWith(pattern.slice(0, -1)) : fold(name) === pattern))
}

/** Why an agent may not give a variable to a command that is run for it, in words; null: it may. What it would be hidden in is no word of
 *  the command, which is all that a list and a person look at. Its secrets are its own affair. */
export function envAdditionProblem(name: string, value: string): string | null {
  if (/^RALPH_/i.test(name)) return 'it is one of our own'
  if (canLoadCode(name)) return 'it chooses which programs and settings are found'
  const says = variableRuleFor(name, value)?.says ?? null
  return says === 'injects' || says === 'session' || says === 'gates' ? WHY[WHY_ADDED[says]] : null
}

const WHY_ADDED = { injects: 'injects', session: 'session', gates: 'asked-only' } as const

/** The values of an environment that are secrets, whoever gets them. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || value === '') return []
    const says = variableRuleFor(name, value)?.says ?? null
    return says === 'secret' || (says === null && looksSecret(value)) ? [value] : []
  })
}

/** In words, for a person who misses one. */
const WHY: Readonly<Record<Exclude<WithheldReason, 'ours' | 'shell'>, string>> = {
  secret: 'its name says that it is a secret',
  'looks-secret': 'its value looks like a key or a token',
  injects: 'it makes programs run code that the project did not ask for',
  session: 'it is a sign of the agent session that Ralph was started in',
  'asked-only': 'it opens the doors of your ssh agent; gates get it',
  'not-listed': 'env.mode is "listed" and it is not on the list',
}

/** A variable that somebody does not get. */
export interface WithheldVariable {
  name: string
  /** Who goes without: `gates`, or an agent's name. */
  from: string[]
  why: string
  /** What hands it on, as a line of `.ralph.toml`. */
  line: string
}

/** Everything that is withheld from somebody, sorted by name. Its own key goes to an agent and to nobody else. */
export function withheldVariables(
  env: Readonly<Record<string, string | undefined>>,
  {
    envPolicy,
    receivers,
    caseless,
  }: { envPolicy: EnvPolicy; receivers: Record<string, EnvReceiver>; caseless: boolean },
): WithheldVariable[] {
  const found = new Map<string, WithheldVariable>()
  for (const [who, receiver] of Object.entries(receivers)) {
    for (const [name, why] of buildEnvironment(env, { envPolicy, receiver, caseless }).withheld) {
      if (why === 'ours' || why === 'shell') continue
      const line = `env.pass = ${JSON.stringify([...envPolicy.pass, name])}`.replaceAll('","', '", "')
      const one = found.get(name) ?? { name, from: [], why: WHY[why], line }
      found.set(name, { ...one, from: [...one.from, who] })
    }
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
