/** A screen may watch for days: what it holds after a day is no more than what it held after the first night. */
import { serialize } from 'node:v8'
import { expect, test } from 'vitest'
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import type { Row } from '../../core/state/row.ts'
import { renderFrame } from './render-frame.ts'
import { addHistoryPage } from './iterations.ts'
import type { DashboardScene } from './dashboard-scene.ts'
import { createScene, applyWatchUpdate } from './dashboard-scene.ts'
import {
  sampleUpdate,
  sampleRow,
  ended,
  gateEnded,
  iteration,
  iterationEnded,
  runStarted,
  START,
  WIDE,
  working,
} from '../../../test/kit/tui.ts'

const HOUR = 3600

/** An iteration every two minutes, a word or a tool call every two seconds, a decision with each iteration. */
function simulate(from: DashboardScene | null, [first, last]: [number, number]): DashboardScene {
  let scene =
    from ??
    applyWatchUpdate(
      createScene({ now: START, zone: 0, leaving: 'asks', only: null }),
      sampleUpdate({ rows: [runStarted()] }),
    )
  for (let second = first * HOUR; second < last * HOUR; second += 10) {
    const iteration = Math.floor(second / 120) + 1
    const why = iterationEnded(iteration, `box ${iteration} is still open`)
    const begins = second % 120 === 0 ? working(iteration, { after: second }) : []
    const ends =
      second % 120 === 110
        ? [
            ended({ after: second, decisions: [why] }),
            gateEnded('test', { after: second }),
            sampleRow({ type: 'remark', about: 'x', text: 'y'.repeat(200) }, { after: second }),
          ]
        : []
    scene = {
      ...applyWatchUpdate(scene, sampleUpdate({ rows: [...begins, ...ends], words: talk(second), iteration })),
      now: START + second * 1000,
    }
    if (second % 600 === 0) renderFrame(scene, WIDE)
  }
  return scene
}

function talk(second: number): AgentEvent[] {
  return Array.from({ length: 3 }, (_, n): AgentEvent[] => {
    const id = `t${second}.${n}`
    if (n % 3 > 0) return [{ type: 'text', text: `${'word '.repeat(20)}${second}\n`, delta: true }]
    return [
      { type: 'tool', id, name: 'Bash', input: 'npm test', paths: [] },
      { type: 'tool-ended', id, ok: true, output: 'line\n'.repeat(10) },
    ]
  }).flat()
}

test('memory is flat over a simulated day', () => {
  const night = simulate(null, [0, 8])
  const held = serialize(night).length
  const day = serialize(simulate(night, [8, 24])).length
  expect(day).toBeLessThan(held * 1.15)
  expect(day).toBeLessThan(8 * 1024 * 1024)
})

test('a run of thousands of iterations is held no larger than one of hundreds, and its past can be found again', () => {
  const turns = (from: number, to: number): Row[] =>
    Array.from({ length: to - from }, (_, n) =>
      iteration(from + n, { at: (from + n) * 60, took: 50, usd: 1, says: 'more' }),
    ).flat()
  const start = createScene({ now: START, zone: 0, leaving: 'asks', only: null })
  const held = applyWatchUpdate(start, sampleUpdate({ rows: [runStarted(), ...turns(1, 500)] }))
  const long = applyWatchUpdate(held, sampleUpdate({ rows: turns(500, 3001) }))
  expect(serialize(long).length).toBeLessThan(serialize(held).length * 1.15)
})

test('of the past a few pages are held, however many were looked at', () => {
  let scene = createScene({ now: START, zone: 0, leaving: 'asks', only: null })
  for (let page = 0; page < 50; page += 1) scene = addHistoryPage(scene, page, [])
  expect(scene.past.map(({ page }) => page)).toEqual([47, 48, 49])
})
