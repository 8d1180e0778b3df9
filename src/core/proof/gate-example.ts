/** A gate as a person pastes it into `.ralph.toml`: what set-up, the documentation and an unproven ending all show. */
import { stripControl } from '../text/sanitize.ts'

/** A `.ralph.toml` would make a project of bash Ralph one of Ralph's, with other limits and another list of tools. */
export const RALPHRC_GATE_HINT = 'in a project of bash Ralph: TEST_COMMAND="npm test" in .ralphrc'

/** Exactly three lines of valid TOML, which the file takes at its end. */
export function gateExample(command: string): string {
  return `[[gate]]\nname = "test"\nrun = ${tomlString(command)}`
}

/** JSON's strings are TOML's as well, once nothing is left that only JSON lets stand. */
export function tomlString(text: string): string {
  return JSON.stringify(stripControl(text))
}
