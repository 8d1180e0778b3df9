import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type LineInfo, createLineReader } from './line-reader.ts'

type Line = LineInfo & { line: string }

function read(chunks: (string | Buffer)[], maxBytes = 1024): Line[] {
  const lines: Line[] = []
  const reader = createLineReader({ maxBytes, onLine: (line, info) => lines.push({ line, ...info }) })
  for (const chunk of chunks) reader.push(Buffer.from(chunk))
  reader.end()
  return lines
}

const whole = (line: string): Line => ({ line, bytes: Buffer.byteLength(line), cut: false })

describe('where a line ends', () => {
  test.each([
    ['two lines in one chunk', ['a\nb\n'], ['a', 'b']],
    ['a line over three chunks', ['a', 'b', 'c\nd\n'], ['abc', 'd']],
    ['a last line without an end', ['a\nb'], ['a', 'b']],
    ['empty lines count', ['\n\na\n'], ['', '', 'a']],
    ['nothing at all', ['', ''], []],
    ['one CR before the LF goes', ['a\r\nb\r\r\n'], ['a', 'b\r']],
    ['a CR and its LF in two chunks', ['a\r', '\nb\n'], ['a', 'b']],
    ['a CR alone is text', ['a\rb\n'], ['a\rb']],
    ['U+2028 and U+0085 are text', ['a\u2028b\u0085c\n'], ['a\u2028b\u0085c']],
    ['NUL and BOM are text', ['\ufeffa\0b\n'], ['\ufeffa\0b']],
  ])('%s', (_name, chunks, lines) => {
    expect(read(chunks)).toEqual(lines.map(whole))
  })

  test('a character that is split between two chunks stays whole', () => {
    const bytes = Buffer.from('né→😀\n')
    for (let at = 1; at < bytes.length; at += 1) {
      expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual([whole('né→😀')])
    }
  })

  test('bytes that are not UTF-8 become U+FFFD', () => {
    expect(read([Buffer.from([0x61, 0xff, 0xfe, 0x62, 10])])).toEqual([
      { line: 'a\ufffd\ufffdb', bytes: 4, cut: false },
    ])
  })

  test('however the stream is cut into chunks, the lines are the same', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '\r', '\n', '😀') })
    fc.assert(
      fc.property(text, fc.array(fc.nat(60)), fc.integer({ min: 1, max: 20 }), (content, cuts, maxBytes) => {
        const bytes = Buffer.from(content)
        const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
        const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
        expect(read(chunks, maxBytes)).toEqual(read([bytes], maxBytes))
      }),
    )
  })
})

describe('a line that is too long', () => {
  test.each([
    ['as long as allowed is whole', ['abcd\n'], { line: 'abcd', bytes: 4, cut: false }],
    ['as long as allowed with a CR is whole', ['abcd\r\n'], { line: 'abcd', bytes: 4, cut: false }],
    ['one byte more is cut', ['abcde\n'], { line: 'abcd', bytes: 5, cut: true }],
    ['over several chunks', ['abc', 'def', 'ghi\n'], { line: 'abcd', bytes: 9, cut: true }],
    ['over several chunks, with a CR of its own', ['abc', 'def\r', '\n'], { line: 'abcd', bytes: 6, cut: true }],
    ['without an end', ['abc', 'def'], { line: 'abcd', bytes: 6, cut: true }],
  ])('%s', (_name, chunks, line) => {
    expect(read(chunks, 4)).toEqual([line])
  })

  test('the line after it is whole again', () => {
    expect(read(['abc', 'def', '\nxy\n'], 4)).toEqual([{ line: 'abcd', bytes: 6, cut: true }, whole('xy')])
  })

  test('100 MB without a line end cost no more memory than one line', () => {
    const lines: Line[] = []
    const reader = createLineReader({ onLine: (line, info) => lines.push({ line, ...info }) })
    const before = heldBytes()
    let most = 0
    for (let sent = 0; sent < 1600; sent += 1) {
      reader.push(Buffer.alloc(64 * 1024, 'x'))
      if (sent % 100 === 99) most = Math.max(most, heldBytes() - before)
    }
    reader.push(Buffer.from('\nnext\n'))
    expect(lines).toEqual([{ line: 'x'.repeat(1024 * 1024), bytes: 1600 * 64 * 1024, cut: true }, whole('next')])
    expect(most).toBeLessThan(16 * 1024 * 1024)
  })

  test('a child that writes byte by byte leaves no heap of small buffers', () => {
    const reader = createLineReader({ onLine: () => {} })
    const before = heldBytes()
    for (let sent = 0; sent < 500_000; sent += 1) reader.push(Buffer.from('x'))
    expect(heldBytes() - before).toBeLessThan(4 * 1024 * 1024)
    reader.end()
  })
})

/** Memory that is still reachable: what only waits for the collector does not count. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc()')
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
