/** What a person should hear before money is spent, each with its cure. Asked about once per project and cause. */

export interface StartupWarning {
  /** What it is about, as it is remembered: `prompt`, `agent codex`. */
  cause: string
  say: string
  /** What helps; lines to paste stand on lines of their own. */
  fix: string
  /** Without an answer the run does not begin: an agent would be paid for nothing. */
  isSevere: boolean
}
