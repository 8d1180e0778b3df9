import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCheckboxes, nextOpenCheckbox } from './fix-plan.ts'

const OPTIONAL = ['Optional', 'Future', 'Future Enhancements', 'Nice to Have']

function counts(text: string, optional = OPTIONAL) {
  const { open, done } = parseCheckboxes(text, optional)
  return { open, done }
}

describe('what is a box', () => {
  test.each([
    ['- [ ] a', { open: 1, done: 0 }],
    ['- [x] a', { open: 0, done: 1 }],
    ['- [X] a', { open: 0, done: 1 }],
    ['    - [ ] nested', { open: 1, done: 0 }],
    ['\t- [x] tab', { open: 0, done: 1 }],
    ['- [ ]', { open: 1, done: 0 }],
    ['- [ ] crlf\r\n- [x] crlf\r\n', { open: 1, done: 1 }],
    ['* [ ] star', { open: 0, done: 0 }],
    ['-[ ] no space', { open: 0, done: 0 }],
    ['- [  ] two spaces', { open: 0, done: 0 }],
    ['- [2026-01-29] a date', { open: 0, done: 0 }],
    ['text - [ ] in a line', { open: 0, done: 0 }],
    ['', { open: 0, done: 0 }],
  ])('%j', (text, expected) => {
    expect(counts(text)).toEqual(expected)
  })
})

test('items say what they are and where they stand', () => {
  expect(parseCheckboxes('# Plan\n- [x] one\n## Optional\n  - [ ] two  \n', OPTIONAL)).toEqual({
    open: 0,
    done: 1,
    items: [
      { text: 'one', done: true, optional: false, line: 1 },
      { text: 'two', done: false, optional: true, line: 3 },
    ],
  })
})

describe('optional sections', () => {
  test('neither open nor done boxes in them count', () => {
    expect(counts('- [ ] a\n## Optional\n- [ ] b\n- [x] c')).toEqual({ open: 1, done: 0 })
  })
  test('deeper headings stay optional, the next of the same level ends it', () => {
    expect(counts('## Optional\n### Deep\n- [ ] a\n## High\n- [ ] b')).toEqual({ open: 1, done: 0 })
  })
  test('a higher heading ends it', () => {
    expect(counts('### Future\n- [ ] a\n# High\n- [ ] b')).toEqual({ open: 1, done: 0 })
  })
  test('titles match whatever their case, spaces or line ends', () => {
    expect(counts('##   nice TO have  \r\n- [ ] a\r\n')).toEqual({ open: 0, done: 0 })
  })
  test('a title must match whole', () => {
    expect(counts('## Optional extras\n- [ ] a')).toEqual({ open: 1, done: 0 })
  })
  test('#Optional without a space is no heading', () => {
    expect(counts('#Optional\n- [ ] a')).toEqual({ open: 1, done: 0 })
  })
})

describe('code fences', () => {
  test('boxes and headings inside are examples', () => {
    expect(counts('```md\n## Optional\n- [ ] a\n- [x] b\n```\n- [ ] c')).toEqual({ open: 1, done: 0 })
  })
  test('a fence ends only at a mark of its own kind and at least its length', () => {
    expect(counts('~~~~\n```\n- [ ] a\n~~~\n- [ ] b\n~~~~\n- [ ] c')).toEqual({ open: 1, done: 0 })
  })
  test('fences inside a list item are recognised', () => {
    expect(counts('- [x] do\n  ```\n  - [ ] a\n  ```\n')).toEqual({ open: 0, done: 1 })
  })
  test('a fence that is never closed hides nothing', () => {
    expect(counts('- [x] a\n```\n- [ ] b')).toEqual({ open: 1, done: 1 })
  })
  test('inline code of three backticks opens no fence', () => {
    expect(counts('```code``` here\n- [ ] a\n```x``` there')).toEqual({ open: 1, done: 0 })
  })
})

describe('the next open box', () => {
  test('is the first open one that counts', () => {
    const plan = '- [x] a\n## Optional\n- [ ] b\n## High\n- [ ] **c**: do it\n- [ ] d'
    expect(nextOpenCheckbox(plan, OPTIONAL)).toBe('**c**: do it')
  })
  test('is null when none is left', () => {
    expect(nextOpenCheckbox('- [x] a')).toBeNull()
  })
  test('is cut to 120 characters', () => {
    expect(nextOpenCheckbox(`- [ ] ${'a'.repeat(200)}`)).toBe(`${'a'.repeat(119)}…`)
  })
})

test('ticking any open box moves one from open to done, whatever else stands in the plan', () => {
  const line = fc.constantFrom<string>(
    '- [ ] a',
    '- [x] b',
    '## Optional',
    '# High',
    '```',
    '~~~',
    'words',
    '  - [ ] c',
  )
  fc.assert(
    fc.property(fc.array(line), fc.nat(), (lines, pick) => {
      const before = parseCheckboxes(lines.join('\n'), OPTIONAL)
      const open = before.items.filter((item) => !item.done && !item.optional)
      const chosen = open[pick % Math.max(open.length, 1)]
      if (chosen === undefined) return
      const ticked = lines.with(chosen.line, (lines[chosen.line] ?? '').replace('[ ]', '[x]'))
      const after = parseCheckboxes(ticked.join('\n'), OPTIONAL)
      expect([after.open, after.done]).toEqual([before.open - 1, before.done + 1])
    }),
  )
})
