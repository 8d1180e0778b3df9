/** `ralph demo --tasks`: what it promises is what is seen. The demo of the loop is walked where nothing may be asked. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { garden } from '../garden.ts'

test(
  'the demo of tasks retries one, fails one, leaves one blocked, and does the rest',
  { timeout: 180_000 },
  async () => {
    const place = await garden({ trusting: false })
    const ran = await place.ralph(['demo', '--tasks'], { env: { TMPDIR: join(place.path, '..') } })
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('read, visit 2 of 4: gate tests')])
    expect(ran.stdout).toContain('1 of 5 tasks failed: emperors (the agent says that it failed')
    expect(ran.stdout).toContain('reigns waits for emperors (failed)')
    expect(ran.stdout).toContain('3 done, 1 failed, 1 blocked')
  },
)
