import { expect, test } from 'vitest'
import type { TaskBoard } from '../../../core/presentation/task-board.ts'
import { sampleScene, frameText, pressKeys, runStarted } from '../../../../test/kit/tui.ts'
import { TASKS_PANE } from './tasks.ts'
import { plainText } from '../screen-line.ts'
import type { DashboardScene } from '../dashboard-scene.ts'

const BOARD: TaskBoard = {
  counts: { all: 4, done: 1, failed: 1, going: 1, ready: 0, blocked: 1, scheduled: 0 },
  tasks: [
    task('p', 'The page', { status: 'in_progress', children: 2 }),
    task('a', 'A button', { depth: 1, status: 'done', usd: 0.04 }),
    task('b', 'A form', { depth: 1, status: 'in_progress', usd: 0.12 }),
    task('x', 'The tax', { status: 'failed', why: 'gate test failed', usd: 0.08 }),
    task('c', 'Show it', { status: 'blocked', why: 'waits for x (failed)' }),
  ],
}

function task(id: string, title: string, more: Partial<TaskBoard['tasks'][number]>): TaskBoard['tasks'][number] {
  return {
    id,
    title,
    depth: 0,
    status: 'pending',
    scheduled: false,
    children: 0,
    why: null,
    usd: null,
    ...more,
  }
}

const SIZE = { columns: 60, rows: 24 }
const AT = sampleScene({ rows: [runStarted()], tasks: BOARD })

function lines(scene: DashboardScene): string[] {
  return TASKS_PANE.lines(scene, { columns: 50, rows: 10 }).map((line) => plainText(line).trimEnd())
}

test('a tree with states, costs, and what keeps each', () => {
  expect(lines(AT)).toEqual([
    '1 of 4 done · 1 failed · 1 in progress · 1 blocked',
    '▸ p The page [-]',
    '  ✓ a A button $0.04',
    '  ▸ b A form $0.12',
    '✗ x The tax $0.08 gate test failed',
    '- c Show it waits for x (failed)',
  ])
})

test('it stands where a loop has its plan, under its own name and with its keys', () => {
  const screen = frameText(pressKeys(AT, ['4'], SIZE).scene, SIZE)
  expect(screen).toContain('─▸tasks')
  expect(screen).toContain('←→ fold  f filter')
  expect(screen).not.toMatch(/^plan|plan ─/m)
})

test('parents fold and unfold, and the cursor stays with them', () => {
  const up = { is: 'up' } as const
  const folded = pressKeys(AT, ['4', up, up, { is: 'left' }], SIZE).scene
  expect(lines(folded)[1]).toBe('▸ p The page [+2]')
  expect(lines(folded)).toHaveLength(4)
  expect(lines(pressKeys(folded, [{ is: 'enter' }], SIZE).scene)).toHaveLength(6)
})

test('f shows what is open, what is blocked, what failed, and all again', () => {
  const after = (times: number): string[] =>
    lines(pressKeys(AT, ['4', ...Array.from({ length: times }, () => 'f')], SIZE).scene)
  expect(after(1)).toHaveLength(5)
  expect(after(2).slice(1)).toEqual(['- c Show it waits for x (failed)'])
  expect(after(3).slice(1)).toEqual(['✗ x The tax $0.08 gate test failed'])
  expect(after(4)).toHaveLength(6)
  expect(frameText(pressKeys(AT, ['4', 'f'], SIZE).scene, SIZE)).toContain('tasks · open only, f: change')
})

test('of a large graph the others are counted below, by what is shown', () => {
  const counts = { ...BOARD.counts, all: 90_000, done: 10_000, failed: 3 }
  const large = sampleScene({ rows: [runStarted()], tasks: { ...BOARD, counts } })
  const last = (times: number): string | undefined =>
    lines(pressKeys(large, ['4', ...Array.from({ length: times }, () => 'f')], SIZE).scene).at(-1)
  expect(last(0)).toBe('… and 89996 more: ralph task list')
  expect(last(1)).toBe('… and 79997 more: ralph task list')
  expect(last(2)).toBe('- c Show it waits for x (failed)')
  expect(last(3)).toBe('… and 2 more: ralph task list --status failed')
  expect(TASKS_PANE.lines(large, { columns: 50, rows: 4 }).map(plainText)).toHaveLength(4)
})

test('what is sixty levels deep is read in a narrow pane, and a long title hides neither cost nor reason', () => {
  const tasks = [
    ...Array.from({ length: 60 }, (_, depth) => task(`d${depth}`, 'Deep', { depth, children: 1 })),
    task('x', '漢字'.repeat(200), { depth: 60, status: 'failed', why: 'gate test failed', usd: 0.08 }),
  ]
  const deep = sampleScene({ rows: [runStarted()], tasks: { counts: { ...BOARD.counts, all: 1 }, tasks } })
  const shown = lines(pressKeys(deep, ['4', { is: 'end' }], SIZE).scene)
  expect(shown.at(-2)).toBe('                +51 · d59 Deep [-]')
  expect(shown.at(-1)).toMatch(/^ {16}\+52 ✗ x (漢字)+… \$0\.08 gate/)
})
