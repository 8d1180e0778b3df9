import { describe, expect, test } from 'vitest'
import { composeLines, layOutPanes, divideSpace, findPaneSize, type LayoutSpec, type SizeNeeds } from './layout.ts'
import { plainText, toSpan, lineWidth } from './screen-line.ts'
import { visibleRangeText, scrollTop, moveCursor, topForCursor } from './list-window.ts'

function room(min: number, want = min, { grow = 0, gives = 0 } = {}): SizeNeeds {
  return { min, want, grow, gives }
}

describe('sharing a length', () => {
  test('everybody gets what they want, and the rest goes to who can use it', () => {
    expect(divideSpace(20, [room(2, 5), room(3, 4, { grow: 1 })])).toEqual([5, 15])
  })
  test('where not all can have what they want, what there is is handed out evenly', () => {
    expect(divideSpace(12, [room(2, 10), room(2, 10)])).toEqual([6, 6])
    expect(divideSpace(12, [room(2, 3), room(2, 10)])).toEqual([3, 9])
  })
  test('who gives first is left out first, whole', () => {
    expect(divideSpace(8, [room(4), room(4, 4, { gives: 2 }), room(4, 4, { gives: 1 })])).toEqual([4, 0, 4])
  })
  test('of equals the last one goes', () => {
    expect(divideSpace(8, [room(4), room(4, 4, { gives: 1 }), room(4, 4, { gives: 1 })])).toEqual([4, 4, 0])
  })
  test('the last one stays, however little there is', () => {
    expect(divideSpace(3, [room(4), room(9, 9, { gives: 1 })])).toEqual([3, 0])
  })
  test('what grows is shared by weight, odd cells to the first', () => {
    expect(divideSpace(10, [room(0, 0, { grow: 2 }), room(0, 0, { grow: 1 })])).toEqual([7, 3])
  })
  test('gaps count, and only between those that stay', () => {
    expect(divideSpace(9, [room(4), room(4)], 1)).toEqual([4, 4])
    expect(divideSpace(8, [room(4, 4, { grow: 1 }), room(4, 4, { gives: 1 })], 1)).toEqual([8, 0])
  })
  test('nothing is handed out twice or lost where somebody grows', () => {
    for (let total = 0; total < 60; total += 1) {
      const sizes = divideSpace(total, [room(5, 9), room(3, 30, { grow: 1, gives: 1 }), room(4, 7, { gives: 2 })])
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(total)
      if ((sizes[1] ?? 0) > 0) expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(total)
    }
  })
})

describe('rows and columns', () => {
  const screen: LayoutSpec<string> = {
    ...room(0),
    columns: [
      { ...room(4, 6), pane: 'left' },
      {
        ...room(4, 4, { grow: 1 }),
        rows: [
          { ...room(1, 1), pane: 'top' },
          { ...room(1, 1, { grow: 1 }), pane: 'bottom' },
        ],
      },
    ],
  }
  const size = { columns: 15, rows: 3 }
  const draw = (pane: string): ReturnType<typeof toSpan>[][] => [[toSpan(`${pane} 日本語日本語`)], [toSpan(pane)]]

  test('each pane knows its size', () => {
    const laid = layOutPanes(screen, size)
    expect(['left', 'top', 'bottom', 'none'].map((pane) => findPaneSize(laid, pane))).toEqual([
      { columns: 6, rows: 3 },
      { columns: 8, rows: 1 },
      { columns: 8, rows: 2 },
      null,
    ])
  })
  test('lines are cut at their cells and stand at their columns', () => {
    const lines = composeLines(layOutPanes(screen, size), draw)
    expect(lines.map(plainText)).toEqual(['left …│top 日…', 'left  │bottom …', '      │bottom'])
    expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(size.columns)
  })
  test('what finds no room leaves no trace', () => {
    expect(composeLines(layOutPanes(screen, { columns: 6, rows: 2 }), draw).map(plainText)).toEqual(['left …', 'left'])
  })
})

describe('a list longer than its pane', () => {
  const look = { length: 10, rows: 4 }
  test.each([
    { cursor: 0, top: 5, is: 0 },
    { cursor: 5, top: 3, is: 3 },
    { cursor: 9, top: 0, is: 6 },
    { cursor: 2, top: 9, is: 2 },
  ])('the cursor is in sight, and the list moves no further than it must: $cursor', ({ cursor, top, is }) => {
    expect(topForCursor(cursor, top, look)).toBe(is)
  })
  test('a list that fits does not move', () => {
    expect(topForCursor(2, 2, { length: 3, rows: 4 })).toBe(0)
  })
  test('the cursor stops at the ends', () => {
    expect([moveCursor(3, -9, 10), moveCursor(3, Infinity, 10), moveCursor(3, 1, 10)]).toEqual([0, 9, 4])
  })
  test('a text is scrolled until its last line is in sight', () => {
    expect([scrollTop(0, 99, look), scrollTop(3, -1, look), scrollTop(0, 1, { length: 3, rows: 4 })]).toEqual([6, 2, 0])
  })
  test('how much is in sight', () => {
    expect([visibleRangeText(2, look), visibleRangeText(0, { length: 3, rows: 4 })]).toEqual(['3–6 of 10', ''])
  })
})
