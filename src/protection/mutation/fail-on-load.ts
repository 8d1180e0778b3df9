/**
 * Changes a source file so that it fails when it is loaded. If the gates still pass, they do not load it. It must fail both when it runs
 * and when it is only compiled; the rest of the text stays unchanged.
 */
import { languageFamilyOf, type LanguageFamily } from '../language-family.ts'
import { shebangEnd } from './split-source-text.ts'

const WORDS = 'broken on purpose by Ralph to test the gates'

/**
 * Null: this kind of file cannot be made to fail. A module fails at its end, after its own statements: this reveals code that exits the
 * test process while it is loaded, or never finishes. A program fails at once, because it may exit by itself.
 */
export function insertLoadFailure(path: string, text: string, { isProgram }: { isProgram: boolean }): string | null {
  const family = languageFamilyOf(path)
  if (family === null) return null
  const statement = STATEMENT[family]
  if (family === 'php') return inPhp(text, statement)
  return AT_END.has(family) && !isProgram && !text.startsWith('#!')
    ? insertLast(text, statement)
    : insertFirst(text, statement)
}

/** Languages whose files are statements that run when the file is loaded. */
const AT_END: ReadonlySet<LanguageFamily> = new Set<LanguageFamily>(['js', 'ts', 'python', 'lua'])

/** One line each. Where a compiler accepts the throw, a type error is added. */
const STATEMENT: Record<LanguageFamily, string> = {
  js: `throw new Error('${WORDS}');`,
  ts: `throw new Error('${WORDS}'); const brokenOnPurpose: never = 0;`,
  python: `raise RuntimeError('${WORDS}')`,
  ruby: `raise '${WORDS}'`,
  php: `throw new \\RuntimeException('${WORDS}');`,
  rust: `compile_error!("${WORDS}");`,
  go: `${WORDS}`,
  c: `#error ${WORDS}`,
  java: `${WORDS}`,
  csharp: `#error ${WORDS}`,
  swift: `#error("${WORDS}")`,
  shell: `echo '${WORDS}' >&2; exit 97`,
  lua: `error('${WORDS}')`,
  perl: `die '${WORDS}';`,
  elixir: `raise "${WORDS}"`,
}

function insertLast(text: string, statement: string): string {
  return `${text.endsWith('\n') || text === '' ? text : `${text}\n`}${statement.startsWith('throw') ? ';' : ''}${statement}\n`
}

function insertFirst(text: string, statement: string): string {
  const at = shebangEnd(text)
  return `${text.slice(0, at)}${statement}\n${text.slice(at)}`
}

/** Text before the opening tag is output, so the statement goes after it. */
function inPhp(text: string, statement: string): string | null {
  const tag = /<\?php\b/.exec(text)
  if (tag === null) return null
  const at = tag.index + tag[0].length
  return `${text.slice(0, at)}\n${statement}${text.slice(at)}`
}
