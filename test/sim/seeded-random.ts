/** All the randomness of a simulated run, from one seed: the same seed gives the same night on every machine. */

export interface SeededRandom {
  /** From 0 up to, not including, 1. */
  next(): number
  is(probability: number): boolean
  /** Both ends included. */
  int(min: number, max: number): number
  pick<T>(from: readonly T[]): T
  /** A key, as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  // mulberry32: small, quick, and good enough for weather.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  const pick = <T>(from: readonly T[]): T => {
    if (from.length === 0) throw new Error('nothing to pick from')
    return from[int(0, from.length - 1)] as T
  }
  const weighted = <K extends string>(weights: Readonly<Record<K, number>>): K => {
    const entries = Object.entries(weights) as [K, number][]
    let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [key, weight] of entries) {
      left -= weight
      if (left < 0) return key
    }
    return pick(entries)[0]
  }
  // Neighbouring seeds begin alike; a few turns part them.
  for (let i = 0; i < 4; i++) next()
  return { next, is: (probability) => next() < probability, int, pick, weighted }
}
