import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addNote, recentNotes, searchNotes } from './journal.ts'
import { openStore, type Store } from './db/open-store.ts'
import { makeClosedStore, makeTestStore, leaveWriterMark } from '../../test/kit/store.ts'

async function withNotes(...texts: string[]): Promise<Store> {
  const store = await makeTestStore()
  for (const [i, text] of texts.entries()) {
    await addNote(store.sql, { run: `r${i % 2}`, iteration: i, task: null, at: i, author: 'claude', text })
  }
  return store
}

const anyText = fc.array(fc.nat(0x10ffff), { maxLength: 20 }).map((points) => String.fromCodePoint(...points))

const texts = (notes: { text: string }[]): string[] => notes.map((note) => note.text)

test('a note is kept whole; the newest come first, of all runs or of one', async () => {
  const { sql } = await withNotes('one', 'two', 'three')
  const note = { run: null, iteration: null, task: 't1', at: 9, author: 'human', text: 'four' }
  const id = await addNote(sql, note)
  expect(await recentNotes(sql, { run: null, limit: 1 })).toEqual([{ id, ...note }])
  expect(texts(await recentNotes(sql, { run: 'r0', limit: 9 }))).toEqual(['three', 'one'])
})

describe('a search', () => {
  test('finds an emoji among words, and beside others of its kind', async () => {
    const { sql } = await withNotes('the deploy went red 🔥🚀', 'the deploy is fine')
    expect(texts(await searchNotes(sql, '🚀', 9))).toEqual(['the deploy went red 🔥🚀'])
    expect(texts(await searchNotes(sql, 'fine 🔥', 9)).toSorted()).toHaveLength(2)
  })

  test('finds any of the words in any form, the best match first', async () => {
    const { sql } = await withNotes(
      'The parser fails on empty files and the parser test is slow.',
      'Nothing to see here.',
      'Testing works now. The log-in page does not.',
    )
    expect(texts(await searchNotes(sql, 'parser, tests?', 9))).toEqual([
      'The parser fails on empty files and the parser test is slow.',
      'Testing works now. The log-in page does not.',
    ])
    expect(await searchNotes(sql, 'log-in', 9)).toHaveLength(1)
    expect(await searchNotes(sql, 'absent', 9)).toEqual([])
    expect(await searchNotes(sql, 'parser', 1)).toHaveLength(1)
  })

  test('by a long text finds what it names late, among many small words', async () => {
    const { sql } = await withNotes('nothing of the kind', 'The frobnicator needs a lock.')
    const small = Array.from({ length: 200 }, (_, n) => `w${n}`).join(' ')
    expect(texts(await searchNotes(sql, `${small} frobnicator`, 9))).toEqual(['The frobnicator needs a lock.'])
  })

  test.each([
    ['Chinese', '登录页面在空文件上失败', '空文件', '修复登录'],
    ['Japanese', 'ログイン画面のテストが遅い', 'テスト', '画面の修正'],
    ['Thai', 'หน้าเข้าสู่ระบบช้า', 'ระบบ', 'แก้ระบบ'],
    ['Korean', '로그인을 고쳤다', '로그인', '로그인이 느리다'],
    ['Hindi', 'हिन्दी में नोट', 'हिन्दी', 'हिन्दी?'],
  ])('finds words of %s inside a line without spaces', async (_language, text, word, question) => {
    const { sql } = await withNotes('nothing of the kind', text)
    expect(texts(await searchNotes(sql, word, 9))).toEqual([text])
    expect(texts(await searchNotes(sql, question, 9))).toEqual([text])
  })

  test('has those first that hold most of what was asked, in whichever writing', async () => {
    const { sql } = await withNotes('登录 works', 'the parser of 登录页面', 'the parser', '天气')
    expect(texts(await searchNotes(sql, 'parser 登录页面', 9))).toEqual([
      'the parser of 登录页面',
      'the parser',
      '登录 works',
    ])
  })

  test('is of one run or one task, if asked', async () => {
    const { sql } = await withNotes('登录 one', '登录 two', '登录 three')
    const note = { run: 'r0', iteration: null, task: 't-a', at: 9, author: 'human', text: '登录 four' }
    await addNote(sql, note)
    const ask = async (word: string, of: object) => texts(await searchNotes(sql, word, 9, of)).toSorted()
    expect(await ask('登录', { run: 'r0' })).toEqual(['登录 four', '登录 one', '登录 three'])
    expect(await ask('one two', { run: 'r1' })).toEqual(['登录 two'])
    expect(await ask('four one', { task: 't-a' })).toEqual(['登录 four'])
    expect(texts(await recentNotes(sql, { run: null, task: 't-a', limit: 9 }))).toEqual(['登录 four'])
  })

  test('follows a note that was changed or removed', async () => {
    const { sql } = await withNotes('apples', 'pears')
    await sql.run(`update journal set text = 'plums' where text = 'apples'`)
    await sql.run(`delete from journal where text = 'pears'`)
    const found = await Promise.all(['apples', 'pears', 'plums'].map((word) => searchNotes(sql, word, 9)))
    expect(found.map(texts)).toEqual([[], [], ['plums']])
  })

  test.each([
    '',
    '"',
    '"unclosed',
    'a AND',
    'NOT',
    'NEAR(a b',
    'text:*',
    '-',
    '^a',
    '{a b}:c',
    `'; drop table journal; --`,
    '\0',
    '\u0000a',
    '*',
    '𝒂 ½ ٣ ⅷ',
  ])('takes hostile words for words: %j', async (question) => {
    const { sql } = await withNotes('nothing of the kind')
    expect(await searchNotes(sql, question, 9)).toEqual([])
  })

  test.each([
    ['one very long word', 'a'.repeat(100_000)],
    ['very many words', Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(' ')],
  ])('bears %s', async (_name, question) => {
    const { sql } = await withNotes('nothing of the kind')
    expect(await searchNotes(sql, question, 9)).toEqual([])
  })

  test('never throws, whatever is asked', async () => {
    const { sql } = await withNotes('one', 'two')
    await fc.assert(
      fc.asyncProperty(anyText, async (question) => {
        expect(Array.isArray(await searchNotes(sql, question, 9))).toBe(true)
      }),
    )
  })
})

test('an index of words that is damaged is made anew out of the notes, by a search and where the file is checked', async () => {
  const file = await makeClosedStore()
  // A word in the index stands after its length; in a note it stands after another word.
  const LOREM = '\u0005lorem'
  const spoil = (): void => {
    const bytes = readFileSync(file)
    for (let at = bytes.indexOf(LOREM); at !== -1; at = bytes.indexOf(LOREM)) bytes.fill(0xff, at, at + 6)
    writeFileSync(file, bytes)
  }
  spoil()
  const found = async (): Promise<number> => {
    const store = await openStore(file, { create: true, notice: () => undefined })
    const notes = await searchNotes(store.sql, 'lorem', 3)
    await store.close()
    return notes.length
  }
  expect(await found()).toBe(3)
  spoil()
  await leaveWriterMark(file)
  expect(await found()).toBe(3)
})
