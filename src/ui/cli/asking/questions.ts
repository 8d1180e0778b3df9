/** The questions on a terminal. Loaded only when somebody is asked. */
import type { TextOptions } from '@clack/prompts'
import { restoreKeyInput } from '../../../system/terminal/resume-signal.ts'
import { openPasteInput } from '../../../system/terminal/paste-input.ts'

/** Ctrl+D says what Ctrl+C says. Unheard, it would close the terminal under the question, and nobody would answer for it. */
const END_OF_INPUT = '\u0004'

export async function loadPrompts(): Promise<typeof import('@clack/prompts')> {
  restoreKeyInput()
  const clack = await import('@clack/prompts')
  clack.updateSettings({ aliases: { [END_OF_INPUT]: 'cancel' } })
  return clack
}

/** Asks for words, of any number of lines if they are pasted. Null: the person leaves, or the question was taken back. */
export async function askText({
  max,
  validate,
  ...asked
}: Omit<TextOptions, 'input' | 'validate'> & {
  max: number
  validate?: (words: string) => string | undefined
}): Promise<string | null> {
  const { text, isCancel } = await loadPrompts()
  const pasted = openPasteInput()
  try {
    const said = await text({
      ...asked,
      input: pasted.input,
      validate(line) {
        const words = pasted.whole(line ?? '')
        if (words.length <= max) return validate?.(words)
        return `That has ${words.length} characters, and ${max} are the most: put it into a file of the project, and name the file here.`
      },
    })
    return isCancel(said) ? null : pasted.whole(said ?? '')
  } finally {
    pasted.close()
  }
}
