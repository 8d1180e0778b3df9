/** A file that is open for as long as `work` takes. `mode`: of one that is made. */
import { closeSync, openSync } from 'node:fs'

export function withOpenFile<T>(
  path: string,
  { flags, mode }: { flags: string | number; mode?: number },
  work: (file: number) => T,
): T {
  const file = openSync(path, flags, mode)
  try {
    return work(file)
  } finally {
    closeSync(file)
  }
}
