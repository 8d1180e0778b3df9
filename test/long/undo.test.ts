/** `ralph undo` as a person uses it the morning after: with commits, staged, changed and new files of their own. */
import { existsSync } from 'node:fs'
import { readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  MAY_END,
  UNTIL_IT_MAY_END,
  DONE,
  testProject,
  NOT_YET,
  type TestProject,
  type TestProjectOptions,
  type ScriptedTurn,
} from '../test-project.ts'
import { collapseSpaces } from '../run-in-process.ts'

const PLAN = '# Plan\n- [ ] one\n- [ ] two\n'
const TEXT = 'a\nb\nc\nd\ne\nf\ng\n'
const RUN = `${TEXT.replace('b\n', 'b by the run\n')}`

/** Two commits, a file that is not committed, two ticked checkboxes and a line in the notes. */
const NIGHT: ScriptedTurn = [
  { do: 'write', path: 'src/text', content: RUN },
  { do: 'replace', path: '.ralph/fix_plan.md', find: '- [ ] one', with: '- [x] one' },
  { do: 'commit', message: 'run: text' },
  { do: 'write', path: 'src/new', content: 'by the run\n' },
  { do: 'replace', path: '.ralph/fix_plan.md', find: '- [ ] two', with: '- [x] two' },
  { do: 'append', path: '.ralph/AGENT.md', content: 'learnt\n' },
  { do: 'commit', message: 'run: new' },
  { do: 'write', path: 'src/left', content: 'not committed\n' },
  { do: 'status', text: 'Done.', fields: DONE },
]

async function morning(more: TestProjectOptions = {}): Promise<TestProject & { run: string }> {
  const made = await testProject({
    toml: '[[gate]]\nname = "t"\nrun = "true"\n',
    plan: PLAN,
    files: { 'src/text': TEXT, 'src/mine': 'mine\n', '.ralph/AGENT.md': 'notes\n' },
    turns: [NIGHT],
    ...more,
  })
  return { ...made, run: await another(made) }
}

/** One more run; gives its id. */
async function another(made: TestProject, turns?: ScriptedTurn[]): Promise<string> {
  if (turns !== undefined) await made.play(turns)
  const { stdout, stderr } = await made.ralph(['loop', '--json', '--max-iterations', '3'])
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as { run?: string }
  if (last.run === undefined) throw new Error(`no run: ${stdout}${stderr}`)
  return last.run
}

/** Everything a person can see of a working tree: files with their modes, what is staged, branch and commits. */
async function state(made: TestProject): Promise<Record<string, string>> {
  const all: Record<string, string> = {
    staged: await made.git('ls-files', '-s'),
    status: await made.git('status', '--porcelain'),
    head: await made.git('rev-parse', 'HEAD'),
    branch: await made.git('branch', '-a', '--format=%(HEAD) %(refname) %(objectname)'),
  }
  for (const entry of await readdir(made.path, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    const name = file.slice(made.path.length + 1)
    // Without git's own, and what Ralph writes for other tools' monitors.
    if (/^\.git(\/|$)|^\.ralph\/(reports|logs|state|\.|status\.json|progress\.json|live\.log)/.test(name)) continue
    if (entry.isFile())
      all[name] = `${((await stat(file)).mode & 0o111) > 0} ${(await readFile(file)).toString('latin1')}`
  }
  return all
}

async function undoAndBack(made: TestProject): Promise<void> {
  const before = await state(made)
  const undo = await made.ralph(['undo', '--yes'])
  expect([undo.code, undo.stderr]).toEqual([0, ''])
  const command = /^To restore it: ralph (undo --undo \w+)$/m.exec(undo.stdout)?.[1]
  const back = await made.ralph([...(command ?? '').split(' '), '--yes'])
  expect([back.code, back.stderr]).toEqual([0, ''])
  expect(await state(made)).toEqual(before)
}

const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>
const log = (made: TestProject): Promise<string> => made.git('log', '--format=%an: %s')

describe('a run is taken back and nothing else', () => {
  test('with a commit, staged, changed and new files of a person made after it', async () => {
    const made = await morning()
    await made.write('src/text', RUN.replace('f\n', 'f by me\n'))
    await made.git('-c', 'user.name=Me', 'commit', '-qam', 'me: f')
    await made.write('src/mine', 'staged\n')
    await made.write('src/added', 'added\n')
    await made.git('add', 'src/mine', 'src/added')
    await made.write('src/mine', 'staged\nchanged\n')
    await made.write('src/untracked', 'untracked\n')
    await made.write('.ralph/fix_plan.md', `${await made.read('.ralph/fix_plan.md')}- [ ] three, mine\n`)
    const date = await made.git('log', '-1', '--format=%ad %cd')
    const before = await state(made)

    const preview = await made.ralph(['undo'])
    expect([preview.code, preview.stderr]).toEqual([
      2,
      `ralph: nothing was changed: undo needs your confirmation, and there is no terminal\n       Confirm it with: ralph undo ${made.run} --yes\n`,
    ])
    expect(preview.stdout.replaceAll(/[0-9a-f]{10}/g, 'SHA')).toBe(`Undo run ${made.run}: these changes will be made
  commits to remove
    SHA run: text
    SHA run: new
  commits to re-create without them
    SHA me: f → SHA
  files to restore
    src/text
  files to remove
    src/left
    src/new
  plan items to reopen
    one
    two
  other lines of control files
    .ralph/AGENT.md +0 −1
`)
    expect((await made.ralph(['undo', '--dry-run'])).code).toBe(0)
    expect(await state(made)).toEqual(before)

    const undo = await made.ralph(['undo', '--yes'])
    expect(collapseSpaces(undo.stdout)).toContain(
      `Run ${made.run} was undone: 1 file restored, 2 files removed, 2 commits removed, 1 commit kept. To restore it: ralph undo --undo ${made.run}`,
    )
    expect(await log(made)).toBe('Me: me: f\nGardener: first')
    expect(await made.git('log', '-1', '--format=%ad %cd')).toBe(date)
    expect(await made.git('status', '--porcelain')).toBe(
      ' M .ralph/fix_plan.md\nA  src/added\nMM src/mine\n?? src/untracked',
    )
    expect(await made.read('src/text')).toBe(TEXT.replace('f\n', 'f by me\n'))
    expect(await made.git('show', ':src/mine')).toBe('staged')
    expect(await made.read('.ralph/fix_plan.md')).toBe(`${PLAN}- [ ] three, mine\n`)
    expect(await made.read('.ralph/AGENT.md')).toBe('notes\n')

    const back = await made.ralph(['undo', '--undo', '--yes'])
    expect([back.code, back.stderr]).toEqual([0, ''])
    expect(await state(made)).toEqual(before)
  })

  test('status and runs say so, until it is taken back', async () => {
    const made = await morning()
    const status = (await made.ralph(['status'])).stdout
    await made.ralph(['undo', '--yes'])
    const undone = (await made.ralph(['status'])).stdout
    expect(undone).toMatch(new RegExp(`state +undone · run ${made.run} was reverted on \\d{4}-`))
    expect(undone).toContain(`ralph undo --undo ${made.run}  restore the changes`)
    expect(undone).not.toMatch(/gates passed ·|proven done/i)
    expect(json((await made.ralph(['status', '--json'])).stdout)).toMatchObject({
      undone: { command: `ralph undo --undo ${made.run}` },
      next: ['ralph loop', `ralph undo --undo ${made.run}`],
    })
    expect((await made.ralph(['runs'])).stdout).toContain('undone, was gates passed')
    await made.ralph(['undo', '--undo', '--yes'])
    // An hour may have begun meanwhile.
    const now = (text: string): string => text.replace(/^ +quota .*$/m, '')
    expect(now((await made.ralph(['status'])).stdout)).toBe(now(status))
    expect((await made.ralph(['runs'])).stdout).not.toContain('undone')
  })

  test('for programs', async () => {
    const made = await morning()
    const head = (await made.git('rev-parse', 'HEAD')).trim()
    const shown = await made.ralph(['undo', '--json'])
    expect([shown.code, json(shown.stdout)]).toEqual([
      2,
      expect.objectContaining({ done: false, is: 'undo', undo: null }),
    ])
    const done = await made.ralph(['undo', '--yes', '--json'])
    expect(json(done.stdout)).toMatchObject({
      run: made.run,
      done: true,
      commits: { gone: [{ subject: 'run: text' }, { subject: 'run: new' }], kept: [], back: [] },
      files: { restored: ['src/text'], removed: ['src/left', 'src/new'], left: [] },
      checkboxes: { opened: ['one', 'two'], ticked: [] },
      control: [{ path: '.ralph/AGENT.md', added: 0, removed: 1 }],
      head: { branch: 'main', from: head },
      undo: `ralph undo --undo ${made.run}`,
    })
  })

  test('what a person changed during a pause is theirs', async () => {
    const made = await testProject({
      plan: PLAN,
      files: { 'src/text': TEXT },
      turns: [
        [
          { do: 'write', path: 'src/text', content: RUN },
          { do: 'commit', message: 'run: first' },
          UNTIL_IT_MAY_END,
          { do: 'status', text: 'Half.', fields: NOT_YET },
        ],
        [
          { do: 'write', path: 'src/second', content: 'by the run\n' },
          { do: 'commit', message: 'run: second' },
          { do: 'status', text: 'Done.', fields: DONE },
        ],
      ],
    })
    const walk = made.start(['loop', '--json', '--max-iterations', '2'])
    await walk.waitFor('conversation-known')
    await made.ralph(['pause'])
    await made.write(MAY_END, '')
    await walk.waitFor('"what":"pause"')
    await made.write('src/text', RUN.replace('f\n', 'f by me\n'))
    await made.git('commit', '-qam', 'me: in the pause')
    await made.write('src/mine', 'mine\n')
    await made.ralph(['resume'])
    await walk.ended
    await undoAndBack(made)
    expect((await made.ralph(['undo', '--yes'])).code).toBe(0)
    expect(await log(made)).toBe('Gardener: me: in the pause\nGardener: first')
    expect([await made.read('src/text'), made.has('src/second'), await made.read('src/mine')]).toEqual([
      TEXT.replace('f\n', 'f by me\n'),
      false,
      'mine\n',
    ])
  })

  test('what the person staged of the run goes with it', async () => {
    const made = await morning()
    await made.git('add', 'src/left')
    expect((await made.ralph(['undo', '--yes'])).code).toBe(0)
    expect(await made.git('status', '--porcelain')).toBe('')
  })

  test('what was staged before the run is staged again', async () => {
    const made = await testProject({
      files: { 'src/text': TEXT, 'src/mine': 'mine\n' },
      plan: PLAN,
      turns: [NIGHT],
      prompt: '# Work\n',
    })
    await made.write('.ralph/AGENT.md', 'notes\n')
    await made.write('src/mine', 'staged before\n')
    await made.git('add', 'src/mine')
    const before = await state(made)
    await another(made)
    expect((await made.ralph(['undo', '--yes'])).code).toBe(0)
    expect(await state(made)).toEqual(before)
  })
})

describe('what cannot be told apart is named, and nothing is changed', () => {
  async function refused(made: TestProject, ...args: string[]) {
    const before = await state(made)
    const ran = await made.ralph(['undo', '--yes', ...args])
    expect(await state(made)).toEqual(before)
    return ran
  }

  test('a file that a person changed on the same lines', async () => {
    const made = await morning()
    await made.write('src/text', RUN.replace('b by the run\n', 'b by me\n'))
    await made.write('src/new', 'by me\n')
    const { code, stderr } = await refused(made)
    expect(code).toBe(4)
    expect(stderr).toContain(
      `ralph: run ${made.run} can't be reverted alone, so nothing was changed: later changes touch the same lines of src/new, src/text`,
    )
    expect(stderr).toContain(`ralph rollback ${made.run}/1`)
    expect((await made.ralph(['rollback', `${made.run}/1`])).code).toBe(0)
    expect(await made.read('src/text')).toBe(TEXT)
  })

  test('a commit that builds on what would go', async () => {
    const made = await morning()
    await made.write('src/new', 'by the run, and me\n')
    await made.git('commit', '-qam', 'me: more of it')
    const { code, stderr } = await refused(made)
    const sha = (await made.git('rev-parse', '--short=10', 'HEAD')).trim()
    expect(code).toBe(4)
    expect(stderr).toContain(`commit ${sha} builds on these changes, in src/new`)
    expect(stderr).toContain(`${sha} me: more of it\n  src/new`)
    // What is advised is typed.
    expect(stderr).toContain(`git branch mine && git reset --keep ${sha}~1`)
    await made.git('branch', 'mine')
    await made.git('reset', '-q', '--keep', `${sha}~1`)
    expect((await made.ralph(['undo', '--yes'])).code).toBe(0)
    expect(await made.git('log', '-1', '--format=%s', 'mine')).toBe('me: more of it')
  })

  test('a history that was rewritten, and a branch that was left', async () => {
    const made = await morning()
    await made.git('commit', '-q', '--amend', '-m', 'mine now')
    expect(await refused(made)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('the git history was rewritten') as string,
    })
    await made.git('reset', '-q', '--hard', 'HEAD@{1}')
    await made.git('switch', '-q', '-c', 'side')
    expect(await refused(made)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('the work was done on branch main, but HEAD is now on branch side') as string,
    })
    await made.git('switch', '-q', 'main')
    expect((await made.ralph(['undo', '--yes'])).code).toBe(0)
  })

  test('a merge of the person in the middle', async () => {
    const made = await morning()
    await made.git('switch', '-q', '-c', 'side', 'HEAD~2')
    await made.write('src/text', 'other\n')
    await made.git('commit', '-qam', 'side')
    await made.git('switch', '-q', 'main')
    await made.git('merge', 'side').catch(() => '')
    const { code, stderr } = await refused(made)
    expect([code, stderr]).toEqual([
      1,
      'ralph: cannot undo while a merge is in progress\n       Finish or abort it, then try again.\n',
    ])
  })

  test('lines of a control file', async () => {
    const made = await morning()
    await made.write('.ralph/AGENT.md', 'notes\nlearnt, and corrected by me\n')
    expect(await refused(made)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('.ralph/AGENT.md') as string,
    })
  })
})

describe('which run', () => {
  const SECOND: ScriptedTurn = [
    { do: 'replace', path: '.ralph/fix_plan.md', find: '- [ ] three', with: '- [x] three' },
    { do: 'write', path: 'src/second', content: 'second\n' },
    { do: 'append', path: 'src/text', content: 'h by the second\n' },
    { do: 'commit', message: 'second' },
    { do: 'status', text: 'Done.', fields: DONE },
  ]

  test('an older one: what newer ones did stays', async () => {
    const made = await morning()
    await made.write('.ralph/fix_plan.md', `${await made.read('.ralph/fix_plan.md')}- [ ] three\n`)
    const second = await another(made, [SECOND])
    const undo = await made.ralph(['undo', made.run, '--yes'])
    expect([undo.code, undo.stderr]).toEqual([0, ''])
    expect([await log(made), await made.read('src/text'), made.has('src/new')]).toEqual([
      'Scripted Agent: second\nGardener: first',
      `${TEXT}h by the second\n`,
      false,
    ])
    expect((await made.ralph(['undo', second, '--yes'])).code).toBe(0)
    expect([await log(made), await made.read('src/text')]).toEqual(['Gardener: first', TEXT])
  })

  test('two in a row, and both back', async () => {
    const made = await morning()
    await made.write('.ralph/fix_plan.md', `${await made.read('.ralph/fix_plan.md')}- [ ] three\n`)
    const second = await another(made, [SECOND])
    const before = await state(made)
    expect((await made.ralph(['undo', '--yes'])).code).toBe(0)
    const again = await made.ralph(['undo', '--yes'])
    expect([again.code, again.stderr]).toEqual([
      3,
      `ralph: run ${second} is already undone\n       Restore it: ralph undo --undo ${second}. Undo the run before it: ralph undo ${made.run}\n`,
    ])
    expect((await made.ralph(['undo', made.run, '--yes'])).code).toBe(0)
    expect(await log(made)).toBe('Gardener: first')
    for (let i = 0; i < 2; i += 1) expect((await made.ralph(['undo', '--undo', '--yes'])).code).toBe(0)
    expect(await state(made)).toEqual(before)
    expect((await made.ralph(['undo', '--undo', '--yes'])).code).toBe(3)
  })

  test('one that changed nothing, and one whose doing a person took back', async () => {
    const made = await testProject({ turns: [[{ do: 'status', text: 'Nothing.', fields: DONE }]] })
    const run = await another(made)
    const nothing = await made.ralph(['undo', '--yes'])
    expect([nothing.code, nothing.stderr]).toEqual([3, `ralph: run ${run} changed nothing: there is nothing to undo\n`])
    const other = await another(made, [
      [
        { do: 'write', path: 'x', content: 'x' },
        { do: 'status', text: 'x', fields: DONE },
      ],
    ])
    await rm(join(made.path, 'x'))
    const gone = await made.ralph(['undo', '--yes'])
    expect([gone.code, gone.stderr]).toEqual([
      3,
      `ralph: no change of run ${other} is left: there is nothing to undo\n`,
    ])
  })

  test('not while one works', async () => {
    const made = await testProject({ turns: [[{ do: 'hang' }]] })
    const walk = made.start(['loop', '--json'])
    await walk.waitFor('conversation-known')
    expect((await made.ralph(['undo', '--yes'])).code).toBe(1)
    await walk.kill('SIGINT')
  })
})

describe('HEAD', () => {
  test('an agent that went to a branch of its own: back home, and the branch stays', async () => {
    const made = await morning({
      turns: [[{ do: 'shell', command: 'git switch -q -c side' }, ...(NIGHT as never[])]],
    })
    const tip = await made.git('rev-parse', 'side')
    await undoAndBack(made)
    const undo = await made.ralph(['undo', '--yes'])
    expect(undo.stdout).toContain('HEAD returns to branch main')
    expect(collapseSpaces(undo.stdout)).toContain('branch side stays; to delete it: git branch -D side')
    expect([await made.git('branch', '--show-current'), await made.git('status', '--porcelain')]).toEqual(['main', ''])
    expect(await made.git('rev-parse', 'side')).toBe(tip)
  })

  test('a person who went on there keeps their commits there', async () => {
    const made = await morning({
      turns: [[{ do: 'shell', command: 'git switch -q -c side' }, ...(NIGHT as never[])]],
    })
    await made.git('commit', '-q', '--allow-empty', '-m', 'me: there')
    const refused = await made.ralph(['undo', '--yes'])
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('git switch main')])
    await rm(join(made.path, 'src/left'))
    await made.git('switch', '-q', 'main')
    expect((await made.ralph(['undo', '--yes'])).code).not.toBe(4)
    expect(await made.git('log', '-1', '--format=%s', 'side')).toBe('me: there')
  })

  test('detached before and after', async () => {
    const made = await testProject({
      plan: PLAN,
      files: { 'src/text': TEXT, '.ralph/AGENT.md': 'notes\n' },
      turns: [NIGHT],
    })
    await made.git('checkout', '-q', '--detach')
    const before = await state(made)
    await another(made)
    await undoAndBack(made)
    expect((await made.ralph(['undo', '--yes'])).code).toBe(0)
    expect(await state(made)).toEqual(before)
  })

  test('reports published commits', async () => {
    const made = await morning()
    await made.git('clone', '-q', '--bare', '.', '../origin')
    await made.git('remote', 'add', 'origin', '../origin')
    await made.git('fetch', '-q', 'origin')
    expect(collapseSpaces((await made.ralph(['undo', '--dry-run'])).stdout)).toContain(
      'already pushed to origin/main: others may have these commits, and you will need to push with --force-with-lease',
    )
  })

  test('a merge, an empty commit and a commit in another coding of a person are made anew', async () => {
    const made = await morning()
    await made.git('switch', '-q', '-c', 'side', 'HEAD~2')
    await made.write('src/side', 'side\n')
    await made.git('add', '-A', 'src/side')
    await made.git('commit', '-qm', 'me: side')
    const side = await made.git('rev-parse', 'HEAD')
    await made.git('switch', '-q', 'main')
    await made.git('merge', '-q', '--no-edit', 'side')
    await made.git('commit', '-q', '--allow-empty', '-m', 'me: empty')
    await made.git('-c', 'i18n.commitEncoding=ISO-8859-1', 'commit', '-q', '--allow-empty', '-m', 'me: über')
    const before = await state(made)
    expect((await made.ralph(['undo', '--yes'])).code).toBe(0)
    expect(await made.git('log', '--topo-order', '--format=%s')).toMatch(
      /^me: .*ber\nme: empty\nMerge branch 'side'\nme: side\nfirst$/,
    )
    expect(await made.git('rev-parse', 'HEAD~2^2')).toBe(side)
    expect(await made.git('status', '--porcelain')).toBe('')
    expect((await made.ralph(['undo', '--undo', '--yes'])).code).toBe(0)
    expect(await state(made)).toEqual(before)
  })
})

describe('all kinds of files', () => {
  test('links, modes, bytes, odd names, folders for files, and line ends', async () => {
    const made = await testProject({
      plan: PLAN,
      files: {
        'x/script.sh': 'echo\n',
        'x/file': 'file\n',
        'x/folder/inside': 'inside\n',
        'x/Case': 'case\n',
        'x/ends': 'a\r\nb\r\n',
        '.gitattributes': 'x/ends text eol=lf\n',
      },
    })
    await writeFile(join(made.path, 'x/bytes'), Buffer.from([0, 255, 1, 254]))
    await symlink('file', join(made.path, 'x/link'))
    await made.git('add', '-A', '-f')
    await made.git('commit', '-qm', 'kinds')
    const before = await state(made)
    await another(made, [
      [
        {
          do: 'shell',
          command:
            'cd x && chmod +x script.sh && rm file folder/inside link && rmdir folder && mkdir file && echo y > file/y',
        },
        {
          do: 'shell',
          command: 'cd x && echo f > folder && ln -s script.sh link && mv Case case && printf "\\0\\1" > bytes',
        },
        {
          do: 'shell',
          command: `cd x && echo odd > ' "odd"	name' && printf 'b\\r\\n' > ends && printf 'z\\r\\n' > crlf`,
        },
        { do: 'commit', message: 'run: kinds' },
        { do: 'status', text: 'Done.', fields: DONE },
      ],
    ])
    await undoAndBack(made)
    expect((await made.ralph(['undo', '--yes'])).code).toBe(0)
    const after = await state(made)
    // Git keeps this file with other line ends than it lay there.
    expect({ ...after, 'x/ends': '' }).toEqual({ ...before, 'x/ends': '' })
  })

  test('a person put a folder where the run had deleted a file', async () => {
    const made = await morning({
      turns: [
        [
          { do: 'shell', command: 'rm src/mine' },
          { do: 'status', text: 'x', fields: DONE },
        ],
      ],
    })
    await made.write('src/mine/inside', 'me\n')
    expect((await made.ralph(['undo', '--yes'])).code).toBe(4)
    expect(await made.read('src/mine/inside')).toBe('me\n')
  })

  test('control files that git ignores, in a project below the top of a linked worktree', async () => {
    const made = await testProject({
      turns: [NIGHT],
      files: { '.gitignore': '.ralph\n', 'sub/src/text': TEXT },
    })
    await rm(join(made.path, '.ralph'), { recursive: true })
    await made.git('rm', '-rq', '--cached', '.ralph')
    await made.git('commit', '-qm', 'no .ralph')
    await made.git('worktree', 'add', '-q', '../tree')
    const sub = '../tree/sub'
    for (const [name, text] of Object.entries({
      'PROMPT.md': '# Work\n',
      'fix_plan.md': PLAN,
      'AGENT.md': 'notes\n',
    }))
      await made.write(`${sub}/.ralph/${name}`, text)
    const ran = await made.ralph(['loop', '--json', '--max-iterations', '1'], { cwd: sub })
    expect(await made.read(`${sub}/.ralph/fix_plan.md`), ran.stdout).toContain('- [x] one')
    await made.write(`${sub}/.ralph/fix_plan.md`, `${await made.read(`${sub}/.ralph/fix_plan.md`)}- [ ] mine\n`)
    const undo = await made.ralph(['undo', '--yes'], { cwd: sub })
    expect([undo.code, undo.stderr]).toEqual([0, ''])
    expect(await made.read(`${sub}/.ralph/fix_plan.md`)).toBe(`${PLAN}- [ ] mine\n`)
    expect([await made.read(`${sub}/src/text`), made.has(`${sub}/src/new`)]).toEqual([TEXT, false])
    const other = await made.ralph(['undo', '--undo', '--yes'], { cwd: sub })
    expect([other.code, await made.read(`${sub}/.ralph/fix_plan.md`)]).toEqual([
      0,
      `${PLAN.replaceAll('[ ]', '[x]')}- [ ] mine\n`,
    ])
  })

  test('without git it is refused', async () => {
    const made = await testProject({
      git: false,
      turns: [
        [
          { do: 'write', path: 'x', content: 'x' },
          { do: 'status', text: 'x', fields: DONE },
        ],
      ],
    })
    await another(made)
    const undo = await made.ralph(['undo', '--yes'])
    expect([undo.code, undo.stderr]).toEqual([
      1,
      expect.stringContaining('a project without git has no snapshots to restore'),
    ])
  })
})

describe('an undo that was cut off', () => {
  /** From now on Ralph is killed when it calls git like this; null: no more. */
  async function killAt(made: TestProject, call: string | null): Promise<void> {
    const git = join(made.path, '..', 'bin', 'git')
    const real = join(made.path, '..', 'real-git')
    if (!existsSync(real)) await symlink(await realpath(git), real)
    await rm(git)
    const kill = call === null ? '' : `case "$*" in *"${call}"*) kill -9 $PPID; exit 1;; esac\n`
    await writeFile(git, `#!/bin/sh\n${kill}exec '${real}' "$@"\n`, { mode: 0o755 })
  }

  test.each(['checkout-index', 'update-index -q --refresh', '-m ralph: undo of'])(
    'at %s: the next one finishes it, and it can be taken back all the same',
    async (call) => {
      const made = await morning()
      await made.git('commit', '-q', '--allow-empty', '-m', 'me')
      await made.write('src/mine', 'staged\n')
      await made.git('add', 'src/mine')
      const before = await state(made)
      await made.ralph(['undo', '--yes'])
      const goal = await state(made)
      await made.ralph(['undo', '--undo', '--yes'])
      expect(await state(made)).toEqual(before)

      await killAt(made, call)
      expect((await made.ralph(['undo', '--yes'])).signal).toBe('SIGKILL')
      await killAt(made, null)
      expect(await state(made)).not.toEqual(before)
      const back = await made.ralph(['undo', '--undo', '--yes'])
      expect([back.code, back.stderr]).toEqual([0, ''])
      expect(await state(made)).toEqual(before)

      await killAt(made, call)
      await made.ralph(['undo', '--yes'])
      await killAt(made, null)
      await made.write('src/since', 'by a person\n')
      const rest = await made.ralph(['undo', '--yes'])
      expect([rest.code, rest.stderr]).toEqual([0, ''])
      expect(rest.stdout).toContain(`The undo of run ${made.run} was interrupted: these changes remain to be made`)
      await rm(join(made.path, 'src/since'))
      expect(await state(made)).toEqual(goal)

      await killAt(made, call)
      await made.ralph(['undo', '--undo', '--yes'])
      await killAt(made, null)
      const waits = await made.ralph(['undo', '--yes'])
      expect([waits.code, waits.stderr]).toEqual([1, expect.stringContaining(`ralph undo --undo ${made.run}`)])
      expect((await made.ralph(['undo', '--undo', '--yes'])).code).toBe(0)
      expect(await state(made)).toEqual(before)
      expect((await readdir(join(made.path, '.git'))).filter((name) => name.startsWith('ralph-'))).toEqual([])
    },
  )
})

describe('around it', () => {
  test('a run that was killed while its agent worked: whose the commits since are, only a person can say', async () => {
    const made = await testProject({
      plan: PLAN,
      files: { 'src/text': TEXT },
      turns: [
        [
          { do: 'write', path: 'src/text', content: RUN },
          { do: 'replace', path: '.ralph/fix_plan.md', find: '- [ ] one', with: '- [x] one' },
          { do: 'commit', message: 'run: half' },
          { do: 'say', text: 'half is done' },
          { do: 'hang' },
        ],
      ],
    })
    const walk = made.start(['loop', '--json'])
    await walk.waitFor('conversation-known')
    while (!(await log(made)).includes('run: half')) await made.ralph(['status'])
    await walk.kill('SIGKILL')
    // Whoever comes next ends what the killed one had started.
    await made.ralph(['stop'])
    const half = await state(made)
    const undo = await made.ralph(['undo', '--yes'])
    expect([undo.code, undo.stderr]).toEqual([4, expect.stringMatching(/may be from the agent or from you.*run: half/)])
    expect(collapseSpaces(undo.stdout)).toContain('an agent was interrupted and Ralph took no snapshot after that')
    expect(collapseSpaces(undo.stdout)).toContain(
      'has not ended: ralph loop resumes it, ralph loop --fresh discards it',
    )
    expect(await state(made)).toEqual(half)
  })
})
