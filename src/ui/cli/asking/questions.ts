/** The questions on a terminal. Loaded only when somebody is asked. */
import { keepKeys } from '../../../system/terminal/continued.ts'

/** Ctrl+D says what Ctrl+C says. Unheard, it would close the terminal under the question, and nobody would answer for it. */
const END_OF_INPUT = '\u0004'

export async function questions(): Promise<typeof import('@clack/prompts')> {
  keepKeys()
  const clack = await import('@clack/prompts')
  clack.updateSettings({ aliases: { [END_OF_INPUT]: 'cancel' } })
  return clack
}
