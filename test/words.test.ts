/** The list behind `npm run words`: which texts it finds, and that a forbidden phrase is noticed. */
import { expect, test } from 'vitest'
import { codeTexts } from '../scripts/words/code-texts.ts'
import { collectTexts } from '../scripts/words/collect-texts.ts'
import { forbiddenIn } from '../scripts/words/forbidden-phrases.ts'
import { markdownTexts } from '../scripts/words/markdown-texts.ts'

const textsOf = (source: string): string[] => codeTexts('a.ts', source).map(({ text }) => text)

test('lists literals and templates with the names of their values', () => {
  expect(textsOf('say("the disk is full")\nthrow new Error(`could not read ${path}: ${why(1)}`)')).toEqual([
    'the disk is full',
    'could not read {path}: {…}',
  ])
})

test('joins a sentence that is broken over several lines', () => {
  expect(textsOf('say("the disk " + "is full")')).toEqual(['the disk is full'])
})

test('leaves out what nobody reads: types, comparisons, patterns, SQL, commands', () => {
  const source = `
    type A = 'one two'
    if (text === 'rate limit' || text.includes('too many requests')) run('git status --short')
    db.all('select id, title from tasks where id = ?')
    new RegExp('usage limit reached')
    const style = 'p a{margin:0 auto}'
    const found = { 'one two': 1 }`
  expect(textsOf(source)).toEqual([])
})

test('lists paragraphs, list items and table rows of a page, without its code', () => {
  const page =
    '# A title here\n\nOne sentence\nin two lines.\n\n```sh\nralph loop\n```\n- an item of a list\n| a cell | another cell |\n|---|---|\n'
  expect(markdownTexts('a.md', page).map(({ line, text }) => [line, text])).toEqual([
    [1, '# A title here'],
    [3, 'One sentence in two lines.'],
    [9, '- an item of a list'],
    [10, '| a cell | another cell |'],
  ])
})

test.each([
  ['What an agent changed is reverted.', ['What/Who/Where … is']],
  ['What is missing?', []],
  ['The run goes on, and the file is put back.', ['put back', 'is gone on with']],
  ['Type `ralph put back` to continue.', []],
  ['attempt {task.visit} of {of}', []],
])('%s', (text, phrases) => {
  expect(forbiddenIn({ file: 'a.ts', line: 1, text }).map(({ phrase }) => phrase)).toEqual(phrases)
})

test('no text of the project has a forbidden phrase', () => {
  const found = collectTexts(process.cwd()).flatMap((one) =>
    forbiddenIn(one).map(
      ({ phrase, instead }) => `${one.file}:${one.line} "${phrase}", write: ${instead}\n  ${one.text}`,
    ),
  )
  expect(found).toEqual([])
})
