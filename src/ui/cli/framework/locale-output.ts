/** In a locale that is not UTF-8, Ralph's own signs would be garbage: screens get ASCII signs. Output for programs is never changed. */
import { replaceSigns, supportsUnicode } from '../../../core/text/ascii.ts'
import type { CommonInput } from './command.ts'
import type { Io } from './io.ts'

/** Flags that print data: every byte of it counts. */
const DATA_FLAGS: ReadonlySet<string> = new Set(['json', 'patch', 'csv', 'html', 'output'])

/** For a command's output. */
export function ioForCommand(io: Io, { given }: Pick<CommonInput, 'given'>): Io {
  return given.some((flag) => DATA_FLAGS.has(flag)) ? io : ioForScreens(io)
}

export function ioForScreens(io: Io): Io {
  if (supportsUnicode(io.env)) return io
  const own = {
    out: { value: (text: string) => io.out(replaceSigns(text)), enumerable: true },
    err: { value: (text: string) => io.err(replaceSigns(text)), enumerable: true },
  }
  // A copy would evaluate `asks`, which opens stdin.
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(io), ...own }) as Io
}
