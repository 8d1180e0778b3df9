import { describe, expect, test } from 'vitest'
import {
  aLook,
  aScene,
  drawn,
  ended,
  pressed,
  runEnded,
  runStarted,
  said,
  SMALL,
  working,
  type Given,
} from './test-kit.ts'
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
      worker: '1',
      iteration: 1,
      agent: 'claude',
      log: '/logs/k7f3qa/1/agent.log',
    })
    const live = pressed(takeLook(back.scene, aLook({ words: [said('first')] })), [{ is: 'escape' }])
    expect([live.wishes, live.scene.ui.chosen]).toEqual([[{ do: 'hear' }], null])
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
