import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { emptyAgentReport } from '../agent-report.ts'
import {
  mergeAgentReports,
  formatCallLine,
  parseAgentReportCall,
  AGENT_REPORT_TOOLS,
  reportFromCalls,
} from './agent-report-calls.ts'

const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ')

describe('a call', () => {
  test.each([
    ['task_done', { task: ' t1 ' }, { tool: 'task_done', task: 't1' }],
    ['task_failed', { task: 't1' }, { tool: 'task_failed', task: 't1', why: null }],
    ['task_failed', { task: 't1', why: 'no key' }, { tool: 'task_failed', task: 't1', why: 'no key' }],
    ['note', { text: 'two\nlines', more: 1 }, { tool: 'note', text: 'two\nlines' }],
    [
      'knowledge',
      { title: 'a\nb', tags: ['X', ' ', 'x'], body: 'c' },
      { tool: 'knowledge', title: 'a b', tags: ['x'], body: 'c' },
    ],
    [
      'knowledge',
      { title: 'a', tags: 'x, y', body: 'c' },
      { tool: 'knowledge', title: 'a', tags: ['x', 'y'], body: 'c' },
    ],
    ['ask', { question: 'Which?' }, { tool: 'ask', id: '', text: 'Which?' }],
    ['progress', { text: 'half\nway' }, { tool: 'progress', text: 'half way' }],
    ['finding', { text: 'a leak' }, { tool: 'finding', text: 'a leak' }],
  ] as const)('%s %j', (tool, args, call) => {
    expect(parseAgentReportCall(tool, args)).toEqual({ is: 'call', call })
  })

  test.each([
    ['task_done', {}, '"task" must be a text.'],
    ['task_done', { task: 7 }, '"task" must be a text.'],
    ['task_done', { task: 'two words' }, '"task" must be the id of a task, without spaces.'],
    ['note', { text: '  ' }, '"text" must be a text.'],
    ['note', { text: 'x'.repeat(4001) }, '"text" has 4001 characters; the limit is 4000.'],
    ['task_done', { task: '\u001B]0;t1' }, '"task" must be the id of a task, without spaces.'],
    // What whoever keeps knowledge would not take is not noted.
    [
      'knowledge',
      { title: 'a', tags: ['x'], body: words(501) },
      'Ralph would not save it: it has 501 words; the limit is 500.',
    ],
    [
      'knowledge',
      { title: 'a', tags: ['x'], body: 'x'.repeat(8_001) },
      'Ralph would not save it: it has 8001 characters; the limit is 8000.',
    ],
    [
      'knowledge',
      { title: '\u001B[1m', tags: ['x'], body: 'b' },
      'Ralph would not save it: the title has a line break or another control character.',
    ],
    [
      'knowledge',
      { title: 'a', body: 'b', tags: Array.from({ length: 21 }, (_, at) => `x${at}`) },
      'Ralph would not save it: there are 21 tags; the limit is 20.',
    ],
    ...[undefined, [], [7], { 0: 'x' }].map(
      (tags) => ['knowledge', { title: 'a', body: 'b', tags }, 'Ralph would not save it: a tag is missing.'] as const,
    ),
    ['progress', { text: 'x'.repeat(201) }, '"text" has 201 characters; the limit is 200.'],
  ] as const)('%s %j is wrong', (tool, args, say) => {
    expect(parseAgentReportCall(tool, args)).toEqual({ is: 'wrong', say })
  })

  test('whatever is taken comes back from its line', () => {
    fc.assert(
      fc.property(fc.constantFrom(...AGENT_REPORT_TOOLS), fc.string({ minLength: 1, maxLength: 80 }), (tool, said) => {
        const args = {
          task: said,
          why: said,
          text: said,
          title: said,
          tags: ['x'],
          body: said,
          question: said,
          id: 'q1',
        }
        const read = parseAgentReportCall(tool, args)
        fc.pre(read.is === 'call')
        const told = reportFromCalls([formatCallLine(read.call)])
        expect(told).not.toEqual(emptyAgentReport())
      }),
    )
  })
})

const note = (text: string): string => formatCallLine({ tool: 'note', text })

describe('what calls amount to', () => {
  test('each is told where it belongs; a later progress replaces an earlier one', () => {
    const lines = [
      formatCallLine({ tool: 'progress', text: 'first' }),
      formatCallLine({ tool: 'task_failed', task: 't1', why: 'no key' }),
      formatCallLine({ tool: 'task_done', task: 't2' }),
      note('a note'),
      formatCallLine({ tool: 'knowledge', title: 'a', tags: ['x'], body: 'b' }),
      formatCallLine({ tool: 'ask', id: 'q1', text: 'Which?' }),
      formatCallLine({ tool: 'finding', text: 'a leak' }),
      formatCallLine({ tool: 'progress', text: 'last' }),
    ]
    expect(reportFromCalls(lines)).toEqual({
      ...emptyAgentReport(),
      done: ['t2'],
      failed: ['t1'],
      why: 'no key',
      notes: ['t1 failed: no key', 'a note'],
      knowledge: [{ title: 'a', tags: ['x'], body: 'b' }],
      asks: [{ id: 'q1', text: 'Which?' }],
      findings: ['a leak'],
      progress: 'last',
    })
  })

  test('lines that are no calls of ours tell nothing', () => {
    expect(reportFromCalls(['', 'x', '[]', '{"tool":"sing"}', '{"tool":"note","args":7}'])).toEqual(emptyAgentReport())
  })

  test('the same said by a tag and by a call is said once; tags keep what only they can say', () => {
    const tags = {
      ...emptyAgentReport(),
      done: ['t1'],
      notes: ['one'],
      promise: 'complete' as const,
      problems: ['p'],
    }
    const calls = {
      ...emptyAgentReport(),
      done: ['t1'],
      notes: ['one', 'two'],
      progress: 'half',
      problems: ['p', 'q'],
    }
    expect(mergeAgentReports(tags, calls)).toEqual({
      ...emptyAgentReport(),
      done: ['t1'],
      notes: ['one', 'two'],
      promise: 'complete',
      progress: 'half',
      problems: ['p', 'q'],
    })
  })

  test('what is too many is dropped, and the agent is told', () => {
    const calls = reportFromCalls(Array.from({ length: 9 }, (_, at) => note(`note ${at}`)))
    const { notes, problems } = mergeAgentReports(emptyAgentReport(), calls)
    expect(notes).toHaveLength(8)
    expect(problems).toEqual(['You reported 9 notes in one iteration; the limit is 8. The rest was dropped.'])
  })
})
