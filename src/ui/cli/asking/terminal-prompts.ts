/** Questions on a terminal. The prompt library is loaded only when a question is asked. */
import type { TextOptions } from '@clack/prompts'
import { restoreKeyInputOnResume } from '../../../system/terminal/resume-signal.ts'
import { openPasteInput } from '../../../system/terminal/paste-input.ts'

/** Ctrl+D cancels like Ctrl+C. Otherwise it would close the terminal under the question, which would then never be answered. */
const END_OF_INPUT = '\u0004'

export async function loadPromptLibrary(): Promise<typeof import('@clack/prompts')> {
  restoreKeyInputOnResume()
  const clack = await import('@clack/prompts')
  clack.updateSettings({ aliases: { [END_OF_INPUT]: 'cancel' } })
  return clack
}

/** Asks for a text, of several lines if it is pasted. Null: the user cancelled, or the question was cancelled. */
export async function askText({
  max,
  validate,
  ...asked
}: Omit<TextOptions, 'input' | 'validate'> & {
  max: number
  validate?: (words: string) => string | undefined
}): Promise<string | null> {
  const { text, isCancel } = await loadPromptLibrary()
  const pasted = openPasteInput()
  try {
    const said = await text({
      ...asked,
      input: pasted.input,
      validate(line) {
        const words = pasted.whole(line ?? '')
        if (words.length <= max) return validate?.(words)
        return `Too long: ${words.length} characters, at most ${max}. Put the text in a project file and enter the file name here.`
      },
    })
    return isCancel(said) ? null : pasted.whole(said ?? '')
  } finally {
    pasted.close()
  }
}

/** Null: the user cancelled. */
export async function askYesNo(message: string, initialValue = false): Promise<boolean | null> {
  const { confirm, isCancel } = await loadPromptLibrary()
  const answer = await confirm({ message, initialValue })
  return isCancel(answer) ? null : answer
}

/** Asks a list of questions; tests answer with one of their own. Null: the user cancelled, and nothing is written. */
export interface Prompter {
  one(question: string, choices: PromptChoice[]): Promise<string | null>
  /** `marked`: selected initially. */
  several(question: string, choices: PromptChoice[], marked: string[]): Promise<string[] | null>
  /** Empty: no answer. */
  text(question: string, problem?: (text: string) => string | null): Promise<string | null>
  /** Empty, or a number of at least `min`. */
  number(question: string, min: number): Promise<string | null>
  yes(question: string, otherwise: boolean): Promise<boolean | null>
}

export interface PromptChoice {
  value: string
  label: string
  hint?: string
}

/** `maxItems`: how many choices are shown at once; absent: as many as fit. */
export async function createTerminalPrompter(shown: { maxItems?: number } = {}): Promise<Prompter> {
  const clack = await loadPromptLibrary()
  const given = <T>(answer: T): Exclude<T, symbol> | null =>
    clack.isCancel(answer) ? null : (answer as Exclude<T, symbol>)
  const text: Prompter['text'] = async (message, problem = () => null) => {
    const validate = (typed = ''): string | undefined => problem(typed.trim()) ?? undefined
    return given((await clack.text({ message, defaultValue: '', validate })) ?? '')?.trim() ?? null
  }
  return {
    one: async (message, options) => given(await clack.select({ message, options, ...shown })),
    several: async (message, options, initialValues) =>
      given(await clack.multiselect({ message, options, required: false, initialValues, ...shown })),
    text,
    number: (message, min) =>
      text(message, (typed) =>
        typed === '' || Number(typed) >= min ? null : `Enter a number (at least ${min}), or leave it empty`,
      ),
    yes: askYesNo,
  }
}
