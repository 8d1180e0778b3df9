import { expect, test } from 'vitest'
import { createPaint } from './colours.ts'
import { textBar, formatTable, type Column } from './table.ts'

test('columns line up, numbers to the right', () => {
  const columns = [
    { title: 'who', text: (row: [string, number]) => row[0] },
    { title: 'n', right: true as const, text: (row: [string, number]) => String(row[1]) },
  ]
  expect(
    formatTable(
      [
        ['ann', 7],
        ['bartholomew', 1200],
      ],
      columns,
      { p: createPaint(false) },
    ),
  ).toEqual(['who             n', 'ann             7', 'bartholomew  1200'])
})

test('the last column is cut to the width, and a wide character counts as two', () => {
  const columns = [
    { title: 'who', text: (row: [string, string]) => row[0] },
    { title: 'what', text: (row: [string, string]) => row[1] },
  ]
  const rows: [string, string][] = [
    ['漢字', 'a sentence that does not fit'],
    ['ann', 'short'],
  ]
  expect(formatTable(rows, columns, { p: createPaint(false), width: 24 })).toEqual([
    'who   what',
    '漢字  a sentence that d…',
    'ann   short',
  ])
})

test('columns that can be spared go where there is no room, the last of them first', () => {
  const column = (title: string, spare: boolean) => ({
    title,
    text: () => 'x'.repeat(10),
    ...(spare ? { spare } : {}),
  })
  const columns = [column('a', false), column('b', true), column('c', true), column('d', false)] as Column<string>[]
  const titles = (width: number) => formatTable(['row'], columns, { p: createPaint(false), width })[0]?.split(/ +/)
  expect([titles(60), titles(50), titles(30)]).toEqual([
    ['a', 'b', 'c', 'd'],
    ['a', 'b', 'd'],
    ['a', 'd'],
  ])
})

test.each([
  [0, ''],
  [0.001, '▏'],
  [0.5, '██'],
  [0.53, '██▏'],
  [1, '████'],
  [7, '████'],
])('%f of four cells is "%s"', (share, text) => {
  expect(textBar(share, 4)).toBe(text)
})
