import { expect, test } from 'vitest'
import { visibleBoardTasks, buildBoardTasks, type BoardTaskInput } from './task-board.ts'

function row(id: string, more: Partial<BoardTaskInput> = {}): BoardTaskInput {
  return {
    id,
    parent: null,
    title: `Do ${id}`,
    status: 'pending',
    waits: 0,
    above: 0,
    scheduled: false,
    children: 0,
    why: null,
    ...more,
  }
}

const BOARD = buildBoardTasks(
  [
    row('x', { status: 'failed', why: 'red' }),
    row('p', { children: 2, waits: 1 }),
    row('b', { parent: 'p', above: 1 }),
    row('a', { parent: 'p', status: 'done', why: 'by claude' }),
    row('s', { parent: 'gone', scheduled: true }),
  ],
  { waits: new Map([['p', ['x (failed)']]]), usd: new Map([['a', 0.5]]) },
)

test('a tree, with what keeps each and what it cost', () => {
  expect(BOARD.map(({ id, depth, status, why, usd }) => [id, depth, status, why, usd])).toEqual([
    ['x', 0, 'failed', 'red', null],
    ['p', 0, 'blocked', 'waits for x (failed)', null],
    ['b', 1, 'blocked', 'its parent is blocked', null],
    ['a', 1, 'done', null, 0.5],
    ['s', 0, 'pending', 'scheduled for later', null],
  ])
})

test('folded and filtered: what fits stays with what is above it', () => {
  const ids = (filter: Parameters<typeof visibleBoardTasks>[1]['filter'], folded: string[] = []): string[] =>
    visibleBoardTasks(BOARD, { filter, folded }).map(({ id }) => id)
  expect(ids('all')).toEqual(['x', 'p', 'b', 'a', 's'])
  expect(ids('all', ['p'])).toEqual(['x', 'p', 's'])
  expect(ids('open')).toEqual(['x', 'p', 'b', 's'])
  expect(ids('blocked')).toEqual(['p', 'b'])
  expect(ids('failed')).toEqual(['x'])
})
