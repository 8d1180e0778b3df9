/**
 * A source file changed so that it fails when it is loaded. If the gates stay green, they do not load it. It must fail for those
 * who run it and for those who only compile it, and nothing else about it may change: the text stands below, untouched.
 */
import { familyOf, type Family } from '../language-family.ts'
import { shebangEnd } from './source-lines.ts'

const WORDS = 'broken on purpose, to see who looks'

/**
 * Null: this kind of file cannot be made to fail. A file that others load fails at its end, when all its own statements have run: code
 * that ends the test process while it is loaded, or never comes to its end, is seen by that. A program that is started fails at once,
 * since it may well end itself.
 */
export function failOnLoad(path: string, text: string, { isProgram }: { isProgram: boolean }): string | null {
  const family = familyOf(path)
  if (family === null) return null
  const statement = STATEMENT[family]
  if (family === 'php') return inPhp(text, statement)
  return AT_END.has(family) && !isProgram && !text.startsWith('#!')
    ? insertLast(text, statement)
    : insertFirst(text, statement)
}

/** Languages in which a file is a row of statements that are run when it is loaded. */
const AT_END: ReadonlySet<Family> = new Set<Family>(['js', 'ts', 'python', 'lua'])

/** One line each. Where a throw is no error to the compiler, a type error stands beside it. */
const STATEMENT: Record<Family, string> = {
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

/** Before the opening tag everything is output. */
function inPhp(text: string, statement: string): string | null {
  const tag = /<\?php\b/.exec(text)
  if (tag === null) return null
  const at = tag.index + tag[0].length
  return `${text.slice(0, at)}\n${statement}${text.slice(at)}`
}
