/** Keeps a file open while `work` runs. `mode` applies to a new file. */
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
