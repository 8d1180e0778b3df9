import { expect, test } from 'vitest'
import { guidePageLines } from './guide-page.ts'

const PAGE = `# Codes

| code | means |
|---|---|
| 0 | done: proven, or \`ralph accept\` said so |
| 130, 143 | see [the guide](guide.md), either \\| or |

A paragraph in two
lines, with \`code\`.
`

test('a page has no signs of Markdown, and fits', () => {
  expect(guidePageLines(PAGE, 36)).toEqual([
    'Codes',
    '',
    '  code      means',
    '  0         done: proven, or ralph',
    '            accept said so',
    '  130, 143  see the guide, either |',
    '            or',
    '',
    'A paragraph in two lines, with code.',
  ])
})
