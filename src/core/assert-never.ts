/** Ends every switch on a tag: a new variant becomes a compile error here, not a surprise at night. */
export function assertNever(value: never): never {
  throw new Error(`unexpected variant ${JSON.stringify(value)}`)
}
