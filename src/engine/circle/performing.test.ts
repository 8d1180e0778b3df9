import { describe, expect, test } from 'vitest'
import type { Abort, Aborting, PerformedEffect } from './handler.ts'
import { openPerforming } from './performing.ts'

const WAIT: PerformedEffect = { type: 'wait', id: 'e1', worker: '1', until: 0, forMs: 1_000, why: 'a pause' }
const GENTLY: Abort = { why: 'stop', now: false }
const NOW: Abort = { why: 'stop', now: true }
/** Patience that never ends: what these tests wait for comes. */
const FOR_EVER = { after: () => ({ cancel: () => {} }) }

/** Work that ends when it is told to. */
function untilTold({ signal }: Aborting): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
}

describe('what is being performed', () => {
  test('hears a gentle word and an urgent one, also if it begins to listen late', async () => {
    const performing = openPerforming()
    const heard: Abort[] = []
    const ears: Aborting[] = []
    void performing.begin(WAIT, (aborting) => {
      ears.push(aborting)
      return new Promise((resolve) => {
        aborting.onAbort((how) => {
          heard.push(how)
          if (how.now) resolve()
        })
      })
    })
    const first = performing.abort('e1', GENTLY)
    ears[0]?.onAbort((how) => void heard.push(how))
    await Promise.all([first, performing.abort('e1', NOW)])
    expect(heard).toEqual([GENTLY, GENTLY, NOW, NOW])
    expect(ears[0]?.told).toEqual(NOW)
  })

  test('is over when it settles, and then has nothing to be told', async () => {
    const performing = openPerforming()
    await expect(performing.begin(WAIT, () => Promise.reject(new Error('no disk')))).rejects.toThrow(
      'no disk',
    )
    await performing.abort('e1', NOW)
  })

  test('is ended at the close, after which nothing is begun', async () => {
    const performing = openPerforming()
    let over = false
    void performing.begin(WAIT, untilTold).finally(() => (over = true))
    expect(over).toBe(false)
    await performing.close(FOR_EVER)
    expect(over).toBe(true)
    await performing.begin(WAIT, () => Promise.reject(new Error('it was begun')))
  })

  test('is not waited for when patience ends', async () => {
    const performing = openPerforming()
    let over = false
    void performing.begin(WAIT, () => new Promise<void>(() => {})).finally(() => (over = true))
    await performing.close({
      after(_, fire) {
        fire()
        return { cancel: () => {} }
      },
    })
    expect(over).toBe(false)
  })
})
