/** `ralph verify`: the tree as it is now, judged as a completion would be. */
import { describe, expect, test } from 'vitest'
import type { Garden, Ran } from '../garden.ts'
import { ADDS, CLAIM, FILES, GATE, judged, loop, night, STILL_WRONG, WEAKER } from '../walk/judged.ts'

async function verify(place: Garden, ...args: string[]): Promise<Ran & { verdict: string; why: string }> {
  const ran = await place.ralph(['verify', '--json', ...args])
  return { ...ran, ...(JSON.parse(ran.stdout) as { verdict: string; why: string }) }
}

describe('what nobody has proven yet is judged against the last commit', () => {
  test('red gates are refused at once, work that passes is proven, and then again', async () => {
    const place = await judged()
    const red = await place.ralph(['verify'])
    expect([red.code, red.stdout]).toEqual([
      4,
      expect.stringContaining('failed: gate test (sh test/add.sh) failed with exit 1'),
    ])
    await place.write(ADDS.path, ADDS.content)
    const green = await place.ralph(['verify'])
    expect([green.code, green.stdout]).toEqual([0, expect.stringMatching(/^proven: proven in a clean room/m)])
    expect(green.stdout).toMatch(/^· work made to fail: red when .* \(\d+/m)
    expect(green.stderr).toContain('judged against the last commit. Another one: --since REF')
    expect(await verify(place)).toMatchObject({
      code: 0,
      verdict: 'proven',
      why: 'nothing has changed since the state that was proven last',
    })
  })

  test('what a person changed after a run and had proven by hand is proven for the next run too', async () => {
    const plan = '- [ ] it adds\n'
    const ticked = { do: 'write', path: '.ralph/fix_plan.md', content: '- [x] it adds\n' } as const
    const { place } = await night([[ADDS, ticked, CLAIM]], { plan })
    await place.write(ADDS.path, 'echo $(($2 + $1))\n')
    expect(await verify(place)).toMatchObject({ code: 0, verdict: 'proven' })
    expect(await loop(place)).toMatchObject({ code: 0, verdict: 'proven' })
    // What no trial has seen is nowhere called proven, and the way out that is told works.
    await place.write(ADDS.path, 'echo "$(($1 + $2))"\n')
    const told = expect.stringContaining('to have that judged: ralph verify --since REF') as string
    expect(await loop(place)).toMatchObject({ verdict: 'unproven', reason: told })
    expect(await verify(place)).toMatchObject({ code: 5, verdict: 'unproven', why: told })
    expect(await verify(place, '--since', 'HEAD')).toMatchObject({ code: 0, verdict: 'proven' })
    expect(await loop(place)).toMatchObject({ code: 0, verdict: 'proven' })
  })

  test('a weakened test is asked about, and can be accepted', async () => {
    const place = await judged()
    for (const { path, content } of WEAKER) await place.write(path, content)
    expect(await verify(place)).toMatchObject({
      code: 5,
      verdict: 'needs-acceptance',
      why: 'the work passes only with this changed: test/add.sh',
    })
    expect((await place.ralph(['accept', '--yes'])).code).toBe(0)
    expect(await verify(place)).toMatchObject({ code: 0, verdict: 'proven' })
  })

  test('a changed gate script is no work, wherever it lies', async () => {
    const place = await judged({
      toml: GATE.replace('test/add.sh', 'check.sh'),
      files: { 'src/add.sh': ADDS.content, 'check.sh': FILES['test/add.sh'] },
    })
    await place.write('src/add.sh', STILL_WRONG.content)
    await place.write('check.sh', WEAKER[1].content)
    expect(await verify(place)).toMatchObject({ code: 5, why: expect.stringContaining('check.sh') as string })
  })

  test('nothing is proven where nothing was done', async () => {
    const place = await judged({ files: { ...FILES, 'src/add.sh': ADDS.content } })
    expect(await verify(place)).toMatchObject({ code: 5, verdict: 'unproven' })
  })

  test('or against another one: --since', async () => {
    const place = await judged()
    await place.write(ADDS.path, ADDS.content)
    await place.git('commit', '-q', '-a', '-m', 'it adds')
    expect(await verify(place)).toMatchObject({ code: 5, verdict: 'unproven' })
    expect(await verify(place, '--since', 'HEAD~1')).toMatchObject({ code: 0, verdict: 'proven' })
    const nobody = await place.ralph(['verify', '--since', 'no-such-branch'])
    expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('no commit "no-such-branch"')])
    // Nothing is run for a name that is none.
    expect(nobody.stdout).not.toContain('gate')
  })
})

describe('after a run', () => {
  test('its proof still holds, and what somebody changes by hand is judged too', async () => {
    const { place } = await night([[ADDS, CLAIM]])
    expect(await verify(place)).toMatchObject({
      code: 0,
      why: 'nothing has changed since the state that was proven last',
    })
    await place.write('src/add.sh', `x=$1\necho $((x + $2))\n`)
    expect(await verify(place)).toMatchObject({
      code: 0,
      why: expect.stringContaining('proven in') as string,
    })
    for (const { path, content } of WEAKER) await place.write(path, content)
    expect(await verify(place)).toMatchObject({ code: 5, verdict: 'needs-acceptance' })
  })

  test('that a limit ended, what it left can be proven, and nobody calls it done', async () => {
    const { place, outcome } = await night([[ADDS]], { plan: '- [ ] it adds\n- [ ] it sings\n' }, ['--once'])
    expect(outcome).toBe('iteration_limit')
    expect(await verify(place)).toMatchObject({ code: 0, verdict: 'proven' })
    expect((await place.ralph(['runs'])).stdout).toMatch(/not done: one iteration was asked for/)
  })

  test('that ended before its work was judged, it is judged against what that run found', async () => {
    const { place, outcome } = await night([[...WEAKER]], {}, ['--once'])
    expect(outcome).toBe('iteration_limit')
    await place.git('commit', '-q', '-a', '-m', 'whoever commits it')
    expect(await verify(place)).toMatchObject({ code: 5, verdict: 'needs-acceptance' })
  })
})

describe('gates alone', () => {
  test.each([['--quick'], ['--gate', 'test']])(
    '%s: they passed, which is not called a proof',
    async (...args) => {
      const place = await judged({ files: { ...FILES, 'src/add.sh': ADDS.content } })
      const ran = await place.ralph(['verify', ...args])
      expect([ran.code, ran.stdout]).toEqual([0, expect.stringMatching(/^gates passed: /m)])
      expect(ran.stdout).not.toContain('proven')
      expect(await verify(place, ...args)).toMatchObject({ code: 0, verdict: 'gates-passed' })
    },
  )

  test('say plainly that nothing can be proven without a gate, and name a misspelt one', async () => {
    const place = await judged({ toml: '' })
    expect((await place.ralph(['verify'])).code).toBe(5)
    await place.write('.ralph.toml', GATE)
    const wrong = await place.ralph(['verify', '--gate', 'tset'])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean test?')])
  })

  test('whose command is not there are said to be missing, not failed', async () => {
    const place = await judged({ toml: '[[gate]]\nname = "test"\nrun = "no-such-program"\n' })
    expect(await verify(place)).toMatchObject({ evidence: [{ missing: true }] })
  })
})
