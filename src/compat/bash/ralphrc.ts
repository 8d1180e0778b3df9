/**
 * Parses `.ralphrc`, the bash tools' settings, as data. The bash loop ran this file as a shell program; here it is never executed:
 * assignments are parsed as bash would, and whatever needs a shell is reported with its line and left out.
 */
import { expandShellWord, type ExpandContext } from './shell-expand.ts'
import { skipBlanks, skipComment, type ShellScanner } from '../../core/text/shell-scan.ts'
import { skipShellStatement } from './shell-skip.ts'

export interface Ralphrc {
  values: Record<string, { value: string | string[]; line: number }>
  remarks: { line: number; text: string }[]
  /** Variables whose assignment needs a shell, and its line. */
  unread: ReadonlyMap<string, number>
}

/** `env`: used for `${VAR}` if the file itself has not set VAR. */
export function parseRalphrc(text: string, env: Record<string, string | undefined>): Ralphrc {
  const file: Reader = {
    // Windows line ends would become part of every value.
    scan: { text: text.replace(/^\uFEFF/, '').replace(/\r\n/g, '\n'), at: 0 },
    env,
    values: new Map(),
    unknown: new Set(),
    unread: new Map(),
    remarks: [],
    counted: { at: 0, line: 1 },
  }
  while (!atEnd(file.scan)) readStatement(file)
  const { remarks, unread } = file
  // A record without a prototype: a file may call a variable `__proto__`.
  const values = Object.create(null) as Ralphrc['values']
  return { values: Object.assign(values, Object.fromEntries(file.values)), remarks, unread }
}

interface Reader {
  scan: ShellScanner
  env: Record<string, string | undefined>
  values: Map<string, { value: string | string[]; line: number }>
  /** Variables with an unknown value: values made from these are unknown too. */
  unknown: Set<string>
  unread: Map<string, number>
  remarks: { line: number; text: string }[]
  counted: { at: number; line: number }
}

interface Assignment {
  name: string
  value: string | string[]
  line: number
  problem: string | null
}

const DECLARE = /(?:export|readonly|declare|typeset|local)(?=[ \t])/y
/** Only options that do not change the value. */
const DECLARE_OPTION = /-[xrga]+(?=[ \t])/y
const NAME_ONLY = /[A-Za-z_]\w*(?=[ \t;\n]|$)/y
const ASSIGNMENT = /([A-Za-z_]\w*)(\+?)=/y

function readStatement(file: Reader): void {
  const { scan } = file
  const character = scan.text.charAt(scan.at)
  if (character === '\n' || character === ';') scan.at++
  else if (character === '#') skipComment(scan)
  else if (/\s/.test(character) || scan.text.startsWith('\\\n', scan.at)) {
    skipBlanks(scan)
    // Other white space, such as a lone carriage return, is no separator in bash; here it is skipped.
    if (/[^\S\n]/.test(scan.text.charAt(scan.at))) scan.at++
  } else if (/:[ \t]/y.test(scan.text.slice(scan.at, scan.at + 2))) readColon(file)
  else readAssignments(file)
}

/** `A=1 B=2`, with or without `export` before it; anything else is a command. */
function readAssignments(file: Reader): void {
  const { scan } = file
  const start = scan.at
  const declares = take(scan, DECLARE) !== null
  const pending: Assignment[] = []
  skipBlanks(scan)
  while (declares && take(scan, DECLARE_OPTION) !== null) skipBlanks(scan)
  for (;;) {
    const found = take(scan, ASSIGNMENT)
    if (found !== null) pending.push(...readAssignment(file, pending, { name: found[1] ?? '', adds: found[2] === '+' }))
    else if (!declares || take(scan, NAME_ONLY) === null) break
    const blankFrom = scan.at
    skipBlanks(scan)
    if (scan.at === blankFrom) break
    if (scan.text.charAt(scan.at) === '#') skipComment(scan)
  }
  if (statementEnds(scan) && (pending.length > 0 || declares)) return storeAssignments(file, pending)
  scan.at = start
  const names = ignoreStatement(file)
  if (declares) for (const name of names) file.unknown.add(name)
}

function readAssignment(
  file: Reader,
  pending: readonly Assignment[],
  { name, adds }: { name: string; adds: boolean },
): Assignment[] {
  const line = lineAt(file, file.scan.at)
  const words = expandContextOf(file, pending)
  const { scan } = file
  const isArray = scan.text.charAt(scan.at) === '('
  const value = isArray ? readArray(scan, words) : expandShellWord(scan, words, 'scalar').join(' ')
  const before = adds ? words.lookup(name) : undefined
  if (adds && words.isUnknown(name)) words.problem ??= `$${name}, which is not known`
  return [
    ...defaultAssignments(words, line),
    { name, line, value: combine(before, value, adds), problem: words.problem },
  ]
}

/** Variables that `${A:=b}` inside a word sets. */
function defaultAssignments({ assigned, problem }: ExpandContext, line: number): Assignment[] {
  return [...assigned].map(([name, value]) => ({ name, value, line, problem }))
}

/** `: ${A:=b}` is the idiom for a default; it only assigns. */
function readColon(file: Reader): void {
  const { scan } = file
  const start = scan.at
  const words = expandContextOf(file, [])
  scan.at++
  skipBlanks(scan)
  for (let before = -1; !statementEnds(scan) && scan.at > before && scan.text.charAt(scan.at) !== '#';) {
    before = scan.at
    expandShellWord(scan, words, 'field')
    skipBlanks(scan)
  }
  if (scan.text.charAt(scan.at) === '#') skipComment(scan)
  if (statementEnds(scan) && words.problem === null)
    return storeAssignments(file, defaultAssignments(words, lineAt(file, start)))
  scan.at = start
  ignoreStatement(file)
}

function readArray(scan: ShellScanner, words: ExpandContext): string[] {
  const items: string[] = []
  scan.at++
  for (;;) {
    skipBlanks(scan)
    const character = scan.text.charAt(scan.at)
    if (character === '\n') scan.at++
    else if (character === '#') skipComment(scan)
    else if (character === ')') {
      scan.at++
      return items
    } else {
      const before = scan.at
      items.push(...expandShellWord(scan, words, 'field'))
      if (scan.at > before) continue
      // An operator in place of an element is a syntax error in bash.
      words.problem ??= 'an array that is not closed'
      return items
    }
  }
}

/** Bash's rules for `+=`, and for assigning a text to an array. */
function combine(before: string | string[] | undefined, value: string | string[], adds: boolean): string | string[] {
  if (!adds || before === undefined) return value
  if (Array.isArray(value)) return [...(Array.isArray(before) ? before : [before]), ...value]
  return Array.isArray(before) ? [(before[0] ?? '') + value, ...before.slice(1)] : before + value
}

function storeAssignments(file: Reader, assignments: readonly Assignment[]): void {
  for (const { name, value, line, problem } of assignments) {
    if (problem === null) {
      file.values.set(name, { value: overwrite(file.values.get(name)?.value, value), line })
      file.unknown.delete(name)
      file.unread.delete(name)
    } else {
      file.values.delete(name)
      file.unknown.add(name)
      file.unread.set(name, line)
      file.remarks.push({ line, text: `${name} uses ${problem}, which only a shell could work out; ignored` })
    }
  }
}

/** `A=x` on an array replaces its first element only, as bash does. */
function overwrite(before: string | string[] | undefined, value: string | string[]): string | string[] {
  return Array.isArray(before) && !Array.isArray(value) ? [value, ...before.slice(1)] : value
}

function expandContextOf(file: Reader, pending: readonly Assignment[]): ExpandContext {
  const words: ExpandContext = {
    problem: null,
    assigned: new Map(),
    lookup: (name) => {
      const here = words.assigned.get(name) ?? pending.findLast((earlier) => earlier.name === name)?.value
      if (here !== undefined) return here
      return file.values.get(name)?.value ?? (Object.hasOwn(file.env, name) ? file.env[name] : undefined)
    },
    isUnknown: (name) =>
      pending.some((earlier) => earlier.name === name && earlier.problem !== null) || file.unknown.has(name),
  }
  return words
}

function statementEnds(scan: ShellScanner): boolean {
  return atEnd(scan) || scan.text.charAt(scan.at) === '\n' || /;(?!;)/y.test(scan.text.slice(scan.at, scan.at + 2))
}

function take(scan: ShellScanner, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = scan.at
  const found = pattern.exec(scan.text)
  if (found !== null) scan.at += found[0].length
  return found
}

/** Returns the names that it may assign. */
function ignoreStatement(file: Reader): string[] {
  const start = file.scan.at
  const line = lineAt(file, start)
  skipShellStatement(file.scan)
  const ignored = file.scan.text.slice(start, file.scan.at)
  file.remarks.push({ line, text: `only a shell could run \`${excerpt(ignored)}\`; ignored` })
  const names = [...ignored.replace(/^\s*#.*$/gm, '').matchAll(ASSIGNS)].map(([, name = '']) => name)
  for (const name of names) file.unread.set(name, line)
  return names
}

const ASSIGNS = /([A-Za-z_]\w*)\+?=/g

function atEnd(scan: ShellScanner): boolean {
  return scan.at >= scan.text.length
}

/** Continues from the last position, so that a long file is counted only once. */
function lineAt(file: Reader, at: number): number {
  if (at < file.counted.at) file.counted = { at: 0, line: 1 }
  for (let end = file.scan.text.indexOf('\n', file.counted.at); end !== -1 && end < at;) {
    file.counted = { at: end + 1, line: file.counted.line + 1 }
    end = file.scan.text.indexOf('\n', file.counted.at)
  }
  return file.counted.line
}

function excerpt(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
