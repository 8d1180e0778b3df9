import { describe, expect, test } from 'vitest'
import type { Row } from '../../core/state/row.ts'
import { foldReport, type ReportState } from '../../core/presentation/report.ts'
import { foldView, type RunView } from '../../core/presentation/run-view.ts'
import {
  answer,
  startedRun,
  openEffectOf,
  afterTurn,
  withRules,
  send,
  until,
  working,
  type RunMoment,
} from '../../../test/kit/core.ts'
import { outputLinesFor, iterationLine, resultBlock } from './row-lines.ts'
import { createPaint } from './colours.ts'

const p = createPaint(false)
const STOP = {
  type: 'request-received',
  request: { id: 1, from: 'ann', do: 'stop', now: false },
} as const
const OPEN = { open: 3, done: 0 }

/** What is printed of the iterations of a run, row by row, and the view at its end. */
function printed(rows: Row[]): { lines: string[]; view: RunView } {
  let view: RunView | null = null
  const lines: string[] = []
  for (const row of rows) {
    view = foldView(view, row)
    for (const { is, text } of outputLinesFor(row, view, p)) if (is === 'iteration') lines.push(text)
  }
  if (view === null) throw new Error('no rows')
  return { lines, view }
}

describe('an iteration is printed once, with its own reason', () => {
  test('also when a person changes as many files in the pause after it', () => {
    const rules = withRules({ loop: { pauseMs: 6_000 } })
    const paused = afterTurn(working({ rules }), { files: 1, checkboxes: OPEN })
    const looks = until(paused, ({ is }) => is === 'taking-snapshot')
    const snapshot = { tree: 'edited', head: 'h', branch: 'main', ref: null, unstored: [], busy: null }
    const { rows } = answer(looks, { files: 1, checkboxes: OPEN, look: { snapshot } })
    const { lines, view } = printed(rows)
    expect(rows.flatMap(({ decisions }) => decisions).map(({ why }) => why)).toContainEqual(
      expect.stringContaining('changed between iterations'),
    )
    expect(lines).toEqual([expect.stringContaining('changes made; not finished yet')])
    expect(view.iterations[0]?.why).toBe('changes made; not finished yet')
    expect(view.iterations.map((one) => iterationLine(one, p, '1'))[0]).toBe(lines[0])
  })

  test('also when nothing else is decided with it', () => {
    const over = afterTurn(working(), { files: 1, checkboxes: OPEN, reply: { end: 'over-budget' } })
    expect(printed(over.rows).lines).toEqual([expect.stringContaining('the budget is spent')])
  })

  test('also when it is stopped, or its agent could not be started', () => {
    const stopped = afterTurn(send(working(), STOP), { reply: { end: 'stopped' } })
    expect(printed(stopped.rows).lines).toHaveLength(1)
    const before = working()
    const failed = send(before, {
      type: 'effect-failed',
      worker: '1',
      effect: openEffectOf(before).id,
      problem: 'no space left on the device',
      hint: null,
    })
    expect(printed(failed.rows).lines).toEqual([expect.stringContaining('no space left on the device')])
  })

  test('and what the proof says later is not its reason', () => {
    const claimed = afterTurn(working(), { done: true, checkboxes: { open: 0, done: 3 } })
    const refused = until(claimed, ({ is }) => is === 'working', { green: false })
    const { lines, view } = printed(refused.rows)
    expect(lines).toHaveLength(1)
    expect(view.iterations[0]).toMatchObject({
      outcome: 'claimed',
      why: 'the agent says it is done',
      rejection: 'test failed (exit 1)',
    })
  })
})

test('three workers in one tree: iterations, files and commits are counted over all of them', () => {
  const ids = ['1', '2', '3']
  const all = (from: RunMoment, go: (moment: RunMoment, id: string) => RunMoment): RunMoment => ids.reduce(go, from)
  const at = (moment: RunMoment, id: string): RunMoment => until(moment, ({ is }) => is === 'working', {}, id)
  let moment = all(startedRun({ workers: 3, rules: withRules({ loop: { iterationsMax: 3 } }) }), at)
  for (const round of [1, 2, 3]) {
    for (const id of ids) {
      const commits = [{ sha: `${id}-${round}`, subject: 'a change' }]
      const change = { paths: [], files: 2, added: 2, removed: 0, commits }
      moment = afterTurn(moment, { summary: `${id}-${round}`, checkboxes: OPEN, look: { change } }, id)
    }
    if (round < 3) moment = all(moment, at)
  }
  while (Object.keys(moment.state.run.open).length > 0) moment = answer(moment)
  const { lines, view } = printed(moment.rows)
  const fold = moment.rows.reduce<ReportState | null>(foldReport, null)
  expect(view.iterations.map(({ worker, n }) => `${worker}/${n}`)).toEqual(
    [1, 2, 3].flatMap((n) => ids.map((id) => `${id}/${n}`)),
  )
  expect(view.iterations.map(({ summary }) => summary)).toEqual([1, 2, 3].flatMap((n) => ids.map((id) => `${id}-${n}`)))
  expect([lines.length, view.made]).toEqual([9, 9])
  expect(resultBlock(view, { p, columns: 80 })).toContain('9 iterations')
  expect(fold?.report.iterations).toMatchObject({ made: 9, succeeded: 9, moved: 9, nothing: 0, refused: 0 })
  expect([fold?.report.changed.files, fold?.report.commitCount]).toEqual([18, 9])
  expect(fold?.report.commits.map(({ worker, iteration, sha }) => [`${worker}-${iteration}`, sha])).toEqual(
    [1, 2, 3].flatMap((n) => ids.map((id) => [`${id}-${n}`, `${id}-${n}`])),
  )
  expect(lines.map((line) => /^\S+ (\S+)/.exec(line)?.[1])).toEqual(
    [1, 2, 3].flatMap((n) => ids.map((id) => `w${id}:${n}`)),
  )
})
