import { describe, expect, test } from 'vitest'
import {
  aLook,
  aScene,
  drawn,
  ended,
  iteration,
  pressed,
  runEnded,
  runStarted,
  said,
  SMALL,
  withDetail,
  working,
  type Given,
} from '../../../test/kit/tui.ts'
import { takeLook, type Scene } from './scene.ts'

const numbered = (count: number): Given => ({
  rows: [runStarted(), ...working(1)],
  words: Array.from({ length: count }, (_, n) => said(`line ${n}`)),
})
const OUTCOME = { is: 'stopped', reason: 'stopped by a person', verdict: 'unproven', exit: 4 }
const over = (): Scene =>
  aScene({ rows: [runStarted(), ...working(1), ended(), runEnded(OUTCOME)], words: [], servedBy: null })

function body(scene: Scene): string[] {
  const lines = drawn(scene, SMALL).split('\n')
  return lines.slice(lines.findIndex((line) => line.includes('words')) + 1, -1)
}

function foot(scene: Scene): string | undefined {
  return drawn(scene, SMALL).split('\n').at(-1)
}

describe('leaving', () => {
  const going = (): Scene => aScene(numbered(1))

  test('q asks whether the run that this screen started shall stop', () => {
    const asked = pressed(going(), ['q'])
    expect(asked.wishes).toEqual([])
    expect(foot(asked.scene)).toBe('The run goes on. Stop (s) · Detach (d) · Cancel (c)')
  })
  test.each([
    ['s', [{ do: 'stop', thenLeave: true }]],
    ['d', [{ do: 'detach' }]],
    ['c', []],
    ['z', []],
  ])('the answer %s', (key, wishes) => {
    const answered = pressed(going(), ['q', key])
    expect(answered.wishes).toEqual(wishes)
    expect(answered.scene.ui.mode).toEqual({ is: 'look' })
  })
  test('Ctrl+C asks, and a second one leaves the run alone', () => {
    expect(pressed(going(), [{ is: 'interrupt' }, { is: 'interrupt' }]).wishes).toEqual([{ do: 'detach' }])
  })
  test('a screen that only watches leaves at once', () => {
    expect(pressed(aScene(numbered(1), { leaving: 'detaches' }), ['q']).wishes).toEqual([{ do: 'detach' }])
  })
  test('a run that has ended, or was cut off, is left at once', () => {
    expect(pressed(over(), ['q']).wishes).toEqual([{ do: 'detach' }])
    expect(pressed(aScene({ ...numbered(1), servedBy: null }), ['q']).wishes).toEqual([{ do: 'detach' }])
  })
})

describe('steering', () => {
  test('p pauses, r goes on', () => {
    expect(pressed(aScene(numbered(1)), ['p', 'r']).wishes).toEqual([{ do: 'pause' }, { do: 'resume' }])
  })
  test('x stops only after a yes', () => {
    expect(pressed(aScene(numbered(1)), ['x', 'n']).wishes).toEqual([])
    expect(pressed(aScene(numbered(1)), ['x', 'y']).wishes).toEqual([{ do: 'stop', thenLeave: false }])
  })
  test('s takes a text, with corrections and pastes, and sends it with enter', () => {
    const keys = [
      's',
      'u',
      's',
      'x',
      { is: 'backspace' as const },
      'e',
      { is: 'paste' as const, text: ' it\nnow' },
    ]
    const writing = pressed(aScene(numbered(1)), keys)
    expect(foot(writing.scene)).toBe('tell the agent: use it now▏ (enter, esc)')
    expect(pressed(writing.scene, [{ is: 'enter' }]).wishes).toEqual([{ do: 'steer', text: 'use it now' }])
    expect(pressed(writing.scene, [{ is: 'escape' }, 'q', 'd']).wishes).toEqual([{ do: 'detach' }])
  })
  test('a pasted text is not obeyed as keys', () => {
    expect(pressed(aScene(numbered(1)), [{ is: 'paste', text: 'xy' }]).wishes).toEqual([])
  })
  test.each(['p', 'r', 's', 'x'])('%s is refused with a reason when the run has ended', (key) => {
    const done = pressed(over(), [key, 'y'])
    expect(done.wishes).toEqual([])
    expect(foot(pressed(over(), [key]).scene)).toBe('The run has ended; there is nothing to steer.')
  })
})

describe('looking around', () => {
  test('the newest words are shown and followed', () => {
    const scene = aScene(numbered(30))
    expect(body(scene).at(-1)).toBe('  line 29')
    expect(body(takeLook(scene, aLook({ words: [said('newest')] }))).at(-1)).toBe('  newest')
  })
  test('scrolled back, the same words stay in sight while others come', () => {
    const scene = pressed(aScene(numbered(30)), [{ is: 'up' }, { is: 'up' }]).scene
    expect(body(scene).at(-1)).toBe('  line 27')
    const later = takeLook(scene, aLook({ words: [said('newest')] }))
    expect(body(later).at(-1)).toBe('  line 27')
    expect(body(pressed(later, ['G']).scene).at(-1)).toBe('  newest')
  })
  test('pages, the oldest line, and back down to following', () => {
    const top = pressed(aScene(numbered(30)), [{ is: 'home' }]).scene
    expect(body(top)[0]).toBe('─ iteration 1 · claude')
    const paged = pressed(top, [{ is: 'page-down' }]).scene
    // One line of the page before stays for the eye to hold on to.
    expect(body(paged)[0]).toBe('  line 4')
    expect(
      pressed(
        paged,
        Array.from({ length: 9 }, () => ({ is: 'page-down' as const })),
      ).scene.ui.at,
    ).toEqual({})
  })
  test('a search goes from match to match and says when there is none', () => {
    const found = pressed(aScene(numbered(30)), ['/', '1', '2', { is: 'enter' }]).scene
    expect(body(found).at(-1)).toBe('  line 12')
    expect(foot(pressed(found, ['n']).scene)).toBe('No older line has "12".')
    expect(pressed(found, [{ is: 'escape' }]).scene.ui.at).toEqual({})
  })
  test('o unfolds what a tool printed', () => {
    const words = [
      { type: 'tool' as const, id: 'a', name: 'Bash', input: 'ls', paths: [] },
      { type: 'tool-ended' as const, id: 'a', ok: true, output: 'a.ts\nb.ts' },
    ]
    const scene = aScene({ ...numbered(0), words })
    expect(body(scene).filter((line) => line !== '')).toEqual(['─ iteration 1 · claude', '✓ Bash ls +'])
    expect(body(pressed(scene, ['o']).scene).filter((line) => line !== '')).toEqual([
      '─ iteration 1 · claude',
      '✓ Bash ls',
      '  a.ts',
      '  b.ts',
    ])
  })
  test('the words of an earlier iteration are asked for, and esc goes back to live ones', () => {
    const scene = aScene({
      rows: [runStarted(), ...working(1), ended(), ...working(2, { after: 62 })],
      words: [said('second')],
      iteration: 2,
    })
    const back = pressed(scene, ['['])
    expect(back.wishes).toEqual([{ do: 'hear' }])
    expect(back.scene.ui.chosen).toEqual({
      at: 1,
      worker: '1',
      iteration: 1,
      agent: 'claude',
      log: '/logs/k7f3qa/1/agent.log',
    })
    const live = pressed(takeLook(back.scene, aLook({ words: [said('first')] })), [{ is: 'escape' }])
    expect([live.wishes, live.scene.ui.chosen]).toEqual([[{ do: 'hear' }], null])
  })
  describe('iterations', () => {
    const three = (): Scene =>
      aScene({
        rows: [
          runStarted(),
          ...iteration(1, { at: 1, took: 5, usd: 1, says: 'one' }),
          ...iteration(2, { at: 10, took: 5, usd: 1, says: 'two' }),
          ...working(3, { after: 20 }),
        ],
        words: [said('third')],
        iteration: 3,
      })
    const up = { is: 'up' as const }
    const chosen = (scene: Scene): number | null => scene.ui.chosen?.iteration ?? null

    test('the cursor begins at the newest and goes up; down at the newest is live again', () => {
      const back = pressed(three(), ['6', up, 'k'])
      expect([chosen(back.scene), back.wishes]).toEqual([1, [{ do: 'hear' }, { do: 'hear' }]])
      expect(chosen(pressed(back.scene, ['j']).scene)).toBe(2)
      expect(chosen(pressed(back.scene, ['G']).scene)).toBeNull()
      expect(chosen(pressed(three(), ['6', { is: 'home' }]).scene)).toBe(1)
    })
    test('at an end the cursor stays, and nothing is asked for again', () => {
      const top = pressed(three(), ['6', 'g'])
      expect(pressed(top.scene, ['k']).wishes).toEqual([])
      expect(foot(pressed(top.scene, ['[']).scene)).toBe('There is no earlier iteration.')
    })
    test('words of another iteration that come late are not taken for those of the chosen one', () => {
      const back = pressed(three(), ['[']).scene
      const late = takeLook(back, aLook({ words: [said('still third')], iteration: 3 }))
      expect(late.words.entries).toEqual([])
      const right = takeLook(late, aLook({ words: [said('second')], iteration: 2 }))
      expect(right.words.entries.map(({ text }) => text)).toEqual(['iteration 2 · claude', 'second'])
    })
    test.each([
      ['d', 'diff'],
      ['t', 'gates'],
      ['e', 'evidence'],
    ])('%s shows the %s of the chosen one, and w its words again', (key, part) => {
      const near = pressed(three(), [key]).scene
      expect([near.ui.focus, near.ui.main, near.ui.part]).toEqual(['detail', 'detail', part])
      expect(pressed(near, ['w']).scene.ui).toMatchObject({ focus: 'words', main: 'words' })
    })
    test('enter goes from the list to the detail, whose parts left and right walk through', () => {
      const near = pressed(three(), ['6', { is: 'enter' }])
      const parts = [1, 2, 3].map(
        (count) =>
          pressed(
            near.scene,
            Array.from({ length: count }, () => ({ is: 'right' as const })),
          ).scene.ui.part,
      )
      expect([near.scene.ui.focus, ...parts]).toEqual(['detail', 'gates', 'evidence', 'diff'])
      expect(pressed(near.scene, [{ is: 'left' }]).scene.ui.part).toBe('evidence')
    })
    test('a detail is scrolled to its end and no further, and searched from its top', () => {
      const near = withDetail(pressed(three(), ['d']).scene, {
        part: 'diff',
        lines: Array.from({ length: 40 }, (_, n) => `+line ${n}`),
      })
      const top = (scene: Scene): number => scene.ui.at.detail?.entry ?? 0
      const end = pressed(near, ['G']).scene
      expect(drawn(end, SMALL)).toContain('+line 39')
      expect(top(pressed(end, ['j']).scene)).toBe(top(end))
      expect(top(pressed(end, ['g']).scene)).toBe(0)
      const found = pressed(near, ['/', '7', { is: 'enter' }])
      expect(drawn(found.scene, SMALL).split('\n')[8]).toBe('+line 7')
      expect(drawn(pressed(found.scene, ['n']).scene, SMALL).split('\n')[8]).toBe('+line 17')
    })
  })
  test('tab walks through all panes and back to the first', () => {
    const tab = { is: 'tab' as const }
    const focus = [1, 2, 3, 4, 5, 6, 7].map(
      (count) =>
        pressed(
          aScene(numbered(1)),
          Array.from({ length: count }, () => tab),
        ).scene.ui.focus,
    )
    expect(focus).toEqual(['decisions', 'events', 'plan', 'run', 'iterations', 'detail', 'words'])
  })
})
