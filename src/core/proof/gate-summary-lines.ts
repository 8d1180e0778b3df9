/** The lines in which test runners, compilers and linters sum up that something failed: `2 failed, 31 passed`. */

/** At most two: a gate of several programs has more, and the first two say enough. */
const TOTALS_MAX = 2

/** The summary lines as the program wrote them, without decoration, each once; none without a summary, or if everything passed. */
export function findGateSummaryLines(lines: string[]): string[] {
  const told = [mocha(lines), node(lines), ...TOTALS.map((pattern) => last(lines, pattern))]
  const failing = told.filter((line) => line !== null && tellsFailure(line)).map((line) => plain(line ?? ''))
  const found = [...new Set(failing)].slice(0, TOTALS_MAX)
  if (found.length > 0) return found
  const end = CLOSINGS.map((pattern) => last(lines, pattern)).find((line) => line !== null)
  return end === undefined || end === null ? [] : [plain(end)]
}

/** Of each the last line that matches: runs before it are of other suites, or of the same one tried again. */
const TOTALS = [
  /^\s+Tests\s+\d+ .*$/, // vitest
  /^Tests:\s+\d+ .*total.*$/, // jest
  /^(?:=+ )?(?:\d+ (?:passed|failed|skipped|errors?|xfailed|xpassed|deselected|warnings?)(?:, )?)+ in [\d.]+s.*$/, // pytest
  /^FAILED \((?:failures|errors|unexpected).*\)$/, // unittest
  /^test result: FAILED\. .*$/, // cargo
  /^\s*Summary \[.*\] \d+ tests? run: .*$/, // nextest
  /^FAIL\s+\S+\s+(?:[\d.]+s|\[(?:build|setup) failed\])$/, // go
  /^(?:\[\w+\] )?\s*Tests run: \d+, Failures: \d+.*$/, // maven
  /^\d+ tests? completed, \d+ failed.*$/, // gradle
  /^\d+% tests passed, \d+ tests? failed out of \d+.*$/, // ctest
  /^\d+ examples?, \d+ failures?.*$/, // rspec
  /^\d+ (?:runs|tests), \d+ assertions, .*$/, // minitest
  /^Tests: \d+, Assertions: \d+.*$/, // phpunit
  /^\s*Failed!\s+- Failed:.*$/, // dotnet
  /^(?:\d+ doctests?, )?\d+ tests?, \d+ failures?.*$/, // exunit
  /^FAILED \| .*$/, // deno
  /^\d+ specs?, \d+ failures?.*$/, // jasmine
  /^\s*Executed \d+ tests?, with .*failures?.*$/, // xctest
  /^\s*\d+ fail$/, // bun
  /^\s+\d+ failed(?: \([\d.]+m?s\))?$/, // playwright
  /^\s*(?:[\w-]+: )?\d+ passed, \d+ failed.*$/, // plain
  /^✖ \d+ problems? .*$/, // eslint
  /^Found \d+ (?:errors?|warnings?)\b.*$/, // tsc, mypy, ruff, oxlint
]

/** Programs that only say that they failed: used if none of the above matches. */
const CLOSINGS = [
  /^\s+Test Files\s+\d+ failed.*$/, // vitest, where no test was reached
  /^Test Suites:\s+\d+ failed.*$/, // jest, likewise
  /^error: could not compile .*$/, // cargo
  /^\[ERROR\] BUILD FAILURE$|^BUILD FAILED\b.*$/,
  /^(?:g?make|ninja)(?:\[\d+\])?: (?:\*\*\* .*|build stopped.*)$/,
]

function tellsFailure(line: string): boolean {
  return FAILURE.some((words) => words.test(line))
}

const FAILURE = [
  /[1-9]\d* (?:tests? )?(?:failed|failing|failures?|fail|errors?|problems?|warnings? and)\b/i,
  /\b(?:failures?|errors?|failed|fail)[=:\s]\s*[1-9]/i,
  /\bFAIL(?:ED)?\b/,
]

/** `  1 passing (3ms)` and below it `  2 failing`. */
function mocha(lines: string[]): string | null {
  const failing = last(lines, /^\s+\d+ failing$/)
  if (failing === null) return null
  return [last(lines, /^\s+\d+ passing \(.*\)$/), failing].flatMap((line) => line?.trim() ?? []).join(', ')
}

/** `# tests 3`, `# pass 2`, `# fail 1`; node's other reporter writes `ℹ` for `#`. */
function node(lines: string[]): string | null {
  const number = (name: string): string | null =>
    /\d+$/.exec(last(lines, new RegExp(String.raw`^(?:#|\u2139) ${name} \d+$`)) ?? '')?.[0] ?? null
  const [failed, passed] = [number('fail'), number('pass')]
  return failed === null || passed === null ? null : `${failed} failed, ${passed} passed`
}

function last(lines: string[], pattern: RegExp): string | null {
  return lines.findLast((line) => pattern.test(line)) ?? null
}

/** A summary is never longer than this. */
const LINE_MAX = 500

function plain(line: string): string {
  return line
    .slice(0, LINE_MAX)
    .replace(/^[\s=✖]+|[\s=]+$/gu, '')
    .replace(/\s+/g, ' ')
}
