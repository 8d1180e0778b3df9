import { describe, expect, test } from 'vitest'
import {
  sampleUpdate,
  sampleScene,
  frameText,
  ended,
  iteration,
  pressKeys,
  runEnded,
  runStarted,
  textEvent,
  SMALL,
  withDetail,
  working,
  type SceneSample,
} from '../../../test/kit/tui.ts'
import { applyWatchUpdate, type DashboardScene } from './dashboard-scene.ts'

const numbered = (count: number): SceneSample => ({
  rows: [runStarted(), ...working(1)],
  words: Array.from({ length: count }, (_, n) => textEvent(`line ${n}`)),
})
const OUTCOME = { is: 'stopped', reason: 'stopped by a person', verdict: 'unproven', exit: 4 }
const over = (): DashboardScene =>
  sampleScene({ rows: [runStarted(), ...working(1), ended(), runEnded(OUTCOME)], words: [], runBy: null })

function body(scene: DashboardScene): string[] {
  const lines = frameText(scene, SMALL).split('\n')
  return lines.slice(lines.findIndex((line) => line.includes('messages')) + 1, -1)
}

function foot(scene: DashboardScene): string | undefined {
  return frameText(scene, SMALL).split('\n').at(-1)
}

describe('leaving', () => {
  const going = (): DashboardScene => sampleScene(numbered(1))

  test('q asks whether the run that this screen started shall stop', () => {
    const asked = pressKeys(going(), ['q'])
    expect(asked.actions).toEqual([])
    expect(foot(asked.scene)).toBe('Quit? Stop the run (s) · Keep it running (d) · Cancel (c)')
  })
  test.each([
    ['s', [{ do: 'stop', thenLeave: true }]],
    ['d', [{ do: 'detach' }]],
    ['c', []],
    ['z', []],
  ])('the answer %s', (key, actions) => {
    const answered = pressKeys(going(), ['q', key])
    expect(answered.actions).toEqual(actions)
    expect(answered.scene.ui.mode).toEqual({ is: 'look' })
  })
  test('Ctrl+C asks, and a second one leaves the run alone', () => {
    expect(pressKeys(going(), [{ is: 'interrupt' }, { is: 'interrupt' }]).actions).toEqual([{ do: 'detach' }])
  })
  test('a screen that only watches leaves at once', () => {
    expect(pressKeys(sampleScene(numbered(1), { leaving: 'detaches' }), ['q']).actions).toEqual([{ do: 'detach' }])
  })
  test('a run that has ended, or was cut off, is left at once', () => {
    expect(pressKeys(over(), ['q']).actions).toEqual([{ do: 'detach' }])
    expect(pressKeys(sampleScene({ ...numbered(1), runBy: null }), ['q']).actions).toEqual([{ do: 'detach' }])
  })
})

describe('steering', () => {
  test('p pauses, r goes on', () => {
    expect(pressKeys(sampleScene(numbered(1)), ['p', 'r']).actions).toEqual([{ do: 'pause' }, { do: 'resume' }])
  })
  test('x stops only after a yes', () => {
    expect(pressKeys(sampleScene(numbered(1)), ['x', 'n']).actions).toEqual([])
    expect(pressKeys(sampleScene(numbered(1)), ['x', 'y']).actions).toEqual([{ do: 'stop', thenLeave: false }])
  })
  test('s takes a text, with corrections and pastes, and sends it with enter', () => {
    const keys = ['s', 'u', 's', 'x', { is: 'backspace' as const }, 'e', { is: 'paste' as const, text: ' it\nnow' }]
    const writing = pressKeys(sampleScene(numbered(1)), keys)
    expect(foot(writing.scene)).toBe('message for the next prompt: use it now▏ (enter, esc)')
    expect(pressKeys(writing.scene, [{ is: 'enter' }]).actions).toEqual([{ do: 'steer', text: 'use it now' }])
    expect(pressKeys(writing.scene, [{ is: 'escape' }, 'q', 'd']).actions).toEqual([{ do: 'detach' }])
  })
  test('a pasted text is not obeyed as keys', () => {
    expect(pressKeys(sampleScene(numbered(1)), [{ is: 'paste', text: 'xy' }]).actions).toEqual([])
  })
  test.each(['p', 'r', 's', 'x'])('%s is refused with a reason when the run has ended', (key) => {
    const done = pressKeys(over(), [key, 'y'])
    expect(done.actions).toEqual([])
    expect(foot(pressKeys(over(), [key]).scene)).toBe('The run has ended.')
  })
})

describe('looking around', () => {
  test('the newest words are shown and followed', () => {
    const scene = sampleScene(numbered(30))
    expect(body(scene).at(-1)).toBe('  line 29')
    expect(body(applyWatchUpdate(scene, sampleUpdate({ words: [textEvent('newest')] }))).at(-1)).toBe('  newest')
  })
  test('scrolled back, the same words stay in sight while others come', () => {
    const scene = pressKeys(sampleScene(numbered(30)), [{ is: 'up' }, { is: 'up' }]).scene
    expect(body(scene).at(-1)).toBe('  line 27')
    const later = applyWatchUpdate(scene, sampleUpdate({ words: [textEvent('newest')] }))
    expect(body(later).at(-1)).toBe('  line 27')
    expect(body(pressKeys(later, ['G']).scene).at(-1)).toBe('  newest')
  })
  test('pages, the oldest line, and back down to following', () => {
    const top = pressKeys(sampleScene(numbered(30)), [{ is: 'home' }]).scene
    expect(body(top)[0]).toBe('─ iteration 1 · claude')
    const paged = pressKeys(top, [{ is: 'page-down' }]).scene
    // One line of the page before stays for the eye to hold on to.
    expect(body(paged)[0]).toBe('  line 4')
    expect(
      pressKeys(
        paged,
        Array.from({ length: 9 }, () => ({ is: 'page-down' as const })),
      ).scene.ui.at,
    ).toEqual({})
  })
  test('a search goes from match to match and says when there is none', () => {
    const found = pressKeys(sampleScene(numbered(30)), ['/', '1', '2', { is: 'enter' }]).scene
    expect(body(found)).toContain('  line 12')
    expect(foot(pressKeys(found, ['n']).scene)).toBe('No older message has "12".')
    expect(pressKeys(found, [{ is: 'escape' }]).scene.ui.at).toEqual({})
  })
  test('a search shows the row of the match, in the middle of a wrapped message and after a resize', () => {
    const long = `${'word '.repeat(40)}unicode ${'more '.repeat(60)}`
    const scene = sampleScene({ ...numbered(30), words: [textEvent(long), ...(numbered(30).words ?? [])] })
    const found = pressKeys(scene, ['/', ...Array.from('unicode'), { is: 'enter' }]).scene
    for (const size of [SMALL, { columns: 80, rows: 24 }, { columns: 120, rows: 40 }])
      expect(frameText(found, size)).toContain('unicode')
    const later = applyWatchUpdate(found, sampleUpdate({ words: [textEvent('newest')] }))
    expect(frameText(later, SMALL)).toContain('unicode')
    expect(body(later).filter((line) => line === '')).toEqual([])
  })
  test('a search says what it searches, and shows a match in the output of a tool', () => {
    const words = [
      { type: 'tool' as const, id: 'a', name: 'Bash', input: 'ls', paths: [] },
      { type: 'tool-ended' as const, id: 'a', ok: true, output: 'a.ts\nneedle.ts' },
    ]
    const typed = pressKeys(sampleScene({ ...numbered(0), words }), ['/', ...Array.from('needle')])
    expect(foot(typed.scene)).toBe('search messages of all iterations: needle▏ (enter, esc)')
    expect(body(pressKeys(typed.scene, [{ is: 'enter' }]).scene)).toContain('  needle.ts')
  })
  test('o unfolds what a tool printed', () => {
    const words = [
      { type: 'tool' as const, id: 'a', name: 'Bash', input: 'ls', paths: [] },
      { type: 'tool-ended' as const, id: 'a', ok: true, output: 'a.ts\nb.ts' },
    ]
    const scene = sampleScene({ ...numbered(0), words })
    expect(body(scene).filter((line) => line !== '')).toEqual(['─ iteration 1 · claude', '✓ Bash ls +'])
    expect(body(pressKeys(scene, ['o']).scene).filter((line) => line !== '')).toEqual([
      '─ iteration 1 · claude',
      '✓ Bash ls',
      '  a.ts',
      '  b.ts',
    ])
  })
  test('the words of an earlier iteration are asked for, and esc goes back to live ones', () => {
    const scene = sampleScene({
      rows: [runStarted(), ...working(1), ended(), ...working(2, { after: 62 })],
      words: [textEvent('second')],
      iteration: 2,
    })
    const back = pressKeys(scene, ['['])
    expect(back.actions).toEqual([{ do: 'hear' }])
    expect(back.scene.ui.chosen).toEqual({
      at: 1,
      worker: '1',
      iteration: 1,
      agent: 'claude',
      log: '/logs/k7f3qa/1/agent.log',
    })
    const live = pressKeys(applyWatchUpdate(back.scene, sampleUpdate({ words: [textEvent('first')] })), [
      { is: 'escape' },
    ])
    expect([live.actions, live.scene.ui.chosen]).toEqual([[{ do: 'hear' }], null])
  })
  describe('iterations', () => {
    const three = (): DashboardScene =>
      sampleScene({
        rows: [
          runStarted(),
          ...iteration(1, { at: 1, took: 5, usd: 1, says: 'one' }),
          ...iteration(2, { at: 10, took: 5, usd: 1, says: 'two' }),
          ...working(3, { after: 20 }),
        ],
        words: [textEvent('third')],
        iteration: 3,
      })
    const up = { is: 'up' as const }
    const chosen = (scene: DashboardScene): number | null => scene.ui.chosen?.iteration ?? null

    test('the cursor begins at the newest and goes up; down at the newest is live again', () => {
      const back = pressKeys(three(), ['6', up, 'k'])
      expect([chosen(back.scene), back.actions]).toEqual([1, [{ do: 'hear' }, { do: 'hear' }]])
      expect(chosen(pressKeys(back.scene, ['j']).scene)).toBe(2)
      expect(chosen(pressKeys(back.scene, ['G']).scene)).toBeNull()
      expect(chosen(pressKeys(three(), ['6', { is: 'home' }]).scene)).toBe(1)
    })
    test('at an end the cursor stays, and nothing is asked for again', () => {
      const top = pressKeys(three(), ['6', 'g'])
      expect(pressKeys(top.scene, ['k']).actions).toEqual([])
      expect(foot(pressKeys(top.scene, ['[']).scene)).toBe('There is no earlier iteration.')
    })
    test('words of another iteration that come late are not taken for those of the chosen one', () => {
      const back = pressKeys(three(), ['[']).scene
      const late = applyWatchUpdate(back, sampleUpdate({ words: [textEvent('still third')], iteration: 3 }))
      expect(late.words.entries).toEqual([])
      const right = applyWatchUpdate(late, sampleUpdate({ words: [textEvent('second')], iteration: 2 }))
      expect(right.words.entries.map(({ text }) => text)).toEqual(['iteration 2 · claude', 'second'])
    })
    test.each([
      ['d', 'diff'],
      ['t', 'gates'],
      ['e', 'evidence'],
    ])('%s shows the %s of the chosen one, and m its messages again', (key, part) => {
      const near = pressKeys(three(), [key]).scene
      expect([near.ui.focus, near.ui.main, near.ui.part]).toEqual(['detail', 'detail', part])
      expect(pressKeys(near, ['m']).scene.ui).toMatchObject({ focus: 'messages', main: 'messages' })
    })
    test('enter goes from the list to the detail, whose parts left and right walk through', () => {
      const near = pressKeys(three(), ['6', { is: 'enter' }])
      const parts = [1, 2, 3].map(
        (count) =>
          pressKeys(
            near.scene,
            Array.from({ length: count }, () => ({ is: 'right' as const })),
          ).scene.ui.part,
      )
      expect([near.scene.ui.focus, ...parts]).toEqual(['detail', 'gates', 'evidence', 'diff'])
      expect(pressKeys(near.scene, [{ is: 'left' }]).scene.ui.part).toBe('evidence')
    })
    test('a detail that is scrolled shows the same line after a resize', () => {
      const lines = Array.from({ length: 40 }, (_, n) => `+line ${n} ${'x '.repeat(40)}`)
      const near = withDetail(pressKeys(three(), ['d']).scene, { part: 'diff', lines })
      const found = pressKeys(near, ['/', ...Array.from('line 20'), { is: 'enter' }]).scene
      for (const size of [SMALL, { columns: 80, rows: 24 }]) expect(frameText(found, size)).toContain('+line 20')
    })
    test('a detail is scrolled to its end and no further, and searched from its top', () => {
      const near = withDetail(pressKeys(three(), ['d']).scene, {
        part: 'diff',
        lines: Array.from({ length: 40 }, (_, n) => `+line ${n}`),
      })
      const top = (scene: DashboardScene): number => scene.ui.at.detail?.entry ?? 0
      const end = pressKeys(near, ['G']).scene
      expect(frameText(end, SMALL)).toContain('+line 39')
      expect(top(pressKeys(end, ['j']).scene)).toBe(top(end))
      expect(top(pressKeys(end, ['g']).scene)).toBe(0)
      const found = pressKeys(near, ['/', '7', { is: 'enter' }])
      expect(frameText(found.scene, SMALL).split('\n')[8]).toBe('+line 7')
      expect(frameText(pressKeys(found.scene, ['n']).scene, SMALL).split('\n')[8]).toBe('+line 17')
    })
  })
  test('tab walks through all panes and back to the first', () => {
    const tab = { is: 'tab' as const }
    const focus = [1, 2, 3, 4, 5, 6, 7].map(
      (count) =>
        pressKeys(
          sampleScene(numbered(1)),
          Array.from({ length: count }, () => tab),
        ).scene.ui.focus,
    )
    expect(focus).toEqual(['decisions', 'events', 'plan', 'run', 'iterations', 'detail', 'messages'])
  })
})
