/** All of standard input, in pieces. */
export function standardInput(): AsyncIterable<Buffer> {
  return process.stdin as AsyncIterable<Buffer>
}
