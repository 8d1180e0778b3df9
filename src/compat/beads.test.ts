import { expect, test } from 'vitest'
import { parseBeadsJson, parseBeadsText } from './beads.ts'

const OPEN = { id: 'bd-a1', title: 'Open one', status: 'open', priority: 2 }
const URGENT = { id: 'bd-b2', title: 'Urgent one', status: 'open', priority: 0 }
const CLOSED = { id: 'bd-c3', title: 'Closed', status: 'closed', priority: 0 }
const WORKED = { id: 'bd-d4', title: 'Worked on', status: 'in_progress', priority: 3 }
const checkbox = (id: string, text: string, priority: string) => ({ id, text, priority, depth: 0 })

test('the list of bd: closed and incomplete entries are left out, the most urgent come first', () => {
  const text = JSON.stringify([OPEN, CLOSED, WORKED, URGENT, { id: 'bd-e5' }, { title: 'no id' }, null, 'x'])
  expect(parseBeadsJson(text, { status: 'open' })).toEqual({
    tasks: [checkbox('bd-b2', 'Urgent one', 'high'), checkbox('bd-a1', 'Open one', 'medium')],
    remarks: [],
  })
  expect(parseBeadsJson(text, { status: 'all' }).tasks.map(({ id }) => id)).toEqual(['bd-b2', 'bd-a1', 'bd-d4'])
})

test('the JSONL file: a later line about an issue holds, a broken line is told and passed over', () => {
  const text = [
    JSON.stringify(OPEN),
    '{broken',
    '',
    JSON.stringify({ ...OPEN, status: 'closed' }),
    JSON.stringify(WORKED),
  ].join('\n')
  expect(parseBeadsJson(text, { status: 'in_progress' })).toEqual({
    tasks: [checkbox('bd-d4', 'Worked on', 'low')],
    remarks: ['line 2 is not valid JSON and was skipped'],
  })
})

test('without a number the words tell the priority', () => {
  expect(parseBeadsJson('[{"id":"x-1","title":"urgent thing"}]', { status: 'open' }).tasks).toEqual([
    checkbox('x-1', 'urgent thing', 'high'),
  ])
})

test('the list for people of an old bd', () => {
  expect(parseBeadsText('○ bd-12 [P1] - Mend the gate\nFound 1 issue\n').tasks).toEqual([
    checkbox('bd-12', 'Mend the gate', 'medium'),
  ])
})
