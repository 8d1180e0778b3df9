/**
 * Error lines in what an agent wrote, for the stuck test and the breaker. Two stages: fields of JSON that only speak of errors
 * (`"is_error": false`) are taken out of the line, then what is left must look like an error that happened.
 */
import { oneLine } from '../text/sanitize.ts'

const LINES_MAX = 10
const LINE_MAX = 160

/** The distinct error lines of a text, in their order, shortened. */
export function findErrorLines(text: string): string[] {
  if (!SPEAKS_OF_ERRORS.test(text)) return []
  const found = new Set<string>()
  for (const line of text.split(/[\r\n]+/)) {
    if (found.size === LINES_MAX) break
    const shown = withoutFields(line.slice(0, 4_000)).replace(LEAD, '')
    if (LOOKS_LIKE_ERROR.test(shown)) found.add(oneLine(shown, LINE_MAX))
  }
  return [...found]
}

/** Joins two lists of error lines into one that keeps the rules of a list. */
export function mergeErrorLines(first: string[], second: string[]): string[] {
  if (first.length === 0 && second.length === 0) return []
  return [...new Set([...first, ...second])].slice(0, LINES_MAX)
}

/** The field alone goes, not the line: a reply on one line would lose all its errors with it. */
function withoutFields(line: string): string {
  return line.includes('"') ? line.replace(ERROR_FIELD, '') : line
}

const ERROR_FIELD =
  /"[\w.-]{0,60}error[\w.-]{0,60}"\s{0,9}:\s{0,9}(?:false|null|true|-?\d+(?:\.\d+)?|""|\[\s*\]|\{\s*\}),?/gi

/** Bullets, quotation marks and the lines that compilers draw around an error. */
const LEAD = /^[\s>*`|│•-]+/u

/** Every error line has one of these. Most texts have none, and need no further look. */
const SPEAKS_OF_ERRORS = /error|err!|fatal|exception|traceback/i

const LOOKS_LIKE_ERROR = new RegExp(
  [
    String.raw`^(?:[A-Za-z]\w{0,60})?(?:Error|ERROR|error)(?:\[\w+\]| TS\d+)?:`,
    String.raw`^(?:fatal|FATAL|Fatal):`,
    String.raw`^npm (?:ERR!|error) \S`,
    String.raw`^Traceback \(most recent call last\)`,
    String.raw`\]: error`,
    String.raw`Link: error`,
    String.raw`\bError occurred`,
    String.raw`\bfailed with error`,
    String.raw`\wException\b`,
    String.raw`\b[Ee]xception:`,
    String.raw`\b[Uu]n(?:handled|caught) exception`,
    String.raw`\bF(?:atal|ATAL)\b`,
  ].join('|'),
)
