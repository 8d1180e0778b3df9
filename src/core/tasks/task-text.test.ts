import { expect, test } from 'vitest'
import { describeCurrentTask, describeTaskCounts } from './task-text.ts'

test('counts name only what there is', () => {
  const none = { done: 0, failed: 0, going: 0, ready: 0, blocked: 0, scheduled: 0 }
  expect(describeTaskCounts({ ...none, all: 2, ready: 2 })).toBe('0 of 2 done · 2 ready')
  expect(describeTaskCounts({ all: 9, done: 3, failed: 1, going: 1, ready: 1, blocked: 2, scheduled: 1 })).toBe(
    '3 of 9 done · 1 failed · 1 in progress · 1 ready · 2 blocked · 1 scheduled',
  )
})

test('a worker is at a task, at one of its visits', () => {
  const task = { id: 't-1', title: 'Log in', attempt: 1, visit: 1, of: 4 }
  expect(describeCurrentTask(task)).toBe('t-1 "Log in", attempt 1 of 4')
  expect(describeCurrentTask({ ...task, attempt: 2, visit: 3 })).toBe('t-1 "Log in", attempt 3 of 4')
})
