/**
 * Which variables of the user's environment an agent or a gate gets. By default all except secrets and those that inject code
 * (`withheld-variables.ts`); an agent gets its own vendor's keys, and variables in `env.pass` are always passed on.
 */
import { isCodeLoadingVariable } from './code-loading-variables.ts'
import { looksSecret, VARIABLE_RULES, type VariableRule } from './variable-rules.ts'

export type Env = Record<string, string>

/** The user's settings (`env.mode`, `env.pass`). */
export interface EnvPolicy {
  /** `filtered`: all except withheld ones; `listed`: only the names that every program needs. */
  mode: 'filtered' | 'listed'
  /** Names, or prefixes that end in `*`. */
  pass: readonly string[]
}

export interface EnvReceiver {
  is: 'agent' | 'gate'
  /** Names (or prefixes ending in `*`) that belong to this agent's vendor; none for a gate. */
  keys: readonly string[]
}

export const GATE_RECEIVER: EnvReceiver = { is: 'gate', keys: [] }

/** Why a variable is withheld. `ours` and `shell` are not reported: no program misses them. */
export type WithheldReason =
  | 'secret'
  | 'looks-secret'
  | 'injects'
  | 'session'
  | 'asked-only'
  | 'not-listed'
  | 'ours'
  | 'shell'

/** What every program may know: all that mode `listed` passes on, and all that Ralph's own helpers get. */
const LISTED = [
  'PATH HOME USER LOGNAME SHELL LANG LC_* TERM TMPDIR TZ XDG_*',
  'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy',
  'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO',
  'SystemRoot ComSpec PATHEXT APPDATA LOCALAPPDATA USERPROFILE TEMP TMP',
].flatMap((names) => names.split(' '))

/** Valid in the shell that started Ralph, not for a program in another folder. */
const OF_THE_SHELL = ['PWD', 'OLDPWD', 'SHLVL', '_']

export interface EnvironmentOptions {
  envPolicy: EnvPolicy
  receiver: EnvReceiver
  /** On Windows `Path` and `PATH` are the same. */
  caseless: boolean
}

/** The variables that the receiver gets, and the names of those it does not. */
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

/** Null: passed on. A full name in `env.pass` always wins; a pattern does not cover Ralph's own, the shell's or session variables. */
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

/** The row of the table that matches a variable; null: none. */
export function variableRuleFor(name: string, value: string): VariableRule | null {
  const words = name
    .replace(/([a-z]\d*)([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '_')
  return (
    VARIABLE_RULES.find((row) => row.name.test(words) && (row.value === undefined || row.value.test(value))) ?? null
  )
}

/** The few variables that Ralph's own helpers get, and those in `pass`. */
export function minimalEnvironment(
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

/** Why an agent may not set a variable for a command that Ralph runs for it; null: it may. An allow list and a person see only the words
 *  of the command, not its variables. An agent may pass its own secrets. */
export function envAdditionProblem(name: string, value: string): string | null {
  if (/^RALPH_/i.test(name)) return "it is one of Ralph's own variables"
  if (isCodeLoadingVariable(name)) return 'it decides where programs and settings are found'
  const says = variableRuleFor(name, value)?.says ?? null
  return says === 'injects' || says === 'session' || says === 'gates' ? WHY[WHY_ADDED[says]] : null
}

const WHY_ADDED = { injects: 'injects', session: 'session', gates: 'asked-only' } as const

/** The secret values of an environment, whether withheld or not. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || value === '') return []
    const says = variableRuleFor(name, value)?.says ?? null
    return says === 'secret' || (says === null && looksSecret(value)) ? [value] : []
  })
}

/** The reasons in words, for a person who needs the variable. */
const WHY: Readonly<Record<Exclude<WithheldReason, 'ours' | 'shell'>, string>> = {
  secret: 'its name looks like a secret',
  'looks-secret': 'its value looks like a key or a token',
  injects: 'it makes programs run code that the project did not ask for',
  session: 'it belongs to the agent session that started Ralph',
  'asked-only': 'it gives access to your ssh agent; only gates get it',
  'not-listed': 'env.mode is "listed" and it is not on the list',
}

/** A variable that a gate or an agent does not get. */
export interface WithheldVariable {
  name: string
  /** Who does not get it: `gates`, or an agent's name. */
  from: string[]
  why: string
  /** The line of `.ralph.toml` that passes it on. */
  line: string
}

/** All withheld variables, sorted by name. Only the agent itself gets its vendor's key. */
export function withheldVariables(
  env: Readonly<Record<string, string | undefined>>,
  { receivers, ...options }: Omit<EnvironmentOptions, 'receiver'> & { receivers: Record<string, EnvReceiver> },
): WithheldVariable[] {
  const found = new Map<string, WithheldVariable>()
  for (const [who, receiver] of Object.entries(receivers)) {
    for (const [name, why] of buildEnvironment(env, { ...options, receiver }).withheld) {
      if (why === 'ours' || why === 'shell') continue
      const line = `env.pass = ${JSON.stringify([...options.envPolicy.pass, name])}`.replaceAll('","', '", "')
      const one = found.get(name) ?? { name, from: [], why: WHY[why], line }
      found.set(name, { ...one, from: [...one.from, who] })
    }
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
