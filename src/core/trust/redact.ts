/**
 * Removes from a text what a bug report must not contain: the person's name, the paths of their files, and anything that looks like a
 * secret. It masks too much rather than too little: a masked word is a nuisance, a published key is harm.
 */

import { escapeRegExp } from '../text/sanitize.ts'
import { SECRET_SHAPES, secretShapePattern } from './variable-rules.ts'

/** What to mask. Null or empty: unknown. */
export interface RedactionSubject {
  home: string | null
  user: string | null
  host: string | null
  /** Secrets known by their value, such as those of the environment. */
  secrets: readonly string[]
}

export type Redactor = (text: string) => string

/** Names whose value is a secret, in an environment, a settings file or a JSON object. */
const SECRET_NAME =
  /(?:^|[_.-])(?:api_?-?keys?|keys?|tokens?|secrets?|passwords?|passwd|pwd|passphrase|credentials?|auth|authorization|cookie|session_?id|webhook(?:_url)?|dsn|private)$/i
const CAMEL_SECRET = /(?:[a-z0-9](?:Key|Token|Secret|Password|Credentials?|Cookie|Webhook)|^apikey)$/
/** Counts and hashes that only sound like secrets. */
const HARMLESS = /^(?:(?:max_?|input_?|output_?|budget[_.]?|total_?)tokens?|tokens|key|keys|sort_?key)$/i

/** Every repetition has a bound: a log with a megabyte on one line must cost no more than any other. */

/** The shapes of the table, and two more: private keys, and keys that were truncated before. Compiled on first use: every command loads
 *  this file, few redact anything. */
function allShapes(): RegExp[] {
  const begins = SECRET_SHAPES.map((shape) => shape.begins.replaceAll('.', '\\.')).join('|')
  return [
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    new RegExp(`(?<![A-Za-z0-9])(?:${begins})[\\w-]{0,500}…`, 'g'),
    ...SECRET_SHAPES.map((shape) => new RegExp(secretShapePattern(shape), 'g')),
  ]
}
let knownShapes: RegExp[] | null = null
const BEARER = /\b(Bearer|Basic|token)\s+[\w.~+/=-]{16,}/gi
const URL_LOGIN = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@:"']{1,200}(?::[^\s/@"']{0,200})?@/gi
const WEBHOOK = /https?:\/\/[^\s"'<>]{0,200}?(?:hooks\.slack\.com|\/api\/webhooks\/|ntfy\.sh\/)[^\s"'<>]*/gi
const EMAIL = /\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,5}\b/g
/** `NAME=value`, `NAME: value`, `"name": "value"`, `--name value`; a quoted value goes to its end quote. */
const ASSIGNMENT =
  /(["']?)(?<![\w.-])((?:--)?[A-Za-z][\w.-]{0,80})\1( {0,3}[:=] {0,3}|(?<=--[\w-]{1,80}) {1,3})("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s"',;}\]]+)/g
/** Any home folder, also of another person. */
const HOMES = /(?:\/home\/|\/Users\/|[A-Za-z]:\\Users\\)[^\s/\\"':,;]+/g

const SECRET = '<secret>'

/** Names that identify nobody: masking them would make the report unreadable and hide nothing. */
const NOBODY = new Set([
  'root',
  'user',
  'admin',
  'runner',
  'node',
  'ubuntu',
  'debian',
  'docker',
  'vagrant',
  'localhost',
])

export function createRedactor(whose: RedactionSubject): Redactor {
  const values = [...whose.secrets].filter((value) => value.length >= 6).toSorted((a, b) => b.length - a.length)
  const { home } = whose
  return (text) => {
    let clean = text
    for (const value of values) clean = clean.replaceAll(value, SECRET)
    knownShapes ??= allShapes()
    for (const shape of knownShapes) clean = clean.replace(shape, SECRET)
    clean = clean
      .replace(WEBHOOK, SECRET)
      .replace(URL_LOGIN, `$1${SECRET}@`)
      .replace(BEARER, `$1 ${SECRET}`)
      .replace(ASSIGNMENT, maskAssignment)
    if (home !== null && home.length > 1) clean = clean.replaceAll(home, '~')
    clean = clean.replace(HOMES, '~').replace(EMAIL, '<email>')
    clean = maskName(clean, whose.host, '<host>')
    return maskName(clean, whose.user, '<user>')
  }
}

/** Redacts every string of a value, keys included; a text under a secret name is masked completely. */
export function redactValue(value: unknown, redact: Redactor): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((one: unknown) => redactValue(one, redact))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, one]: [string, unknown]): [string, unknown] => {
    const masked = typeof one === 'string' && one !== '' && isSecretName(key)
    return [redact(key), masked ? SECRET : redactValue(one, redact)]
  })
  return Object.fromEntries(entries)
}

export function isSecretName(name: string): boolean {
  return !HARMLESS.test(name) && (SECRET_NAME.test(name) || CAMEL_SECRET.test(name))
}

function maskAssignment(whole: string, quote: string, name: string, between: string, value: string): string {
  if (!isSecretName(name) || /^(?:true|false|null|\d{1,6}|<\w+>?)$/.test(value)) return whole
  const end = value.startsWith('"') || value.startsWith("'") ? value.charAt(0) : ''
  return `${quote}${name}${quote}${between}${end}${SECRET}${end}`
}

function maskName(text: string, name: string | null, mask: string): string {
  if (name === null || name.length < 3 || NOBODY.has(name.toLowerCase())) return text
  return text.replace(new RegExp(`(?<![\\w-])${escapeRegExp(name)}(?![\\w-])`, 'g'), mask)
}
