/** What claims are judged against is remembered across runs: the last proven or accepted state, with what persons changed since. */
import { describe, expect, test } from 'vitest'
import { NOT_YET, type ScriptedTurn } from '../garden.ts'
import {
  ADDS,
  anotherNight,
  CLAIM,
  FILES,
  GATE,
  judged,
  night,
  STILL_WRONG,
  TEST,
  WEAKER,
} from '../walk/judged.ts'

const HALF = { do: 'status', text: 'Half.', fields: NOT_YET } as const
const SUBTRACTS = { do: 'write', path: 'src/add.sh', content: FILES['src/add.sh'] } as const
const LAX = TEST.replace('= 3', '= 2')

describe('a second run', () => {
  test('is judged against what the first one found, where that proved nothing', async () => {
    const first = await night([[...WEAKER, HALF]], {}, ['--once'])
    const second = await anotherNight(first, [[CLAIM]])
    expect(second).toMatchObject({
      code: 5,
      verdict: 'needs-acceptance',
      acceptance: { names: ['test/add.sh'] },
    })
    expect(second.said).toContain(
      'src/add.sh, test/add.sh changed in earlier runs and are not proven yet: judged with the work of this run',
    )
  })

  test('is judged by what that one proved, where it did', async () => {
    const stricter = `${TEST}test "$(sh src/add.sh 2 2)" = 4\n`
    const first = await night([[ADDS, { do: 'write', path: 'test/add.sh', content: stricter }, CLAIM]])
    expect(first).toMatchObject({ verdict: 'proven' })
    // Right by the old test and wrong by the proven one, which is made lax again.
    const three = { do: 'write', path: 'src/add.sh', content: 'echo 3\n' } as const
    const second = await anotherNight(first, [
      [three, { do: 'write', path: 'test/add.sh', content: TEST }, CLAIM],
    ])
    expect(second).toMatchObject({ code: 5, acceptance: { names: ['test/add.sh'] } })
  })

  test('hears that nothing is new where all was proven, and is paid for nothing else', async () => {
    const plan = '- [ ] it adds\n'
    const ticked = { do: 'write', path: '.ralph/fix_plan.md', content: '- [x] it adds\n' } as const
    const first = await night([[ADDS, ticked, CLAIM]], { plan })
    expect(first).toMatchObject({ verdict: 'proven' })
    const second = await anotherNight(first, [[CLAIM]])
    expect([second.code, second['verdict'], second.place.starts().length]).toEqual([0, 'proven', 0])
  })

  test('that proves nothing is not called proven by what the first one proved', async () => {
    const first = await night([[ADDS, CLAIM]])
    expect(first).toMatchObject({ verdict: 'proven' })
    const { place } = await anotherNight(first, [[STILL_WRONG, HALF]], '--once')
    const { stdout } = await place.ralph(['status', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ outcome: { is: 'iteration_limit', verdict: 'unproven' } })
    expect((await place.ralph(['runs'])).stdout).toMatch(/^\S+ .* not done: /m)
  })

  test('after an undo is judged against the same base as before it', async () => {
    const first = await night([[...WEAKER, HALF]], {}, ['--once'])
    expect((await first.place.ralph(['undo', '--yes'])).code).toBe(0)
    expect(await first.place.read('test/add.sh')).toBe(TEST)
    const second = await anotherNight(first, [[...WEAKER, CLAIM]])
    expect(second).toMatchObject({ code: 5, acceptance: { names: ['test/add.sh'] } })
    expect((await first.place.ralph(['undo', '--yes'])).code).toBe(0)
    expect(await anotherNight(first, [[ADDS, CLAIM]])).toMatchObject({ code: 0, verdict: 'proven' })
  })

  test('misses boxes that an earlier one took away', async () => {
    const plan = '- [ ] it adds\n- [ ] it adds three\n'
    const fewer = { do: 'write', path: '.ralph/fix_plan.md', content: '- [ ] it adds\n' } as const
    const done = { do: 'write', path: '.ralph/fix_plan.md', content: '- [x] it adds\n' } as const
    const first = await night([[fewer, HALF]], { plan }, ['--once'])
    const second = await anotherNight(first, [[ADDS, done, CLAIM]], '--once')
    expect(second).toMatchObject({ proven: false })
    expect(second.said).toContain('gone from the plan without being ticked: it adds three')
  })
})

describe('what a person changes', () => {
  test('between two runs is how the work is judged from then on, and that is said', async () => {
    const first = await night([[STILL_WRONG, HALF]], {}, ['--once'])
    await first.place.write('test/add.sh', LAX)
    const second = await anotherNight(first, [[CLAIM]])
    expect(second).toMatchObject({ code: 0, verdict: 'proven' })
    expect(second.said).toContain(
      "test/add.sh changed while no agent worked: a person's, and the work is judged by it as it is now",
    )
  })

  test('during a pause between two iterations too', async () => {
    const slow: ScriptedTurn = [{ do: 'delay', ms: 1_000 }, HALF]
    const place = await judged({ turns: [slow, [STILL_WRONG, CLAIM]] })
    const walk = place.start(['loop', '--json'])
    await walk.waitFor('conversation-known')
    await place.ralph(['pause'])
    await walk.waitFor('"what":"pause"')
    await place.write('test/add.sh', LAX)
    await place.ralph(['resume'])
    expect((await walk.ended).code).toBe(0)
    expect(walk.output()).toContain("test/add.sh changed while no agent worked: a person's")
    expect(walk.output()).toContain('"verdict":"proven"')
  })

  test('is not what an agent commits', async () => {
    const commits = { do: 'shell', command: 'git commit -qam "looks like a person"' } as const
    const ran = await night([[...WEAKER, commits, HALF], [CLAIM]])
    expect(ran).toMatchObject({ code: 5, acceptance: { names: ['test/add.sh'] } })
  })

  test('of the settings during a run has no effect on it', async () => {
    const lax = { do: 'write', path: '.ralph.toml', content: GATE.replace('sh test/add.sh', 'true') } as const
    const ran = await night([[lax, SUBTRACTS, CLAIM], [CLAIM], [CLAIM]])
    expect(ran).toMatchObject({ code: 4, verdict: 'failed' })
  })
})

describe('what a person changed before they undid a run', () => {
  test('is theirs after the undo as well, and the work is judged by it', async () => {
    const first = await night([[ADDS, { do: 'write', path: 'src/more.sh', content: 'true\n' }, HALF]], {}, [
      '--once',
    ])
    await first.place.write('test/add.sh', LAX)
    expect((await first.place.ralph(['undo', '--yes'])).code).toBe(0)
    expect([await first.place.read('test/add.sh'), first.place.has('src/more.sh')]).toEqual([LAX, false])
    const second = await anotherNight(first, [[STILL_WRONG, CLAIM]])
    expect(second).toMatchObject({ code: 0, verdict: 'proven' })
    expect(second.said).toContain("test/add.sh changed while no agent worked: a person's")
  })

  test('after the undo was taken back too', async () => {
    const first = await night([[STILL_WRONG, HALF]], {}, ['--once'])
    await first.place.write('test/add.sh', LAX)
    expect((await first.place.ralph(['undo', '--yes'])).code).toBe(0)
    expect((await first.place.ralph(['undo', '--undo', '--yes'])).code).toBe(0)
    const second = await anotherNight(first, [[CLAIM]])
    expect(second).toMatchObject({ code: 0, verdict: 'proven' })
  })
})
