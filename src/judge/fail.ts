/**
 * A file of the work as it fails when it is loaded. If the gates stay green on it, they do not look at the work. It must fail for those
 * who run it and for those who only compile it, and nothing else about it may change: the text stands below, untouched.
 */
import { familyOf, type Family } from './family.ts'
import { afterShebang } from './lines.ts'

const WORDS = 'broken on purpose, to see who looks'

/** Null: nobody knows how to make this kind of file fail. */
export function failing(path: string, text: string): string | null {
  const family = familyOf(path)
  const statement = family === null ? null : STATEMENT[family]
  if (statement === null) return null
  return family === 'php' ? inPhp(text, statement) : insertFirst(text, statement)
}

/** One line each, so that the lines below move by one. Where a throw is no error to the compiler, a type error stands beside it. */
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

function insertFirst(text: string, statement: string): string {
  const at = afterShebang(text)
  return `${text.slice(0, at)}${statement}\n${text.slice(at)}`
}

/** Before the opening tag everything is output. */
function inPhp(text: string, statement: string): string | null {
  const tag = /<\?php\b/.exec(text)
  if (tag === null) return null
  const at = tag.index + tag[0].length
  return `${text.slice(0, at)}\n${statement}${text.slice(at)}`
}
