import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RalphError } from '../../core/error.ts'
import { parseDiskError, fileError } from './file-error.ts'
import {
  appendLine,
  openAppendStream,
  assetPath,
  ensureFolder,
  exists,
  fileId,
  folderSize,
  hashFile,
  hashText,
  listFolder,
  makeTempFolder,
  readFileChunks,
  readIfExists,
  readText,
  removeFolder,
  removeIfExists,
  sizeOf,
  writeAtomic,
  writeWithoutSync,
} from './files.ts'
import { removeStaleTempFiles } from './replace-file.ts'
import { openInPlaceTextFile } from './overwrite-file.ts'

let folder = ''
const at = (name: string) => join(folder, name)

beforeEach(() => {
  folder = makeTempFolder('ralph-files-')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe.each([
  ['writeAtomic', writeAtomic],
  ['writeLoose', writeWithoutSync],
])('%s', (_name, write) => {
  test('writes a new file that only its owner can read, and leaves nothing else behind', () => {
    write(at('a'), 'one')
    expect({ text: readText(at('a')), mode: modeOf(at('a')), names: listFolder(folder) }).toEqual({
      text: 'one',
      mode: 0o600,
      names: ['a'],
    })
  })

  test('a reader that has the old file open goes on reading it whole', () => {
    write(at('a'), 'old')
    const reader = openSync(at('a'), 'r')
    write(at('a'), 'new and longer')
    expect([readFileSync(reader, 'utf8'), readText(at('a'))]).toEqual(['old', 'new and longer'])
    closeSync(reader)
  })

  test('a file that is there keeps its mode', () => {
    write(at('a'), 'one', { mode: 0o640 })
    chmodSync(at('a'), 0o755)
    write(at('a'), 'two')
    expect(modeOf(at('a'))).toBe(0o755)
  })

  test('a link stays a link, and what it leads to is replaced', () => {
    write(at('real'), 'one')
    symlinkSync('real', at('link'))
    write(at('link'), 'two')
    expect([lstatSync(at('link')).isSymbolicLink(), readText(at('real'))]).toEqual([true, 'two'])
  })

  test('bytes are written as they are', () => {
    write(at('a'), Buffer.from([0xff, 0, 0x0a]))
    expect(readFileSync(at('a'))).toEqual(Buffer.from([0xff, 0, 0x0a]))
  })

  test('when it fails, what was there is untouched and no temporary file is left', () => {
    mkdirSync(at('taken'))
    writeFileSync(at('taken/inside'), 'old')
    expect(errorOf(() => write(at('taken'), 'new'))).toMatchObject({ code: 'io' })
    expect([listFolder(folder), readText(at('taken/inside'))]).toEqual([['taken'], 'old'])
  })

  test('below a file there is no room for another, and the file stays', () => {
    writeFileSync(at('file'), 'old')
    expect(errorOf(() => write(at('file/a'), 'new'))).toMatchObject({
      code: 'io',
      message: `could not write ${at('file/a')}: a file is where a folder is needed`,
    })
    expect(readText(at('file'))).toBe('old')
  })
})

describe('reading', () => {
  test('what is not there is null', () => {
    writeFileSync(at('file'), 'text')
    expect(['file', 'none', 'none/deep', 'file/deep'].map((name) => readIfExists(at(name)))).toEqual([
      'text',
      null,
      null,
      null,
    ])
  })

  test('what is there and cannot be read is an error, not null', () => {
    expect(errorOf(() => readIfExists(folder))).toMatchObject({
      code: 'io',
      message: `could not read ${folder}: it is a folder, not a file`,
    })
  })

  test('a file that must be there says its path when it is not', () => {
    expect(errorOf(() => readText(at('none')))).toMatchObject({
      code: 'not-found',
      message: `could not read ${at('none')}: it does not exist`,
      hint: `Check the path: ${at('none')}`,
    })
  })
})

describe('a file of any size, piece by piece', () => {
  test('the pieces together are the file', async () => {
    const content = Buffer.alloc(300_000, 'abc')
    writeFileSync(at('large'), content)
    const pieces: Buffer[] = []
    for await (const piece of readFileChunks(at('large'))) pieces.push(piece)
    expect(pieces.length).toBeGreaterThan(1)
    expect(Buffer.concat(pieces).equals(content)).toBe(true)
  })

  test('a file that is not there is an error that names it', async () => {
    await expect(readFileChunks(at('none')).next()).rejects.toMatchObject({
      code: 'not-found',
      message: `could not read ${at('none')}: it does not exist`,
    })
  })
})

describe('folders', () => {
  test('a folder weighs what all files in it weigh, and no folder nothing', () => {
    ensureFolder(at('a/b'))
    writeFileSync(at('a/one'), 'x'.repeat(10))
    writeFileSync(at('a/b/two'), 'x'.repeat(5))
    symlinkSync('..', at('a/b/up'))
    expect([folderSize(at('a')), folderSize(at('none'))]).toEqual([15, 0])
  })

  test('a folder is made with all above it, for the owner alone, and making it again is fine', () => {
    ensureFolder(at('a/b'))
    ensureFolder(at('a/b'))
    expect([modeOf(at('a')), modeOf(at('a/b'))]).toEqual([0o700, 0o700])
  })

  test('a file in the way is named', () => {
    writeFileSync(at('file'), '')
    expect(errorOf(() => ensureFolder(at('file')))).toMatchObject({ code: 'io' })
    expect(errorOf(() => ensureFolder(at('file/a')))).toMatchObject({ code: 'io' })
  })

  test('names are sorted, and no folder has none', () => {
    for (const name of ['b', 'a', 'c']) writeFileSync(at(name), '')
    expect([listFolder(folder), listFolder(at('none'))]).toEqual([['a', 'b', 'c'], []])
  })

  test('removing what is not there is fine; removeIfThere takes no folder', () => {
    ensureFolder(at('full/deep'))
    removeIfExists(at('none'))
    removeFolder(at('none'))
    expect(errorOf(() => removeIfExists(at('full')))).toMatchObject({ code: 'io' })
    removeFolder(at('full'))
    expect(exists(at('full'))).toBe(false)
  })

  test('a temporary folder is new, private and below the real temporary folder', () => {
    const other = makeTempFolder('ralph-files-')
    expect([other === folder, modeOf(other), statSync(dirname(other)).ino]).toEqual([
      false,
      0o700,
      statSync(tmpdir()).ino,
    ])
    removeFolder(other)
  })
})

describe('facts about a file', () => {
  test('size, hash and identity', () => {
    writeFileSync(at('a'), 'x'.repeat(600_000))
    symlinkSync('a', at('b'))
    expect(sizeOf(at('a'))).toBe(600_000)
    expect(hashFile(at('a'))).toBe(createHash('sha256').update('x'.repeat(600_000)).digest('hex'))
    expect(hashFile(at('a'))).toBe(hashText('x'.repeat(600_000)))
    expect(fileId(at('a'))).toBe(fileId(at('b')))
    expect(fileId(at('a'))).not.toBe(fileId(folder))
  })

  test('of nothing there are none', () => {
    expect([sizeOf(at('none')), hashFile(at('none')), fileId(at('none'))]).toEqual([null, null, null])
  })
})

describe('appending', () => {
  test('lines are added to a private file', () => {
    appendLine(at('a'), 'one')
    appendLine(at('a'), 'two')
    expect([readText(at('a')), modeOf(at('a'))]).toEqual(['one\ntwo\n', 0o600])
  })

  test('a stream goes on where the file ended, and each chunk can be read at once', async () => {
    writeFileSync(at('log'), 'old\n')
    const log = openAppendStream(at('log'))
    log.write(Buffer.from('new\n'))
    expect([readText(at('log')), log.bytes, log.broken]).toEqual(['old\nnew\n', 8, null])
    await log.close()
  })

  test('after it was closed a stream takes no more, and does not throw', async () => {
    const log = openAppendStream(at('log'))
    await log.close()
    log.write(Buffer.from('late'))
    await log.close()
    expect([readText(at('log')), log.bytes]).toEqual(['', 0])
  })

  test('a log that cannot be opened is broken, and the rest goes on', async () => {
    const log = openAppendStream(at('none/log'))
    log.write(Buffer.from('text'))
    await log.close()
    expect([log.bytes, log.broken]).toEqual([0, `could not write ${at('none/log')}: it does not exist`])
  })

  test.skipIf(process.platform !== 'linux')('a full disk breaks the log, not the run', async () => {
    const log = openAppendStream('/dev/full')
    log.write(Buffer.from('text'))
    log.write(Buffer.from('more'))
    await log.close()
    expect([log.bytes, log.broken]).toEqual([0, 'could not write /dev/full: the disk is full'])
  })
})

describe('errors say what to do', () => {
  const thrown = (code: string) => Object.assign(new Error(`${code}: something`), { code })

  test.each([
    ['ENOSPC', 'disk', 'the disk is full', 'Free at least 3 MB there, then run the same command again.'],
    ['EDQUOT', 'disk', 'your disk quota is used up', 'Free at least 3 MB there, then run the same command again.'],
    [
      'EROFS',
      'disk',
      'the file system is read-only',
      'Mount it writable, or work in a copy of the project on another disk.',
    ],
    ['EACCES', 'disk', 'permission denied', 'Check its owner and permissions: ls -ld /x'],
    ['EPERM', 'disk', 'permission denied', 'Check its owner and permissions: ls -ld /x'],
    ['EMFILE', 'disk', 'too many open files', 'Raise the limit (ulimit -n 4096) and run the same command again.'],
    [
      'EIO',
      'disk',
      'the disk reported an error (EIO)',
      'Check the disk (dmesg, smartctl), then run the same command again.',
    ],
    [
      'EFBIG',
      'disk',
      'the file would exceed the size limit of this disk or user',
      'Raise the limit (see ulimit -f), then run the same command again.',
    ],
    ['ESTALE', 'disk', 'the disk is no longer available (ESTALE)', 'Mount it again, then run the same command again.'],
    ['EWHAT', 'io', 'EWHAT: something', 'Check the disk, then run the same command again.'],
  ])('%s', (code, kind, why, hint) => {
    const error = fileError(thrown(code), { activity: 'write', path: '/x', bytes: 2_500_000 })
    expect({ code: error.code, message: error.message, hint: error.hint }).toEqual({
      code: kind,
      message: `could not write /x: ${why}`,
      hint,
    })
  })
})

describe('another program tells of the disk', () => {
  test.each([
    ["fatal: Unable to create '/x/index.lock': No space left on device", 'the disk is full'],
    ['error: unable to write x: Read-only file system\nfatal: failed', 'the file system is read-only'],
    ['cp: error reading a: Input/output error', 'the disk reported an error (EIO)'],
    ["fatal: pathspec 'a: No space left on device.txt' did not match", null],
    ['error: open("a"): Permission denied', null],
  ])('%s', (stderr, why) => {
    const error = parseDiskError(stderr, { activity: 'copy', path: '/x' })
    expect(error === null ? null : [error.code, error.message]).toEqual(
      why === null ? null : ['disk', `could not copy /x: ${why}`],
    )
  })
})

test('an error that was told already stays as it is', () => {
  const told = fileError(Object.assign(new Error(), { code: 'EIO' }), { activity: 'look at', path: '/x' })
  expect(fileError(told, { activity: 'make the folder', path: '/x/y' })).toBe(told)
})

test('temporary files of processes that are gone are removed, those of the living are not', () => {
  const names = ['.ralph-999999-0123456789.tmp', `.ralph-${process.pid}-0123456789.tmp`, 'mine.tmp']
  for (const name of names) writeFileSync(at(name), 'half')
  removeStaleTempFiles(folder)
  removeStaleTempFiles(at('none'))
  expect(listFolder(folder)).toEqual([`.ralph-${process.pid}-0123456789.tmp`, 'mine.tmp'])
})

test('a note is overwritten in place, and one that cannot be written says nothing', () => {
  const note = openInPlaceTextFile(at('note'))
  note.write('a longer text')
  note.write('text')
  note.close()
  note.write('late')
  openInPlaceTextFile(at('none/note')).write('text')
  expect(readText(at('note')).trimEnd()).toBe('text')
})

test('assets are found beside package.json', () => {
  const path = assetPath('prompts')
  expect(path.endsWith(`${sep}assets${sep}prompts`)).toBe(true)
  expect(readdirSync(join(path, '..', '..'))).toContain('package.json')
})

function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}

function errorOf(work: () => unknown): RalphError {
  try {
    work()
  } catch (thrown) {
    if (thrown instanceof RalphError) return thrown
    throw thrown
  }
  throw new Error('it did not fail')
}
