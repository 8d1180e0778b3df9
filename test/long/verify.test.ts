/** `ralph verify`: the tree as it is now, judged as a completion would be. */
import { describe, expect, test } from 'vitest'
import type { TestProject, CommandResult } from '../test-project.ts'
import {
  ADDS,
  CLAIM,
  FILES,
  GATE,
  makeProofProject,
  loop,
  runProof,
  STILL_WRONG,
  WEAKENED_TEST,
} from '../walk/proof-project.ts'

async function verify(
  fixture: TestProject,
  ...args: string[]
): Promise<CommandResult & { verdict: string; why: string }> {
  const ran = await fixture.ralph(['verify', '--json', ...args])
  return { ...ran, ...(JSON.parse(ran.stdout) as { verdict: string; why: string }) }
}

describe('unproven work is compared with the last commit', () => {
  test('red gates are refused at once, work that passes is proven, and then again', async () => {
    const fixture = await makeProofProject()
    const red = await fixture.ralph(['verify'])
    expect([red.code, red.stdout]).toEqual([4, expect.stringContaining('failed: test failed (exit 1)')])
    await fixture.write(ADDS.path, ADDS.content)
    const green = await fixture.ralph(['verify'])
    expect([green.code, green.stdout]).toEqual([
      0,
      expect.stringMatching(/^proven: .* passes, here and in the clean room/m),
    ])
    expect(green.stdout).toMatch(/^✓ gates load the changed files · \d+/m)
    expect(green.stderr).toContain('comparing with the last commit (choose another: --since REF)')
    expect(await verify(fixture)).toMatchObject({
      code: 0,
      verdict: 'proven',
      why: 'nothing has changed since the last proven state',
    })
  })

  test('what a person changed after a run and had proven by hand is proven for the next run too', async () => {
    const plan = '- [ ] it adds\n'
    const ticked = { do: 'write', path: '.ralph/fix_plan.md', content: '- [x] it adds\n' } as const
    const { fixture } = await runProof([[ADDS, ticked, CLAIM]], { plan })
    await fixture.write(ADDS.path, 'echo $(($2 + $1))\n')
    expect(await verify(fixture)).toMatchObject({ code: 0, verdict: 'proven' })
    expect(await loop(fixture)).toMatchObject({ code: 0, verdict: 'proven' })
    // What no trial has seen is nowhere called proven, and the way out that is told works.
    await fixture.write(ADDS.path, 'echo "$(($1 + $2))"\n')
    const told = expect.stringContaining('to check your changes: ralph verify --since REF') as string
    expect(await loop(fixture)).toMatchObject({ verdict: 'unproven', reason: told })
    expect(await verify(fixture)).toMatchObject({ code: 5, verdict: 'unproven', why: told })
    expect(await verify(fixture, '--since', 'HEAD')).toMatchObject({ code: 0, verdict: 'proven' })
    expect(await loop(fixture)).toMatchObject({ code: 0, verdict: 'proven' })
  })

  test('a weakened test is asked about, and can be accepted', async () => {
    const fixture = await makeProofProject()
    for (const { path, content } of WEAKENED_TEST) await fixture.write(path, content)
    expect(await verify(fixture)).toMatchObject({
      code: 5,
      verdict: 'needs-review',
      why: 'the gates pass only because test/add.sh was changed',
    })
    expect((await fixture.ralph(['accept', '--yes'])).code).toBe(0)
    expect(await verify(fixture)).toMatchObject({ code: 0, verdict: 'proven' })
  })

  test('a changed gate script is no work, wherever it lies', async () => {
    const fixture = await makeProofProject({
      toml: GATE.replace('test/add.sh', 'check.sh'),
      files: { 'src/add.sh': ADDS.content, 'check.sh': FILES['test/add.sh'] },
    })
    await fixture.write('src/add.sh', STILL_WRONG.content)
    await fixture.write('check.sh', WEAKENED_TEST[1].content)
    expect(await verify(fixture)).toMatchObject({
      code: 5,
      why: expect.stringContaining('check.sh') as string,
    })
  })

  test('nothing is proven where nothing was done', async () => {
    const fixture = await makeProofProject({ files: { ...FILES, 'src/add.sh': ADDS.content } })
    expect(await verify(fixture)).toMatchObject({ code: 5, verdict: 'unproven' })
  })

  test('or against another one: --since', async () => {
    const fixture = await makeProofProject()
    await fixture.write(ADDS.path, ADDS.content)
    await fixture.git('commit', '-q', '-a', '-m', 'it adds')
    expect(await verify(fixture)).toMatchObject({ code: 5, verdict: 'unproven' })
    expect(await verify(fixture, '--since', 'HEAD~1')).toMatchObject({ code: 0, verdict: 'proven' })
    const nobody = await fixture.ralph(['verify', '--since', 'no-such-branch'])
    expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('no commit "no-such-branch"')])
    // Nothing is run for a name that is none.
    expect(nobody.stdout).not.toContain('gate')
  })
})

describe('after a run', () => {
  test('its proof still holds, and changes by hand are checked too', async () => {
    const { fixture } = await runProof([[ADDS, CLAIM]])
    expect(await verify(fixture)).toMatchObject({
      code: 0,
      why: 'nothing has changed since the last proven state',
    })
    await fixture.write('src/add.sh', `x=$1\necho $((x + $2))\n`)
    expect(await verify(fixture)).toMatchObject({
      code: 0,
      why: expect.stringContaining('here and in the clean room') as string,
    })
    for (const { path, content } of WEAKENED_TEST) await fixture.write(path, content)
    expect(await verify(fixture)).toMatchObject({ code: 5, verdict: 'needs-review' })
  })

  test('that a limit ended, what it left can be proven, and nobody calls it done', async () => {
    const { fixture, outcome } = await runProof([[ADDS]], { plan: '- [ ] it adds\n- [ ] it sings\n' }, ['--once'])
    expect(outcome).toBe('iteration_limit')
    expect(await verify(fixture)).toMatchObject({ code: 0, verdict: 'proven' })
    expect((await fixture.ralph(['runs'])).stdout).toMatch(/not done: one iteration as requested/)
  })

  test('that ended before its work was proven, it is compared with what that run found', async () => {
    const { fixture, outcome } = await runProof([[...WEAKENED_TEST]], {}, ['--once'])
    expect(outcome).toBe('iteration_limit')
    await fixture.git('commit', '-q', '-a', '-m', 'whoever commits it')
    expect(await verify(fixture)).toMatchObject({ code: 5, verdict: 'needs-review' })
  })
})

describe('gates alone', () => {
  test.each([['--quick'], ['--gate', 'test']])('%s: they passed, which is not called a proof', async (...args) => {
    const fixture = await makeProofProject({ files: { ...FILES, 'src/add.sh': ADDS.content } })
    const ran = await fixture.ralph(['verify', ...args])
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringMatching(/^gates passed: /m)])
    expect(ran.stdout).not.toContain('proven')
    expect(await verify(fixture, ...args)).toMatchObject({ code: 0, verdict: 'gates-passed' })
  })

  test('say plainly that nothing can be proven without a gate, and name a misspelt one', async () => {
    const fixture = await makeProofProject({ toml: '' })
    expect((await fixture.ralph(['verify'])).code).toBe(5)
    await fixture.write('.ralph.toml', GATE)
    const wrong = await fixture.ralph(['verify', '--gate', 'tset'])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean test?')])
  })

  test('whose command is not there are said to be missing, not failed', async () => {
    const fixture = await makeProofProject({ toml: '[[gate]]\nname = "test"\nrun = "no-such-program"\n' })
    expect(await verify(fixture)).toMatchObject({ evidence: [{ missing: true }] })
  })
})
