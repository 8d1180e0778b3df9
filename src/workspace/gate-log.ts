/** The log of a gate: the beginning and the end of its output, with a mark where the middle was cut, so that no gate can fill the disk. */
import { dirname } from 'node:path'
import { openAppendStream, ensureFolder } from '../system/files/files.ts'
import { createTailBuffer } from '../system/tail-buffer.ts'

/** Half of the limit of a log: 10 MB in all. */
const HALF = 5 * 1024 * 1024
/** Size of the end of the output, from which the summary is made. */
const TAIL = 64 * 1024

export interface GateLog {
  write(chunk: Buffer): void
  /** `bytes`: size of the whole output. `tail`: its end, at most 64 KB. */
  close(): Promise<{ bytes: number; tail: string }>
}

export function openGateLog(path: string, half = HALF): GateLog {
  ensureFolder(dirname(path))
  const file = openAppendStream(path)
  const end = createTailBuffer(half)
  const tail = createTailBuffer(TAIL)
  let bytes = 0
  return {
    write(chunk) {
      const room = Math.max(0, half - bytes)
      if (room > 0) file.write(chunk.subarray(0, room))
      if (chunk.length > room) end.push(chunk.subarray(room))
      tail.push(chunk)
      bytes += chunk.length
    },
    async close() {
      const rest = end.bytes()
      const cut = bytes - half - rest.length
      if (cut > 0) file.write(Buffer.from(`\n[ralph: ${cut} bytes left out here]\n`))
      if (rest.length > 0) file.write(rest)
      await file.close()
      return { bytes, tail: tail.bytes().toString('utf8') }
    },
  }
}
