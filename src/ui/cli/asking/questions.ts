/** The questions on a terminal. Loaded only when somebody is asked. */

/** Ctrl+D says what Ctrl+C says. Unheard, it would close the terminal under the question, and nobody would answer for it. */
const END_OF_INPUT = '\u0004'

export async function questions(): Promise<typeof import('@clack/prompts')> {
  const clack = await import('@clack/prompts')
  clack.updateSettings({ aliases: { [END_OF_INPUT]: 'cancel' } })
  return clack
}

/** Aborted when the terminal is closed under a question. Then its keys cannot be put back as they were either, and what tries that would
 *  bring the whole run down, which goes on without a terminal (`run.on_hangup`). */
export function terminalGone(): AbortSignal {
  if (gone === null) {
    const leaving = new AbortController()
    const leave = (): void => {
      process.stdin.setRawMode = () => process.stdin
      leaving.abort()
    }
    // Before those of a question, which are added later.
    process.stdin.on('end', leave).on('error', leave)
    gone = leaving.signal
  }
  return gone
}

let gone: AbortSignal | null = null
