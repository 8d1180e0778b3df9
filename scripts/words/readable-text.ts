/** One text that a person or an agent can read, and where it is written. */
export interface ReadableText {
  file: string
  line: number
  text: string
}
