/** All that comes in on the pipe, piece by piece. */
export function standardInput(): AsyncIterable<Buffer> {
  return process.stdin as AsyncIterable<Buffer>
}
