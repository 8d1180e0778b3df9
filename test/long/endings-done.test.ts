/** Ends at which the work is done, proven or not: what is advised is typed, and afterwards it is what it was not before. */
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { TestProject, CommandResult } from '../test-project.ts'
import { hasTmux, openTmux } from '../tmux.ts'
import {
  expectAdvice,
  runToEnding,
  followAdvice,
  expectContinues,
  LAST,
  once,
  ONE_CLAIM,
  project,
  read,
  jsonResultOf,
  type,
  type Ending,
  type EndingOptions,
} from './ending-kit.ts'
import { ADDS, CLAIM, FILES, GATE, WEAKENED_TEST } from '../walk/proof-project.ts'
import { runCommand } from '../walk/sample-run.ts'

/** Judged by trial, and the first refusal ends it. */
function tried(more: EndingOptions): EndingOptions {
  return { proof: 'full', toml: `[proof]\nrejections = 1\n${GATE}`, files: FILES, ...more }
}

const PROVEN = { code: 0, stdout: expect.stringMatching(/^proven: /m) as string }

describe('proven', () => {
  test('and committed: a review of the commit, and ralph show does not advise itself', async () => {
    const ending = await runToEnding(tried({ turns: [[ADDS, { do: 'commit', message: 'it adds' }, CLAIM]] }))
    expectAdvice(ending, 'project_complete', 'git show')
    expect(await followAdvice(ending)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('it adds') as string,
    })
    const shown = await runCommand(ending.fixture, 'show')
    expect(shown.out).toContain('git show (review it')
    expect(shown.out.slice(shown.out.indexOf('Next'))).not.toContain(
      `ralph show ${/Run (\w+)/.exec(shown.out)?.[1] ?? ''} (`,
    )
  })

  test('and in no commit: it is said and counted, and the command commits it', async () => {
    const plot = tried({ turns: [[ADDS, CLAIM]] })
    const [ending, program] = await Promise.all([runToEnding(plot), jsonResultOf(plot)])
    expectAdvice(ending, 'project_complete', ending.next[0] ?? '')
    expect(program.next[0]?.replaceAll(program.run, 'RUN')).toBe(ending.next[0]?.replaceAll(/run \w+/g, 'run RUN'))
    expect(ending.status.lines).toEqual(['The agent left 1 file uncommitted.'])
    await type(ending.fixture, ending.next[0] ?? '')
    expect(await ending.fixture.git('status', '--short')).toBe('')
    expect(await ending.fixture.git('show', '--format=', '--name-only')).toBe('src/add.sh')
  })

  test('and in no commit: the command commits nothing of the person', async () => {
    const ending = await runToEnding(tried({ turns: [[ADDS, CLAIM]] }))
    await followAdvice(ending)
    expect(await ending.fixture.git('status', '--short', '--', 'src')).toBe('')
  })

  test('and in no commit: once it is committed, nobody says so any more', async () => {
    const { fixture } = await runToEnding(tried({ turns: [[ADDS, CLAIM]] }))
    await fixture.git('commit', '-qam', 'it adds')
    expect((await read(fixture, null)).status.lines).toEqual([])
  })

  test('beside changes that were there before: nothing is committed for the person', async () => {
    const ending = await runToEnding(tried({ turns: [[ADDS, CLAIM]], live: withNotes }))
    expectAdvice(ending, 'project_complete', 'git status --short')
    expect(ending.status.lines).toEqual([
      'The agent left 2 files uncommitted.',
      '1 of 2 was uncommitted before the run.',
    ])
    expect((await followAdvice(ending)).stdout).toContain(' M src/add.sh')
  })
})

/** Gates passed, and the command that is advised then. */
const quick = once(async () => {
  const ending = await runToEnding({ toml: GATE, files: FILES, turns: [[ADDS, CLAIM]] })
  const ran = await followAdvice(ending)
  return { ending, ran, afterwards: (await runCommand(ending.fixture, 'status')).out }
})

describe('done, and not proven', () => {
  test('by quick gates: the command has it proven', async () => {
    const { ending, ran } = await quick()
    expectAdvice(ending, 'project_complete', 'RALPH_PROOF_LEVEL=full ralph verify')
    expect(ran).toMatchObject(PROVEN)
  })

  test('by quick gates: once the command has proven it, status says so', async () => {
    expect((await quick()).afterwards).toMatch(/^ {2}state +proven/m)
  })

  const PASTED: [string, EndingOptions, string, number][] = [
    ['', { toml: ONE_CLAIM, turns: [[ADDS, CLAIM]] }, 'project_complete', 0],
    [
      ' where proof is required',
      { toml: `${ONE_CLAIM}[proof]\nrequired = true\n`, turns: [[ADDS, CLAIM]] },
      'project_complete',
      5,
    ],
    [
      ' by a hint alone',
      {
        toml: '[exit]\ndone_signals = 1\n',
        turns: [[ADDS, { do: 'status', fields: { STATUS: 'COMPLETE', WORK_TYPE: 'IMPLEMENTATION' } }]],
      },
      'completion_signals',
      0,
    ],
  ]
  test.each(PASTED)(
    'without a gate%s: the lines are pasted, with the command of the project, and it is proven',
    async (_, plot, outcome, exit) => {
      const ending = await runToEnding(tried(plot))
      expectAdvice(ending, outcome, 'ralph verify')
      expect(JSON.parse((await runCommand(ending.fixture, 'status', '--json')).out)).toMatchObject({
        outcome: { exit },
      })
      const [said = '', ...lines] = ending.status.lines
      expect(said).toContain('Paste this into .ralph.toml')
      await paste(ending.fixture, lines.join('\n').replace('npm test', 'sh test/add.sh'))
      expect(await followAdvice(ending)).toMatchObject(PROVEN)
    },
  )

  const BLIND = '[proof]\nrejections = 1\n[[gate]]\nname = "test"\nrun = "true"\n'
  const NO_TESTS = BLIND.replace('true', 'node --test --test-reporter=tap empty')
  const UNPROVEN: [string, () => Promise<Ending>][] = [
    ['a gate that does not look at the work', once(() => runToEnding(tried({ toml: BLIND, turns: [[ADDS, CLAIM]] })))],
    [
      'a gate that runs 0 tests',
      once(() => runToEnding(tried({ toml: NO_TESTS, files: { ...FILES, 'empty/x': '' }, turns: [[ADDS, CLAIM]] }))),
    ],
  ]

  test('where the clean room is not fit: the ways out, and once the gate is another one, it is proven', async () => {
    // It knows its own place, which the clean room cannot have.
    const fixed = 'test \\"$PWD\\" = \\"$(cat where)\\"'
    const ending = await runToEnding(
      tried({
        toml: `[proof]\nrejections = 1\n[[gate]]\nname = "test"\nrun = "${fixed}"\n`,
        turns: [[ADDS, CLAIM]],
        live: async (fixture) => {
          await fixture.write('where', `${fixture.path}\n`)
          return fixture.ralph(['loop'])
        },
      }),
    )
    expectAdvice(ending, 'project_complete', 'ralph verify')
    expect(ending.status.lines.join(' ')).toContain('Fix it with proof.setup')
    await ending.fixture.write('.ralph.toml', GATE)
    expect(await followAdvice(ending)).toMatchObject(PROVEN)
  })

  test.each(UNPROVEN)('by %s: once the gate is another one, the command proves it', async (_, lived) => {
    const ending = await lived()
    expectAdvice(ending, 'project_complete', 'ralph verify')
    await ending.fixture.write('.ralph.toml', GATE)
    expect(await followAdvice(ending)).toMatchObject(PROVEN)
  })

  test.each(UNPROVEN)('by %s: the gate is named, and where it stands', async (_, lived) => {
    const { status } = await lived()
    expect(status.lines.join('\n')).toMatch(/gate test[\s\S]*\.ralph\.toml/)
  })

  // No gate reads documents: `ralph verify` says the same every time.
  test('by documents alone: the command is not one that can never help', async () => {
    const readme = { do: 'write', path: 'README.md', content: '# Sums\n' } as const
    const files = { ...FILES, 'src/add.sh': ADDS.content }
    const ending = await runToEnding(tried({ files, turns: [[readme, CLAIM]] }))
    expect((await followAdvice(ending)).code).toBe(0)
  })

  test('because a person has to accept: the files and what is red without them, then yes', async () => {
    const ending = await runToEnding(tried({ turns: [[...WEAKENED_TEST, CLAIM]] }))
    expectAdvice(ending, 'needs_acceptance', 'ralph accept')
    for (const screen of Object.values(ending.screens).map((text) => text.replaceAll(/\s+/g, ' '))) {
      expect(screen).toContain('the gates pass only because test/add.sh was changed')
      expect(screen).toContain('with the original file: test failed (exit 1)')
    }
    const asked = await type(ending.fixture, ending.next[0] ?? '')
    expect(asked.stdout).toContain('-test "$(sh src/add.sh 1 2)" = 3')
    // Nobody can be asked here, so the screen says how to answer.
    const yes = /Accept all: (.+?)\. Some/.exec(asked.stdout)?.[1] ?? ''
    expect((await type(ending.fixture, yes)).stdout).toMatch(/^proven: .+ accepted 1 file/m)
  })
})

describe('nothing to do', () => {
  test('a box is written, and the command works on it', async () => {
    const all = '- [x] it adds\n'
    const ending = await runToEnding(
      tried({ plan: all, files: { ...FILES, 'src/add.sh': ADDS.content }, turns: [LAST] }),
    )
    expectAdvice(ending, 'plan_complete', 'ralph loop')
    expect(ending.fixture.starts()).toEqual([])
    const [said = '', checkbox = ''] = ending.status.lines
    expect(said).toContain('Every item in .ralph/fix_plan.md is ticked')
    await ending.fixture.write('.ralph/fix_plan.md', `${all}${checkbox}\n`)
    const ticks = { do: 'replace', path: '.ralph/fix_plan.md', find: '- [ ]', with: '- [x]' } as const
    await ending.fixture.play([[{ do: 'append', path: 'src/add.sh', content: '# it adds\n' }, ticks, CLAIM]])
    await expectContinues(ending)
  })
})

describe.skipIf(!(await hasTmux()))('not started (skipped where tmux is not installed)', () => {
  test('because a person said no: the command begins all the same', async () => {
    const toml = `[budget]\nminutes = 5\n${GATE.replace('sh test/add.sh', 'node --test --test-reporter=tap empty')}`
    const fixture = await project({ toml, files: { ...FILES, 'empty/x': '' }, turns: [[ADDS, CLAIM]] })
    const tmux = await openTmux(fixture, { columns: 110, rows: 50 })
    await tmux.type('ralph loop', 'Enter')
    await tmux.shows('Start anyway?')
    await tmux.type('n')
    expect(await tmux.shows('Nothing was started.')).toMatch(/^Next: ralph loop --yes {2}/m)
    const ending = await read(fixture, null)
    expectAdvice(ending, 'not_started', 'ralph loop --yes')
    await expectContinues(ending)
  })
})

describe('the report in its file', () => {
  test('has the command as it is typed', async () => {
    const { ending } = await quick()
    expect(ending.file).toContain('RALPH_PROOF_LEVEL=full ralph verify')
  })

  test('has the lines to paste as a block of their own', async () => {
    const { file } = await runToEnding({ turns: [LAST] })
    expect(file).toMatch(/^\[\[gate\]\]\nname = "test"\nrun = "npm test"$/m)
  })
})

/** Outcomes of the guide that these tests do not produce, and why. */
const NOT_HERE = new Map([
  ['abandoned', 'the run that `ralph loop --fresh` gives up; the screens tell of the new one'],
  ['api_limit_exit', 'the guide does not say what brings it about, and no plot here does'],
  ['failed', 'a bug of ours, with exit code 70'],
])

test('every outcome of the guide is produced by these tests', async () => {
  const here = import.meta.dirname
  const guide = await readFile(join(here, '..', '..', 'docs', 'guide', 'exit-codes.md'), 'utf8')
  const [list = ''] = /Outcomes that are complete:[^]*?\. After/.exec(guide) ?? []
  const outcomes = [...list.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name)
  const files = (await readdir(here)).filter((name) => name.startsWith('endings-'))
  // A run through tasks has a walk of its own, and so has a draft.
  files.push('../walk/run.test.ts', 'feature-create.test.ts')
  const tests = (await Promise.all(files.map((name) => readFile(join(here, name), 'utf8')))).join('')
  expect(outcomes).toContain('cannot_prove')
  expect(outcomes.filter((name) => !tests.includes(`'${name}'`) && !NOT_HERE.has(name))).toEqual([])
})

async function paste(fixture: TestProject, lines: string): Promise<void> {
  await fixture.write('.ralph.toml', `${await fixture.read('.ralph.toml')}${lines}\n`)
}

/** A file of the person lies there when the run begins. */
async function withNotes(fixture: TestProject): Promise<CommandResult> {
  await fixture.write('notes.txt', 'mine\n')
  return fixture.ralph(['loop'])
}
