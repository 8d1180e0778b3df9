import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ProjectProgram } from '../../core/trust/trust.ts'
import { openTrustStore, trustFolderPath } from './trust-store.ts'

let base = ''
beforeEach(() => void (base = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-trust-')))))
afterEach(() => rmSync(base, { recursive: true, force: true }))

const gate: ProjectProgram = {
  setting: 'gate test',
  run: 'npm test',
  cwd: '.',
  env: {},
  where: '.ralph.toml:2',
}

/** A folder below `base`, a repository unless said otherwise. */
function folder(name: string, how: 'git' | 'plain' = 'git'): string {
  const path = join(base, name)
  mkdirSync(path, { recursive: true })
  if (how === 'git') {
    git(path, 'init', '-q')
    git(path, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-q', '--allow-empty', '-m', 'x')
  }
  return path
}

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', args, { cwd, env: { PATH: process.env['PATH'], HOME: base } })
}

const home = (): string => join(base, 'home')
const book = (root: string, env: Record<string, string> = {}) => openTrustStore({ root, env, home: home() })
const trusts = async (root: string): Promise<boolean> => (await book(root)).doubts([gate]).length === 0

async function trust(root: string): Promise<void> {
  expect((await book(root)).remember([gate])).toBe(null)
}

describe('trust belongs to the repository', () => {
  test('here and nowhere else', async () => {
    const [mine, other] = [folder('mine'), folder('other')]
    await trust(mine)
    expect([await trusts(mine), await trusts(other)]).toEqual([true, false])
  })

  test('and to its worktrees', async () => {
    const mine = folder('mine')
    await trust(mine)
    git(mine, 'worktree', 'add', '-q', join(base, 'second'))
    expect(await trusts(join(base, 'second'))).toBe(true)
  })

  test('whatever link leads there', async () => {
    const mine = folder('mine')
    await trust(mine)
    symlinkSync(mine, join(base, 'link'))
    expect(await trusts(join(base, 'link'))).toBe(true)
  })

  test('not to a folder that only points at it, by a file or by a link', async () => {
    const mine = folder('mine')
    await trust(mine)
    git(mine, 'worktree', 'add', '-q', join(base, 'second'))
    const stranger = (name: string): string => folder(name, 'plain')
    writeFileSync(join(stranger('by-file'), '.git'), `gitdir: ${mine}/.git\n`)
    writeFileSync(join(stranger('as-worktree'), '.git'), `gitdir: ${mine}/.git/worktrees/second\n`)
    symlinkSync(join(mine, '.git'), join(stranger('by-link'), '.git'))
    for (const name of ['by-file', 'as-worktree', 'by-link']) {
      expect([name, await trusts(join(base, name))]).toEqual([name, false])
    }
  })

  test('not to a folder whose git folder only says that it belongs there', async () => {
    const mine = folder('mine')
    await trust(mine)
    const archive = folder('archive', 'plain')
    for (const name of ['refs', 'objects']) mkdirSync(join(archive, 'g', name), { recursive: true })
    const said = {
      HEAD: 'ref: refs/heads/main',
      commondir: join(mine, '.git'),
      gitdir: join(archive, '.git'),
    }
    for (const [name, text] of Object.entries(said)) writeFileSync(join(archive, 'g', name), `${text}\n`)
    writeFileSync(join(archive, '.git'), 'gitdir: g\n')
    expect(await trusts(archive)).toBe(false)
  })

  test('not to a copy, and not after a move', async () => {
    const mine = folder('mine')
    await trust(mine)
    cpSync(mine, join(base, 'copy'), { recursive: true })
    expect(await trusts(join(base, 'copy'))).toBe(false)
    renameSync(mine, join(base, 'moved'))
    expect(await trusts(join(base, 'moved'))).toBe(false)
  })

  test('each project of a monorepo has its own', async () => {
    const mine = folder('mine')
    for (const name of ['a', 'b']) mkdirSync(join(mine, name))
    await trust(join(mine, 'a'))
    expect([await trusts(join(mine, 'a')), await trusts(join(mine, 'b'))]).toEqual([true, false])
  })

  test('without git: to the folder', async () => {
    const [mine, other] = [folder('mine', 'plain'), folder('other', 'plain')]
    await trust(mine)
    expect([await trusts(mine), await trusts(other)]).toEqual([true, false])
  })
})

describe('how it is kept', () => {
  test('in the state folder of the user, readable for nobody else', async () => {
    const mine = folder('mine')
    await trust(mine)
    const kept = join(home(), '.local/state/ralph/trust')
    const [project = ''] = readdirSync(kept)
    const [file = ''] = readdirSync(join(kept, project))
    const modes = [kept, join(kept, project), join(kept, project, file)].map((path) => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o700, 0o700, 0o600])
  })

  test.each([
    ['XDG_STATE_HOME', { XDG_STATE_HOME: '/var/x' }, '/var/x/ralph/trust'],
    ['not a relative one', { XDG_STATE_HOME: 'x' }, '/home/ann/.local/state/ralph/trust'],
    ['not an empty one', { XDG_STATE_HOME: '' }, '/home/ann/.local/state/ralph/trust'],
  ])('%s', (_what, env, expected) => {
    expect(trustFolderPath({ env, home: '/home/ann' })).toBe(expected)
  })

  test('two at once lose nothing', async () => {
    const mine = folder('mine')
    const programs = Array.from({ length: 20 }, (_, n) => ({ ...gate, setting: `gate ${n}` }))
    const books = await Promise.all(programs.map(() => book(mine)))
    for (const [n, each] of books.entries()) each.remember(programs.slice(n, n + 1))
    expect((await book(mine)).doubts(programs)).toEqual([])
  })

  test.each([
    ['half a file', '{"setting": "gate te'],
    ['no file of ours', '[]'],
    ['a part of another kind', '{"setting":"gate test","run":7,"cwd":".","env":{},"at":1}'],
    ['nothing', ''],
  ])('damaged (%s): not trusted, said, and fixed by the next answer', async (_what, text) => {
    const mine = folder('mine')
    await trust(mine)
    const kept = join(home(), '.local/state/ralph/trust')
    const [project = ''] = readdirSync(kept)
    const [file = ''] = readdirSync(join(kept, project))
    writeFileSync(join(kept, project, file), text)
    const damaged = await book(mine)
    expect([damaged.doubts([gate]).length, damaged.remarks]).toEqual([
      1,
      [`${join(kept, project, file)} is damaged, so Ralph asks again before it runs the command saved there`],
    ])
    await trust(mine)
    expect([await trusts(mine), (await book(mine)).remarks]).toEqual([true, []])
  })

  test('not where the repository itself could have put it', async () => {
    const mine = folder('mine')
    const inside = { XDG_STATE_HOME: join(mine, 'state') }
    const kept = await book(mine, inside)
    expect(kept.remember([gate])).toContain('is inside the repository')
    expect((await book(mine, inside)).doubts([gate]).length).toBe(1)
  })

  test('a place that cannot be written is said, not thrown', async () => {
    const mine = folder('mine')
    writeFileSync(join(base, 'file'), '')
    const kept = await book(mine, { XDG_STATE_HOME: join(base, 'file') })
    expect(kept.remember([gate])).toContain(join(base, 'file'))
  })
})
