/** What claims are judged against is remembered across runs: the last proven or accepted state, with what persons changed since. */
import { readdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MAY_END, UNTIL_IT_MAY_END, NOT_YET, type ScriptedTurn } from '../test-project.ts'
import { collapseSpaces } from '../run-in-process.ts'
import {
  ADDS,
  runProofAgain,
  CLAIM,
  FILES,
  GATE,
  makeProofProject,
  runProof,
  STILL_WRONG,
  TEST,
  WEAKENED_TEST,
  type ProofRun,
} from '../walk/proof-project.ts'

const HALF = { do: 'status', text: 'Half.', fields: NOT_YET } as const
const SUBTRACTS = { do: 'write', path: 'src/add.sh', content: FILES['src/add.sh'] } as const
const LAX = TEST.replace('= 3', '= 2')

/** Every file below folders of this name is there still, and empty. */
async function truncateAll(below: string, name: string): Promise<void> {
  const entries = await readdir(below, { recursive: true, withFileTypes: true })
  const files = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  await Promise.all(files.filter((file) => file.includes(`/${name}/`)).map((file) => truncate(file)))
}

describe('a second run', () => {
  test('is compared with what the first run found, if that proved nothing', async () => {
    const first = await runProof([[...WEAKENED_TEST, HALF]], {}, ['--once'])
    const second = await runProofAgain(first, [[CLAIM]])
    expect(second).toMatchObject({
      code: 5,
      verdict: 'needs-review',
      acceptance: { names: ['test/add.sh'] },
    })
    expect(second.said).toContain(
      'src/add.sh, test/add.sh carry unverified changes from an earlier run; they will be checked too',
    )
  })

  test('is compared with what that run proved, if it did', async () => {
    const stricter = `${TEST}test "$(sh src/add.sh 2 2)" = 4\n`
    const first = await runProof([[ADDS, { do: 'write', path: 'test/add.sh', content: stricter }, CLAIM]])
    expect(first).toMatchObject({ verdict: 'proven' })
    // Right by the old test and wrong by the proven one, which is made lax again.
    const three = { do: 'write', path: 'src/add.sh', content: 'echo 3\n' } as const
    const second = await runProofAgain(first, [[three, { do: 'write', path: 'test/add.sh', content: TEST }, CLAIM]])
    expect(second).toMatchObject({ code: 5, acceptance: { names: ['test/add.sh'] } })
  })

  test('hears that nothing is new where all was proven, and is paid for nothing else', async () => {
    const plan = '- [ ] it adds\n'
    const ticked = { do: 'write', path: '.ralph/fix_plan.md', content: '- [x] it adds\n' } as const
    const first = await runProof([[ADDS, ticked, CLAIM]], { plan })
    expect(first).toMatchObject({ verdict: 'proven' })
    const second = await runProofAgain(first, [[CLAIM]])
    expect([second.code, second['verdict'], second.fixture.starts().length]).toEqual([0, 'proven', 0])
  })

  test('that proves nothing is not called proven by what the first one proved', async () => {
    const first = await runProof([[ADDS, CLAIM]])
    expect(first).toMatchObject({ verdict: 'proven' })
    const { fixture } = await runProofAgain(first, [[STILL_WRONG, HALF]], '--once')
    const { stdout } = await fixture.ralph(['status', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ outcome: { is: 'iteration_limit', verdict: 'unproven' } })
    expect((await fixture.ralph(['runs'])).stdout).toMatch(/^\S+ .* not done: /m)
  })

  test('after an undo has the same base as before it', async () => {
    const first = await runProof([[...WEAKENED_TEST, HALF]], {}, ['--once'])
    expect((await first.fixture.ralph(['undo', '--yes'])).code).toBe(0)
    expect(await first.fixture.read('test/add.sh')).toBe(TEST)
    const second = await runProofAgain(first, [[...WEAKENED_TEST, CLAIM]])
    expect(second).toMatchObject({ code: 5, acceptance: { names: ['test/add.sh'] } })
    expect((await first.fixture.ralph(['undo', '--yes'])).code).toBe(0)
    expect(await runProofAgain(first, [[ADDS, CLAIM]])).toMatchObject({ code: 0, verdict: 'proven' })
  })

  test('misses boxes that an earlier one took away', async () => {
    const plan = '- [ ] it adds\n- [ ] it adds three\n'
    const fewer = { do: 'write', path: '.ralph/fix_plan.md', content: '- [ ] it adds\n' } as const
    const done = { do: 'write', path: '.ralph/fix_plan.md', content: '- [x] it adds\n' } as const
    const first = await runProof([[fewer, HALF]], { plan }, ['--once'])
    const second = await runProofAgain(first, [[ADDS, done, CLAIM]], '--once')
    expect(second).toMatchObject({ proven: false })
    expect(second.said).toContain('1 open item disappeared from the plan: it adds three')
  })
})

describe('what a person changes', () => {
  test('between two runs becomes part of the base, and Ralph says so', async () => {
    const first = await runProof([[STILL_WRONG, HALF]], {}, ['--once'])
    await first.fixture.write('test/add.sh', LAX)
    const second = await runProofAgain(first, [[CLAIM]])
    expect(second).toMatchObject({ code: 0, verdict: 'proven' })
    expect(second.said).toContain('test/add.sh changed while no agent was running; Ralph counts it as your change')
  })

  test('during a pause between two iterations too', async () => {
    const slow: ScriptedTurn = [UNTIL_IT_MAY_END, HALF]
    const fixture = await makeProofProject({ turns: [slow, [STILL_WRONG, CLAIM]] })
    const walk = fixture.start(['loop', '--json'])
    await walk.waitFor('conversation-known')
    await fixture.ralph(['pause'])
    await fixture.write(MAY_END, '')
    await walk.waitFor('"what":"pause"')
    await fixture.write('test/add.sh', LAX)
    await fixture.ralph(['resume'])
    expect((await walk.ended).code).toBe(0)
    expect(walk.output()).toContain('test/add.sh changed while no agent was running; Ralph counts it as your change')
    expect(walk.output()).toContain('"verdict":"proven"')
  })

  test('is not what an agent commits', async () => {
    const commits = { do: 'shell', command: 'git commit -qam "looks like a person"' } as const
    const ran = await runProof([[...WEAKENED_TEST, commits, HALF], [CLAIM]])
    expect(ran).toMatchObject({ code: 5, acceptance: { names: ['test/add.sh'] } })
  })

  test('of the settings during a run has no effect on it', async () => {
    const lax = { do: 'write', path: '.ralph.toml', content: GATE.replace('sh test/add.sh', 'true') } as const
    const ran = await runProof([[lax, SUBTRACTS, CLAIM], [CLAIM], [CLAIM]])
    expect(ran).toMatchObject({ code: 4, verdict: 'failed' })
  })

  test('of the settings during a run is shown: at the iteration, at the end, in the report, and before it is committed', async () => {
    const lax = { do: 'write', path: '.ralph.toml', content: GATE.replace('sh test/add.sh', 'true') } as const
    const fixture = await makeProofProject({ turns: [[lax, ADDS, CLAIM]] })
    const { code, stdout } = await fixture.ralph(['loop'])
    const line = 'settings changed during the run (.ralph.toml); the next run uses them'
    expect([code, stdout.split('PROVEN DONE').map((part) => collapseSpaces(part).includes(line))]).toEqual([
      0,
      [true, true],
    ])
    for (const command of ['status', 'report'])
      expect(collapseSpaces((await fixture.ralph([command])).stdout), command).toContain(line)
    expect(collapseSpaces(stdout)).toContain('This leaves out .ralph.toml')
    expect(stdout).not.toMatch(/git add .*\.ralph\.toml/)
  })
})

describe('a base that is gone', () => {
  const forget = ({ fixture }: ProofRun): Promise<void> =>
    rm(join(fixture.home, '.local', 'state', 'ralph', 'archive'), { recursive: true })
  const MULTIPLIES = { do: 'write', path: 'src/add.sh', content: 'echo $(($2 * $1))\n' } as const

  test('launders nothing that an earlier run changed: a person has to say that the tree is right', async () => {
    const first = await runProof([[...WEAKENED_TEST, HALF]], {}, ['--once'])
    await forget(first)
    const second = await runProofAgain(first, [[MULTIPLIES, CLAIM]])
    expect(second).toMatchObject({ code: 5, verdict: 'needs-review', acceptance: { names: ['.'] } })
    expect(second.said).toContain('Ralph cannot tell what earlier runs changed')
    // Nor does one more run, or a look by hand, without an answer.
    expect(await runProofAgain(first, [[STILL_WRONG, CLAIM]])).toMatchObject({ code: 5 })
    const verified = await first.fixture.ralph(['verify'])
    expect([verified.code, verified.stdout]).toEqual([
      5,
      expect.stringContaining('Ralph cannot tell what earlier runs changed'),
    ])
  })

  test('is confirmed by ralph accept, and the next completion is proven as usual', async () => {
    const first = await runProof([[ADDS, CLAIM]])
    const { fixture } = first
    await fixture.write('src/more.sh', 'true\n')
    await forget(first)
    // Before another run too: nobody has to pay an agent for the question.
    expect((await fixture.ralph(['verify'])).code).toBe(5)
    const shown = await fixture.ralph(['accept'])
    expect(collapseSpaces(shown.stdout)).toContain(
      'is done, but needs your review. The snapshot from the start of the work is gone',
    )
    expect((await fixture.ralph(['accept', '--yes', '.'])).code).toBe(0)
    const again = { do: 'write', path: 'src/add.sh', content: 'echo $(($2 + $1))\n' } as const
    expect(await runProofAgain(first, [[again, CLAIM]])).toMatchObject({ code: 0, verdict: 'proven' })
  })

  test('that was damaged counts as gone, and a person may name a commit instead', async () => {
    const first = await runProof([[...WEAKENED_TEST, HALF]], {}, ['--once'])
    await truncateAll(join(first.fixture.home, '.local', 'state', 'ralph', 'archive'), 'objects')
    expect(await runProofAgain(first, [[MULTIPLIES, CLAIM]])).toMatchObject({
      code: 5,
      acceptance: { names: ['.'] },
    })
    const since = await first.fixture.ralph(['verify', '--since', 'HEAD', '--json'])
    expect(JSON.parse(since.stdout)).toMatchObject({ acceptance: { names: ['test/add.sh'] } })
    await first.fixture.write('src/add.sh', ADDS.content)
    await first.fixture.write('test/add.sh', TEST)
    expect((await first.fixture.ralph(['verify', '--since', 'HEAD'])).code).toBe(0)
    expect(await runProofAgain(first, [[{ ...ADDS, content: 'echo $(($2 + $1))\n' }, CLAIM]])).toMatchObject({
      code: 0,
      verdict: 'proven',
    })
  })

  test('is not confirmed by a no, and the agent is not asked to revert anything', async () => {
    const first = await runProof([[...WEAKENED_TEST, HALF]], {}, ['--once'])
    await forget(first)
    expect(await runProofAgain(first, [[MULTIPLIES, CLAIM]])).toMatchObject({ code: 5 })
    const no = await first.fixture.ralph(['accept', '--no'])
    expect([no.code, no.stdout]).toEqual([5, expect.stringContaining('ralph verify --since REF')])
    const quiet = { do: 'expect-prompt', matches: '^(?![^]*did not accept)' } as const
    expect(await runProofAgain(first, [[quiet, STILL_WRONG, CLAIM]])).toMatchObject({
      code: 5,
      acceptance: { names: ['.'] },
    })
  })
})

describe('what a person changed before they undid a run', () => {
  test('is theirs after the undo as well, and the proof uses it', async () => {
    const first = await runProof([[ADDS, { do: 'write', path: 'src/more.sh', content: 'true\n' }, HALF]], {}, [
      '--once',
    ])
    await first.fixture.write('test/add.sh', LAX)
    expect((await first.fixture.ralph(['undo', '--yes'])).code).toBe(0)
    expect([await first.fixture.read('test/add.sh'), first.fixture.has('src/more.sh')]).toEqual([LAX, false])
    const second = await runProofAgain(first, [[STILL_WRONG, CLAIM]])
    expect(second).toMatchObject({ code: 0, verdict: 'proven' })
    expect(second.said).toContain('test/add.sh changed while no agent was running; Ralph counts it as your change')
  })

  test('after the undo was reverted too', async () => {
    const first = await runProof([[STILL_WRONG, HALF]], {}, ['--once'])
    await first.fixture.write('test/add.sh', LAX)
    expect((await first.fixture.ralph(['undo', '--yes'])).code).toBe(0)
    expect((await first.fixture.ralph(['undo', '--undo', '--yes'])).code).toBe(0)
    const second = await runProofAgain(first, [[CLAIM]])
    expect(second).toMatchObject({ code: 0, verdict: 'proven' })
  })
})
