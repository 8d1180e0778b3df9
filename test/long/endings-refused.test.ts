/** Ends by a completion that was refused: what is red stands on every screen, and the way out is never just another `ralph loop`. */
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { TestProject, TestProjectOptions } from '../test-project.ts'
import {
  expectAdvice,
  runToEnding,
  followAdvice,
  MORE,
  once,
  jsonResultOf,
  type,
  type EndingOptions,
} from './ending-kit.ts'
import { ADDS, CLAIM, FILES, GATE, STILL_WRONG, TEST } from '../walk/proof-project.ts'
import { install } from '../walk/setup-kit.ts'

const PROVEN = { code: 0, stdout: expect.stringMatching(/^proven: /m) as string }

/** Judged by trial; the first refusal ends it. */
function tried(more: EndingOptions): EndingOptions {
  return { proof: 'full', toml: `[proof]\nrejections = 1\n${GATE}`, files: FILES, ...more }
}

/** Eleven tests of a real runner, of which most fail with the product in place of the sum. */
const SUMS: TestProjectOptions['files'] = {
  'src/add.mjs': 'export const add = (a, b) => a - b\n',
  'test/add.test.mjs': [
    "import assert from 'node:assert'",
    "import test from 'node:test'",
    "import { add } from '../src/add.mjs'",
    'for (let i = 0; i < 11; i++) test(`${i} and 2`, () => assert.equal(add(i, 2), i + 2))',
    '',
  ].join('\n'),
}
const MULTIPLIES = {
  do: 'write',
  path: 'src/add.mjs',
  content: 'export const add = (a, b) => a * b\n',
} as const

describe('a red gate', () => {
  test('its failing lines, the summary first, stand on every screen and in the next prompt; fixed, it passes', async () => {
    const ending = await runToEnding({
      toml: '[proof]\nrejections = 2\n[[gate]]\nname = "test"\nrun = "node --test"\n',
      files: { ...SUMS },
      turns: [
        [MULTIPLIES, CLAIM],
        [{ do: 'save-prompt', path: '../prompt' }, CLAIM],
      ],
    })
    expectAdvice(ending, 'cannot_prove', 'ralph verify')
    const { lines } = ending.status
    expect([lines[0], lines.length >= 3 && lines.length <= 10]).toEqual(['10 failed, 1 passed', true])
    expect(lines).toContain('0 and 2: 0 == 2')
    expect(await ending.fixture.read('../prompt')).toContain(lines.join('\n'))
    await ending.fixture.write('src/add.mjs', 'export const add = (a, b) => a + b\n')
    expect(await followAdvice(ending)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('gates passed') as string,
    })
  })

  const OUTPUTS: [string, string, string[]][] = [
    [
      'pytest',
      'E   assert 1 == 2\\n=== short test summary info ===\\nFAILED test_a.py::test_one - assert 1 == 2\\n=== 1 failed, 3 passed in 0.12s ===',
      ['1 failed, 3 passed in 0.12s', 'test_a.py::test_one: assert 1 == 2'],
    ],
    [
      'tsc',
      'src/a.ts(1,5): error TS2304: Cannot find name foo.\\nFound 1 error in src/a.ts:1',
      ['Found 1 error in src/a.ts:1', 'src/a.ts:1 TS2304: Cannot find name foo.'],
    ],
    [
      'a script',
      'looking at one\\nlooking at two\\nlooking at three\\nsrc/add.sh: 1 + 2 gave 2',
      ['src/add.sh: 1 + 2 gave 2'],
    ],
  ]
  test.each(OUTPUTS)('of %s', async (_, printed, expected) => {
    const files = { ...FILES, 'test/add.sh': `printf '${printed}\\n'; exit 1\n` }
    const ending = await runToEnding({
      toml: `[proof]\nrejections = 1\n${GATE}`,
      files,
      turns: [[STILL_WRONG, CLAIM]],
    })
    expectAdvice(ending, 'cannot_prove', 'ralph verify')
    expect(ending.status.lines).toEqual(expect.arrayContaining(expected))
  })

  test('that was green before the run: the same, and a program is told the same', async () => {
    const plot = tried({ files: { ...FILES, 'src/add.sh': ADDS.content }, turns: [[STILL_WRONG, CLAIM]] })
    const [ending, program] = await Promise.all([runToEnding(plot), jsonResultOf(plot)])
    expectAdvice(ending, 'cannot_prove', 'ralph verify')
    expect(program.next[0]).toBe('ralph verify')
    await ending.fixture.write('src/add.sh', `${ADDS.content}# mended\n`)
    expect(await followAdvice(ending)).toMatchObject(PROVEN)
  })
})

test('ralph steer and ralph loop are offered beside ralph verify, and the next run passes the guidance on', async () => {
  const { fixture, next, screens } = await runToEnding(tried({ turns: [[STILL_WRONG, CLAIM]] }))
  expect(next.slice(0, 3)).toEqual(['ralph verify', 'ralph steer "…"', 'ralph loop'])
  expect(screens.status).not.toContain('no known problems')
  const said = await type(fixture, (next[1] ?? '').replace('…', 'add the two numbers'))
  expect(said.stdout).toBe('Saved. The next ralph loop will pass it to the agent.\n')
  await fixture.play([[{ do: 'expect-prompt', matches: 'add the two numbers' }, ADDS, CLAIM]])
  expect((await type(fixture, next[2] ?? '')).stdout).toMatch(/^result +PROVEN DONE/m)
})

describe('tampered', () => {
  const REACHES = {
    do: 'write',
    path: 'src/add.sh',
    content: 'echo "exit 0" > test/add.sh\necho $(($1 + $2))\n',
  } as const
  const tampered = once(() => runToEnding(tried({ turns: [[REACHES, CLAIM]] })))

  test('the files are named; fixed and reverted, it is proven', async () => {
    const ending = await tampered()
    expectAdvice(ending, 'cannot_prove', 'ralph verify')
    expect(ending.status.lines).toEqual([
      'The code under test writes to these files. Remove that code, and restore the files if they changed:',
      'test/add.sh',
    ])
    await ending.fixture.write('src/add.sh', ADDS.content)
    await ending.fixture.write('test/add.sh', TEST)
    expect(await followAdvice(ending)).toMatchObject(PROVEN)
  })

  test('the command that puts the files back is given', async () => {
    const ending = await tampered()
    expect(ending.status.lines.join('\n')).toMatch(/git (checkout|restore)|restore the files/)
  })
})

describe('the clean room failed', () => {
  const files = {
    ...FILES,
    'package.json': '{"name":"sums"}\n',
    'package-lock.json': '{"lockfileVersion":3}\n',
  }
  const locks = {
    do: 'write',
    path: 'package-lock.json',
    content: '{"lockfileVersion":3,"packages":{}}\n',
  } as const
  const goes = { do: 'shell', command: 'touch ../net-gone' } as const
  const failed = once(() =>
    runToEnding(
      tried({
        toml: `[proof]\nsetup = "fetch-tools"\n${GATE}`,
        files,
        turns: [[ADDS, locks, goes, CLAIM]],
        live: async (fixture) => {
          await install(fixture, 'fetch-tools', `! test -e '${netGone(fixture)}' || { echo 'no network' >&2; exit 1; }`)
          return fixture.ralph(['loop'])
        },
      }),
    ),
  )

  test('once the cause is gone, the command completes the proof', async () => {
    const ending = await failed()
    expectAdvice(ending, 'room_failed', 'ralph verify')
    expect(ending.screens.foreground).toContain('no network')
    await type(ending.fixture, `rm '${netGone(ending.fixture)}'`)
    expect(await followAdvice(ending)).toMatchObject(PROVEN)
  })

  test('the reason stays in its column', async () => {
    const { screens } = await failed()
    expect(
      screens.status
        .split('\n')
        .slice(1)
        .filter((line) => /^\S/.test(line)),
    ).toEqual([])
  })
})

describe('the plan', () => {
  test('lost a box: it is named, reverted and ticked, and the command proves it', async () => {
    const shorter = { do: 'write', path: '.ralph/fix_plan.md', content: '- [x] it adds\n' } as const
    const ending = await runToEnding(
      tried({ plan: '- [ ] it adds\n- [ ] it is told\n', turns: [[ADDS, shorter, CLAIM]] }),
    )
    expectAdvice(ending, 'cannot_prove', 'ralph verify')
    expect(ending.status.lines).toEqual(['Restore these items in the plan:', '- [ ] it is told'])
    await ending.fixture.write('.ralph/fix_plan.md', '- [x] it adds\n- [x] it is told\n')
    expect(await followAdvice(ending)).toMatchObject(PROVEN)
  })

  const claims = once(() =>
    runToEnding({ toml: '[exit]\nsafety = 2\n', plan: '- [ ] it adds\n', turns: [[MORE, CLAIM]] }),
  )

  test('has open boxes whatever the agent says: the same command on every screen', async () => {
    const ending = await claims()
    expect([ending.outcome, ending.foreground?.command, ending.report.command, ending.next[0]]).toEqual([
      'safety_stop',
      ending.status.command,
      ending.status.command,
      ending.status.command,
    ])
  })

  test('has open boxes whatever the agent says: the box is named, and it is no plain `ralph loop`', async () => {
    const ending = await claims()
    expect.soft(ending.next[0]).not.toBe('ralph loop')
    expect.soft(ending.foreground?.lines.join('\n')).toContain('it adds')
    expect.soft(ending.status.lines).toEqual(ending.report.lines)
  })

  test('has an open box and the breaker opened: the box is named', async () => {
    const ending = await runToEnding({ plan: '- [ ] it adds\n', turns: [[CLAIM]] })
    expect(ending.foreground?.lines.join('\n')).toContain('it adds')
  })
})

describe('commits.require', () => {
  test('the files are committed by hand, and the command proves it', async () => {
    const toml = `[proof]\nrejections = 1\n[commits]\nrequire = true\n${GATE}`
    const ending = await runToEnding(tried({ toml, turns: [[ADDS, CLAIM]] }))
    expectAdvice(ending, 'cannot_prove', 'ralph verify')
    const look = /(git status --short)$/.exec(ending.status.lines.join('\n'))?.[1] ?? ''
    expect((await type(ending.fixture, look)).stdout).toBe(' M src/add.sh\n')
    await ending.fixture.git('commit', '-qam', 'it adds')
    expect(await followAdvice(ending)).toMatchObject(PROVEN)
  })
})

describe('a second opinion that says no', () => {
  // `ralph verify` does not ask for it: what was refused is proven, with nothing mended.
  test('is not passed over by the command', async () => {
    const ending = await runToEnding(
      tried({
        toml: `[proof]\nrejections = 1\nreviewer = "codex"\n${GATE}`,
        turns: [[ADDS, CLAIM]],
        turnsByAgent: {
          codex: [[{ do: 'say', text: '<verify-fail>the sum is not explained</verify-fail>' }]],
        },
      }),
    )
    expect(await followAdvice(ending)).not.toMatchObject(PROVEN)
  })
})

function netGone(fixture: TestProject): string {
  return join(dirname(fixture.path), 'net-gone')
}
