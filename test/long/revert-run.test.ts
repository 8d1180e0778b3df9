import { afterAll, describe, expect, test } from 'vitest'
import { snapshotRefOf, type SnapshotRef, type OwnChange } from '../../src/core/tree/own-change.ts'
import { exists, readIfExists, removeIfExists, writeWithoutSync } from '../../src/system/files/files.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { takeSnapshot } from '../../src/workspace/snapshot/snapshot.ts'
import { aFolder, aRepo, removeTestProjects, type TestProject } from '../kit/workspace.ts'
import { applyRevert, saveRevertSnapshots } from '../../src/workspace/undo/apply-revert.ts'
import { planRevert, revertInTree, type RevertPlan, type RevertSpec } from '../../src/workspace/undo/plan-revert.ts'

afterAll(removeTestProjects)

const names = { named: ['.ralph/PLAN.md'], isOwn: (name: string) => name.startsWith('logs') }
/** Whatever the person has goes before. */
const mergeControlFiles: RevertSpec['mergeControlFiles'] = (_, { base, ours, theirs }) =>
  ours === base ? theirs : ours

async function look(testProject: TestProject): Promise<SnapshotRef> {
  return snapshotRefOf(await takeSnapshot(await openRepo(testProject.root, testProject), { ref: null, control: names }))
}

async function plan(testProject: TestProject, ...ownChanges: OwnChange[]) {
  return planRevert(await openRepo(testProject.root, testProject), { ownChanges, names, mergeControlFiles })
}

async function possible(testProject: TestProject, ...ownChanges: OwnChange[]): Promise<RevertPlan> {
  const planned = await plan(testProject, ...ownChanges)
  if (planned.is === 'possible') return planned
  throw new Error(JSON.stringify(planned))
}

async function take(testProject: TestProject, ...ownChanges: OwnChange[]) {
  const repo = await openRepo(testProject.root, testProject)
  const planned = await possible(testProject, ...ownChanges)
  const refs = { before: 'refs/ralph/undo/x', goal: 'refs/ralph/undone/x' }
  const { before, copies } = await saveRevertSnapshots(repo, planned, { names, refs })
  const { files, after } = await applyRevert(repo, planned, { names, copies: {}, why: 'undo' })
  const back = async (): Promise<void> => {
    const returning = await possible(testProject, { before, after })
    await applyRevert(repo, returning, { names, copies, why: 'undo of the undo' })
  }
  return { files, before, after, back }
}

describe('taking back', () => {
  test('all that is kept outlives a garbage collection', async () => {
    const testProject = await aRepo({ a: 'a\n', '.gitignore': '.ralph\n' })
    testProject.write({ '.ralph/PLAN.md': 'before\n', '.ralph/logs/x': 'x' })
    const before = await look(testProject)
    testProject.write({ a: 'b\n', '.ralph/PLAN.md': 'after\n', new: 'n\n' })
    await testProject.git('add', 'new')
    const after = await look(testProject)
    const { back } = await take(testProject, { before, after })
    expect([readIfExists(testProject.path('a')), readIfExists(testProject.path('.ralph/PLAN.md'))]).toEqual([
      'a\n',
      'before\n',
    ])
    expect(await testProject.git('status', '--porcelain')).toBe('')
    await testProject.git('reflog', 'expire', '--expire=now', '--all')
    await testProject.git('gc', '-q', '--prune=now')
    await back()
    expect(await look(testProject)).toEqual(after)
    expect(await testProject.git('status', '--porcelain')).toBe(' M a\nA  new\n')
  })

  test('to before the first commit, with a commit of a person on top', async () => {
    const testProject = await aRepo()
    testProject.write({ mine: 'mine\n' })
    const before = await look(testProject)
    testProject.write({ a: 'a\n' })
    await testProject.git('add', 'a')
    await testProject.git('commit', '-qm', 'run')
    const after = await look(testProject)
    await testProject.git('add', 'mine')
    await testProject.git('commit', '-qm', 'mine')
    const now = await look(testProject)
    const { back } = await take(testProject, { before, after })
    expect(await testProject.git('log', '--format=%s')).toBe('mine\n')
    expect([exists(testProject.path('a')), await testProject.git('status', '--porcelain')]).toEqual([false, ''])
    await back()
    expect(await look(testProject)).toEqual(now)
  })

  test('and with none: the branch is unborn again', async () => {
    const testProject = await aRepo()
    testProject.write({ mine: 'mine\n' })
    const before = await look(testProject)
    await testProject.commit('run')
    const after = await look(testProject)
    const { back } = await take(testProject, { before, after })
    expect(await testProject.git('status', '--porcelain')).toBe('?? mine\n')
    await back()
    expect(await look(testProject)).toEqual(after)
  })

  test('a history that the run had rewritten comes back', async () => {
    const testProject = await aRepo({ a: 'a\n' })
    testProject.write({ a: 'b\n' })
    await testProject.commit('mine')
    const before = await look(testProject)
    await testProject.git('commit', '-q', '--amend', '-m', 'rewritten')
    const after = await look(testProject)
    testProject.write({ c: 'c\n' })
    await testProject.commit('later')
    await take(testProject, { before, after })
    expect(await testProject.git('log', '--format=%s')).toBe('later\nmine\nstart\n')
    expect((await testProject.git('rev-parse', 'HEAD~1')).trim()).toBe(before.head)
  })

  test('commits that a person took out already are no trouble', async () => {
    const testProject = await aRepo({ a: 'a\n' })
    const before = await look(testProject)
    testProject.write({ a: 'b\n' })
    await testProject.commit('run')
    const after = await look(testProject)
    await testProject.git('reset', '-q', '--hard', 'HEAD~1')
    testProject.write({ c: 'c\n' })
    await testProject.commit('mine')
    // At another time than the run's, as any commit is that is not one of the run made anew.
    await testProject.git('commit', '-q', '--amend', '--no-edit', '--date=2020-01-01T00:00:00Z')
    const head = (await testProject.git('rev-parse', 'HEAD')).trim()
    const planned = await possible(testProject, { before, after })
    expect([planned.goal.head, planned.files]).toEqual([head, { restored: [], removed: [], kept: [] }])
  })

  test('goes into repositories inside the repository, and names what it leaves', async () => {
    const testProject = await aRepo({ a: 'a\n' })
    await testProject.git('init', '-q', 'inner')
    testProject.write({ 'inner/x': '1\n2\n3\n4\n', '.env': 'secret' })
    const before = await look(testProject)
    testProject.write({ 'inner/x': 'run\n2\n3\n4\n', 'inner/y': 'y\n', '.env': 'other' })
    const after = await look(testProject)
    testProject.write({ 'inner/x': 'run\n2\n3\nmine\n' })
    const now = await look(testProject)
    const { files, back } = await take(testProject, { before, after })
    expect(files.kept).toEqual(['.env'])
    expect([readIfExists(testProject.path('inner/x')), exists(testProject.path('inner/y'))]).toEqual([
      '1\n2\n3\nmine\n',
      false,
    ])
    await back()
    expect(await look(testProject)).toEqual(now)
  })

  test('a submodule that the run moved on: what is noted of it is as before', async () => {
    const testProject = await aRepo({ a: 'a\n' })
    const other = await aRepo({ x: '1\n' })
    await testProject.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.root, 'sub')
    await testProject.commit('with a submodule')
    const before = await look(testProject)
    const noted = await testProject.git('ls-tree', 'HEAD', 'sub')
    await testProject.sh('sh', '-c', 'cd sub && echo 2 > x && git commit -qam two')
    await testProject.commit('run: sub')
    const after = await look(testProject)
    await take(testProject, { before, after })
    expect([await testProject.git('ls-files', '-s', 'sub'), readIfExists(testProject.path('sub/x'))]).toEqual([
      `160000 ${noted.split(/\s/)[2]} 0\tsub\n`,
      '1\n',
    ])
  })

  test('files without a text are told apart as a whole', async () => {
    const testProject = await aRepo({ a: 'a\n' })
    const before = await look(testProject)
    writeWithoutSync(testProject.path('a'), Buffer.from([0, 1]))
    const after = await look(testProject)
    writeWithoutSync(testProject.path('a'), Buffer.from([0, 2]))
    expect(await plan(testProject, { before, after })).toEqual({
      is: 'inseparable',
      obstacles: [{ is: 'files', files: ['a'] }],
    })
  })

  test('a file that a person committed although the run had left it is taken back in the files alone', async () => {
    const testProject = await aRepo({ a: 'a\n' })
    const before = await look(testProject)
    testProject.write({ a: 'b\n' })
    const after = await look(testProject)
    const head = await testProject.commit('me: what it did')
    const { after: now } = await take(testProject, { before, after })
    expect([now.head, readIfExists(testProject.path('a'))]).toEqual([head, 'a\n'])
  })

  // A file system of macOS has no such names.
  test.runIf(process.platform === 'linux')('names that are no UTF-8', async () => {
    const testProject = await aRepo({ a: 'a\n' })
    const sh = (script: string): Promise<string> => testProject.sh('bash', '-c', script)
    await sh(`echo old > $'changed\\377'; echo old > $'gone\\377'; mkdir $'in\\376'; echo 1 > $'in\\376/mine'`)
    await testProject.commit('odd')
    const before = await look(testProject)
    await sh(
      `echo new > $'changed\\377'; rm $'gone\\377'; mkdir $'made\\376'; echo 1 > $'made\\376/\\377'; echo 2 > $'in\\376/run'`,
    )
    const after = await look(testProject)
    await sh(`echo mine > $'mine\\377'; echo mine > $'in\\376/mine'; git add $'mine\\377'`)
    const now = await look(testProject)
    const { back } = await take(testProject, { before, after })
    expect(await testProject.git('-c', 'core.quotePath=true', 'status', '--porcelain', '-uall')).toBe(
      ' M "in\\376/mine"\nA  "mine\\377"\n',
    )
    expect(await sh('ls -d *made* | wc -l')).toMatch(/^0/)
    await back()
    expect(await look(testProject)).toEqual(now)
  })

  test('an index with an unfinished merge is named', async () => {
    const testProject = await aRepo({ a: 'a\n' })
    const before = await look(testProject)
    testProject.write({ b: 'b\n' })
    const after = await look(testProject)
    testProject.write({ a: 'mine\n' })
    await testProject.git('stash', '-q')
    testProject.write({ a: 'other\n' })
    await testProject.commit('other')
    await testProject.git('stash', 'pop').catch(() => '')
    expect(await plan(testProject, { before, after })).toEqual({
      is: 'inseparable',
      obstacles: [{ is: 'unmerged' }],
    })
  })

  test('nothing is done if something changed since it was worked out', async () => {
    const testProject = await aRepo({ a: 'a\n' })
    const before = await look(testProject)
    testProject.write({ a: 'b\n' })
    const after = await look(testProject)
    const planned = await possible(testProject, { before, after })
    testProject.write({ c: 'c\n' })
    const refs = { before: 'refs/ralph/undo/x', goal: 'refs/ralph/undone/x' }
    await expect(
      saveRevertSnapshots(await openRepo(testProject.root, testProject), planned, { names, refs }),
    ).rejects.toMatchObject({
      code: 'held',
    })
  })

  test('a repository without objects of SHA-1', async () => {
    const testProject = aFolder({ a: 'a\n' })
    await testProject.git('init', '-q', '-b', 'main', '--object-format=sha256')
    await testProject.commit('start')
    const before = await look(testProject)
    testProject.write({ b: 'b\n' })
    removeIfExists(testProject.path('a'))
    await testProject.commit('run')
    const after = await look(testProject)
    await take(testProject, { before, after })
    expect([await look(testProject), await testProject.git('status', '--porcelain')]).toEqual([before, ''])
  })
})

describe('what is staged', () => {
  const TEN = Array.from({ length: 10 }, (_, line) => `${line}\n`).join('')
  const turned = (...lines: [number, string][]): string =>
    lines.reduce((text, [line, to]) => text.replace(`${line}\n`, `${to}\n`), TEN)
  const staged = (testProject: TestProject, path = 'a'): Promise<string> => testProject.git('show', `:${path}`)

  /** A run that has changed a line of a file, and has left it. */
  async function left(of: { own?: string } = {}): Promise<{ testProject: TestProject; ownChange: OwnChange }> {
    const testProject = await aRepo({ a: TEN })
    if (of.own !== undefined) testProject.write({ a: of.own })
    const before = await look(testProject)
    testProject.write({ a: (of.own ?? TEN).replace('5\n', 'run\n') })
    return { testProject, ownChange: { before, after: await look(testProject) } }
  }

  test('together with lines of the run has only the lines of the person', async () => {
    const { testProject, ownChange } = await left()
    testProject.write({ a: turned([5, 'run'], [9, 'mine']) })
    await testProject.git('add', 'a')
    testProject.write({ a: turned([1, 'later'], [5, 'run'], [9, 'mine']) })
    const now = await look(testProject)
    const { back } = await take(testProject, ownChange)
    expect([await staged(testProject), readIfExists(testProject.path('a'))]).toEqual([
      turned([9, 'mine']),
      turned([1, 'later'], [9, 'mine']),
    ])
    await back()
    expect(await look(testProject)).toEqual(now)
  })

  test('without them stays as it is', async () => {
    const { testProject, ownChange } = await left()
    testProject.write({ a: turned([9, 'mine']) })
    await testProject.git('add', 'a')
    testProject.write({ a: turned([5, 'run'], [9, 'mine']) })
    await take(testProject, ownChange)
    expect(await staged(testProject)).toBe(turned([9, 'mine']))
  })

  test('keeps what the person had changed before the run', async () => {
    const { testProject, ownChange } = await left({ own: turned([1, 'early']) })
    await testProject.git('add', 'a')
    await take(testProject, ownChange)
    expect([await staged(testProject), readIfExists(testProject.path('a'))]).toEqual([
      turned([1, 'early']),
      turned([1, 'early']),
    ])
  })

  test('on top of a commit of the person that has the run’s lines stands on them', async () => {
    const { testProject, ownChange } = await left()
    await testProject.commit('me: what it did')
    testProject.write({ a: turned([5, 'run'], [9, 'mine']) })
    await testProject.git('add', 'a')
    await take(testProject, ownChange)
    expect([await staged(testProject), readIfExists(testProject.path('a'))]).toEqual([
      turned([5, 'run'], [9, 'mine']),
      turned([9, 'mine']),
    ])
  })

  test('on top of a commit of the person that has them not is without them', async () => {
    const { testProject, ownChange } = await left()
    testProject.write({ a: turned([1, 'early']) })
    await testProject.commit('mine')
    testProject.write({ a: turned([1, 'early'], [5, 'run'], [9, 'mine']) })
    await testProject.git('add', 'a')
    await take(testProject, ownChange)
    expect(await staged(testProject)).toBe(turned([1, 'early'], [9, 'mine']))
  })

  test('as a removal from the index stays one', async () => {
    const { testProject, ownChange } = await left()
    await testProject.git('rm', '-q', '--cached', 'a')
    await take(testProject, ownChange)
    expect([await testProject.git('ls-files', 'a'), readIfExists(testProject.path('a'))]).toEqual(['', TEN])
  })

  test('of a file that the run removed is there again', async () => {
    const testProject = await aRepo({ a: TEN })
    const before = await look(testProject)
    removeIfExists(testProject.path('a'))
    const after = await look(testProject)
    await testProject.git('add', '-A')
    await take(testProject, { before, after })
    expect(await testProject.git('status', '--porcelain')).toBe('')
  })

  test('on the lines of the run is named', async () => {
    const { testProject, ownChange } = await left()
    testProject.write({ a: turned([5, 'run, and me']) })
    await testProject.git('add', 'a')
    testProject.write({ a: turned([5, 'run']) })
    expect(await plan(testProject, ownChange)).toEqual({
      is: 'inseparable',
      obstacles: [{ is: 'staged', files: ['a'] }],
    })
  })

  test('of control files is as before the run, also where they were in no commit', async () => {
    const testProject = await aRepo({ a: 'a\n' })
    testProject.write({ '.ralph/PLAN.md': 'before\n' })
    const before = await look(testProject)
    testProject.write({ '.ralph/PLAN.md': 'after\n', '.ralph/NOTES.md': 'notes\n' })
    const after = await look(testProject)
    await testProject.git('add', '-A')
    const now = await look(testProject)
    const { back } = await take(testProject, { before, after })
    expect(await testProject.git('status', '--porcelain')).toBe('A  .ralph/PLAN.md\n')
    expect(await staged(testProject, '.ralph/PLAN.md')).toBe('before\n')
    await back()
    expect(await look(testProject)).toEqual(now)
  })
})

test('the same for another tree', async () => {
  const testProject = await aRepo({ a: '1\n2\n3\n4\n5\n' })
  const before = await look(testProject)
  testProject.write({ a: 'run\n2\n3\n4\n5\n' })
  const after = await look(testProject)
  testProject.write({ a: 'run\n2\n3\n4\nmine\n' })
  const mine = await look(testProject)
  const wanted: RevertSpec = { ownChanges: [{ before, after }], names, mergeControlFiles }
  const repo = await openRepo(testProject.root, testProject)
  expect(await revertInTree(repo, wanted, after.tree)).toBe(before.tree)
  const taken = await revertInTree(repo, wanted, mine.tree)
  expect(await testProject.git('show', `${taken}:a`)).toBe('1\n2\n3\n4\nmine\n')
})
