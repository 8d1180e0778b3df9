/** The terminal as a command sees it. `main(argv, io)` takes one, so a test can pass its own and read the output. */
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

/** The maximum width of an output line. Lines in a pipe are not wrapped, so that programs can search them. */
export function outputWidth(io: Io): number {
  return io.terminal ? io.columns() : Number.POSITIVE_INFINITY
}
