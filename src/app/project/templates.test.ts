import { expect, test } from 'vitest'
import { isUntouchedTemplate } from '../../core/plan/untouched-template.ts'
import { planText, promptText } from './templates.ts'

test('what set-up writes is known as untouched until somebody writes into it', () => {
  expect([promptText('shop'), planText([])].map(isUntouchedTemplate)).toEqual([true, true])
  const checkbox = { id: null, text: 'Sell hats', priority: 'high' as const, depth: 0 }
  expect(isUntouchedTemplate(planText([checkbox]))).toBe(false)
})
