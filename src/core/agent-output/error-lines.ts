/**
 * Error lines in an agent's output, for the stuck test and the breaker. Two stages: JSON fields that only mention errors
 * (`"is_error": false`) are removed from the line, then the rest must look like an error that happened.
 */
import { oneLine } from '../text/sanitize.ts'

const LINES_MAX = 10
const LINE_MAX = 160

/** The distinct error lines of a text, in order, shortened. */
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

/** Merges two lists of error lines, without duplicates and within the maximum. */
export function mergeErrorLines(first: string[], second: string[]): string[] {
  if (first.length === 0 && second.length === 0) return []
  return [...new Set([...first, ...second])].slice(0, LINES_MAX)
}

/** Removes only the field, not the line: a reply on one line would lose all its errors. */
function withoutFields(line: string): string {
  return line.includes('"') ? line.replace(ERROR_FIELD, '') : line
}

const ERROR_FIELD =
  /"[\w.-]{0,60}error[\w.-]{0,60}"\s{0,9}:\s{0,9}(?:false|null|true|-?\d+(?:\.\d+)?|""|\[\s*\]|\{\s*\}),?/gi

/** Bullets, quotation marks and the lines that compilers draw around an error. */
const LEAD = /^[\s>*`|│•-]+/u

/** Every error line contains one of these. Most texts contain none and need no scan. */
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
