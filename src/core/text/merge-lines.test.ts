import { describe, expect, test } from 'vitest'
import { mergeThreeWay } from './merge-lines.ts'
import { mergePlan, toggledCheckboxes } from '../plan/merge-plan.ts'

describe('lines of three texts in one', () => {
  test.each([
    ['only theirs', 'a\nb\n', 'a\nb\n', 'a\n', 'a\n'],
    ['only ours', 'a\nb\n', 'a\nb\nc\n', 'a\nb\n', 'a\nb\nc\n'],
    ['both the same', 'a\n', 'b\n', 'b\n', 'b\n'],
    ['far from each other', 'a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nC\n', 'A\nb\nC\n'],
    ['touching', 'a\nb\n', 'A\nb\n', 'a\nB\n', 'A\nB\n'],
    ['a line behind one that goes', 'a\nx\n', 'a\nx\nmine\n', 'a\n', 'a\nmine\n'],
    ['a line before one that goes', 'x\nb\n', 'mine\nx\nb\n', 'b\n', 'mine\nb\n'],
    ['two at one place', 'a\n', 'a\nmine\n', 'a\nback\n', 'a\nback\nmine\n'],
    ['the last line has no end', 'a\nb', 'a\nb\nc', 'z\nb', 'z\nb\nc'],
    ['other line ends', 'a\r\nb\r\n', 'a\r\nb\r\nc\r\n', 'b\r\n', 'b\r\nc\r\n'],
    ['in the middle of what goes', 'x\ny\n', 'x\nmine\ny\n', '', 'mine\n'],
    ['in the middle of what is replaced', 'x\ny\n', 'x\nmine\ny\n', 'z\n', null],
    ['behind all that goes', 'x\ny\n', 'x\ny\nmine\n', '', 'mine\n'],
    ['one line, two ways', 'a\n', 'b\n', 'c\n', null],
    ['changed and gone', 'a\nb\n', 'a\nB\n', 'a\n', null],
  ])('%s', (_, base, ours, theirs, merged) => {
    expect(mergeThreeWay({ base, ours, theirs })).toBe(merged)
  })
})

describe('plans', () => {
  const BEFORE = '# Plan\n- [ ] one\n- [ ] two\n'
  const AFTER = '# Plan\n- [x] one\n- [x] two\n'

  test('boxes are open again, and lines a person wrote stay, wherever they stand', () => {
    const ours = '# Plan\n- [x] two\n- [x] one\n  a remark\n- [ ] three\n'
    expect(mergePlan({ base: AFTER, ours, theirs: BEFORE })).toBe(
      '# Plan\n- [ ] two\n- [ ] one\n  a remark\n- [ ] three\n',
    )
  })

  test('a box that a person opened already, and one they ticked, stay', () => {
    const ours = '# Plan\n- [ ] one\n- [x] two\n- [x] mine\n'
    expect(mergePlan({ base: AFTER, ours, theirs: BEFORE })).toBe('# Plan\n- [ ] one\n- [ ] two\n- [x] mine\n')
  })

  test.each([
    ['with more words', '- [x] one, and better\n- [x] two\n', '- [ ] one, and better\n- [ ] two\n'],
    ['in bold', '- [x] **One**\n- [x] two\n', '- [ ] **One**\n- [ ] two\n'],
    ['both', '- [x] one of them\n- [x] two of them\n', '- [ ] one of them\n- [ ] two of them\n'],
    ['and the other removed', '- [x] one, and better\n', '- [ ] one, and better\n'],
    ['and open already', '- [ ] one, and better\n- [x] two\n', '- [ ] one, and better\n- [ ] two\n'],
    ['in other words', '- [x] the first\n- [x] two\n', null],
    ['and moved', '- [x] two\n\n- [x] one, and better\n', null],
    ['twice', '- [x] one, part a\n- [x] one, part b\n- [x] two\n', null],
  ])('a box that a person reworded is open again if it is clear which it is: %s', (_, ours, merged) => {
    expect(mergePlan({ base: AFTER, ours: `# Plan\n${ours}`, theirs: BEFORE })).toBe(
      merged === null ? null : `# Plan\n${merged}`,
    )
  })

  test('a box that a person removed is gone, and one that they ticked elsewhere is theirs', () => {
    const ours = '- [x] mine\n# Plan\n- [x] two\n'
    expect(mergePlan({ base: AFTER, ours, theirs: BEFORE })).toBe('- [x] mine\n# Plan\n- [ ] two\n')
  })

  test('lines that the run added go', () => {
    const base = `${AFTER}- [x] found on the way\n`
    expect(mergePlan({ base, ours: `${base}- [ ] mine\n`, theirs: BEFORE })).toBe(`${BEFORE}- [ ] mine\n`)
  })

  test('the same text twice is turned as often as it was', () => {
    const base = '- [x] a\n- [x] a\n'
    expect(mergePlan({ base, ours: base, theirs: '- [x] a\n- [ ] a\n' })).toBe('- [x] a\n- [ ] a\n')
  })

  test('and back again', () => {
    expect(mergePlan({ base: BEFORE, ours: `${BEFORE}- [ ] new\n`, theirs: AFTER })).toBe(`${AFTER}- [ ] new\n`)
  })

  test('and back again, with a box that a person reworded in between', () => {
    const ours = BEFORE.replace('one', 'one, and better')
    expect(mergePlan({ base: BEFORE, ours, theirs: AFTER })).toBe(AFTER.replace('one', 'one, and better'))
  })

  test('which boxes are turned', () => {
    expect(toggledCheckboxes(AFTER, '# Plan\n- [x] one\n- [ ] two\n')).toEqual([{ text: 'two', done: false }])
  })
})
