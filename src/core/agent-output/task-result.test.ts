import { expect, test } from 'vitest'
import { scanTags } from './tags/tag-scan.ts'
import { createAgentReportFold } from './tags/agent-report-fold.ts'
import { readTaskResult, type ReportedTaskResult } from './task-result.ts'

const done = (id: string) => `<task-done>${id}</task-done>`
const failed = (id: string) => `<task-failed>${id}</task-failed>`
const unclear = (why: string): ReportedTaskResult => ({ is: 'unclear', why })

test.each<[text: string, word: ReportedTaskResult]>([
  ['Nothing.', { is: 'none' }],
  [done('a'), { is: 'done' }],
  [`${done('a')} ${done('a')}`, { is: 'done' }],
  [failed('a'), { is: 'failed' }],
  [done('`a`'), { is: 'done' }],
  [failed('**"a"**'), { is: 'failed' }],
  [done('b'), unclear('the reply names b, but the task is a')],
  [`${done('a')} ${failed('b')}`, unclear('the reply names b, but the task is a')],
  [`${failed('a')} ${done('a')}`, unclear('the reply says that a is done and that it failed')],
  [`${failed('b')} ${done('c')}`, unclear('the reply names c, but the task is a')],
  [`> ${done('a')}`, { is: 'none' }],
  [`"${done('a')}"`, { is: 'none' }],
  [`<journal>${done('a')}</journal>`, { is: 'none' }],
  ['<promise>FAILURE</promise>', { is: 'failed' }],
  ['<promise>COMPLETE</promise>', { is: 'none' }],
  [`${done('a')} <promise>FAILURE</promise>`, unclear('the reply says that a is done and that it failed')],
])('%s', (text, word) => {
  const told = createAgentReportFold().finish([scanTags(text)])
  expect(readTaskResult({ told }, 'a')).toEqual(word)
})
