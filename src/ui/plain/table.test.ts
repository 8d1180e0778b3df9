import { expect, test } from 'vitest'
import { paint } from './paint.ts'
import { bar, table } from './table.ts'

test('columns line up, numbers to the right', () => {
  const columns = [
    { title: 'who', text: (row: [string, number]) => row[0] },
    { title: 'n', right: true as const, text: (row: [string, number]) => String(row[1]) },
  ]
  expect(
    table(
      [
        ['ann', 7],
        ['bartholomew', 1200],
      ],
      columns,
      paint(false),
    ),
  ).toEqual(['who             n', 'ann             7', 'bartholomew  1200'])
})

test.each([
  [0, ''],
  [0.001, '▏'],
  [0.5, '██'],
  [0.53, '██▏'],
  [1, '████'],
  [7, '████'],
])('%f of four cells is "%s"', (share, text) => {
  expect(bar(share, 4)).toBe(text)
})
