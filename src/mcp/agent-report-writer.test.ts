import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSignedLines } from '../system/files/signed-lines.ts'
import { exists, makeTempFolder } from '../system/files/files.ts'
import { mergeAgentReports, reportFromCalls } from '../core/agent-output/calls/agent-report-calls.ts'
import { emptyAgentReport } from '../core/agent-output/agent-report.ts'
import { createAgentReportWriter } from './agent-report-writer.ts'

const MAX = 1024 * 1024

function aFolder(): { folder: string; file: string } {
  const folder = makeTempFolder('ralph-keep-')
  writeFileSync(join(folder, 'mcp-token'), 'secret\n')
  return { folder, file: join(folder, 'agent-reports.jsonl') }
}

const read = (file: string, token = 'secret') => readSignedLines(file, { token, fileMax: MAX })
const NOTE = '{"tool":"note","args":{"text":"a"}}'

describe('with its folder and token', () => {
  test('a call is kept before it is acknowledged, signed', () => {
    const { folder, file } = aFolder()
    const keep = createAgentReportWriter({ folder, token: 'secret' })
    expect(keep('note', { text: 'a' })).toEqual({ text: 'saved', isError: false })
    expect(read(file)).toEqual({ texts: [NOTE], strange: 0 })
    expect(read(file, 'another')).toEqual({ texts: [], strange: 1 })
  })

  test('a question gets an id, the same for the same words, and the careful way', () => {
    const { folder, file } = aFolder()
    const keep = createAgentReportWriter({ folder, token: 'secret' })
    const answers = ['Which?', 'Which?', 'Why?'].map((question) => keep('ask', { question }).text)
    expect(answers[0]).toMatch(/^saved as q[0-9a-f]{6}\. Nobody can answer now: choose the cautious option/)
    expect(answers[1]).toBe(answers[0])
    expect(answers[2]).not.toBe(answers[0])
    expect(read(file).texts[0]).toContain('"question":"Which?"')
  })

  test('what is wrong with a call is said, and nothing is written', () => {
    const { folder, file } = aFolder()
    const keep = createAgentReportWriter({ folder, token: 'secret' })
    expect(keep('note', {})).toEqual({ text: '"text" must be a text.', isError: true })
    expect(keep('note', { text: '\u0001'.repeat(4_000) }).text).toMatch(/^Not saved: longer than 16384 bytes/)
    expect(exists(file)).toBe(false)
  })

  test('what would be dropped as too many is refused; the same once more is not one more', () => {
    const { folder, file } = aFolder()
    const keep = createAgentReportWriter({ folder, token: 'secret' })
    const notes = Array.from({ length: 10 }, (_, at) => keep('note', { text: `note ${at}` }).isError)
    expect(notes).toEqual([...Array<boolean>(8).fill(false), true, true])
    expect(keep('note', { text: 'note 3' }).isError).toBe(false)
    expect(keep('task_done', { task: 't1' }).isError).toBe(false)
    const progress = Array.from({ length: 30 }, (_, at) => keep('progress', { text: `${at}` }).isError)
    expect(progress).not.toContain(true)
    expect(mergeAgentReports(emptyAgentReport(), reportFromCalls(read(file).texts)).problems).toEqual([])
  })

  test('a server that takes the place of another counts on, and so do two at once', () => {
    const { folder, file } = aFolder()
    const [first, second] = [
      createAgentReportWriter({ folder, token: 'secret' }),
      createAgentReportWriter({ folder, token: 'secret' }),
    ]
    const noted = Array.from({ length: 10 }, (_, at) => {
      const keep = at % 2 === 0 ? first : second
      return keep('note', { text: `note ${at}` }).isError
    })
    expect(noted).toEqual([...Array<boolean>(8).fill(false), true, true])
    expect(createAgentReportWriter({ folder, token: 'secret' })('note', { text: 'one more' }).isError).toBe(true)
    expect(read(file).texts).toHaveLength(8)
  })

  test('the same once more takes no room, unless the last one counts', () => {
    const { folder, file } = aFolder()
    const keep = createAgentReportWriter({ folder, token: 'secret' })
    for (const text of ['a', 'b', 'a', 'a']) {
      expect(keep('note', { text }).isError).toBe(false)
      expect(keep('progress', { text }).isError).toBe(false)
    }
    const { notes, progress } = reportFromCalls(read(file).texts)
    expect({ notes, progress, lines: read(file).texts.length }).toEqual({
      notes: ['a', 'b'],
      progress: 'a',
      lines: 2 + 4,
    })
  })

  test('a full file takes nothing more', () => {
    const { folder, file } = aFolder()
    const keep = createAgentReportWriter({ folder, token: 'secret' })
    writeFileSync(file, `${'x'.repeat(MAX - 50)}\n`)
    const before = readFileSync(file, 'utf8')
    expect(keep('note', { text: 'a' }).text).toMatch(/^Not saved: this iteration has reached its limit/)
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  test('a line that was torn spoils no other, and forged ones are counted', () => {
    const { folder, file } = aFolder()
    const keep = createAgentReportWriter({ folder, token: 'secret' })
    keep('note', { text: 'a' })
    appendFileSync(file, `${'0'.repeat(64)} {"tool":"task_done","args":{"task":"t1"}}\n\nhalf a li`)
    keep('note', { text: 'b' })
    expect(read(file)).toEqual({ texts: [NOTE, NOTE.replace('"a"', '"b"')], strange: 2 })
  })
})

describe('nothing is written', () => {
  const OUTSIDE = /^Not saved: this server does not belong to a running iteration/

  test.each([
    ['without a folder', { folder: undefined, token: 'secret' }],
    ['without a token', { token: undefined }],
    ['with an empty token', { token: '' }],
    ['with a wrong token', { token: 'secret ' }],
    ['in a folder that is gone', { folder: '/nowhere/at/all' }],
  ])('%s', (_name, fence) => {
    const { folder, file } = aFolder()
    const said = createAgentReportWriter({ folder, token: 'secret', ...fence })('note', { text: 'a' })
    expect(said.isError).toBe(true)
    expect(said.text).toMatch(OUTSIDE)
    expect(exists(file)).toBe(false)
  })

  test('through a link, nor into a folder in the place of the file', () => {
    const { folder, file } = aFolder()
    const elsewhere = join(folder, 'elsewhere')
    writeFileSync(elsewhere, '')
    symlinkSync(elsewhere, file)
    expect(createAgentReportWriter({ folder, token: 'secret' })('note', { text: 'a' }).text).toMatch(/^Not saved: /)
    expect(readFileSync(elsewhere, 'utf8')).toBe('')
    expect(read(file)).toEqual({ texts: [], strange: 1 })
    const other = aFolder()
    mkdirSync(other.file)
    expect(createAgentReportWriter({ folder: other.folder, token: 'secret' })('note', { text: 'a' }).isError).toBe(true)
    expect(read(other.file)).toEqual({ texts: [], strange: 1 })
  })
})
