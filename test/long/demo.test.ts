/** `ralph demo --tasks`: what it promises is what is seen. The demo of the loop is walked where nothing may be asked. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testProject } from '../test-project.ts'

const ENDING = [
  '1 of 5 tasks failed: emperors (the agent gave up',
  'reigns waits for emperors (failed)',
  '5 tasks · 3 done · 1 failed · 1 blocked',
  'waits for emperors [failed] List the emperors',
]

describe('the demo of tasks', { timeout: 180_000 }, () => {
  test('retries one, fails one, leaves one blocked, and does the rest', async () => {
    const fixture = await testProject({ trustsProject: false })
    const ran = await fixture.ralph(['demo', '--tasks'], { env: { TMPDIR: join(fixture.path, '..') } })
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('visit 2 of 4: gate tests')])
    for (const words of ENDING) expect(ran.stdout).toContain(words)
  })

  test('continues where it was interrupted, and asks nothing', async () => {
    const fixture = await testProject({ trustsProject: false })
    const env = { TMPDIR: join(fixture.path, '..') }
    const walk = fixture.start(['demo', '--tasks'], { env })
    await walk.waitFor('visit 2 of 4')
    await walk.kill('SIGKILL')
    const ran = await fixture.ralph(['demo', '--resume'], { env })
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, expect.stringContaining('Resuming run'), expect.anything()])
    for (const words of ENDING) expect(ran.stdout).toContain(words)
  })
})
