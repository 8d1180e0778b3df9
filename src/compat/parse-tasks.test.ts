import { describe, expect, test } from 'vitest'
import { parseTask, parseTaskLines, renderPlanSections, guessPriority } from './parse-tasks.ts'

describe('normaliseTasks', () => {
  test('whatever stands before a line, it becomes one open task; headings and blank lines do not', () => {
    const text = '# Tasks from PRD\n- [x] boxed\n* starred\n1. numbered\n2 loose\n\nplain\r\n   - [ ]  deep  one\n'
    expect(parseTaskLines(text).map((task) => task.text)).toEqual([
      'boxed',
      'starred',
      'numbered',
      'loose',
      'plain',
      'deep one',
    ])
  })

  test('foreign text is one bounded line without control characters', () => {
    const [task] = parseTaskLines(`- \u001b[31mred\u0007 ${'x'.repeat(400)}`)
    expect(task?.text.startsWith('red xxx')).toBe(true)
    expect(task?.text.length).toBe(300)
  })
})

describe('priorityOf', () => {
  test.each([
    ['Fix SECURITY hole', 'high'],
    ['[P1] crash', 'high'],
    ['a nice-to-have', 'low'],
    ['must have, but later', 'low'],
    ['users should see it', 'high'],
    ['P2: polish', 'high'],
    ['low priority: rename', 'low'],
    ['add a mustache to the logo', 'medium'],
    ['serve http1 clients', 'medium'],
  ] as const)('%s is %s', (text, priority) => {
    expect(guessPriority(text)).toBe(priority)
  })
})

test('a plan has a section for each priority that occurs, and a task stays with the one it belongs to', () => {
  const tasks = [
    parseTask('later: themes', { id: '#9' }),
    parseTask('urgent: login'),
    parseTask('optional detail of it', { depth: 1 }),
    parseTask('tidy up', { id: 'bd-1' }),
  ].filter((task) => task !== null)
  expect(renderPlanSections(tasks)).toBe(
    '## High priority\n\n- [ ] urgent: login\n  - [ ] optional detail of it\n\n' +
      '## Medium priority\n\n- [ ] [bd-1] tidy up\n\n## Low priority\n\n- [ ] [#9] later: themes\n',
  )
})
