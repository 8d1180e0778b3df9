import { afterAll, describe, expect, test } from 'vitest'
import { pointOf, type Point, type Stretch } from '../../src/domain/tree/own-change.ts'
import { exists, readIfThere, removeIfThere, writeLoose } from '../../src/system/files/files.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { takeSnapshot } from '../../src/workspace/snapshot/snapshot.ts'
import { aFolder, aRepo, clearGardens, type Garden } from '../kit/workspace.ts'
import { carryOut, keepBoth } from '../../src/workspace/undo/carry-out.ts'
import {
  planTakingBack,
  takeBackIn,
  type TakingBack,
  type WantedBack,
} from '../../src/workspace/undo/take-back.ts'

afterAll(clearGardens)

const names = { named: ['.ralph/PLAN.md'], isOwn: (name: string) => name.startsWith('logs') }
/** Whatever the person has goes before. */
const mergeControl: WantedBack['mergeControl'] = (_, { base, ours, theirs }) =>
  ours === base ? theirs : ours

async function look(garden: Garden): Promise<Point> {
  return pointOf(await takeSnapshot(await openRepo(garden.root, garden), { ref: null, control: names }))
}

async function plan(garden: Garden, ...stretches: Stretch[]) {
  return planTakingBack(await openRepo(garden.root, garden), { stretches, names, mergeControl })
}

async function possible(garden: Garden, ...stretches: Stretch[]): Promise<TakingBack> {
  const planned = await plan(garden, ...stretches)
  if (planned.is === 'possible') return planned
  throw new Error(JSON.stringify(planned))
}

async function take(garden: Garden, ...stretches: Stretch[]) {
  const repo = await openRepo(garden.root, garden)
  const planned = await possible(garden, ...stretches)
  const refs = { before: 'refs/ralph/undo/x', goal: 'refs/ralph/undone/x' }
  const { before, copies } = await keepBoth(repo, planned, { names, refs })
  const { files, after } = await carryOut(repo, planned, { names, copies: {}, why: 'undo' })
  const back = async (): Promise<void> => {
    const returning = await possible(garden, { before, after })
    await carryOut(repo, returning, { names, copies, why: 'undo of the undo' })
  }
  return { files, before, after, back }
}

describe('taking back', () => {
  test('all that is kept outlives a garbage collection', async () => {
    const garden = await aRepo({ a: 'a\n', '.gitignore': '.ralph\n' })
    garden.write({ '.ralph/PLAN.md': 'before\n', '.ralph/logs/x': 'x' })
    const before = await look(garden)
    garden.write({ a: 'b\n', '.ralph/PLAN.md': 'after\n', new: 'n\n' })
    await garden.git('add', 'new')
    const after = await look(garden)
    const { back } = await take(garden, { before, after })
    expect([readIfThere(garden.path('a')), readIfThere(garden.path('.ralph/PLAN.md'))]).toEqual([
      'a\n',
      'before\n',
    ])
    expect(await garden.git('status', '--porcelain')).toBe('')
    await garden.git('reflog', 'expire', '--expire=now', '--all')
    await garden.git('gc', '-q', '--prune=now')
    await back()
    expect(await look(garden)).toEqual(after)
    expect(await garden.git('status', '--porcelain')).toBe(' M a\nA  new\n')
  })

  test('to before the first commit, with a commit of a person on top', async () => {
    const garden = await aRepo()
    garden.write({ mine: 'mine\n' })
    const before = await look(garden)
    garden.write({ a: 'a\n' })
    await garden.git('add', 'a')
    await garden.git('commit', '-qm', 'run')
    const after = await look(garden)
    await garden.git('add', 'mine')
    await garden.git('commit', '-qm', 'mine')
    const now = await look(garden)
    const { back } = await take(garden, { before, after })
    expect(await garden.git('log', '--format=%s')).toBe('mine\n')
    expect([exists(garden.path('a')), await garden.git('status', '--porcelain')]).toEqual([false, ''])
    await back()
    expect(await look(garden)).toEqual(now)
  })

  test('and with none: the branch is unborn again', async () => {
    const garden = await aRepo()
    garden.write({ mine: 'mine\n' })
    const before = await look(garden)
    await garden.commit('run')
    const after = await look(garden)
    const { back } = await take(garden, { before, after })
    expect(await garden.git('status', '--porcelain')).toBe('?? mine\n')
    await back()
    expect(await look(garden)).toEqual(after)
  })

  test('a history that the run had rewritten comes back', async () => {
    const garden = await aRepo({ a: 'a\n' })
    garden.write({ a: 'b\n' })
    await garden.commit('mine')
    const before = await look(garden)
    await garden.git('commit', '-q', '--amend', '-m', 'rewritten')
    const after = await look(garden)
    garden.write({ c: 'c\n' })
    await garden.commit('later')
    await take(garden, { before, after })
    expect(await garden.git('log', '--format=%s')).toBe('later\nmine\nstart\n')
    expect((await garden.git('rev-parse', 'HEAD~1')).trim()).toBe(before.head)
  })

  test('commits that a person took out already are no trouble', async () => {
    const garden = await aRepo({ a: 'a\n' })
    const before = await look(garden)
    garden.write({ a: 'b\n' })
    await garden.commit('run')
    const after = await look(garden)
    await garden.git('reset', '-q', '--hard', 'HEAD~1')
    garden.write({ c: 'c\n' })
    await garden.commit('mine')
    // At another time than the run's, as any commit is that is not one of the run made anew.
    await garden.git('commit', '-q', '--amend', '--no-edit', '--date=2020-01-01T00:00:00Z')
    const head = (await garden.git('rev-parse', 'HEAD')).trim()
    const planned = await possible(garden, { before, after })
    expect([planned.goal.head, planned.files]).toEqual([head, { restored: [], removed: [], kept: [] }])
  })

  test('goes into repositories inside the repository, and names what it leaves', async () => {
    const garden = await aRepo({ a: 'a\n' })
    await garden.git('init', '-q', 'inner')
    garden.write({ 'inner/x': '1\n2\n3\n4\n', '.env': 'secret' })
    const before = await look(garden)
    garden.write({ 'inner/x': 'run\n2\n3\n4\n', 'inner/y': 'y\n', '.env': 'other' })
    const after = await look(garden)
    garden.write({ 'inner/x': 'run\n2\n3\nmine\n' })
    const now = await look(garden)
    const { files, back } = await take(garden, { before, after })
    expect(files.kept).toEqual(['.env'])
    expect([readIfThere(garden.path('inner/x')), exists(garden.path('inner/y'))]).toEqual([
      '1\n2\n3\nmine\n',
      false,
    ])
    await back()
    expect(await look(garden)).toEqual(now)
  })

  test('a submodule that the run moved on: what is noted of it is as before', async () => {
    const garden = await aRepo({ a: 'a\n' })
    const other = await aRepo({ x: '1\n' })
    await garden.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.root, 'sub')
    await garden.commit('with a submodule')
    const before = await look(garden)
    const noted = await garden.git('ls-tree', 'HEAD', 'sub')
    await garden.sh('sh', '-c', 'cd sub && echo 2 > x && git commit -qam two')
    await garden.commit('run: sub')
    const after = await look(garden)
    await take(garden, { before, after })
    expect([await garden.git('ls-files', '-s', 'sub'), readIfThere(garden.path('sub/x'))]).toEqual([
      `160000 ${noted.split(/\s/)[2]} 0\tsub\n`,
      '1\n',
    ])
  })

  test('files without a text are told apart as a whole', async () => {
    const garden = await aRepo({ a: 'a\n' })
    const before = await look(garden)
    writeLoose(garden.path('a'), Buffer.from([0, 1]))
    const after = await look(garden)
    writeLoose(garden.path('a'), Buffer.from([0, 2]))
    expect(await plan(garden, { before, after })).toEqual({
      is: 'inseparable',
      obstacles: [{ is: 'files', files: ['a'] }],
    })
  })

  test('a file that a person committed although the run had left it is taken back in the files alone', async () => {
    const garden = await aRepo({ a: 'a\n' })
    const before = await look(garden)
    garden.write({ a: 'b\n' })
    const after = await look(garden)
    const head = await garden.commit('me: what it did')
    const { after: now } = await take(garden, { before, after })
    expect([now.head, readIfThere(garden.path('a'))]).toEqual([head, 'a\n'])
  })

  // A file system of macOS has no such names.
  test.runIf(process.platform === 'linux')('names that are no UTF-8', async () => {
    const garden = await aRepo({ a: 'a\n' })
    const sh = (script: string): Promise<string> => garden.sh('bash', '-c', script)
    await sh(
      `echo old > $'changed\\377'; echo old > $'gone\\377'; mkdir $'in\\376'; echo 1 > $'in\\376/mine'`,
    )
    await garden.commit('odd')
    const before = await look(garden)
    await sh(
      `echo new > $'changed\\377'; rm $'gone\\377'; mkdir $'made\\376'; echo 1 > $'made\\376/\\377'; echo 2 > $'in\\376/run'`,
    )
    const after = await look(garden)
    await sh(`echo mine > $'mine\\377'; echo mine > $'in\\376/mine'; git add $'mine\\377'`)
    const now = await look(garden)
    const { back } = await take(garden, { before, after })
    expect(await garden.git('-c', 'core.quotePath=true', 'status', '--porcelain', '-uall')).toBe(
      ' M "in\\376/mine"\nA  "mine\\377"\n',
    )
    expect(await sh('ls -d *made* | wc -l')).toMatch(/^0/)
    await back()
    expect(await look(garden)).toEqual(now)
  })

  test('an index with an unfinished merge is named', async () => {
    const garden = await aRepo({ a: 'a\n' })
    const before = await look(garden)
    garden.write({ b: 'b\n' })
    const after = await look(garden)
    garden.write({ a: 'mine\n' })
    await garden.git('stash', '-q')
    garden.write({ a: 'other\n' })
    await garden.commit('other')
    await garden.git('stash', 'pop').catch(() => '')
    expect(await plan(garden, { before, after })).toEqual({
      is: 'inseparable',
      obstacles: [{ is: 'unmerged' }],
    })
  })

  test('nothing is done if something changed since it was worked out', async () => {
    const garden = await aRepo({ a: 'a\n' })
    const before = await look(garden)
    garden.write({ a: 'b\n' })
    const after = await look(garden)
    const planned = await possible(garden, { before, after })
    garden.write({ c: 'c\n' })
    const refs = { before: 'refs/ralph/undo/x', goal: 'refs/ralph/undone/x' }
    await expect(
      keepBoth(await openRepo(garden.root, garden), planned, { names, refs }),
    ).rejects.toMatchObject({
      code: 'held',
    })
  })

  test('a repository without objects of SHA-1', async () => {
    const garden = aFolder({ a: 'a\n' })
    await garden.git('init', '-q', '-b', 'main', '--object-format=sha256')
    await garden.commit('start')
    const before = await look(garden)
    garden.write({ b: 'b\n' })
    removeIfThere(garden.path('a'))
    await garden.commit('run')
    const after = await look(garden)
    await take(garden, { before, after })
    expect([await look(garden), await garden.git('status', '--porcelain')]).toEqual([before, ''])
  })
})

describe('what is staged', () => {
  const TEN = Array.from({ length: 10 }, (_, line) => `${line}\n`).join('')
  const turned = (...lines: [number, string][]): string =>
    lines.reduce((text, [line, to]) => text.replace(`${line}\n`, `${to}\n`), TEN)
  const staged = (garden: Garden, path = 'a'): Promise<string> => garden.git('show', `:${path}`)

  /** A run that has changed a line of a file, and has left it. */
  async function left(of: { own?: string } = {}): Promise<{ garden: Garden; stretch: Stretch }> {
    const garden = await aRepo({ a: TEN })
    if (of.own !== undefined) garden.write({ a: of.own })
    const before = await look(garden)
    garden.write({ a: (of.own ?? TEN).replace('5\n', 'run\n') })
    return { garden, stretch: { before, after: await look(garden) } }
  }

  test('together with lines of the run has only the lines of the person', async () => {
    const { garden, stretch } = await left()
    garden.write({ a: turned([5, 'run'], [9, 'mine']) })
    await garden.git('add', 'a')
    garden.write({ a: turned([1, 'later'], [5, 'run'], [9, 'mine']) })
    const now = await look(garden)
    const { back } = await take(garden, stretch)
    expect([await staged(garden), readIfThere(garden.path('a'))]).toEqual([
      turned([9, 'mine']),
      turned([1, 'later'], [9, 'mine']),
    ])
    await back()
    expect(await look(garden)).toEqual(now)
  })

  test('without them stays as it is', async () => {
    const { garden, stretch } = await left()
    garden.write({ a: turned([9, 'mine']) })
    await garden.git('add', 'a')
    garden.write({ a: turned([5, 'run'], [9, 'mine']) })
    await take(garden, stretch)
    expect(await staged(garden)).toBe(turned([9, 'mine']))
  })

  test('keeps what the person had changed before the run', async () => {
    const { garden, stretch } = await left({ own: turned([1, 'early']) })
    await garden.git('add', 'a')
    await take(garden, stretch)
    expect([await staged(garden), readIfThere(garden.path('a'))]).toEqual([
      turned([1, 'early']),
      turned([1, 'early']),
    ])
  })

  test('on top of a commit of the person that has the run’s lines stands on them', async () => {
    const { garden, stretch } = await left()
    await garden.commit('me: what it did')
    garden.write({ a: turned([5, 'run'], [9, 'mine']) })
    await garden.git('add', 'a')
    await take(garden, stretch)
    expect([await staged(garden), readIfThere(garden.path('a'))]).toEqual([
      turned([5, 'run'], [9, 'mine']),
      turned([9, 'mine']),
    ])
  })

  test('on top of a commit of the person that has them not is without them', async () => {
    const { garden, stretch } = await left()
    garden.write({ a: turned([1, 'early']) })
    await garden.commit('mine')
    garden.write({ a: turned([1, 'early'], [5, 'run'], [9, 'mine']) })
    await garden.git('add', 'a')
    await take(garden, stretch)
    expect(await staged(garden)).toBe(turned([1, 'early'], [9, 'mine']))
  })

  test('as a removal from the index stays one', async () => {
    const { garden, stretch } = await left()
    await garden.git('rm', '-q', '--cached', 'a')
    await take(garden, stretch)
    expect([await garden.git('ls-files', 'a'), readIfThere(garden.path('a'))]).toEqual(['', TEN])
  })

  test('of a file that the run removed is there again', async () => {
    const garden = await aRepo({ a: TEN })
    const before = await look(garden)
    removeIfThere(garden.path('a'))
    const after = await look(garden)
    await garden.git('add', '-A')
    await take(garden, { before, after })
    expect(await garden.git('status', '--porcelain')).toBe('')
  })

  test('on the lines of the run is named', async () => {
    const { garden, stretch } = await left()
    garden.write({ a: turned([5, 'run, and me']) })
    await garden.git('add', 'a')
    garden.write({ a: turned([5, 'run']) })
    expect(await plan(garden, stretch)).toEqual({
      is: 'inseparable',
      obstacles: [{ is: 'staged', files: ['a'] }],
    })
  })

  test('of control files is as before the run, also where they were in no commit', async () => {
    const garden = await aRepo({ a: 'a\n' })
    garden.write({ '.ralph/PLAN.md': 'before\n' })
    const before = await look(garden)
    garden.write({ '.ralph/PLAN.md': 'after\n', '.ralph/NOTES.md': 'notes\n' })
    const after = await look(garden)
    await garden.git('add', '-A')
    const now = await look(garden)
    const { back } = await take(garden, { before, after })
    expect(await garden.git('status', '--porcelain')).toBe('A  .ralph/PLAN.md\n')
    expect(await staged(garden, '.ralph/PLAN.md')).toBe('before\n')
    await back()
    expect(await look(garden)).toEqual(now)
  })
})

test('the same for another tree', async () => {
  const garden = await aRepo({ a: '1\n2\n3\n4\n5\n' })
  const before = await look(garden)
  garden.write({ a: 'run\n2\n3\n4\n5\n' })
  const after = await look(garden)
  garden.write({ a: 'run\n2\n3\n4\nmine\n' })
  const mine = await look(garden)
  const wanted: WantedBack = { stretches: [{ before, after }], names, mergeControl }
  const repo = await openRepo(garden.root, garden)
  expect(await takeBackIn(repo, wanted, after.tree)).toBe(before.tree)
  const taken = await takeBackIn(repo, wanted, mine.tree)
  expect(await garden.git('show', `${taken}:a`)).toBe('1\n2\n3\n4\nmine\n')
})
