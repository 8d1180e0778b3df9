/** Names of things. Branded strings cost nothing at run time and keep a run id from being used as a worker id. */

declare const brand: unique symbol
type Id<Name extends string> = string & { readonly [brand]?: Name }

export type RunId = Id<'run'>
export type WorkerId = Id<'worker'>
/** Counted per run (`e1`, `e2` …), so a replay gives the same ids. */
export type EffectId = Id<'effect'>
/** A git tree hash, or `files:<sha256>` where there is no git. */
export type TreeHash = Id<'tree'>

/** Wall clock, milliseconds since 1970: for people, announced resets and calendar hours. */
export type Instant = number
/** Awake milliseconds of a run, monotonic over restarts, without time in suspend: for durations. */
export type AwakeMs = number
export type Millis = number

/** The two clocks that stamp every event. */
export interface Now {
  at: Instant
  up: AwakeMs
}
