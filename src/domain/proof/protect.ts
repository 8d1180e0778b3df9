/**
 * What a worker may do to the files that judge its work. Three classes:
 * the *judge* (gate definitions, settings, CI, the tools a gate starts): any change is tampering;
 * *weakening* a test (deleted, skipped, focused, assertions removed, an early way out): tampering too;
 * any other *edit* of an existing test: allowed if the old tests still pass, or if a person said beforehand that they change.
 * New test files and pure additions to old ones are always welcome.
 */

export type TestEdit = { is: 'same' | 'added' | 'edited' } | { is: 'weakened'; why: string }

/** Compares a protected test before and after. Null: the file is not there. */
export function compareTest(path: string, before: string | null, after: string | null): TestEdit {
  if (before === after) return { is: 'same' }
  if (before === null) return { is: 'added' }
  if (after === null) return { is: 'weakened', why: `${path} was deleted` }
  const why = weakening(before, after)
  if (why !== null) return { is: 'weakened', why: `${path}: ${why}` }
  return isAddition(before, after) ? { is: 'added' } : { is: 'edited' }
}

interface Marker {
  what: string
  pattern: RegExp
}

/** Ways to switch a test off or to run only some of them, by ecosystem. Counted: only more of them than before is suspicious. */
const SWITCHED_OFF: Marker[] = [
  {
    what: 'a skipped test',
    pattern:
      /\b(?:describe|it|test|suite|context|bench)(?:\.\w+)*\.(?:skip|todo|fails|failing|skipIf|runIf)\b/g,
  },
  { what: 'a skipped test', pattern: /\b(?:xit|xtest|xdescribe|xcontext|xspecify)\s*\(/g },
  { what: 'a skipped test', pattern: /\bskip\s*:\s*(?:true|['"`])/g },
  { what: 'a skipped test', pattern: /\btodo\s*:\s*(?:true|['"`])/g },
  {
    what: 'a skipped test',
    pattern: /@(?:pytest\.mark\.|unittest\.)?(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure)\b/g,
  },
  { what: 'a skipped test', pattern: /\bpytest\.(?:skip|xfail|importorskip)\s*\(/g },
  { what: 'a skipped test', pattern: /\bself\.skipTest\s*\(/g },
  { what: 'a skipped test', pattern: /\bpytestmark\s*=/g },
  { what: 'an ignored test', pattern: /#\[\s*ignore\b/g },
  { what: 'a skipped test', pattern: /\b[tb]\.(?:Skip|Skipf|SkipNow)\s*\(/g },
  { what: 'a build constraint', pattern: /^\/\/go:build\b/gm },
  { what: 'a disabled test', pattern: /@(?:Disabled|Ignore|DisabledIf\w*|EnabledIf\w*)\b/g },
  { what: 'a skipped test', pattern: /\[\s*(?:Ignore|Explicit)\b|\bSkip\s*=\s*"/g },
  { what: 'a skipped test', pattern: /\b(?:markTestSkipped|markTestIncomplete)\s*\(/g },
  { what: 'a pending test', pattern: /^\s*(?:pending|skip)\b/gm },
  { what: 'a skipped test', pattern: /\bthis\.skip\s*\(|\bt\.skip\s*\(|\bcontext\.skip\s*\(/g },
  { what: 'a focused test', pattern: /\b(?:describe|it|test|suite|context)(?:\.\w+)*\.only\b/g },
  { what: 'a focused test', pattern: /\b(?:fit|fdescribe|fcontext|ftest)\s*\(/g },
  { what: 'a focused test', pattern: /\bonly\s*:\s*true\b|\bfocus\s*:\s*true\b|,\s*:focus\b/g },
]

/** Ways to leave a test or the whole run early and call it good. */
const WAYS_OUT: Marker[] = [
  { what: 'an early return', pattern: /^\s*(?:if\s*\([^)]*\)\s*)?return\s*;?\s*$/gm },
  {
    what: 'an early end with success',
    pattern:
      /\bprocess\.exit\s*\(\s*0?\s*\)|\bprocess\.exitCode\s*=\s*0\b|\bsys\.exit\s*\(\s*0?\s*\)|\bos\._?exit\s*\(\s*0\s*\)|\bos\.Exit\s*\(\s*0\s*\)|\bstd::process::exit\s*\(\s*0\s*\)|\bSystem\.exit\s*\(\s*0\s*\)/g,
  },
  { what: 'an early end with success', pattern: /^\s*exit(?:\s+0)?\s*;?\s*$/gm },
  { what: 'a swallowed failure', pattern: /\|\|\s*(?:true|:|exit 0)\b/g },
  {
    what: 'a swallowed failure',
    pattern: /\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}|\bexcept(?:\s+\w+)?\s*:\s*(?:pass|\.\.\.)\b/g,
  },
]

/** Lines that check something. */
const ASSERTION =
  /\b(?:assert\w*|expect\w*|should|must|require|verify|check|ensure|refute\w*|XCTAssert\w*|EXPECT_\w+|ASSERT_\w+)\b\s*[(.!]|\bassert\s+\S|\bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\b(?:assert|prop_assert)\w*!\s*\(|\.\s*(?:should|to)\b|\[\s*(?:!\s*)?-[a-z]\s|\btest\s+-/g

function weakening(before: string, after: string): string | null {
  for (const { what, pattern } of [...SWITCHED_OFF, ...WAYS_OUT]) {
    if (countMatches(after, pattern) > countMatches(before, pattern)) return `${what} was added`
  }
  const [had, has] = [assertions(before), assertions(after)]
  if (has < had) return `${had - has} of ${had} checks were removed`
  const [tests, left] = [countMatches(before, TEST), countMatches(after, TEST)]
  if (left < tests) return `${tests - left} of ${tests} tests were removed`
  return null
}

/** The beginning of a test case. */
const TEST =
  /\b(?:it|test)(?:\.\w+)*\s*\(|^\s*(?:async\s+)?def\s+test\w*\s*\(|^\s*func\s+(?:Test|Example|Fuzz)\w*\s*\(|#\[\s*(?:\w+::)?test\s*\]|@Test\b|\[(?:Fact|Theory|Test|TestMethod)\b|^\s*(?:it|specify|scenario)\s+['"]/gm

function assertions(text: string): number {
  return withoutComments(text)
    .split('\n')
    .reduce((sum, line) => sum + countMatches(line, ASSERTION), 0)
}

/** A commented-out check is a removed check. */
function withoutComments(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(^|\s)\/\/[^\n]*/g, '$1')
    .replaceAll(/^\s*#(?!\[)[^\n]*/gm, '')
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

/** Every old line is still there, in its order, and nothing new is wrapped around them or takes their meaning away. */
function isAddition(before: string, after: string): boolean {
  const lines = after.split('\n').map((line) => line.trimEnd())
  let at = 0
  for (const line of before.split('\n').map((one) => one.trimEnd())) {
    if (line === '') continue
    const from = at
    while (at < lines.length && lines[at] !== line) at += 1
    if (at >= lines.length || (at > from && reachesOut(lines.slice(from, at).join('\n')))) return false
    at += 1
  }
  return !REPLACES.test(lines.slice(at).join('\n'))
}

/** New lines before old ones that open what they do not close: `if (false) {`, a text or a comment that swallows what follows. */
function reachesOut(block: string): boolean {
  const pairs = [/[([{]/g, /[)\]}]/g].map((pattern) => countMatches(block, pattern))
  const isOdd = ['"""', "'''", '`'].some((quote) => block.split(quote).length % 2 === 0)
  return pairs[0] !== pairs[1] || isOdd || REPLACES.test(block)
}

/** Code that gives another meaning to what is tested or to what tests it. Honest tests hold such code too, so it is only a reason to
 *  try the old file as well. */
const REPLACES =
  /\b(?:vi|jest|mock|sinon|td)\.(?:mock|doMock|stub|replace|patch|spyOn|module)\b|\bmonkeypatch\b|\bglobal(?:This)?\.\w+\s*=|\.prototype\.|\bsys\.modules\b|\bdefineProperty\b|\b(?:const|let|var|function|def|class)\s+(?:expect|assert|test|it|describe)\b|^\s*(?:expect|assert|test|it|describe)\s*=|^\s*import\s+['"]|^\s*#\s*(?:if|define)\b|^(?:__END__|=begin|=pod)\b|^\s*if\s+(?:False|0|false)\b/m

/** Where tests live, whatever the ecosystem. */
export const TEST_GLOBS: readonly string[] = [
  '**/*.test.*',
  '**/*.spec.*',
  '**/*_test.*',
  '**/*_spec.*',
  '**/test_*.*',
  '**/__tests__/**',
  '**/__snapshots__/**',
  '**/test/**',
  '**/tests/**',
  '**/spec/**',
  '**/conftest.py',
  '**/*Test.java',
  '**/*Tests.java',
  '**/*IT.java',
  '**/*Test.kt',
  '**/*Tests.cs',
  '**/*Test.cs',
  '**/*Test.php',
  '**/*Tests.kt',
  '**/*Test.scala',
  '**/*Spec.{scala,kt,groovy,hs,js,ts}',
  '**/*Tests.swift',
  '**/*Tests.php',
  '**/*_tests.*',
  '**/*.tests.*',
  '**/*.cy.*',
  '**/*.bats',
  '**/*.feature',
  '**/e2e/**',
  '**/testdata/**',
  '**/*_test.exs',
  '**/test.{js,mjs,cjs,ts,mts,py,rb,sh,pl,php}',
  '**/tests.{js,mjs,cjs,ts,mts,py,rb,sh,pl,php}',
]

/** Files that say how gates run. A change of one of these changes the judge. */
export const JUDGE_GLOBS: readonly string[] = [
  '.ralph.toml',
  '.ralphrc',
  '.github/workflows/**',
  '.gitlab-ci.yml',
  '.circleci/**',
  '**/vitest.config.*',
  '**/vitest.workspace.*',
  '**/jest.config.*',
  '**/jest.setup.*',
  '**/.mocharc*',
  '**/karma.conf.*',
  '**/playwright.config.*',
  '**/cypress.config.*',
  '**/ava.config.*',
  '**/pytest.ini',
  '**/tox.ini',
  '**/noxfile.py',
  '**/.coveragerc',
  '**/phpunit.xml*',
  '**/.rspec',
  '**/nextest.toml',
]

/** `[tests: glob]` in a plan, or a plan item that names the file: a person said beforehand that these tests change. */
export function mayChange(plan: string): string[] {
  const globs = [...plan.matchAll(/\[tests:\s*([^\]]+)\]/gi)].flatMap((match) =>
    (match[1] ?? '').split(',').map((one) => one.trim()),
  )
  const named = plan
    .split('\n')
    .filter((line) => /^\s*[-*]\s*\[ \]/.test(line))
    .flatMap((line) => [
      ...line.matchAll(
        /`([^`\s]+\.[A-Za-z0-9]+)`|(?<![\w/.-])((?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:test|spec)\.\w+|(?:[\w.-]+\/)*test_[\w-]+\.\w+|(?:[\w.-]+\/)*[\w-]+_test\.\w+)/g,
      ),
    ])
    .map((match) => match[1] ?? match[2] ?? '')
  return [...new Set([...globs, ...named])].filter((glob) => glob !== '').slice(0, 50)
}
