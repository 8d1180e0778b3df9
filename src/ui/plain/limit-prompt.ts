/**
 * On a terminal, Ralph asks at a usage limit whether to wait or to quit. Without an answer in half a minute it waits, as it does
 * unattended.
 */
import type { PersonRequest } from '../../core/state/event.ts'
import type { Row } from '../../core/state/row.ts'
import { describeInstant } from '../../core/presentation/wait-text.ts'
import type { Keyboard } from '../../system/terminal/keyboard.ts'
import type { Io } from '../cli/framework/io.ts'
import { localTimestamp } from './format-values.ts'
import { wrapOutputLine } from './wrap.ts'

const ANSWER_MS = 30_000

export interface LimitPrompt {
  rows(rows: Row[]): void
  close(): void
}

export function openLimitPrompt(
  io: Pick<Io, 'out' | 'columns'>,
  keys: Keyboard,
  ask: (request: PersonRequest) => void,
): LimitPrompt {
  let stop: (() => void) | null = null
  const close = (): void => {
    stop?.()
    stop = null
  }
  return {
    close,
    rows(rows) {
      if (rows.length > 0) close()
      const when = rows.flatMap(limitWaits).at(-1)
      if (when === undefined) return
      const question = `Wait until ${when}? [Enter] wait · [q] quit (default: wait)`
      io.out(`${wrapOutputLine(question, io.columns()).join('\n')}\n`)
      const timer = setTimeout(close, ANSWER_MS)
      const stopListening = keys.listen((key) => {
        close()
        if (key === 'q' || key === 'Q' || key === '2')
          ask({ id: null, from: 'the keyboard', do: 'stop', now: false, because: 'limit' })
      })
      stop = () => {
        clearTimeout(timer)
        stopListening()
      }
    },
  }
}

/** The times until which the row waits for a usage limit; leaves out other waits, and waits too short to ask about. */
function limitWaits({ at, decisions, effects }: Row): string[] {
  if (!decisions.some((decision) => decision.by === 'limit')) return []
  return effects.flatMap((effect) =>
    effect.type === 'wait' && effect.until - at > ANSWER_MS
      ? [describeInstant(effect.until, { now: at, local: localTimestamp })]
      : [],
  )
}
