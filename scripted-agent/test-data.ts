/** Building blocks of scenarios: the status block, ids, and random bytes. */

export function statusBlock(fields: Record<string, string | number | boolean>): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${value}`)
  return ['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n')
}

/** Every byte value, the same bytes for the same seed (mulberry32). */
export function seededBytes(size: number, seed: number): Uint8Array {
  let state = seed >>> 0
  return Uint8Array.from({ length: size }, () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) & 0xff
  })
}

/** A UUID good enough for a scenario: `node:crypto` would take a tenth of the whole start. */
export function newId(): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(Math.random() * 16).toString(16)).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}
