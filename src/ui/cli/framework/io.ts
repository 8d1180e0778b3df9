/** The terminal as a command sees it. `main(argv, io)` takes one, so a test can hand in its own and read what was said. */
export interface Io {
  out(text: string): void
  err(text: string): void
  /** stdout is a terminal: one line may be refreshed, colours may be used. */
  terminal: boolean
  /** stdin is a terminal: a question may be asked. */
  asks: boolean
  colour: boolean
  columns(): number
  env: Record<string, string | undefined>
  cwd: string
}

/** How wide a line of the story may be. A pipe has lines of any length: whoever reads it looks for words in them. */
export function widthOf(io: Io): number {
  return io.terminal ? io.columns() : Number.POSITIVE_INFINITY
}
