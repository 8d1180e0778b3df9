/**
 * Reads a gate's output: which tests failed, and what to tell the agent about it in a few lines. Knows the words of the usual test
 * runners, compilers and linters; of any other program the last lines speak.
 */
import { clip, stripControl } from '../text.ts'

/** For the next prompt: enough to act on, and a small part of it. */
const SUMMARY_MAX = 1500
const NAMES_SHOWN = 10
/** Names beyond this say nothing that the first ones do not. */
const NAMES_MAX = 500

/** At most 1,500 characters: the failing tests, what is said about the first, and the last lines. */
export function summarizeGate(output: string): string {
  const lines = cleanLines(output)
  const failing = namesIn(lines)
  if (failing.length === 0) return lastLines(lines, SUMMARY_MAX)
  const shown = failing.slice(0, NAMES_SHOWN).map((name) => `- ${clip(name, 200)}`)
  const more = failing.length > shown.length ? [`- and ${failing.length - shown.length} more`] : []
  const list = cutTo([`Failing (${failing.length}):`, ...shown, ...more].join('\n'), 700)
  const detail = cutTo(firstDetail(lines), 500)
  const room = SUMMARY_MAX - list.length - detail.length - 4
  return [list, detail, lastLines(lines.slice(-6), Math.max(room, 0))]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Names of failing tests, or places of compile and lint errors: in order, each once, without times. */
export function failingTests(output: string): string[] {
  return namesIn(cleanLines(output))
}

/** How a runner names a failure in one line. The first that matches a line decides. */
const NAMED: { runner: string; pattern: RegExp; name: (match: RegExpExecArray) => string }[] = [
  { runner: 'vitest', pattern: /^\s*FAIL\s+(\S+\.\S+ > .+)$/, name: first },
  { runner: 'jest', pattern: /^\s*● (.+ › .+)$/, name: first },
  { runner: 'tap', pattern: /^\s*not ok \d+ (?:- )?(?!.*# (?:TODO|SKIP))(.+)$/i, name: first },
  { runner: 'node', pattern: /^\s*✖ (.+) \([\d.]+ms\)$/, name: first },
  { runner: 'pytest', pattern: /^(?:FAILED|ERROR) (\S+\.py\S*)(?: - .*)?$/, name: first },
  { runner: 'unittest', pattern: /^(?:FAIL|ERROR): (\w+ \([\w.]+\))/, name: first },
  { runner: 'cargo', pattern: /^test (\S+)(?: - .+)? \.\.\. FAILED$/, name: first },
  { runner: 'go', pattern: /^\s*--- FAIL: (\S+) \([\d.]+s\)$/, name: first },
  { runner: 'go build', pattern: /^FAIL\s+(\S+ \[(?:build|setup) failed\])$/, name: first },
  { runner: 'gradle', pattern: /^(\S+ > .+) FAILED$/, name: first },
  { runner: 'maven', pattern: /^\[(?:ERROR|FAIL)\]\s+(?:\S+:)?\s*([\w.$]+\.\w+):\d+/, name: first },
  { runner: 'phpunit', pattern: /^\d+\) ([\w\\]+::\w+.*)$/, name: first },
  { runner: 'exunit', pattern: /^\s+\d+\) (test .+ \([\w.]+\))$/, name: first },
  { runner: 'rspec', pattern: /^rspec (\.\/\S+:\d+)/, name: first },
  { runner: 'dotnet', pattern: /^\s+Failed ([\w.]+(?:\(.*\))?) \[[^\]]+\]$/, name: first },
  { runner: 'tsc', pattern: /^(\S+?)(?:\((\d+),\d+\)|:(\d+):\d+)(?: -|:) error (TS\d+)/, name: place },
  { runner: 'dotnet build', pattern: /^\s*(\S+)\((\d+),\d+\): error (\w+\d+)/, name: place },
  {
    runner: 'go vet, gcc',
    pattern: /^(\S+\.(?:go|c|cc|cpp|h|java|swift|zig)):(\d+)(?::\d+)?: (?!warning|note)/,
    name: place,
  },
]

function first(match: RegExpExecArray): string {
  return (match[1] ?? '').trim()
}

function place(match: RegExpExecArray): string {
  const [file, ...rest] = match.slice(1).filter((part) => part !== undefined)
  return `${file}:${rest.join(' ')}`
}

function namesIn(lines: string[]): string[] {
  const names = new Set<string>()
  for (const [at, line] of lines.entries()) {
    const name = oneLine(line) ?? overTwoLines(lines, at)
    if (name !== null && name !== '') names.add(name)
    if (names.size === NAMES_MAX) break
  }
  return [...names]
}

function oneLine(line: string): string | null {
  for (const { pattern, name } of NAMED) {
    const match = pattern.exec(line)
    if (match !== null) return name(match)
  }
  return null
}

function overTwoLines(lines: string[], at: number): string | null {
  return mochaName(lines, at) ?? eslintPlace(lines, at) ?? rustError(lines, at)
}

/** `  1) suite` and below it, deeper, `       test name:`. */
function mochaName(lines: string[], at: number): string | null {
  const suite = /^(\s+)\d+\) (.+)$/.exec(lines[at] ?? '')
  if (suite === null) return null
  const parts = [suite[2] ?? '']
  for (let i = at + 1; i < Math.min(at + 6, lines.length); i++) {
    const line = lines[i] ?? ''
    if (!/^\s{5,}\S/.test(line)) return null
    parts.push(line.trim().replace(/:$/, ''))
    if (line.endsWith(':')) return parts.join(' > ')
  }
  return null
}

/** How far above an error its file is looked for; without an end, output of errors alone would be read over and over. */
const ERRORS_OF_A_FILE = 100

/** A path alone on its line, then `  12:3  error  message  rule`. */
function eslintPlace(lines: string[], at: number): string | null {
  const error = /^\s+(\d+):\d+\s+error\s+.*?(\S+)$/.exec(lines[at] ?? '')
  if (error === null) return null
  for (let i = at - 1; i >= Math.max(0, at - ERRORS_OF_A_FILE); i--) {
    const line = lines[i] ?? ''
    if (/^\S+\.\w+$/.test(line)) return `${line}:${error[1]} ${error[2]}`
    if (!/^\s+\d+:\d+/.test(line)) return null
  }
  return null
}

/** `error[E0425]: …` and below it `  --> src/main.rs:2:5`. */
function rustError(lines: string[], at: number): string | null {
  const error = /^error(\[E\d+\])?: /.exec(lines[at] ?? '')
  const where = /^\s+--> (\S+?):(\d+):\d+$/.exec(lines[at + 1] ?? '')
  return error === null || where === null ? null : `${where[1]}:${where[2]} ${error[1] ?? 'error'}`.trim()
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

/** A progress line that was drawn over and over counts as it was left. */
function cleanLines(output: string): string[] {
  return output.split(/\r?\n/).map((line) => stripControl(line.slice(line.lastIndexOf('\r') + 1)))
}

function cutTo(text: string, max: number): string {
  if (text.length <= max) return text
  const end = text.lastIndexOf('\n', max)
  return end > 0 ? text.slice(0, end) : clip(text, max)
}
