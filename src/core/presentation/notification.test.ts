import { describe, expect, test } from 'vitest'
import {
  NOTIFICATION_KINDS,
  notificationsFor,
  webhookRequestFor,
  type Notification,
  type NotificationOptions,
} from './notification.ts'
import { playRun, START_TIME } from '../../../test/kit/core.ts'
import type { Row } from '../state/row.ts'
import { foldView, type RunView } from './run-view.ts'

const local = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')
const ALL = { project: 'shop', on: NOTIFICATION_KINDS, local }

function notifications(rows: Row[], options: NotificationOptions): Notification[] {
  let view: RunView | null = null
  return rows.flatMap((row) => notificationsFor(row, (view = foldView(view, row)), options))
}

test('of a night only what was asked for is told, in its order', () => {
  const rows = playRun([
    { done: true, checkboxes: { open: 0, done: 1 }, green: false },
    { done: true, checkboxes: { open: 0, done: 1 }, green: true },
  ])
  const told = notifications(rows, ALL).map(({ event, title }) => [event, title])
  expect(told).toEqual([
    ['iteration', 'Iteration finished'],
    ['refused', 'A completion was rejected'],
    ['iteration', 'Iteration finished'],
    ['ended', 'Proven done'],
  ])
  expect(notifications(rows, { project: 'shop', on: ['ended'], local })).toEqual([
    {
      event: 'ended',
      run: 'k7f3qa',
      project: 'shop',
      at: START_TIME + 120_000,
      title: 'Proven done',
      text: 'npm run test passes, here and in the clean room (5 steps)',
      outcome: { is: 'project_complete', verdict: 'proven', exit: 0 },
    },
  ])
})

test('the end of an iteration has the words of its line', () => {
  const rows = playRun([
    { files: 2, done: true, checkboxes: { open: 0, done: 1 }, green: true, summary: 'it reads dates' },
  ])
  expect(notifications(rows, { ...ALL, on: ['iteration'] }).map(({ text }) => text)).toEqual([
    expect.stringMatching(/^1 1:00 2 files .* · "it reads dates" · .* · the agent says it is done$/),
  ])
})

test('an open breaker is told', () => {
  const rows = playRun([{ files: 0 }])
  const told = notifications(rows, { project: 'shop', on: ['breaker'], local })
  expect(told.map(({ text }) => text)).toEqual(['no changes in 3 iterations in a row'])
})

test('a wait of days is told with its date, an outage once and its end', () => {
  const limit = { kind: 'usage-limit', message: 'limit', resetsAt: START_TIME + 3 * 86_400_000 } as const
  const outage = { kind: 'server', message: 'Overloaded' } as const
  const rows = playRun([
    { files: 0, fails: limit },
    { files: 0, fails: outage },
  ])
  const told = notifications(rows, { ...ALL, on: ['waiting', 'ended'] })
  expect(told.map(({ title, text }) => [title, text])).toEqual([
    ['Waiting', 'waits until Sat 13 Mar, 21:30, in 3 days: claude hit its usage limit'],
    ['Outage', 'claude cannot be reached (Overloaded): waiting since 21:31, next try 21:31, gives up at 23:31'],
    [
      'Interrupted',
      'no agent could be reached for 2h: claude cannot be reached (Overloaded); the same command resumes it',
    ],
  ])
})

const NOTICE: Notification = {
  event: 'ended',
  run: 'k7f3qa',
  project: 'sh*p',
  at: START_TIME,
  title: 'Not done',
  text: 'breaker: <!channel> @everyone `x` & “ü”',
  outcome: { is: 'breaker', verdict: 'unproven', exit: 4 },
}

describe('each receiver gets its own shape, and no foreign word pings anybody', () => {
  test('json is the notice itself', () => {
    expect(JSON.parse(webhookRequestFor(NOTICE, 'json').body)).toEqual(NOTICE)
  })
  test('slack', () => {
    expect(JSON.parse(webhookRequestFor(NOTICE, 'slack').body)).toEqual({
      text: '*Not done* (sh*p · run k7f3qa)\nbreaker: &lt;!channel&gt; @everyone `x` &amp; “ü”',
    })
  })
  test('discord', () => {
    expect(JSON.parse(webhookRequestFor(NOTICE, 'discord').body)).toEqual({
      content: '**Not done** (sh\\*p · run k7f3qa)\nbreaker: <!channel\\> \\@everyone \\`x\\` & “ü”',
      allowed_mentions: { parse: [] },
    })
  })
  test('ntfy: the title is a header, so it stays ASCII', () => {
    expect(webhookRequestFor({ ...NOTICE, project: 'schön' }, 'ntfy')).toEqual({
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        title: 'Not done: sch?n',
        tags: 'checkered_flag',
      },
      body: 'breaker: <!channel> @everyone `x` & “ü”\nschön · run k7f3qa',
    })
  })
})
