/** A rule that does not hold. */
export class Broken extends Error {}

export function fail(rule: number, text: string): never {
  throw new Broken(`invariant ${rule}: ${text}`)
}
