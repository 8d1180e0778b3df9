/** Stuck: this reply has the same errors as the replies before it. */

/** True when every error line of the current reply is in each of the recent ones. No errors, or no earlier replies: not stuck. */
export function isStuck(current: string[], recent: string[][]): boolean {
  if (current.length === 0 || recent.length === 0) return false
  const lines = current.map(normalizeErrorLine)
  return recent.every((errors) => {
    const earlier = new Set(errors.map(normalizeErrorLine))
    return lines.every((line) => earlier.has(line))
  })
}

/** The line without the parts that differ each time: times, dates, durations, addresses, ids. Other numbers stay: an error on
 *  another line is another error. */
function normalizeErrorLine(line: string): string {
  return line
    .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '#')
    .replace(/\b0x[0-9a-f]+\b/gi, '#')
    .replace(/\b\d{4}-\d{2}-\d{2}(?:[T ]|\b)/g, '#')
    .replace(/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?Z?/g, '#')
    .replace(/\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds)\b/g, '#')
}
