/**
 * Tests inside the file they test: Rust's `#[cfg(test)]` modules, doctests. The file is source, its tests are protected. Modules can
 * be replaced by those of the base; examples in comments cannot, so for them the result only says whether they changed.
 */
import { languageFamilyOf } from '../language-family.ts'
import { splitSourceText } from './split-source-text.ts'

export type RevertedInlineTests =
  /** There were none, or they are unchanged. */
  | { is: 'same' }
  /** The final text with the base's tests. */
  | { is: 'revert'; text: string }
  /** They changed, and the source cannot be separated from them. */
  | { is: 'unclear' }

export function revertInlineTests(path: string, base: string, final: string): RevertedInlineTests {
  const family = languageFamilyOf(path)
  if (family === 'rust') return rust(base, final)
  if (family === 'python') return examples(PYTHON_EXAMPLE, base, final)
  if (family === 'elixir') return examples(ELIXIR_EXAMPLE, base, final)
  if (family === 'js' || family === 'ts') return examples(JS_EXAMPLE, base, final)
  return { is: 'same' }
}

const PYTHON_EXAMPLE = /^\s*(?:>>>|\.\.\.) [^\n]*\n(?:(?!\s*(?:>>>|"""|'''))[^\n]*\S[^\n]*\n)*/gm
const ELIXIR_EXAMPLE = /^\s*iex(?:\(\d+\))?> [^\n]*\n(?:(?!\s*iex)[^\n]*\S[^\n]*\n)*/gm
/** A call with its result in a comment: some gates run these. */
const JS_EXAMPLE = /^[ \t]*(?:\/\/|\*)[^\n]*\w\([^()\n]*\)[ \t]*(?:===?|=>|->|→|\/\/|returns|is)[ \t]*\S[^\n]*/gm
const RUST_EXAMPLE =
  /^\s*\/\/[/!]\s*```(?:rust|should_panic|no_run|ignore)?\s*\n(?:\s*\/\/[/!][^\n]*\n){1,200}?\s*\/\/[/!]\s*```/gm

/** New examples are fine; each old one must still exist. */
function examples(pattern: RegExp, base: string, final: string): RevertedInlineTests {
  const now = new Set(matchesOf(final, pattern))
  return matchesOf(base, pattern).every((one) => now.has(one)) ? { is: 'same' } : { is: 'unclear' }
}

function matchesOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([found]) => found.replace(/\s+/g, ' ').trim())
}

function rust(base: string, final: string): RevertedInlineTests {
  if (examples(RUST_EXAMPLE, base, final).is === 'unclear') return { is: 'unclear' }
  const before = modulesOf(base)
  const now = modulesOf(final)
  if (before === null || now === null) return { is: 'unclear' }
  const texts = (of: Span[], text: string): string => of.map(({ from, to }) => text.slice(from, to)).join('\n')
  if (texts(before, base) === texts(now, final)) return { is: 'same' }
  if (before.length === 0) return { is: 'revert', text: without(final, now) }
  const bare = without(final, now).trimEnd()
  return { is: 'revert', text: `${bare}\n\n${texts(before, base)}\n` }
}

interface Span {
  from: number
  to: number
}

const CFG_TEST =
  /#\[cfg\((?:test|all\(\s*test\b[^\n]{0,100}\))\)\](?:\s*#\[[^\n\]]{0,200}\])*\s*(?:pub\s+)?mod\s+\w+\s*\{/g
const BENCH_OR_TEST = /#\[(?:test|tokio::test|rstest)\b/

/** The test modules; null: their braces do not match, or there are tests outside them. */
function modulesOf(text: string): Span[] | null {
  const code = codeOnly(text)
  const spans: Span[] = []
  for (const match of code.matchAll(CFG_TEST)) {
    const last = spans.at(-1)
    if (last !== undefined && match.index < last.to) continue
    const end = closing(code, match.index + match[0].length)
    if (end === null) return null
    spans.push({ from: match.index, to: end })
  }
  return BENCH_OR_TEST.test(without(code, spans)) ? null : spans
}

/** Replaces comments and strings by spaces of the same length, so that braces in them do not count. */
function codeOnly(text: string): string {
  return splitSourceText(text, 'rust')
    .map(({ is, from, to }) => (is === 'code' ? text.slice(from, to) : ' '.repeat(to - from)))
    .join('')
}

function closing(code: string, from: number): number | null {
  let open = 1
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === '{') open += 1
    if (code[at] === '}') open -= 1
    if (open === 0) return at + 1
  }
  return null
}

function without(text: string, spans: readonly Span[]): string {
  let from = 0
  let kept = ''
  for (const span of spans) {
    kept += text.slice(from, span.from)
    from = span.to
  }
  return kept + text.slice(from)
}

/** The expected output of a doctest: the line after its last prompt. */
const PYTHON_RESULT = /(^[ \t]*(?:>>>|\.\.\.) [^\n]*\n[ \t]*)(?!>>>|\.\.\.|"""|''')(\S[^\n]*)/gm

/** The ranges of tests inside a source file; empty: none were found. */
export function inlineTestSpans(path: string, text: string): Span[] {
  const family = languageFamilyOf(path)
  if (family === 'python')
    return [...text.matchAll(PYTHON_RESULT)].map(({ index, 1: before = '', 2: result = '' }) => ({
      from: index + before.length,
      to: index + before.length + result.length,
    }))
  return family === 'rust' ? (modulesOf(text) ?? []) : []
}

export function hasInlineTests(path: string, text: string): boolean {
  return inlineTestSpans(path, text).length > 0
}
