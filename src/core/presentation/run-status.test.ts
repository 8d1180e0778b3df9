import { expect, test } from 'vitest'
import type { Outcome } from '../state/outcome.ts'
import { runStatusText, runStatusTone, type RunStatusInput } from './outcome-text.ts'

const PROVEN: Outcome = { is: 'plan_complete', reason: 'r', verdict: 'proven', exit: 0 }
const BROKEN: Outcome = { is: 'breaker', reason: 'r', verdict: 'unproven', exit: 4 }

test.each<[standing: RunStatusInput, title: string, tone: string]>([
  [{ outcome: null, left: false, undone: false }, 'not finished', 'warn'],
  [{ outcome: null, left: false, undone: true }, 'undone before it ended', 'warn'],
  [{ outcome: PROVEN, left: false, undone: false }, 'proven done', 'good'],
  [{ outcome: BROKEN, left: false, undone: false }, 'not done', 'bad'],
  [{ outcome: PROVEN, left: false, undone: true }, 'undone, was proven done', 'warn'],
  [{ outcome: BROKEN, left: true, undone: false }, 'interrupted', 'warn'],
  [{ outcome: BROKEN, left: true, undone: true }, 'undone, was interrupted', 'warn'],
])('%j', (standing, title, tone) => {
  expect([runStatusText(standing), runStatusTone(standing)]).toEqual([title, tone])
})
