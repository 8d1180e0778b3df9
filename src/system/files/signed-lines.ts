/**
 * A file whose lines are each signed with a token, so that a later reader knows which of them a holder of the token wrote. A line is on
 * the disk when the append returns; several processes may append at once.
 */
import { constants, fstatSync, fsyncSync, readSync, writeSync } from 'node:fs'
import { nodeCrypto } from '../lazy-node.ts'
import { entryAt, readRegularFileChunks } from './path-entry.ts'
import { withFileError } from './file-error.ts'
import { withOpenFile } from './open-file.ts'
import { writeWithoutSync } from './files.ts'

/** Follows no link and does not block on a pipe that replaced the file. */
const APPEND =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export function appendSignedLine(
  path: string,
  { token, text, fileMax }: { token: string; text: string; fileMax: number },
): 'kept' | 'full' {
  const append = (file: number): 'kept' | 'full' => {
    const { size } = fstatSync(file)
    // Another process died in the middle of a line: end that line.
    const line = Buffer.from(`${endsLine(file, size) ? '' : '\n'}${signed(text, token)}\n`)
    if (size + line.length > fileMax) return 'full'
    // One call, so that lines of several processes do not mix. A nearly full disk writes only a part; the next call then fails.
    for (let written = 0; written < line.length;) written += writeSync(file, line, written)
    fsyncSync(file)
    return 'kept'
  }
  return withFileError({ activity: 'write', path, bytes: text.length }, () =>
    withOpenFile(path, { flags: APPEND, mode: 0o600 }, append),
  )
}

/** How many bytes this text adds to a file. */
export function signedLineSize(text: string): number {
  return SIGNATURE_LENGTH + Buffer.byteLength(` ${text}\n`)
}

function endsLine(file: number, size: number): boolean {
  if (size === 0) return true
  const last = Buffer.alloc(1)
  readSync(file, last, 0, 1, size - 1)
  return last[0] === 10
}

export interface SignedLines {
  texts: string[]
  /** Lines with another signature or none, or content that is not lines at all. */
  strange: number
}

interface SignedReading {
  token: string
  /** The limit up to which the file is read. */
  fileMax: number
  /** Transforms each text; the file then holds the result, signed again. Unsigned lines are transformed as they are. */
  change?: (text: string) => string
}

export function readSignedLines(path: string, { token, fileMax, change = (text) => text }: SignedReading): SignedLines {
  const kind = entryAt(path)?.kind
  if (kind !== 'file') return { texts: [], strange: kind === undefined ? 0 : 1 }
  const before = beginningOf(path, fileMax).split('\n')
  const texts: string[] = []
  let strange = 0
  let changed = false
  const after = before.map((line) => {
    if (line === '') return line
    const text = textOf(line, token)
    const kept = change(text ?? line)
    if (text === null) strange += 1
    else texts.push(kept)
    if (kept === (text ?? line)) return line
    changed = true
    return text === null ? kept : signed(kept, token)
  })
  if (changed) writeWithoutSync(path, after.join('\n'))
  return { texts, strange }
}

/** Null: the signature is missing or wrong. */
function textOf(line: string, token: string): string | null {
  if (line[SIGNATURE_LENGTH] !== ' ') return null
  const text = line.slice(SIGNATURE_LENGTH + 1)
  return line === signed(text, token) ? text : null
}

function beginningOf(path: string, max: number): string {
  const pieces: Buffer[] = []
  let bytes = 0
  for (const piece of readRegularFileChunks(path)) {
    pieces.push(Buffer.from(piece.subarray(0, max - bytes)))
    bytes += piece.length
    if (bytes >= max) break
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** The length of a SHA-256 hash in hexadecimal digits. */
const SIGNATURE_LENGTH = 64

function signed(text: string, token: string): string {
  return `${nodeCrypto().createHmac('sha256', token).update(text).digest('hex')} ${text}`
}
