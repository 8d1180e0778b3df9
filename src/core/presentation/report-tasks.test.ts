import { expect, test } from 'vitest'
import {
  doneTaskLines,
  failedTaskLines,
  unfinishedTaskLines,
  type ReportTask,
  type ReportTasks,
} from './report-tasks.ts'

function had(task: string, is: 'done' | 'failed' | 'released', why: string | null = null): ReportTask {
  return {
    task,
    title: `Do ${task}`,
    is,
    why,
    now: is === 'released' ? 'pending' : is,
    iterations: 2,
    spent: { usd: 0.5, tokens: 3_000, unknown: 0, estimated: 0 },
  }
}

const TASKS: ReportTasks = {
  counts: { all: 9, done: 2, failed: 1, going: 0, ready: 1, blocked: 4, scheduled: 1 },
  had: [had('a', 'done'), had('x', 'failed', 'the gate is red'), had('q', 'released', 'stopped by Ann')],
  done: 1,
  failed: 1,
  waiting: [{ task: 'c', title: 'Do c', for: [{ task: 'x', title: 'Do x', status: 'failed' }] }],
}

test('what was done, what failed and why, what is left and why, each with its cost', () => {
  expect(doneTaskLines(TASKS)).toEqual([
    'tasks: 2 of 9 done · 1 failed · 1 ready · 4 blocked · 1 scheduled (1 by this run)',
    '✓ a "Do a" (2 iterations, $0.50, 3k tokens)',
  ])
  expect(failedTaskLines(TASKS)).toEqual(['✗ x "Do x": the gate is red (2 iterations, $0.50, 3k tokens)'])
  expect(unfinishedTaskLines(TASKS)).toEqual([
    'q "Do q": stopped by Ann (2 iterations, $0.50, 3k tokens)',
    'c waits for x (failed)',
    'and 3 more are blocked',
  ])
})

test('what was taken back, done again or deleted since is said', () => {
  const [a, x] = [had('a', 'done'), had('x', 'failed', 'red')]
  const later = {
    ...TASKS,
    had: [
      { ...a, now: 'pending' as const },
      { ...x, now: 'done' as const },
    ],
  }
  expect(doneTaskLines(later)[1]).toBe('✓ a "Do a" (2 iterations, $0.50, 3k tokens) · now pending again')
  expect(failedTaskLines(later)).toEqual(['✗ x "Do x": red (2 iterations, $0.50, 3k tokens) · now done'])
})

test('of many the last are shown', () => {
  const many = { ...TASKS, done: 300, had: Array.from({ length: 30 }, (_, n) => had(`t${n}`, 'done')) }
  expect(doneTaskLines(many)).toHaveLength(22)
  expect(doneTaskLines(many)[1]).toBe('(280 more before these)')
})
