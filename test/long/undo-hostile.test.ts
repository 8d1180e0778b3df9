/**
 * What people do to a repository between a run and its undo, the unkind part of it. The promise is that of docs/guide/undo.md:
 * the run goes, nothing else does, and `ralph undo --undo` brings all of it back.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { DONE, testProject, type TestProject, type TestProjectOptions, type ScriptedTurn } from '../test-project.ts'
import { hasTmux, openTmux } from '../tmux.ts'
import { runInProcess } from '../run-in-process.ts'

const execute = promisify(execFile)

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join('')
const PLAN = '- [ ] one\n- [ ] two\n'
const TOML = '[[gate]]\nname = "test"\nrun = "true"\n'
const EDIT = { do: 'replace', path: 'a.txt', find: 'line 10\n', with: 'line 10 by the run\n' } as const
const TICKS = { do: 'write', path: '.ralph/fix_plan.md', content: PLAN.replaceAll('[ ]', '[x]') } as const
const ADDS = { do: 'write', path: 'run.txt', content: 'by the run\n' } as const
const COMMITS = { do: 'commit', message: 'the run: work' } as const
const SAID = { do: 'status', text: 'Done.', fields: DONE } as const
const LEFT: ScriptedTurn = [ADDS, EDIT, TICKS, SAID]
const COMMITTED: ScriptedTurn = [ADDS, EDIT, TICKS, COMMITS, SAID]

/** A run that is over. */
async function afterARun(turn: ScriptedTurn, more: TestProjectOptions = {}): Promise<TestProject> {
  const fixture = await testProject({
    toml: TOML,
    plan: PLAN,
    turns: [turn],
    ...more,
    files: { 'a.txt': LINES, ...more.files },
  })
  await over(fixture)
  return fixture
}

async function over(fixture: TestProject): Promise<void> {
  const { code, stdout, stderr } = await fixture.ralph(['loop', '--yes'])
  if (code !== 0) throw new Error(`the run failed with ${code}:\n${stdout}\n${stderr}`)
}

async function undo(fixture: TestProject, ...more: string[]): Promise<{ code: number | null; said: string }> {
  const { code, stdout, stderr } = await fixture.ralph(['undo', '--yes', ...more])
  return { code, said: stdout + stderr }
}

async function edit(fixture: TestProject, path: string, change: { from: string; to: string }): Promise<void> {
  const text = await fixture.read(path)
  if (!text.includes(change.from)) throw new Error(`${path} has no ${change.from}`)
  await fixture.write(path, text.replace(change.from, change.to))
}

async function commit(fixture: TestProject, path: string): Promise<void> {
  await fixture.write(path, `${path} of a person\n`)
  await fixture.git('add', path)
  await fixture.git('commit', '-q', '-m', `mine: ${path}`)
}

const subjects = (fixture: TestProject): Promise<string> => fixture.git('log', '--format=%s')

describe('a file that git ignores is not touched', () => {
  const ignoring = { '.gitignore': 'data/\n' }

  for (const [how, steps] of Object.entries({
    'stopped ignoring it': [{ do: 'delete', path: '.gitignore' }],
    'forced it into a commit': [{ do: 'shell', command: 'git add -f data' }, ADDS, COMMITS],
  } satisfies Record<string, ScriptedTurn>)) {
    // The file was there before the run and counts as one that the run added, so it is removed.
    test(`also where the run ${how}`, async () => {
      const fixture = await testProject({
        toml: TOML,
        plan: PLAN,
        files: ignoring,
        turns: [[...steps, TICKS, SAID]],
      })
      await fixture.write('data/own.db', 'precious\n')
      await over(fixture)
      await undo(fixture)
      expect(fixture.has('data/own.db')).toBe(true)
    })
  }

  // The undo takes the .gitignore away, so the file counts as added in between, and is removed with the way back.
  test('by the undo of an undo of a run that had it ignored', async () => {
    const fixture = await afterARun([{ do: 'write', path: '.gitignore', content: 'data/\n' }, TICKS, SAID])
    await fixture.write('data/own.db', 'precious\n')
    await undo(fixture)
    expect(fixture.has('data/own.db')).toBe(true)
    await undo(fixture, '--undo')
    expect(fixture.has('data/own.db')).toBe(true)
  })

  // It stays, as the guide says of ignored files.
  test('and one of the run that a person ignores since is named', async () => {
    const fixture = await afterARun([{ do: 'write', path: 'run.log', content: 'by the run\n' }, TICKS, SAID])
    await fixture.write('.gitignore', '*.log\n')
    expect((await undo(fixture)).said).toContain('run.log')
  })

  test('also where it is all that is left of the run', async () => {
    const fixture = await afterARun([{ do: 'write', path: 'run.log', content: 'by the run\n' }, TICKS, SAID])
    await fixture.write('.gitignore', '*.log\n')
    await fixture.write('.ralph/fix_plan.md', PLAN)
    const { code, said } = await undo(fixture)
    expect({ code, named: said.includes('run.log') }).toEqual({ code: 3, named: true })
  })
})

describe('commits', () => {
  // All that happened since the cut counts as the run's doing. It is said, and with --yes it is done all the same.
  test('that a person made after the run was cut off are not taken', async () => {
    const fixture = await testProject({
      toml: TOML,
      plan: PLAN,
      turns: [[ADDS, COMMITS, { do: 'say', text: 'it hangs' }, { do: 'hang' }]],
    })
    const run = fixture.start(['loop', '--yes', '--live'])
    await run.waitFor('it hangs')
    await run.kill('SIGKILL')
    await commit(fixture, 'mine.txt')
    await fixture.write('untracked.txt', 'mine\n')
    await undo(fixture)
    expect(await subjects(fixture)).toContain('mine: mine.txt')
    expect(fixture.has('untracked.txt')).toBe(true)
  })

  // The newer run began before the older one was brought back, and what is between is not its own for that.
  test('of an older run that was brought back stay when the newer run is undone', async () => {
    const fixture = await afterARun(COMMITTED)
    await undo(fixture)
    await fixture.play([
      [{ do: 'write', path: 'newer.txt', content: 'newer\n' }, TICKS, { ...COMMITS, message: 'newer' }, SAID],
    ])
    await over(fixture)
    await undo(fixture, '--undo')
    expect(await subjects(fixture)).toBe('newer\nthe run: work\nfirst')
    await undo(fixture)
    expect(await subjects(fixture)).toBe('the run: work\nfirst')
  })

  for (const [how, rewrite] of Object.entries({
    amended: (fixture: TestProject) => fixture.git('commit', '-q', '--amend', '-m', 'reworded'),
    'amended with another date': (fixture: TestProject) =>
      fixture.git('commit', '-q', '--amend', '--no-edit', '--date', '2026-01-01T00:00:00'),
    'committed anew as one of their own': async (fixture: TestProject) => {
      await fixture.git('reset', '-q', '--soft', 'HEAD~1')
      await fixture.git('commit', '-q', '-m', 'all of it')
    },
    'rebased onto a commit from elsewhere': async (fixture: TestProject) => {
      await fixture.git('checkout', '-q', '-b', 'elsewhere', 'HEAD~1')
      await commit(fixture, 'elsewhere.txt')
      await fixture.git('rebase', '-q', 'elsewhere', 'main')
    },
  })) {
    // Undone by half with exit code 0: the commit of the run stays, the preview names it nowhere, and its reverse is staged.
    test(`of the run that a person ${how} go too, or it is refused`, async () => {
      const fixture = await afterARun(COMMITTED)
      await rewrite(fixture)
      const { code } = await undo(fixture)
      expect([code, await fixture.git('status', '--short')]).toEqual([4, ''])
    })
  }

  test('of a person are made anew without any hook of theirs and without a signature', async () => {
    const fixture = await afterARun(COMMITTED)
    await commit(fixture, 'mine.txt')
    const hooks = join(fixture.path, '.git', 'hooks')
    await mkdir(hooks, { recursive: true })
    for (const hook of [
      'pre-commit',
      'post-commit',
      'commit-msg',
      'post-checkout',
      'post-rewrite',
      'reference-transaction',
    ]) {
      await writeFile(join(hooks, hook), `#!/bin/sh\necho ${hook} >> "${fixture.home}/hooked"\nexit 1\n`)
      await chmod(join(hooks, hook), 0o755)
    }
    await fixture.git('config', 'commit.gpgSign', 'true')
    await fixture.git('config', 'gpg.program', '/bin/false')
    expect(await undo(fixture)).toMatchObject({ code: 0 })
    expect(await subjects(fixture)).toBe('mine: mine.txt\nfirst')
    const { code, said } = await undo(fixture, '--undo')
    expect(code).toBe(0)
    // The person's commit has its old name again; it neither goes nor comes back.
    expect(said).toMatch(
      /commits to restore\n +\w+ the run: work\n +commits to re-create.*\n +\w+ mine: mine.txt → \w+\n/,
    )
    expect(said).not.toContain('commits to remove')
    expect(await subjects(fixture)).toBe('mine: mine.txt\nthe run: work\nfirst')
    expect(fixture.has('../home/hooked')).toBe(false)
  })

  test('of a person keep their shape with a merge among them', async () => {
    const fixture = await afterARun(COMMITTED)
    await fixture.git('checkout', '-q', '-b', 'side')
    await commit(fixture, 'side.txt')
    await fixture.git('checkout', '-q', 'main')
    await commit(fixture, 'mine.txt')
    await fixture.git('merge', '-q', '--no-ff', '-m', 'merge side', 'side')
    const before = await fixture.git('rev-parse', 'HEAD')
    expect(await undo(fixture)).toMatchObject({ code: 0 })
    expect((await fixture.git('log', '--topo-order', '--format=%s')).split('\n').toSorted()).toEqual(
      ['first', 'merge side', 'mine: mine.txt', 'mine: side.txt'].toSorted(),
    )
    expect((await fixture.git('log', '-1', '--format=%P')).split(' ')).toHaveLength(2)
    expect(await fixture.git('status', '--porcelain', '--', 'a.txt', 'run.txt', 'side.txt', 'mine.txt')).toBe('')
    await undo(fixture, '--undo')
    expect(await fixture.git('rev-parse', 'HEAD')).toBe(before)
  })
})

describe('what is staged', () => {
  // Were the index left, the next commit of the person would bring the run's line back.
  test('of a file that both changed has only the person’s lines', async () => {
    const fixture = await afterARun(LEFT)
    await edit(fixture, 'a.txt', { from: 'line 18\n', to: 'line 18 of mine\n' })
    await fixture.git('add', 'a.txt')
    await edit(fixture, 'a.txt', { from: 'line 2\n', to: 'line 2 of mine\n' })
    expect(await undo(fixture)).toMatchObject({ code: 0 })
    expect(await fixture.git('show', ':a.txt')).toContain('line 18 of mine')
    expect(await fixture.git('show', ':a.txt')).not.toContain('by the run')
  })

  // `git add -A` stages the plan too, with its ticks.
  test('of the plan is open again as well', async () => {
    const fixture = await afterARun(LEFT)
    await fixture.git('add', '-A')
    expect(await undo(fixture)).toMatchObject({ code: 0 })
    expect(await fixture.git('show', ':.ralph/fix_plan.md')).toBe(PLAN.trimEnd())
  })
})

describe('a box that the run ticked', () => {
  // Were the line a person's then, tick and all, the next run would take it for done.
  test('is open again although a person reworded it, or it is refused', async () => {
    const fixture = await afterARun(LEFT)
    await edit(fixture, '.ralph/fix_plan.md', { from: 'one', to: 'one, in other words' })
    const { code } = await undo(fixture)
    expect(code === 4 || (await fixture.read('.ralph/fix_plan.md')).startsWith('- [ ] one, in other words')).toBe(true)
  })
})

describe('names', () => {
  const NAMES = [
    '-dash',
    ' lead',
    'a b',
    'new\nline',
    '😀',
    '"quote"',
    '*',
    ':colon',
    '$(touch pwned)',
    'HEAD',
    '\u001b[31mred',
  ]

  test('of any kind: lines of the run go, lines of a person stay', async () => {
    const steps = NAMES.map((path) => ({ do: 'replace', path, find: 'line 10\n', with: 'by the run\n' }) as const)
    const fixture = await afterARun([...steps, TICKS, COMMITS, SAID], {
      files: Object.fromEntries(NAMES.map((name) => [name, LINES])),
    })
    for (const name of NAMES) await edit(fixture, name, { from: 'line 2\n', to: 'of mine\n' })
    const { code, said } = await undo(fixture)
    expect(code).toBe(0)
    expect(said).not.toContain('\u001b[31mred')
    for (const name of NAMES) expect(await fixture.read(name)).toBe(LINES.replace('line 2\n', 'of mine\n'))
    expect(fixture.has('pwned')).toBe(false)
    await undo(fixture, '--undo')
    for (const name of NAMES) expect(await fixture.read(name)).toContain('by the run')
  })

  // A file system of macOS has no such names.
  test.runIf(process.platform === 'linux')('that are no UTF-8 are taken back too', async () => {
    const odd = { do: 'shell', command: `printf x > "$(printf 'odd\\377')"` } as const
    const fixture = await afterARun([odd, TICKS, SAID])
    expect(await undo(fixture)).toMatchObject({ code: 0 })
  })
})

describe('what is told', () => {
  // Plain `git stash push -- FILE` knows no untracked file, and that is what a new file of the run is until it is committed.
  test('what helps helps: a new file of the run in which a person wrote', async () => {
    const fixture = await afterARun(LEFT)
    await edit(fixture, 'run.txt', { from: 'by the run\n', to: 'by the run\nand me\n' })
    const { code, said } = await undo(fixture)
    expect(code).toBe(4)
    const command = /\((git stash [^)]*)\)/.exec(said)?.[1] ?? ''
    expect(command).not.toBe('')
    await execute('sh', ['-c', command.replace('FILE', 'run.txt')], {
      cwd: fixture.path,
      env: { ...fixture.env },
    })
    expect(await undo(fixture)).toMatchObject({ code: 0 })
  })

  test('what a person did while the question was open stops it', async ({ skip }) => {
    if (!(await hasTmux())) skip()
    const fixture = await afterARun(COMMITTED)
    const terminal = await openTmux(fixture)
    await terminal.type(`${process.execPath} ${process.cwd()}/bin/ralph.cjs undo`, 'Enter')
    await terminal.shows('No')
    await edit(fixture, 'a.txt', { from: 'line 2\n', to: 'line 2 of mine\n' })
    await terminal.type('y')
    await terminal.shows('so Ralph changed nothing')
    expect(await fixture.read('a.txt')).toContain('line 2 of mine')
    expect(await subjects(fixture)).toContain('the run: work')
  })

  for (const [key, exit] of [
    ['C-c', '130'],
    // Unheard it would end with node's own 13, without a word, and leave the cursor hidden.
    ['C-d', '(0|130)'],
  ] as const) {
    test(`${key} at the question ends with ${exit}`, async ({ skip }) => {
      if (!(await hasTmux())) skip()
      const fixture = await afterARun(COMMITTED)
      const terminal = await openTmux(fixture)
      await terminal.type(`${process.execPath} ${process.cwd()}/bin/ralph.cjs undo; echo "exit $?."`, 'Enter')
      await terminal.shows('○ Yes')
      await terminal.type(key)
      expect(await terminal.shows(/^exit \d+\./m)).toMatch(new RegExp(`^exit ${exit}\\.`, 'm'))
    })
  }

  test('an undone run is told as such by report and show, as by status and runs', async () => {
    const { path: cwd, env, ...fixture } = await afterARun(COMMITTED)
    await fixture.ralph(['undo', '--yes'])
    const silent: string[] = []
    for (const command of ['status', 'runs', 'report', 'show'])
      if (!(await runInProcess([command], { cwd, env })).out.includes('undone')) silent.push(command)
    expect(silent).toEqual([])
  })

  test('an undone run claims nothing any more, and what is advised fits', async () => {
    const {
      path: cwd,
      env,
      ...fixture
    } = await afterARun([{ do: 'write', path: 'src/run.js', content: 'module.exports = 1\n' }, TICKS, COMMITS, SAID], {
      proof: 'full',
      toml: TOML.replace('true', 'node test/one.test.js'),
      files: {
        'src/run.js': 'module.exports = 0\n',
        'test/one.test.js': "require('node:assert').equal(require('../src/run.js'), 1)\n",
      },
    })
    expect((await runInProcess(['report'], { cwd, env })).out).toMatch(/^Run \w+: proven done$/m)
    await fixture.ralph(['undo', '--yes'])
    for (const command of ['status', 'runs', 'report', 'show', 'inspect evidence']) {
      const { out } = await runInProcess(command.split(' '), { cwd, env })
      expect({ command, claims: /(?<!undone, was )proven done/i.test(out) }).toEqual({
        command,
        claims: false,
      })
      expect({ command, advises: /ralph (verify|undo(?! --undo))\b/.test(out) }).toEqual({
        command,
        advises: false,
      })
    }
  })

  test('the preview is no wider than the terminal', async () => {
    const long = { do: 'commit', message: `a subject ${'that is long '.repeat(8)}` } as const
    const { path: cwd, env } = await afterARun([ADDS, TICKS, long, SAID])
    const { code, out } = await runInProcess(['undo', '--dry-run'], { cwd, env, columns: 60 })
    expect(code).toBe(0)
    expect(out.split('\n').filter((line) => line.length > 60)).toEqual([])
  })
})
