/**
 * Reads a gate's output: which tests failed, and what to tell the agent about it in a few lines. Knows the words of the usual test
 * runners, compilers and linters; of any other program it takes the last lines.
 */
import { clip, stripControl } from '../text/sanitize.ts'
import { findGateSummaryLines } from './gate-summary-lines.ts'

/** For the next prompt: enough to act on, and a small part of it. */
const SUMMARY_MAX = 1500
const NAMES_SHOWN = 10
/** Names beyond this say nothing that the first ones do not. */
const NAMES_MAX = 500

/**
 * At most 1,500 characters: how the runner sums up, the failing tests with what is said about each, more about the first, and the
 * last lines. `failing-lines.ts` reads the first two of it.
 */
export function summarizeGateOutput(output: string): string {
  const lines = cleanLines(output)
  const failing = failuresIn(lines, 'with what is said')
  if (failing.length === 0) return lastLines(lines, SUMMARY_MAX)
  const shown = failing.slice(0, NAMES_SHOWN).map((one) => `- ${clip(failureText(one), 200)}`)
  const more = failing.length > shown.length ? [`- and ${failing.length - shown.length} more`] : []
  const totals = findGateSummaryLines(lines).map((line) => clip(line, 150))
  const list = cutTo([...totals, `Failing (${failing.length}):`, ...shown, ...more].join('\n'), 900)
  const detail = cutTo(firstDetail(lines), 400)
  const room = SUMMARY_MAX - list.length - detail.length - 4
  return [list, detail, lastLines(lines.slice(-6), room)].filter((part) => part !== '').join('\n\n')
}

/** Names of failing tests, or places of compile and lint errors: in order, each once, without times. */
export function parseFailingTests(output: string): string[] {
  return failuresIn(cleanLines(output), 'names').map(({ name }) => name)
}

interface Failure {
  name: string
  /** The assertion or the error; null: not in the output. */
  said: string | null
}

function failureText({ name, said }: Failure): string {
  return said === null ? name : `${name}: ${said}`
}

/** How a runner names a failure in one line; `said`: what it says about it there. The first that matches a line decides. */
const NAMED: { pattern: RegExp; name: (match: RegExpExecArray) => string }[] = Object.values({
  vitest: { pattern: /^\s*FAIL\s+(?:\|?[\w-]+\|?\s+)?(\S+\.\S+ > .+)$/, name: first },
  'vitest, a file': { pattern: /^\s*FAIL\s+(\S+\.\S+) \[ \S+ \]$/, name: first },
  jest: { pattern: /^\s*● (.+ › .+)$/, name: first },
  'jest, outside of a suite': { pattern: /^ {2}● (?!Console$)(\S.*)$/, name: first },
  tap: { pattern: /^\s*not ok \d+ (?:- )?(?!.*# (?:TODO|SKIP))(.+)$/i, name: first },
  node: { pattern: /^\s*✖ (.+) \([\d.]+ms\)$/, name: first },
  pytest: { pattern: /^(?:FAILED|ERROR) (\S+\.py\S*)(?: - (?<said>.*))?$/, name: first },
  unittest: { pattern: /^(?:FAIL|ERROR): (\w+ \([\w.]+\))/, name: first },
  cargo: { pattern: /^test (\S+)(?: - .+)? \.\.\. FAILED$/, name: first },
  'cargo, its words': { pattern: /^---- (\S+)(?: - .+)? stdout ----$/, name: first },
  go: { pattern: /^\s*--- FAIL: (\S+) \([\d.]+s\)$/, name: first },
  'go build': { pattern: /^FAIL\s+(\S+ \[(?:build|setup) failed\])$/, name: first },
  gradle: { pattern: /^(\S+ > .+) FAILED$/, name: first },
  maven: { pattern: /^\[(?:ERROR|FAIL)\]\s+(?:\S+:)?\s*([\w.$]+\.\w+):\d+(?: (?<said>.*))?/, name: first },
  phpunit: { pattern: /^\d+\) ([\w\\]+::\w+.*)$/, name: first },
  exunit: { pattern: /^\s+\d+\) (test .+ \([\w.]+\))$/, name: first },
  rspec: { pattern: /^rspec (\.\/\S+:\d+)/, name: first },
  dotnet: { pattern: /^\s+Failed ([\w.]+(?:\(.*\))?) \[[^\]]+\]$/, name: first },
  tsc: { pattern: /^(\S+?)(?:\((\d+),\d+\)|:(\d+):\d+)(?: -|:) error (TS\d+)(?:: (?<said>.*))?/, name: place },
  'dotnet build': { pattern: /^\s*(\S+)\((\d+),\d+\): error (\w+\d+)(?:: (?<said>.*))?/, name: place },
  'go vet, gcc': {
    pattern: /^(\S+\.(?:go|c|cc|cpp|h|java|swift|zig)):(\d+)(?::\d+)?: (?!warning|note)(?<said>.*)/,
    name: place,
  },
})

function first(match: RegExpExecArray): string {
  return (match[1] ?? '').trim()
}

/** Leaves the last group out, which is the message. */
function place(match: RegExpExecArray): string {
  const [file, ...rest] = match.slice(1, -1).filter((part) => part !== undefined)
  return `${file}:${rest.join(' ')}`
}

/** Searching for messages is slow in long output, so a caller that only compares names leaves it out. */
function failuresIn(lines: string[], want: 'names' | 'with what is said'): Failure[] {
  const said = new Map<string, string | null>()
  for (const [at, line] of lines.entries()) {
    const found = parseFailureLine(line) ?? mochaName(lines, at) ?? eslintPlace(lines, at) ?? rustError(lines, at)
    if (found === null || found.name === '') continue
    if ((said.get(found.name) ?? null) === null)
      said.set(found.name, want === 'names' ? null : (found.said ?? messageBelow(lines, at)))
    if (said.size === NAMES_MAX) break
  }
  return [...said].map(([name, words]) => ({ name, said: words }))
}

function parseFailureLine(line: string): Failure | null {
  for (const { pattern, name } of NAMED) {
    const match = pattern.exec(line)
    if (match !== null) return { name: name(match), said: match.groups?.['said']?.trim() || null }
  }
  return null
}

/** An assertion this many lines below a name belongs to it; farther down to another failure. */
const SAID_WITHIN = 20

/** The assertion or error that belongs to the failure named on this line. */
function messageBelow(lines: string[], at: number): string | null {
  for (let i = at + 1; i < Math.min(at + SAID_WITHIN, lines.length); i++) {
    const line = lines[i] ?? ''
    if (parseFailureLine(line) !== null) return null
    if (SAID.test(line)) return messageAt(lines, i)
  }
  return null
}

/** How a runner begins to say what was wrong. */
const SAID =
  /^\s*(?:E {2,}\S|→ |expect\(|error: |[\w.]*(?:Error|Exception|Failure)\b.*:|Failure\/Error:|Failed asserting|Assertion |assertion |thread '.*' (?:\(\d+\) )?panicked|panic: |\S+_test\.go:\d+: |AssertionError)/

/** Some say it over several lines: those are put together. */
function messageAt(lines: string[], at: number): string {
  const line = (lines[at] ?? '').trim().replace(/^(?:E {2,}|→ )/, '')
  const below = lines.slice(at + 1, at + 9).map((one) => one.trim())
  if (line.startsWith('expect(')) return jestMessage(below) ?? line
  if (/^error: [|>]-?$/.test(line)) return yamlMessage(below)
  if (/^thread '.*' (?:\(\d+\) )?panicked at .*:$/.test(line)) return joined(below.slice(0, 3))
  if (/[:,]$/.test(line)) return joined([line, ...below.slice(0, 3)])
  return line.replace(/^error: '(.*)'$/, '$1').replace(/ \/\/ Object\.is equality$/, '')
}

/** `Expected: 4` and `Received: 3`. */
function jestMessage(below: string[]): string | null {
  const told = below.filter((line) => /^(?:Expected|Received)\b.*: /.test(line))
  return told.length === 0 ? null : joined(told.slice(0, 2))
}

/** A block of the YAML in which TAP explains a failure: it ends with the next key. */
function yamlMessage(below: string[]): string {
  const end = below.findIndex((line) => /^[\w-]+: /.test(line))
  return joined(below.slice(0, end < 0 ? 3 : end))
}

function joined(lines: string[]): string {
  return lines
    .filter((line) => line !== '' && !line.startsWith('note: '))
    .join(' ')
    .replace(/\s+/g, ' ')
}

/** `  1) suite` and below it, deeper, `       test name:`. */
function mochaName(lines: string[], at: number): Failure | null {
  const suite = /^(\s+)\d+\) (.+)$/.exec(lines[at] ?? '')
  if (suite === null) return null
  const parts = [suite[2] ?? '']
  for (let i = at + 1; i < Math.min(at + 6, lines.length); i++) {
    const line = lines[i] ?? ''
    if (!/^\s{5,}\S/.test(line)) return null
    parts.push(line.trim().replace(/:$/, ''))
    if (line.endsWith(':')) return { name: parts.join(' > '), said: null }
  }
  return null
}

/** How far above an error its file is searched; without a limit, long lists of errors would take quadratic time. */
const ERRORS_OF_A_FILE = 100

/** A path alone on its line, then `  12:3  error  message  rule`. */
function eslintPlace(lines: string[], at: number): Failure | null {
  const error = /^\s+(\d+):\d+\s+error\s+(.*?)(\S+)$/.exec(lines[at] ?? '')
  if (error === null) return null
  for (let i = at - 1; i >= Math.max(0, at - ERRORS_OF_A_FILE); i--) {
    const line = lines[i] ?? ''
    if (/^\S+\.\w+$/.test(line)) return { name: `${line}:${error[1]} ${error[3]}`, said: error[2]?.trim() || null }
    if (!/^\s+\d+:\d+/.test(line)) return null
  }
  return null
}

/** `error[E0425]: …` and below it `  --> src/main.rs:2:5`. */
function rustError(lines: string[], at: number): Failure | null {
  const error = /^error(\[E\d+\])?: (.*)$/.exec(lines[at] ?? '')
  const where = /^\s+--> (\S+?):(\d+):\d+$/.exec(lines[at + 1] ?? '')
  if (error === null || where === null) return null
  return { name: `${where[1]}:${where[2]} ${error[1] ?? 'error'}`, said: error[2]?.trim() || null }
}

/** Where a runner starts to explain the first failure. */
const DETAIL =
  /^\s*(?:● |E  +|AssertionError|AssertionFailed|Error:|TypeError|ReferenceError|thread '.*' panicked|panicked at|Traceback|Expected|expected|Failed asserting|Failure\/Error|error(?:\[|:)|fatal|panic:|\S+\(\d+,\d+\): error|\S+:\d+:\d+ - error|\s+\S+\.go:\d+:)/

function firstDetail(lines: string[]): string {
  const at = lines.findIndex((line) => DETAIL.test(line))
  if (at < 0) return ''
  return lines
    .slice(at, at + 12)
    .filter((line) => line.trim() !== '')
    .map((line) => clip(line.trimEnd(), 200))
    .join('\n')
}

/** As many whole lines from the end as there is room for. */
function lastLines(lines: string[], room: number): string {
  const kept: string[] = []
  let used = 0
  for (const line of lines.toReversed()) {
    if (line.trim() === '' || kept.length === 25) continue
    const text = clip(line.trimEnd(), 300)
    if (used + text.length + 1 > room) break
    kept.unshift(text)
    used += text.length + 1
  }
  return kept.join('\n')
}

/** Of a progress line that was overwritten, only the last text counts. */
function cleanLines(output: string): string[] {
  return output.split(/\r?\n/).map((line) => stripControl(line.slice(line.lastIndexOf('\r') + 1)))
}

/** Whole lines; the first always has room. */
function cutTo(text: string, max: number): string {
  if (text.length <= max) return text
  return text.slice(0, text.lastIndexOf('\n', max))
}
