/** Proof as a user meets it: a claim is judged by trial in a clean room, with the protected files as they were. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { collapseSpaces } from '../run-in-process.ts'
import { testProject, NOT_YET } from '../test-project.ts'
import {
  ADDS,
  CLAIM,
  FILES,
  GATE,
  makeProofProject,
  loop,
  runProof,
  STILL_WRONG,
  TEST,
  expectPrompt,
  WEAKENED_TEST,
  type ProofRun,
} from '../walk/proof-project.ts'
import { install } from '../walk/setup-kit.ts'

describe('honest work', () => {
  test('is proven, with one line and the time for each proof step', async () => {
    const adds = {
      do: 'write',
      path: 'src/add.mjs',
      content: 'export const add = (a, b) => a + b\n',
    } as const
    const fixture = await makeProofProject({
      toml: '[[gate]]\nname = "test"\nrun = "node --test test/add.test.mjs"\n',
      files: {
        'src/add.mjs': 'export const add = (a, b) => a - b\n',
        'test/add.test.mjs':
          "import assert from 'node:assert'\nimport test from 'node:test'\nimport { add } from '../src/add.mjs'\n\ntest('adds', () => assert.equal(add(1, 2), 3))\n",
      },
      turns: [[adds, CLAIM]],
    })
    const { code, stdout } = await fixture.ralph(['loop'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('PROVEN DONE')])
    const steps = [...stdout.matchAll(/^proof +(.*?)( · [\d.]+ m?s)?$/gm)]
    expect(steps.map(([, said, time]) => [said, time !== undefined])).toEqual([
      ['✓ clean room: pass', true],
      ['– original tests: skipped (tests and config unchanged)', false],
      ['✓ gates load the changed files', true],
      ['✓ mutation: tests catch a broken version of the change', true],
      ['✓ assertions: tests fail if expected values change', true],
      ['✓ final tree: unchanged', false],
    ])
    // Each line is printed once: the report at the end does not repeat it.
    expect(steps.filter(([, said = '']) => stdout.split(said).length !== 2)).toEqual([])
    expect((await fixture.ralph(['report'])).stdout).toContain('✓ mutation: tests catch')
    expect((await fixture.ralph(['replay', '--check'])).code).toBe(0)
  })

  test('may edit a test, as long as the old one passes too', async () => {
    const kinder = { do: 'write', path: 'test/add.sh', content: `echo adding\n${TEST}` } as const
    const another = { do: 'write', path: 'test/more.sh', content: 'true\n' } as const
    const ran = await runProof([[ADDS, kinder, another, CLAIM]])
    expect(ran).toMatchObject({ code: 0, verdict: 'proven', iterations: 1 })
    expect(ran.said).toContain('original tests: pass')
  })

  test('that needs another gate script is done if a person accepts it, and the script is named', async () => {
    const files = { 'src/add.sh': FILES['src/add.sh'], 'check.sh': TEST }
    const sums = { do: 'write', path: 'src/add.sh', content: 'echo "sum: $(($1 + $2))"\n' } as const
    const script = { do: 'write', path: 'check.sh', content: TEST.replace('= 3', '= "sum: 3"') } as const
    const ran = await runProof([[sums, script, CLAIM]], {
      toml: GATE.replace('test/add.sh', 'check.sh'),
      files,
    })
    expect(ran).toMatchObject({
      code: 5,
      outcome: 'needs_acceptance',
      proven: false,
      acceptance: { names: ['check.sh'] },
    })
    expect(await ran.fixture.read('check.sh'), 'the work is kept').toBe(script.content)
  })

  test.each([
    ['the settings', { toml: `${GATE}[proof]\nallow_tests = ["test/**"]\n` }],
    ['the plan', { plan: '- [ ] it adds [tests: test/**]\n' }],
  ])('may change a test that it needs where %s allow it', async (_, more) => {
    const ticks = {
      do: 'shell',
      command: "sed -i.old 's/- \\[ \\]/- [x]/' .ralph/fix_plan.md || true",
    } as const
    const ran = await runProof([[...WEAKENED_TEST, ticks, CLAIM]], more)
    expect(ran).toMatchObject({ code: 0, verdict: 'proven' })
    expect(ran.said).toContain('with the allowed changes to test/add.sh')
  })
})

describe('a lie', () => {
  test('with a weakened test ends with a question about that test, and nothing is proven', async () => {
    const ran = await runProof([[...WEAKENED_TEST, CLAIM]])
    expect(ran).toMatchObject({
      code: 5,
      verdict: 'needs-review',
      acceptance: { names: ['test/add.sh'] },
    })
    expect(ran.said).toContain('original tests: failed (exit 1)')
  })

  // It needs its judge changed and nobody allowed that: exit 0 would let through what the old test refuses, without a word to accept or deny.
  test('with a gate that says yes to everything is refused, the agent hears why, and the end is a question', async () => {
    const yes = { do: 'write', path: 'test/add.sh', content: 'exit 0\n' } as const
    const heard = expectPrompt('The gates pass even when Ralph breaks the files you changed \\(src/add.sh\\)')
    const ran = await runProof([
      [STILL_WRONG, yes, CLAIM],
      [heard, CLAIM],
      [heard, CLAIM],
    ])
    expect(ran).toMatchObject({
      code: 5,
      outcome: 'needs_acceptance',
      verdict: 'needs-review',
      proven: false,
      iterations: 3,
      acceptance: { names: ['test/add.sh'] },
    })
    expect(ran.said).toContain(
      'the gates pass only because test/add.sh was changed; besides, the gates pass even if Ralph breaks the changed files on purpose',
    )
    const shown = await ran.fixture.ralph(['accept'])
    expect(shown.stdout).toContain('Also, the gates pass even if Ralph breaks the changed files on purpose')
  })

  test('with a gate that runs none of the tests any more is asked about in the same way', async () => {
    const fixture = await makeProofProject({
      toml: '[[gate]]\nname = "test"\nrun = "npm test --silent"\n',
      files: {
        'package.json': '{ "name": "adds", "scripts": { "test": "node --test test/add.test.mjs" } }\n',
        'src/add.mjs': 'export const add = (a, b) => a - b\n',
        'test/add.test.mjs':
          "import assert from 'node:assert'\nimport test from 'node:test'\nimport { add } from '../src/add.mjs'\n\ntest('adds', () => assert.equal(add(1, 2), 3))\n",
      },
      turns: [
        [
          { do: 'write', path: 'src/add.mjs', content: 'export const add = (a, b) => a * b\n' },
          {
            do: 'write',
            path: 'package.json',
            content: '{ "name": "adds", "scripts": { "test": "echo \'# tests 0\'" } }\n',
          },
          CLAIM,
        ],
        [CLAIM],
        [CLAIM],
      ],
    })
    const ran = await loop(fixture)
    expect(ran).toMatchObject({
      code: 5,
      outcome: 'needs_acceptance',
      acceptance: { names: ['package.json'] },
    })
  })

  test('that takes open boxes from the plan is refused with the list', async () => {
    const plan = '- [ ] it adds\n- [ ] it adds three\n'
    const shorter = { do: 'write', path: '.ralph/fix_plan.md', content: '- [x] it adds\n' } as const
    const whole = { do: 'write', path: '.ralph/fix_plan.md', content: plan.replaceAll('[ ]', '[x]') } as const
    const heard = expectPrompt('These items were open and are no longer in the plan[^]*\\n- it adds three')
    const ran = await runProof(
      [
        [ADDS, shorter, CLAIM],
        [heard, whole, CLAIM],
      ],
      { plan },
    )
    expect(ran).toMatchObject({ code: 0, verdict: 'proven', iterations: 2 })
    expect(ran.said).toContain('1 open item disappeared from the plan: it adds three')
  })

  test('in the same words again and again ends the run with the regression it is', async () => {
    const files = { ...FILES, 'src/add.sh': ADDS.content }
    const ran = await runProof([[STILL_WRONG, CLAIM], [CLAIM]], { files })
    expect(ran).toMatchObject({ code: 4, outcome: 'cannot_prove', verdict: 'regressed', iterations: 3 })
  })
})

describe('green where the agent works and red in the clean room', () => {
  const files = { ...FILES, '.gitignore': 'kept/\n' }

  test('because of an ignored file: that file is asked about by name', async () => {
    const reads = { do: 'write', path: 'src/add.sh', content: '. kept/answer\necho $answer\n' } as const
    const ignored = { do: 'write', path: 'kept/answer', content: 'answer=3\n' } as const
    const ran = await runProof([[reads, ignored, CLAIM]], { files })
    expect(ran).toMatchObject({ code: 5, verdict: 'needs-review', acceptance: { ignored: ['kept'] } })
    expect(ran.said).toContain('the gates pass only with ignored files: kept')
  })

  test('because of the home folder: the agent hears what the gates said there', async () => {
    const reads = { do: 'write', path: 'src/add.sh', content: 'cat "$HOME/answer"\n' } as const
    const elsewhere = { do: 'shell', command: 'echo 3 > "$HOME/answer"' } as const
    const heard = expectPrompt('fail in a clean copy of the same files')
    const ran = await runProof(
      [
        [reads, elsewhere, CLAIM],
        [heard, ADDS, CLAIM],
      ],
      { files },
    )
    expect(ran).toMatchObject({ code: 0, verdict: 'proven', iterations: 2 })
    expect(ran.said).toContain('gates pass in the working tree but fail in the clean room')
  })
})

describe('a flaky gate', () => {
  /** Fails when it is started for the nth time, wherever that is: baseline, clean-room check, working tree, clean room … */
  async function failsAt(nth: number): Promise<ProofRun> {
    const fixture = await makeProofProject({
      toml: GATE.replace('sh test', 'tick && sh test'),
      turns: [[ADDS, CLAIM]],
    })
    const count = join(fixture.home, '..', 'count')
    await install(
      fixture,
      'tick',
      `n=$(($(cat '${count}' 2>/dev/null || echo 0) + 1)); echo $n > '${count}'; test $n != ${nth}`,
    )
    return loop(fixture)
  }

  test('needs two passes in a row in the working tree', async () => {
    const ran = await failsAt(3)
    expect(ran).toMatchObject({ verdict: 'proven' })
    expect(ran.said).toContain('test is flaky: it failed, then passed twice in a row')
  })

  test('is run again in the clean room', async () => {
    const ran = await failsAt(4)
    expect(ran).toMatchObject({ verdict: 'proven' })
    expect(ran.said).toContain('clean room: pass after a failure (flaky?)')
  })
})

describe('a second opinion', () => {
  const toml = `${GATE}[proof]\nreviewer = "codex"\n`

  test('can object, and the agent gets the objection', async () => {
    const no = [{ do: 'say', text: 'Not good enough. <verify-fail>the answer is not explained</verify-fail>' }] as const
    const yes = [{ do: 'say', text: 'Fine. <verify-pass/>' }] as const
    const heard = expectPrompt('A reviewer says: the answer is not explained')
    const ran = await runProof([[ADDS, CLAIM], [...no], [heard, ADDS, CLAIM], [...yes]], { toml })
    expect(ran).toMatchObject({ verdict: 'proven', iterations: 2 })
    expect(ran.fixture.starts().map((start) => start.dialect)).toEqual(['claude', 'codex', 'claude', 'codex'])
    expect(ran.said).toContain('the reviewer agrees')
  })

  test('is never asked about a red gate; what it writes is reverted, and its word does not count', async () => {
    const meddle = [
      { do: 'write', path: 'other.txt', content: 'x\n' },
      { do: 'write', path: 'src/add.sh', content: 'echo mine\n' },
      { do: 'say', text: '<verify-pass/>' },
    ] as const
    const yes = [{ do: 'say', text: 'Fine. <verify-pass/>' }] as const
    const ran = await runProof([[CLAIM], [ADDS, CLAIM], [...meddle], [...yes]], {
      toml: `${toml}[retry]\nfirst = "1s"\nmax = "1s"\n`,
    })
    expect(ran).toMatchObject({ verdict: 'proven', iterations: 2 })
    const [, kept = ''] =
      /codex may only read\. Ralph reverted its changes: 2 files \(src\/add\.sh, other\.txt\)\. See the changes: git show (\S+)\. /.exec(
        ran.said,
      ) ?? []
    expect(await ran.fixture.git('show', kept)).toContain('+echo mine')
    expect(await ran.fixture.read('src/add.sh')).not.toContain('mine')
    expect(await ran.fixture.git('status', '--short')).not.toContain('other.txt')
    expect(collapseSpaces((await ran.fixture.ralph(['report'])).stdout)).toContain(
      'codex may only read. Ralph reverted its changes: 2 files (src/add.sh, other.txt).',
    )
    expect((await ran.fixture.ralph(['replay', '--check'])).code).toBe(0)
  })
})

describe('backups', () => {
  test('--backup keeps the tree from before each iteration; rollback lists and restores it', async () => {
    const fixture = await testProject({
      toml: GATE,
      files: FILES,
      turns: [
        [
          { do: 'write', path: 'new.txt', content: 'n\n' },
          { do: 'status', text: 'x', fields: NOT_YET },
        ],
        [ADDS, CLAIM],
      ],
    })
    await fixture.ralph(['loop', '--backup'])
    const list = JSON.parse((await fixture.ralph(['rollback', '--json'])).stdout) as {
      name: string
      from: string
    }[]
    const first = list.findLast((one) => one.from === 'backup')
    expect(first?.name).toMatch(/^ralph-backup-loop-1-\d+$/)
    const back = await fixture.ralph(['rollback', first?.name ?? ''])
    expect({
      code: back.code,
      adds: await fixture.read('src/add.sh'),
      there: fixture.has('new.txt'),
    }).toEqual({
      code: 0,
      adds: FILES['src/add.sh'],
      there: false,
    })
  })
})
