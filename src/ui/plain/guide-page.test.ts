import { expect, test } from 'vitest'
import { guidePageLines } from './guide-page.ts'

const PAGE = `# Codes

| code | means |
|---|---|
| 0 | done: proven, or \`ralph accept\` said so |
| 130, 143 | see [the guide](proof.md#steps), either \\| or |

A paragraph in two
lines, with \`code\`.
`

test('prints a page without Markdown syntax, wrapped', () => {
  expect(guidePageLines(PAGE, 36)).toEqual([
    'Codes',
    '',
    '  code      means',
    '  0         done: proven, or ralph',
    '            accept said so',
    '  130, 143  see the guide (ralph',
    '            help proof), either | or',
    '',
    'A paragraph in two lines, with code.',
  ])
})

const BLOCKS = `# Title
## A section
- one **bold** item that needs
  a second line
- two

\`\`\`toml
[[gate]]
# not a heading
\`\`\`

| agent | resume | cost |
|---|---|---|
| claude | yes | yes |
`

test('prints lists, code and tables of several columns', () => {
  expect(guidePageLines(BLOCKS, 30)).toEqual([
    'Title',
    '',
    'A SECTION',
    '',
    '- one bold item that needs a',
    '  second line',
    '- two',
    '',
    '  [[gate]]',
    '  # not a heading',
    '',
    '  claude',
    '      resume: yes · cost: yes',
  ])
})
