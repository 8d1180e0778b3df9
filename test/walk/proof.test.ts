/** Proof as a user meets it: verify, tampering, flaky gates, a second opinion. */
import { describe, expect, test } from 'vitest'
import { DONE, garden, NOT_YET } from '../garden.ts'

const FILES = { 'test.sh': 'grep -q right answer.txt\n', 'answer.txt': 'wrong\n' }
const GATE = '[[gate]]\nname = "test"\nrun = "sh test.sh"\n'
const RIGHT = { do: 'write', path: 'answer.txt', content: 'right\n' } as const
const CLAIM = { do: 'status', text: 'All done.', fields: DONE } as const

function result(stdout: string): Record<string, unknown> {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, unknown>
}

describe('ralph verify', () => {
  test('runs the gates now and ends as a completion would', async () => {
    const place = await garden({ toml: GATE, files: FILES })
    const red = await place.ralph(['verify'])
    expect({
      code: red.code,
      says: red.stdout.includes('failed: gate test (sh test.sh) failed with exit 1'),
    }).toEqual({ code: 4, says: true })
    await place.write('answer.txt', 'right\n')
    const green = await place.ralph(['verify', '--json'])
    expect({ code: green.code, ...(JSON.parse(green.stdout) as object) }).toMatchObject({
      code: 0,
      verdict: 'proven',
    })
  })

  test('says plainly that nothing can be proven without a gate, and names a misspelt one', async () => {
    const place = await garden({})
    expect((await place.ralph(['verify'])).code).toBe(5)
    await place.write('.ralph.toml', GATE)
    const wrong = await place.ralph(['verify', '--gate', 'tset'])
    expect({ code: wrong.code, hint: wrong.stderr.includes('Did you mean test?') }).toEqual({
      code: 2,
      hint: true,
    })
  })

  test('a gate whose command is not there is said to be missing, not failed', async () => {
    const place = await garden({ toml: '[[gate]]\nname = "test"\nrun = "no-such-program"\n' })
    const ran = await place.ralph(['verify', '--json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({ evidence: [{ missing: true }] })
  })
})

describe('files that judge', () => {
  const cheat = [{ do: 'write', path: 'test.sh', content: 'exit 0\n' }, CLAIM] as const

  test('a changed gate script refuses the completion, and the next prompt names it', async () => {
    const told = {
      do: 'expect-prompt',
      matches: 'Files that judge the work were changed:[\\s\\S]*test.sh',
    } as const
    const place = await garden({
      toml: GATE,
      files: FILES,
      turns: [[...cheat], [told, { do: 'write', path: 'test.sh', content: FILES['test.sh'] }, RIGHT, CLAIM]],
    })
    const ran = await place.ralph(['loop', '--json'])
    expect(result(ran.stdout)).toMatchObject({ proven: true, iterations: 2 })
    expect(ran.stdout).toContain('files that judge the work were changed: test.sh')
  })

  test('with on_tamper = "restore" they are put back and the gates decide', async () => {
    const place = await garden({
      toml: `${GATE}[proof]\non_tamper = "restore"\n`,
      files: FILES,
      turns: [[...cheat], [RIGHT, CLAIM]],
    })
    const ran = await place.ralph(['loop', '--json'])
    expect(result(ran.stdout)).toMatchObject({ proven: true, iterations: 2 })
    expect(await place.read('test.sh')).toBe(FILES['test.sh'])
  })
})

test('a gate that was green before and is red now is a regression, and three refusals end the run', async () => {
  const files = { ...FILES, 'answer.txt': 'right\n' }
  const place = await garden({
    toml: GATE,
    files,
    turns: [[{ do: 'write', path: 'answer.txt', content: 'broken\n' }, CLAIM], [CLAIM]],
  })
  const ran = await place.ralph(['loop', '--json'])
  expect({ code: ran.code, ...result(ran.stdout) }).toMatchObject({
    code: 4,
    outcome: 'cannot_prove',
    verdict: 'regressed',
    iterations: 3,
  })
})

test('a flaky gate needs two passes in a row', async () => {
  const flaky =
    'n=$(cat ../n 2>/dev/null || echo 0); echo $((n+1)) > ../n; test "$n" != 1 && grep -q right answer.txt\n'
  const place = await garden({ toml: GATE, files: { ...FILES, 'test.sh': flaky }, turns: [[RIGHT, CLAIM]] })
  const ran = await place.ralph(['loop', '--json'])
  expect(result(ran.stdout)).toMatchObject({ proven: true })
  expect(ran.stdout).toContain('gate test is flaky: it failed, then passed twice in a row')
})

describe('a second opinion', () => {
  const toml = `${GATE}[proof]\nopinion = "codex"\n`

  test('can veto, and what it said is told to the agent', async () => {
    const no = [
      { do: 'say', text: 'Not good enough. <verify-fail>the answer is not explained</verify-fail>' },
    ] as const
    const yes = [{ do: 'say', text: 'Fine. <verify-pass/>' }] as const
    const told = { do: 'expect-prompt', matches: 'A reviewer says: the answer is not explained' } as const
    const place = await garden({
      toml,
      files: FILES,
      turns: [[RIGHT, CLAIM], [...no], [told, RIGHT, CLAIM], [...yes]],
    })
    const ran = await place.ralph(['loop', '--json'])
    expect(result(ran.stdout)).toMatchObject({ proven: true, iterations: 2 })
    expect(place.starts().map((start) => start.dialect)).toEqual(['claude', 'codex', 'claude', 'codex'])
    expect(ran.stdout).toContain('a second agent agrees')
  })

  test('is never asked about a red gate, and one that changes files does not count', async () => {
    const meddle = [
      { do: 'write', path: 'other.txt', content: 'x\n' },
      { do: 'say', text: '<verify-pass/>' },
    ] as const
    const place = await garden({ toml, files: FILES, turns: [[CLAIM], [RIGHT, CLAIM], [...meddle]] })
    const ran = await place.ralph(['loop', '--json', '--max-iterations', '2'])
    expect(result(ran.stdout)).toMatchObject({ proven: false })
    expect(ran.stdout).toContain('the second opinion changed files, so it does not count')
  })
})

describe('backups', () => {
  test('--backup keeps the tree from before each iteration; rollback lists and restores it', async () => {
    const place = await garden({
      toml: GATE,
      files: FILES,
      turns: [
        [
          { do: 'write', path: 'new.txt', content: 'n\n' },
          { do: 'status', text: 'x', fields: NOT_YET },
        ],
        [RIGHT, CLAIM],
      ],
    })
    await place.ralph(['loop', '--backup'])
    const list = JSON.parse((await place.ralph(['rollback', '--json'])).stdout) as {
      name: string
      from: string
    }[]
    const first = list.findLast((one) => one.from === 'backup')
    expect(first?.name).toMatch(/^ralph-backup-loop-1-\d+$/)
    const back = await place.ralph(['rollback', first?.name ?? ''])
    expect({ code: back.code, answer: await place.read('answer.txt'), there: place.has('new.txt') }).toEqual({
      code: 0,
      answer: 'wrong\n',
      there: false,
    })
  })
})
