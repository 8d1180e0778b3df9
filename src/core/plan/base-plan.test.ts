import { describe, expect, test } from 'vitest'
import { droppedCheckboxes, applyPlanEdits } from './base-plan.ts'

const BASE = '# Plan\n\n- [ ] write add\n- [ ] write sub\n- [x] set up\n'

describe('boxes that were open at the base', () => {
  test.each([
    ['ticked', '# Plan\n- [x] write add\n- [x] write sub\n', []],
    ['still open', '# Plan\n- [x] write add\n- [ ] write sub\n', []],
    ['deleted', '# Plan\n- [x] write add\n', ['write sub']],
    ['moved under optional', '- [x] write add\n# Optional\n- [ ] write sub\n', ['write sub']],
    ['moved under optional and ticked', '- [x] write add\n# Optional\n- [x] write sub\n', []],
    ['turned into prose', '- [x] write add\n- write sub\n', ['write sub']],
    ['ticked with a remark', '- [x] write add (done in a1b2c3)\n- [x] **write sub**\n', []],
    ['hidden in a code fence', '- [x] write add\n```\n- [x] write sub\n```\n', ['write sub']],
    ['the whole plan gone', '', ['write add', 'write sub']],
  ])('%s', (_, now, lost) => {
    expect(droppedCheckboxes(BASE, now, ['optional'])).toEqual(lost)
  })

  test('two boxes of the same words are two boxes', () => {
    expect(droppedCheckboxes('- [ ] a\n- [ ] a\n', '- [x] a\n', [])).toEqual(['a'])
  })
})

describe('what a person writes', () => {
  const agents = '# Plan\n\n- [x] write add\n[tests: **]\n- [x] set up\n'

  test('belongs to the base, and what an agent wrote before does not', () => {
    const moved = applyPlanEdits(BASE, { from: agents, to: `${agents}- [ ] write mul [tests: test/mul/**]\n` })
    expect(moved).toBe(`${BASE}# Plan\n- [ ] write mul [tests: test/mul/**]\n`)
  })

  test('a box that a person deletes is no longer asked for', () => {
    const from = BASE
    expect(applyPlanEdits(BASE, { from, to: BASE.replace('- [ ] write sub\n', '') })).toBe(
      '# Plan\n\n- [ ] write add\n- [x] set up\n',
    )
  })

  test('a box that a person writes under an optional heading is optional', () => {
    const to = `${BASE}# Optional\n- [ ] paint it\n`
    expect(droppedCheckboxes(applyPlanEdits(BASE, { from: BASE, to }), BASE, ['optional'])).toEqual([])
  })

  test('a box that a person ticks is ticked', () => {
    const to = BASE.replace('- [ ] write sub', '- [x] write sub')
    expect(droppedCheckboxes(applyPlanEdits(BASE, { from: BASE, to }), '- [x] write add\n', [])).toEqual([])
  })

  test.each([
    ['', '- [x] write add\n- [ ] write sub\n', '- [ ] write add\n- [ ] write sub\n'],
    [' in other words', '- [x] write add (done)\n', '- [ ] write add (done)\n'],
    [' with leave', '- [x] write add [tests: **]\n', '- [ ] write add [tests: **]\n'],
  ])('a box that an agent ticked%s and a person opened again is one box', (_, from, to) => {
    const moved = applyPlanEdits('- [ ] write add\n- [ ] write sub\n', { from, to })
    expect(droppedCheckboxes(moved, '- [x] write sub\n', [])).toHaveLength(1)
    expect(droppedCheckboxes(moved, `${to.split('\n')[0]}\n- [x] write sub\n`, [])).toEqual([])
  })

  test('a box of more words than another one that is still there does not stand for it', () => {
    const from = '- [ ] write add\n- [x] write add tests\n'
    const moved = applyPlanEdits('- [ ] write add\n', { from, to: from.replace('[x]', '[ ]') })
    expect(droppedCheckboxes(moved, '- [x] write add tests\n', [])).toHaveLength(1)
  })
})
