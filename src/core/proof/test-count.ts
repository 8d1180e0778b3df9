/**
 * How many tests a gate ran, read from the closing words of the usual test runners. Null: no runner that we know spoke, so nothing is
 * known, which is not zero. A gate that calls several runners has the sum. Go tells packages rather than tests unless asked for more;
 * a package with tests counts as one then.
 */
import { stripControl } from '../text/sanitize.ts'

export interface TestCount {
  /** Passed or failed; skipped ones did not run. */
  ran: number
  failed: number
  skipped: number
}

export function parseTestCount(output: string): TestCount | null {
  const lines = output.split(/\r?\n/).map((line) => stripControl(line.slice(line.lastIndexOf('\r') + 1)))
  const told = RUNNERS.map((read) => read(lines)).filter((count) => count !== null)
  const counts = told.length > 0 ? told : [tapLines(lines)].filter((count) => count !== null)
  if (counts.length === 0) return lines.some((line) => NOTHING.some((words) => words.test(line))) ? NONE : null
  return counts.reduce(sum)
}

const NONE: TestCount = { ran: 0, failed: 0, skipped: 0 }

/** What runners say when they found nothing to run, and print no count. */
const NOTHING = [
  /^\s*no test files found/i, // vitest
  /^\s*no tests? (?:were )?(?:found|ran|executed|to run)/i, // jest, pytest, phpunit, ctest
  /^=+ no tests ran\b/i, // pytest
  /^\s*error: no tests? files? found/i, // mocha
  /^\s*\? {0,3}\s+\S+\s+\[no test files\]/, // go
  /no test matches|no tests match/i, // ava, gradle
]

type Reader = (lines: string[]) => TestCount | null

function sum(a: TestCount, b: TestCount): TestCount {
  return { ran: a.ran + b.ran, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
}

/** The sum of all lines that match: some runners close once for each suite. */
function each(pattern: RegExp, count: (match: RegExpExecArray) => TestCount): Reader {
  return (lines) => {
    const found = lines.map((line) => pattern.exec(line)).filter((match) => match !== null)
    return found.length === 0 ? null : found.map(count).reduce(sum)
  }
}

/** As `each`, for runners that close once over all their tests. */
function closing(pattern: RegExp, count: (match: RegExpExecArray) => TestCount): Reader {
  return (lines) => {
    const found = lines.map((line) => pattern.exec(line)).filter((match) => match !== null)
    return found.length === 0 ? null : distinct(found.map(count)).reduce(sum)
  }
}

/** A gate that tries again by itself closes several times over the same tests: as many as before are the same. */
function distinct(counts: TestCount[]): TestCount[] {
  return counts.filter(
    (one, at) => counts.findLastIndex((other) => other.ran + other.skipped === one.ran + one.skipped) === at,
  )
}

/** Only the last line that matches: it closes over those before it. */
function last(pattern: RegExp, count: (match: RegExpExecArray) => TestCount): Reader {
  return (lines) => {
    const match = lines.map((line) => pattern.exec(line)).findLast((one) => one !== null)
    return match === undefined || match === null ? null : count(match)
  }
}

/** `3 passed, 1 failed, 2 skipped` in any order and with any mark between: the words of jest, vitest, pytest, playwright, deno … */
function words(text: string): TestCount {
  const of = (...names: string[]): number =>
    names.reduce((total, name) => total + numberIn(text, new RegExp(String.raw`(\d+) ${name}\b`, 'i')), 0)
  const failed = of('failed', 'failures?', 'errors?', 'fail', 'broken')
  const passed = of('passed', 'pass', 'xpassed', 'xfailed', 'flaky', 'successes')
  return { ran: passed + failed, failed, skipped: of('skipped', 'pending', 'todo', 'ignored', 'deselected') }
}

/** A total is told, and of it what failed and what was skipped. */
function ofTotal(total: number, { failed, skipped }: { failed: number; skipped: number }): TestCount {
  return { ran: Math.max(0, total - skipped), failed, skipped }
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0)
}

function at(match: RegExpExecArray, group: number): number {
  return Number(match[group] ?? 0)
}

const RUNNERS: Reader[] = [
  nodeSummary,
  closing(/^Tests:\s+.*\b(?:total|passed|failed|skipped)\b.*$/, ([line]) => words(line)), // jest
  closing(/^\s+Tests\s+(?:no tests|\d+ .*)\(?\d*\)?\s*$/, ([line]) => words(line)), // vitest
  mocha,
  closing(
    /^(?:=+ )?((?:\d+ (?:passed|failed|skipped|errors?|xfailed|xpassed|deselected|warnings?)(?:, )?)+) in [\d.]+s/,
    ([, told = '']) => words(told),
  ), // pytest
  unittest,
  go,
  each(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/, (found) => ({
    ran: at(found, 1) + at(found, 2),
    failed: at(found, 2),
    skipped: at(found, 3),
  })), // cargo
  each(/^\s*Summary \[.*\] (\d+) tests? run: (.*)$/, (found) => ({
    ...words(found[2] ?? ''),
    ran: at(found, 1),
  })), // nextest
  last(/^(?:\[\w+\] )?\s*Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?!.*Time elapsed)/, (found) =>
    ofTotal(at(found, 1), { failed: at(found, 2) + at(found, 3), skipped: at(found, 4) }),
  ), // maven
  last(/^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?/, (found) =>
    ofTotal(at(found, 1), { failed: at(found, 2), skipped: at(found, 3) }),
  ), // gradle
  each(/^\d+% tests passed, (\d+) tests? failed out of (\d+)/, (found) => ({
    ran: at(found, 2),
    failed: at(found, 1),
    skipped: 0,
  })), // ctest
  each(/^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?/, (found) =>
    ofTotal(at(found, 1), { failed: at(found, 2), skipped: at(found, 3) }),
  ), // rspec
  each(/^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors(?:, (\d+) skips)?/, (found) =>
    ofTotal(at(found, 1), { failed: at(found, 2) + at(found, 3), skipped: at(found, 4) }),
  ), // minitest
  each(/^OK \((\d+) tests?, \d+ assertions?\)/, (found) => ({ ran: at(found, 1), failed: 0, skipped: 0 })), // phpunit
  each(/^Tests: (\d+), Assertions: \d+(.*)$/, (found) =>
    ofTotal(at(found, 1), {
      failed: numberIn(found[2] ?? '', /Failures: (\d+)/) + numberIn(found[2] ?? '', /Errors: (\d+)/),
      skipped: numberIn(found[2] ?? '', /Skipped: (\d+)/),
    }),
  ), // phpunit
  each(/^\s*(?:Passed|Failed)!\s+- Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+)/, (found) => ({
    ran: at(found, 1) + at(found, 2),
    failed: at(found, 1),
    skipped: at(found, 3),
  })), // dotnet
  each(/^(?:\d+ doctests?, )?(\d+) tests?, (\d+) failures?(?:, .*)?$/, (found) =>
    ofTotal(at(found, 1), { failed: at(found, 2), skipped: numberIn(found[0], /(\d+) skipped/) }),
  ), // exunit
  each(/^(?:ok|FAILED) \| (.*)$/, ([, told = '']) => words(told)), // deno
  each(/^\s*(\d+) pass\s*$/, (found) => ({ ran: at(found, 1), failed: 0, skipped: 0 })), // bun
  each(/^\s*(\d+) fail\s*$/, (found) => ({ ran: at(found, 1), failed: at(found, 1), skipped: 0 })), // bun
  each(/^(\d+) specs?, (\d+) failures?(?:, (\d+) pending)?/, (found) =>
    ofTotal(at(found, 1), { failed: at(found, 2), skipped: at(found, 3) }),
  ), // jasmine
  last(/^\s*Executed (\d+) tests?, with (?:(\d+) tests? skipped and )?(\d+) failures?/, (found) =>
    ofTotal(at(found, 1), { failed: at(found, 3), skipped: at(found, 2) }),
  ), // xctest
  each(/^\s+(\d+) (passed|failed|skipped|flaky) \([\d.]+m?s\)\s*$/, ([line]) => words(line)), // playwright
  each(/^\s*(?:[\w-]+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$/, ([line]) => words(line)), // plain
  each(/^Files=\d+, Tests=(\d+)/, (found) => ({ ran: at(found, 1), failed: 0, skipped: 0 })), // prove
]

/** Node's runner and tape close with `# tests 3`, `# pass 2`, `# fail 1`; node's other reporter writes `ℹ` for `#`. */
function nodeSummary(lines: string[]): TestCount | null {
  const of = (name: string): number[] =>
    lines.flatMap((line) => {
      const found = new RegExp(String.raw`^(?:#|ℹ) ${name}\s+(\d+)\s*$`).exec(line)
      return found === null ? [] : [Number(found[1])]
    })
  const closings = of('tests').length
  if (closings === 0) return null
  const [pass, fail, cancelled, skipped, todo] = ['pass', 'fail', 'cancelled', 'skipped', 'todo'].map(of)
  const counts = Array.from({ length: closings }, (_, at): TestCount => {
    const failed = (fail?.[at] ?? 0) + (cancelled?.[at] ?? 0)
    return { ran: (pass?.[at] ?? 0) + failed, failed, skipped: (skipped?.[at] ?? 0) + (todo?.[at] ?? 0) }
  })
  return distinct(counts).reduce(sum)
}

function mocha(lines: string[]): TestCount | null {
  const passing = each(/^\s+(\d+) passing \(/, (found) => ({ ran: at(found, 1), failed: 0, skipped: 0 }))(lines)
  if (passing === null) return null
  const failing = each(/^\s+(\d+) failing\s*$/, (found) => ({
    ran: at(found, 1),
    failed: at(found, 1),
    skipped: 0,
  }))(lines)
  const pending = each(/^\s+(\d+) pending\s*$/, (found) => ({ ran: 0, failed: 0, skipped: at(found, 1) }))(lines)
  return [passing, failing ?? NONE, pending ?? NONE].reduce(sum)
}

/** `Ran 3 tests in 0.001s`, and below it `OK (skipped=1)` or `FAILED (failures=1, errors=1)`. */
function unittest(lines: string[]): TestCount | null {
  const ran = each(/^Ran (\d+) tests? in /, (found) => ({ ran: at(found, 1), failed: 0, skipped: 0 }))(lines)
  if (ran === null) return null
  const result = each(/^(?:OK|FAILED|NO TESTS RAN)\b(.*)$/, (found) => ({
    ran: -numberIn(found[0], /skipped=(\d+)/),
    failed: numberIn(found[0], /failures=(\d+)/) + numberIn(found[0], /errors=(\d+)/),
    skipped: numberIn(found[0], /skipped=(\d+)/),
  }))(lines)
  return sum(ran, result ?? NONE)
}

function go(lines: string[]): TestCount | null {
  const tests = each(/^\s*--- (PASS|FAIL|SKIP): \S+ \([\d.]+s\)/, ([, how]) => ({
    ran: how === 'SKIP' ? 0 : 1,
    failed: how === 'FAIL' ? 1 : 0,
    skipped: how === 'SKIP' ? 1 : 0,
  }))(lines)
  if (tests !== null) return tests
  return each(/^(ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\))(.*)$/, ([, how, rest = '']) => ({
    ran: rest.includes('[no tests to run]') ? 0 : 1,
    failed: how === 'FAIL' ? 1 : 0,
    skipped: 0,
  }))(lines)
}

/** Any other program that speaks TAP: the lines themselves are counted. */
function tapLines(lines: string[]): TestCount | null {
  const plan = lines.some((line) => /^\s*1\.\.\d+/.test(line))
  const points = each(/^(not )?ok \d+\b(?!.*# skip)/i, ([, not]) => ({
    ran: 1,
    failed: not === undefined ? 0 : 1,
    skipped: 0,
  }))(lines)
  const skipped = each(/^(?:not )?ok \d+\b.*# skip/i, () => ({ ran: 0, failed: 0, skipped: 1 }))(lines)
  if (!plan) return null
  return [points ?? NONE, skipped ?? NONE].reduce(sum)
}
