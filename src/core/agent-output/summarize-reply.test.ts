import { expect, test } from 'vitest'
import { summarizeReply } from './summarize-reply.ts'

test.each([
  ['the line that sums up', 'Hello.\n\nI implemented the parser.\nMore.', 'I implemented the parser.'],
  ['the line below a heading', '# Work\n\n## Summary\n\nThe parser reads dates now.', 'The parser reads dates now.'],
  ['a heading with nothing below', '## Summary', 'Summary'],
  ['else the first line', '\n---\n- **Fixed** the `parser`\nand more', 'Fixed the parser'],
  ['no code, no quotation', '```\nimplemented nothing\n```\n> completed\nReal words.', 'Real words.'],
  ['control sequences go', '\u001b[31mcompleted\u001b[0m it', 'completed it'],
  ['at most 200 characters', `completed ${'x'.repeat(300)}`, `completed ${'x'.repeat(189)}…`],
  ['no words at all', '', ''],
])('%s', (_what, text, expected) => {
  expect(summarizeReply(text, null)).toBe(expected)
})

test('a reply of nothing but its block is summed up from it', () => {
  const text = '---RALPH_STATUS---\nSTATUS: IN_PROGRESS\n---END_RALPH_STATUS---'
  const block = { status: 'IN_PROGRESS', tests: 'FAILING', recommendation: 'mend the tests' } as const
  expect(summarizeReply(text, block)).toBe('IN_PROGRESS, tests FAILING: mend the tests')
})
