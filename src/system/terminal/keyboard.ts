/** Single keys, without the screen being taken. */
import { interruptSelf } from '../signals.ts'

export interface Keyboard {
  /** Hears single keys until it is told to stop. */
  listen(onKey: (key: string) => void): () => void
}

/** The real keyboard. In raw mode Ctrl+C is only a key, so it is turned back into the signal it means. */
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
