import { expect, test } from 'vitest'
import { addDenial } from './denials.ts'
import type { Denial } from './reply.ts'

test('a denial is kept plain and short, under some name', () => {
  const denials: Denial[] = []
  addDenial(denials, { tool: '', command: `\u001b[31m${'x'.repeat(300)}` })
  expect(denials).toEqual([{ tool: 'unknown', command: `${'x'.repeat(199)}…` }])
})
