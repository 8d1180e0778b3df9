import { describe, expect, test } from 'vitest'
import type { AbortRequest, AbortListener, HandledEffect } from './handler.ts'
import { openRunningEffects } from './running-effects.ts'

const WAIT: HandledEffect = { type: 'wait', id: 'e1', worker: '1', until: 0, forMs: 1_000, why: 'a pause' }
const GENTLY: AbortRequest = { why: 'stop', now: false }
const NOW: AbortRequest = { why: 'stop', now: true }
/** Patience that never ends: what these tests wait for comes. */
const FOR_EVER = { after: () => ({ cancel: () => {} }) }

/** Work that ends when it is told to. */
function untilTold({ signal }: AbortListener): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
}

describe('what is being performed', () => {
  test('hears a gentle word and an urgent one, also if it begins to listen late', async () => {
    const runningEffects = openRunningEffects()
    const heard: AbortRequest[] = []
    const ears: AbortListener[] = []
    void runningEffects.begin(WAIT, (aborting) => {
      ears.push(aborting)
      return new Promise((resolve) => {
        aborting.onAbort((how) => {
          heard.push(how)
          if (how.now) resolve()
        })
      })
    })
    const first = runningEffects.abort('e1', GENTLY)
    ears[0]?.onAbort((how) => void heard.push(how))
    await Promise.all([first, runningEffects.abort('e1', NOW)])
    expect(heard).toEqual([GENTLY, GENTLY, NOW, NOW])
    expect(ears[0]?.told).toEqual(NOW)
  })

  test('is over when it settles, and then has nothing to be told', async () => {
    const runningEffects = openRunningEffects()
    await expect(runningEffects.begin(WAIT, () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk')
    await runningEffects.abort('e1', NOW)
  })

  test('is ended at the close, after which nothing is begun', async () => {
    const runningEffects = openRunningEffects()
    let over = false
    void runningEffects.begin(WAIT, untilTold).finally(() => (over = true))
    expect(over).toBe(false)
    await runningEffects.close(FOR_EVER)
    expect(over).toBe(true)
    await runningEffects.begin(WAIT, () => Promise.reject(new Error('it was begun')))
  })

  test('is not waited for when patience ends', async () => {
    const runningEffects = openRunningEffects()
    let over = false
    void runningEffects.begin(WAIT, () => new Promise<void>(() => {})).finally(() => (over = true))
    await runningEffects.close({
      after(_, fire) {
        fire()
        return { cancel: () => {} }
      },
    })
    expect(over).toBe(false)
  })
})
