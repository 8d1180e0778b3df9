/** Reads single keys without taking over the screen. */
import { interruptSelf } from '../signals.ts'

export interface Keyboard {
  /** Receives single keys until the returned function is called. */
  listen(onKey: (key: string) => void): () => void
}

/** The real keyboard. In raw mode Ctrl+C is only a key, so it is turned back into a signal. */
export function openKeyboard(): Keyboard {
  const { stdin } = process
  return {
    listen(onKey) {
      const hear = (data: Buffer): void => {
        const key = data.toString('utf8')
        if (key === '\u0003') interruptSelf()
        else onKey(key)
      }
      stdin.setRawMode(true)
      stdin.resume()
      stdin.on('data', hear)
      return () => {
        stdin.off('data', hear)
        stdin.setRawMode(false)
        stdin.pause()
      }
    },
  }
}
