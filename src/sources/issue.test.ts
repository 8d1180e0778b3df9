import { describe, expect, test } from 'vitest'
import {
  issueToDocument,
  issueToTask,
  matchesIssueFilters,
  parseIssues,
  parseIssue,
  selectIssue,
  type Issue,
} from './issue.ts'

function anIssue(more: Partial<Issue> = {}): Issue {
  return {
    number: 7,
    title: 'Fix it',
    body: '',
    labels: [],
    assignees: [],
    milestone: null,
    url: 'https://github.com/o/n/issues/7',
    comments: [],
    ...more,
  }
}

describe('what gh tells', () => {
  test('fields that are missing or of another kind are empty; entries that are no issues are left out', () => {
    const json = JSON.stringify([
      { number: 3, title: 'A\u001b[0m\nB', labels: [{ name: 'bug' }, 5], milestone: { title: 'v1' } },
      { title: 'no number' },
      null,
    ])
    expect(parseIssues(json)).toEqual([
      anIssue({ number: 3, title: 'A B', labels: ['bug', ''], milestone: 'v1', url: '' }),
    ])
    expect([parseIssues('nonsense'), parseIssue('[]')]).toEqual([[], null])
  })
})

describe('matches', () => {
  const any = { title: null, excludeLabels: [] }
  test.each([
    ['fix *', 'Fix the [gate] (now)', true],
    ['Fix the [gate]*', 'Fix the [gate] (now)', true],
    ['gate', 'Fix the gate', false],
    ['*gate*', 'Fix the gate', true],
    ['F.x', 'Fix', false],
  ])('the title pattern "%s" on "%s" is %s', (title, has, expected) => {
    expect(matchesIssueFilters(anIssue({ title: has }), { ...any, title })).toBe(expected)
  })

  test('a label that is excluded, in whatever case', () => {
    expect(matchesIssueFilters(anIssue({ labels: ['WontFix'] }), { ...any, excludeLabels: ['wontfix'] })).toBe(false)
  })
})

test('of several the first, or the one with the lowest P label; equals keep their order', () => {
  const issues = [
    anIssue({ number: 1 }),
    anIssue({ number: 2, labels: ['P2'] }),
    anIssue({ number: 3, labels: ['priority: P0'] }),
    anIssue({ number: 4, labels: ['p0'] }),
  ]
  expect([
    selectIssue(issues, 'first')?.number,
    selectIssue(issues, 'priority')?.number,
    selectIssue([], 'first'),
  ]).toEqual([1, 3, null])
})

test('as a task it carries its number and the priority of its label', () => {
  expect(issueToTask(anIssue({ labels: ['P3'], title: 'urgent words do not count then' }))).toEqual({
    id: '#7',
    text: 'urgent words do not count then',
    priority: 'low',
    depth: 0,
  })
})

test('as a document it has its title, where it comes from, its body, and the discussion when that was fetched', () => {
  const issue = anIssue({
    labels: ['bug'],
    body: 'It breaks.\n',
    comments: [{ author: 'ann', body: 'Indeed.' }],
  })
  expect(issueToDocument(issue)).toBe(
    '# Fix it\n\n> Issue #7 · bug · https://github.com/o/n/issues/7\n\nIt breaks.\n\n## Discussion\n\n**ann:** Indeed.\n',
  )
})
