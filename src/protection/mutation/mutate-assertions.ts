/**
 * Mutates the assertions of a test: changes the last constant of each. If the gate still passes, the assertions are not really checked: the
 * source makes every comparison succeed, exits before the assertions, or removed them. Only the last constant of an assertion changes:
 * `f(5)` to be `5` must not become `f(6)` to be `6`.
 */
import { languageFamilyOf, type LanguageFamily } from '../language-family.ts'
import { inlineTestSpans } from './inline-tests.ts'
import { OPPOSITES, otherNumber } from './mutate-lines.ts'
import { splitSourceText } from './split-source-text.ts'

/** Null: there is no assertion with a constant, or the language is unknown. */
export function mutateAssertions(path: string, text: string): string | null {
  const family = languageFamilyOf(path)
  if (family === null) return null
  // In a file with inline tests only those are mutated: the rest is source.
  const inner = inlineTestSpans(path, text)
  const isMeant = ({ from, to }: Span): boolean =>
    inner.length === 0 || inner.some((span) => from >= span.from && to <= span.to)
  // The whole result of a doctest is expected output; ordinary assertions of Python are in test files.
  if (family === 'python' && inner.length > 0)
    return applied(
      text,
      inner.map(({ from }) => ({ from, to: from, by: '~' })),
    )
  const edits: Edit[] = []
  for (const span of checksIn(text, family).filter(isMeant)) edits.push(...lastConstants(text, span, family))
  return edits.length === 0 ? null : applied(text, edits)
}

interface Span {
  from: number
  to: number
}

interface Edit extends Span {
  by: string
}

/** Assertion calls. */
const CALL =
  /\b(?:assert\w*!?|expect\w*|should\w*|(?:t|c|it|chai|tap|qunit)\.(?:is|not|deepEqual|equal|same|like|true|false|truthy|throws)\w*|require\.\w+|check\w*|verify\w*|ensure\w*|equals?|deepEqual|strictEqual|same|XCTAssert\w*|EXPECT_\w+|ASSERT_\w+|REQUIRE\w*|CHECK\w*)(?:\.\w+)*\s{0,4}\(/g
/** Assertions that are statements: of Python, of the shell, of languages that compare and fail. */
const LINE: Partial<Record<LanguageFamily, RegExp>> = {
  python: /^[ \t]*assert\b[^\n]*/gm,
  shell:
    /(?:\btest[ \t]|\[{1,2}[ \t]|\bgrep\b|\bcmp\b|\bdiff\b|\bassert\w*[ \t]|\bcheck\w*[ \t]|\bexpect\w*[ \t]|\bequals?\w*[ \t])[^\n]*/g,
  go: /^[ \t]*(?:\}[ \t]*else[ \t]+)?if\b[^\n{]*(?:!=|==)[^\n{]*/gm,
  perl: /\b(?:is|ok|is_deeply|like)\b[^\n]*/g,
  ruby: /\b(?:assert\w*|refute\w*|must_\w+|expect)\b[^\n]*/g,
}

/** A comparison that leads to a failure, in languages with brackets around it; the failure itself is no assertion. */
const CONDITION = /\bif\s{0,4}(?=\()/g
const BRACKETED: ReadonlySet<LanguageFamily> = new Set<LanguageFamily>(['js', 'ts', 'c', 'java', 'csharp', 'php'])

function checksIn(text: string, family: LanguageFamily): Span[] {
  const conditions = BRACKETED.has(family) ? [...text.matchAll(CONDITION)] : []
  const compared = conditions
    .map(({ index, 0: found }) => ({ from: index, to: closing(text, index + found.length) }))
    .filter(({ from, to }) => /[!=]==?/.test(text.slice(from, to)))
  const spans = [...text.matchAll(CALL)].map(({ index, 0: found }) => ({
    from: index,
    to: statementEnd(text, index + found.length - 1),
  }))
  const line = LINE[family]
  const lines = line === undefined ? [] : [...text.matchAll(line)]
  return [...spans, ...compared, ...lines.map(({ index, 0: found }) => ({ from: index, to: index + found.length }))]
}

/** The longest assertion, whatever its brackets say. */
const CHECK_MAX = 2_000

/** The end of a call from its opening bracket, chained calls included. */
function statementEnd(text: string, open: number): number {
  let end = closing(text, open)
  for (;;) {
    const chained = /^\s{0,40}\.\w+(?:\.\w+)*\s{0,4}\(/.exec(text.slice(end, end + 200))
    if (chained === null) return end
    end = closing(text, end + chained[0].length - 1)
  }
}

function closing(text: string, open: number): number {
  let depth = 0
  const last = Math.min(text.length, open + CHECK_MAX)
  for (let at = open; at < last; at += 1) {
    const here = text[at]
    if (here === '(' || here === '[' || here === '{') depth += 1
    if (here === ')' || here === ']' || here === '}') depth -= 1
    if (depth === 0) return at + 1
  }
  return last
}

interface Constant extends Edit {
  isText: boolean
  depth: number
}

/** The last constant of an assertion. A string after a value at the same depth is a message: then the value is taken. */
function lastConstants(text: string, { from, to }: Span, family: LanguageFamily): Edit[] {
  const part = text.slice(from, to)
  const found: Constant[] = []
  for (const piece of splitSourceText(part, family)) {
    const inside = part.slice(piece.from, piece.to)
    if (piece.is === 'text' && inside.length > 2 && !inside.includes('$')) {
      const at = from + piece.from + openingOf(inside).length
      found.push({ from: at, to: at, by: '~', isText: true, depth: depthAt(part, piece.from) })
    }
    if (piece.is !== 'code') continue
    for (const { 0: word, index } of inside.matchAll(VALUE)) {
      const at = from + piece.from + index
      const depth = depthAt(part, piece.from + index)
      const before = inside.slice(0, index)
      found.push({ from: at, to: at + word.length, by: another(word, before), isText: false, depth })
    }
  }
  const last = found.at(-1)
  if (last === undefined) return []
  const value = last.isText ? found.findLast((one) => !one.isText && one.depth <= last.depth) : undefined
  const targetsOf = value ?? last
  return [(targetsOf.depth > 1 ? turnedComparison(part, family, from) : null) ?? targetsOf]
}

const COMPARISON = /(?<= )(?:[!=]==?|[<>]=?)(?= )/g
/** `ok(age(person('ada')) > limit())`: the constant is an input, not an expectation, so the comparison is reversed. */
function turnedComparison(part: string, family: LanguageFamily, from: number): Edit | null {
  for (const piece of splitSourceText(part, family).filter(({ is }) => is === 'code')) {
    for (const { 0: sign, index } of part.slice(piece.from, piece.to).matchAll(COMPARISON)) {
      const at = piece.from + index
      if (depthAt(part, at) === 1) return { from: from + at, to: from + at + sign.length, by: OPPOSITES[sign] ?? sign }
    }
  }
  return null
}

const VALUE = /(?<![\w.$#-])\d+(?:\.\d+)?(?![\w.])|\b(?:true|false|True|False)\b/g

/** Adding 1 changes a number, but hardly a limit. */
function another(word: string, before: string): string {
  if (!/^\d/.test(word)) return OPPOSITES[word] ?? word
  if (/<=?\s*$/.test(before)) return '-1'
  if (/>=?\s*$/.test(before)) return '1000000007'
  return otherNumber(word)
}

function depthAt(part: string, at: number): number {
  let depth = 0
  for (const here of part.slice(0, at)) {
    if (here === '(' || here === '[' || here === '{') depth += 1
    if (here === ')' || here === ']' || here === '}') depth -= 1
  }
  return depth
}

function openingOf(quoted: string): string {
  return /^("""|'''|["'`])/.exec(quoted)?.[0] ?? quoted.slice(0, 1)
}

/** Assertions may be nested: each place changes once. */
function applied(text: string, edits: Edit[]): string {
  const moduleRoots = new Map(edits.map((one) => [one.from, one]))
  let changed = text
  for (const { from, to, by } of [...moduleRoots.values()].sort((a, b) => b.from - a.from))
    changed = `${changed.slice(0, from)}${by}${changed.slice(to)}`
  return changed
}
