import { basename, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { copyRecursively } from '../../system/files/copy-move.ts'
import { ensureFolder, exists, listFolder, readText, removeFolder, writeWithoutSync } from '../../system/files/files.ts'
import { runProgram } from '../../system/process/process.ts'
import { openRepo } from '../repo/git.ts'
import { aFolder, aRepo, removeTestProjects, type TestProject, testProjectAt } from '../../../test/kit/workspace.ts'
import { createGitFolder } from './git-folder.ts'
import type { CleanRoom } from './clean-room.ts'

afterAll(removeTestProjects)

describe('what git says in the room', () => {
  test('the branch, the history, the tags and what is changed are those of the working tree', async () => {
    const project = await aRepo({ 'a.txt': 'one\n', 'b.txt': 'b\n' })
    await project.git('tag', '-a', 'v1', '-m', 'first')
    await project.git('branch', 'other')
    await project.git('update-ref', 'refs/ralph/run/1', 'HEAD')
    project.write({ 'a.txt': 'two\n' })
    await project.commit('second')
    project.write({ 'a.txt': 'three\n' })
    const { inside } = await aRoomFor(project)
    for (const args of [
      ['log', '--format=%H %s'],
      ['describe'],
      ['branch', '--show-current'],
      ['diff-index', '--name-only', 'HEAD'],
      ['status', '--porcelain'],
    ])
      expect(await inside.git(...args)).toBe(await project.git(...args))
    expect(await inside.git('for-each-ref', '--format=%(refname)')).toBe(
      'refs/heads/main\nrefs/heads/other\nrefs/tags/v1\n',
    )
    await inside.git('fsck', '--strict')
  })

  test('the path and the texts of its git folder say nothing of the old place', async () => {
    const project = await aRepo({ a: '' })
    const { inside } = await aRoomFor(project)
    const found = await runProgram(['grep', '-rlaF', project.root, '.git'], { cwd: inside.root })
    expect(found.stdout).toBe('')
  })

  test('a detached HEAD and a linked worktree', async () => {
    const project = await aRepo({ a: '1' })
    const tree = join(aFolder().root, 'linked')
    await project.git('worktree', 'add', '-q', '--detach', tree)
    const linked = testProjectAt(tree)
    linked.write({ a: '2' })
    const head = await linked.commit('only here')
    const { inside } = await aRoomFor(linked)
    expect(await inside.git('rev-parse', 'HEAD', '--abbrev-ref', 'HEAD')).toBe(`${head}\nHEAD\n`)
    expect(await inside.git('status', '--porcelain')).toBe('')
  })

  test('a repository without commits has an unborn branch, a folder without git has none', async () => {
    const unborn = await aRepo()
    unborn.write({ a: '' })
    const first = await aRoomFor(unborn)
    expect(await first.inside.git('status', '--porcelain', '--branch')).toBe('## No commits yet on main\n?? a\n')
    const { inside } = await aRoomFor(aFolder({ a: '' }))
    expect(listFolder(inside.root)).toEqual(['a'])
  })

  test('a shallow clone stays shallow', async () => {
    const origin = await aRepo({ a: '1' })
    origin.write({ a: '2' })
    await origin.commit('second')
    const clone = aFolder()
    await clone.git('clone', '-q', '--depth=1', `file://${origin.root}`, '.')
    const { inside, again } = await aRoomFor(clone)
    const asked = () => inside.git('rev-list', '--count', '--all')
    expect([await asked(), await inside.git('rev-parse', '--is-shallow-repository')]).toEqual(['1\n', 'true\n'])
    await again()
    expect([await asked(), await inside.git('rev-parse', '--is-shallow-repository')]).toEqual(['1\n', 'true\n'])
  })

  test('submodules and repositories inside have their own history', async () => {
    const library = await aRepo({ 'lib.txt': 'lib\n' })
    const project = await aRepo({ a: '' })
    await project.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib')
    await project.commit('with a library')
    const nested = testProjectAt(project.path('inner/nested'))
    nested.write({ n: '' })
    await nested.git('init', '-q', '-b', 'trunk', '--template=')
    await nested.commit('inside')
    const { inside } = await aRoomFor(project)
    expect(await testProjectAt(inside.path('lib')).git('log', '--format=%s')).toBe('start\n')
    expect(await testProjectAt(inside.path('inner/nested')).git('log', '--format=%s %D')).toBe('inside HEAD -> trunk\n')
    expect(await inside.git('submodule', 'status')).toMatch(/^ [0-9a-f]{40} lib /)
    expect(await inside.git('status', '--porcelain')).toBe('?? inner/\n')
  })
})

describe('what an agent did to the repository', () => {
  test('replaced objects, hooks and settings stay behind', async () => {
    const project = await aRepo({ a: 'true\n' })
    project.write({ a: 'false\n' })
    await project.git('add', 'a')
    const [kept, other] = [await project.git('rev-parse', 'HEAD:a'), await project.git('rev-parse', ':a')]
    await project.git('replace', kept.trim(), other.trim())
    await project.git('config', 'alias.st', 'status')
    project.write({ '.git/hooks/post-checkout': '#!/bin/sh\ntouch hooked\n' })
    const { inside } = await aRoomFor(project)
    expect(await inside.git('cat-file', '-p', 'HEAD:a')).toBe('true\n')
    expect([exists(inside.path('.git/hooks')), exists(inside.path('hooked'))]).toEqual([false, false])
    await expect(inside.git('config', 'alias.st')).rejects.toThrow()
  })

  test('an object with the text of another is not taken for the commit', async () => {
    const project = await aRepo({ a: 'true\n' })
    project.write({ a: 'false\n' })
    await project.git('add', 'a')
    const [kept, other] = [await project.git('rev-parse', 'HEAD:a'), await project.git('rev-parse', ':a')]
    const path = (id: string) => project.path(`.git/objects/${id.slice(0, 2)}/${id.slice(2).trim()}`)
    await project.sh('cp', '-f', path(other), path(kept))
    const { without, inside } = await aRoomFor(project)
    expect(without.map(({ folder }) => folder)).toEqual([''])
    expect(exists(inside.path('.git'))).toBe(false)
  })

  test('where old commits are lost, the last one is there', async () => {
    const project = await aRepo({ a: '1' })
    const first = (await project.git('rev-parse', 'HEAD:a')).trim()
    project.write({ a: '2' })
    await project.commit('second')
    removeFolder(project.path(`.git/objects/${first.slice(0, 2)}/${first.slice(2)}`))
    const { without, inside } = await aRoomFor(project)
    expect(without.map(({ folder }) => folder)).toEqual([''])
    expect(await inside.git('log', '--format=%s %D')).toBe('second grafted, HEAD -> main\n')
  })

  test('objects that are borrowed from another folder come along', async () => {
    const origin = await aRepo({ a: 'a\n' })
    const project = aFolder()
    await project.git('clone', '-q', '-s', origin.root, '.')
    const { inside } = await aRoomFor(project)
    origin.remove()
    expect(await inside.git('cat-file', '-p', 'HEAD:a')).toBe('a\n')
    expect(exists(inside.path('.git/objects/info/alternates'))).toBe(false)
  })
})

describe('from trial to trial', () => {
  test('what a gate did to the folder is undone, and new commits come in', async () => {
    const project = await aRepo({ a: '1' })
    const { inside, again } = await aRoomFor(project)
    inside.write({ '.git/hooks/pre-commit': '#!/bin/sh\nfalse\n', '.git/objects/info/alternates': '/tmp\n' })
    await inside.git('config', 'core.fsmonitor', './watch')
    await inside.git('tag', 'mine')
    inside.write({ new: '' })
    await inside.git('add', 'new')
    project.write({ b: '' })
    const head = await project.commit('second')
    expect(await again()).toEqual([])
    expect(await inside.git('for-each-ref', '--format=%(objectname) %(refname)')).toBe(`${head} refs/heads/main\n`)
    expect(await inside.git('status', '--porcelain')).toBe(' D b\n?? new\n')
    expect([exists(inside.path('.git/hooks')), exists(inside.path('.git/objects/info/alternates'))]).toEqual([
      false,
      false,
    ])
  })

  test('objects are fetched once, and again when somebody touched them', async () => {
    const project = await aRepo({ a: '1' })
    const { inside, again } = await aRoomFor(project)
    const packs = () => listFolder(inside.path('.git/objects/pack')).filter((name) => name.endsWith('.pack'))
    const pack = inside.path(`.git/objects/pack/${packs()[0]}`)
    const text = readText(pack)
    await again()
    expect([packs().length, readText(pack)]).toEqual([1, text])
    await inside.sh('sh', '-c', `chmod u+w '${pack}' && printf x >> '${pack}' && touch -d '2001-01-01' '${pack}'`)
    expect(await again()).toEqual([])
    await inside.git('fsck', '--strict')
    expect(await inside.git('cat-file', '-p', 'HEAD:a')).toBe('1')
  })

  test('a link in place of the folder leads nowhere', async () => {
    const project = await aRepo({ a: '1' })
    const { inside, again } = await aRoomFor(project)
    const elsewhere = await aRepo({ a: 'x' })
    await inside.sh('sh', '-c', `rm -rf .git && ln -s '${elsewhere.path('.git')}' .git`)
    await again()
    expect(await inside.git('log', '--format=%s')).toBe('start\n')
    expect(await elsewhere.git('cat-file', '-p', 'HEAD:a')).toBe('x')
  })
})

/** A room that holds the files of the project as they lie there. */
async function aRoomFor(project: TestProject) {
  const [parent, memory] = [aFolder().root, aFolder().root]
  const top = join(parent, basename(project.root))
  const room: CleanRoom = { parent, top, root: top, home: join(parent, 'h'), tmp: join(parent, 't') }
  copyRecursively(project.root, top)
  const gits = await runProgram(['find', '.', '-name', '.git', '-prune'], { cwd: top })
  for (const path of gits.stdout.split('\n').filter((line) => line !== '')) removeFolder(join(top, path))
  ensureFolder(room.home)
  writeWithoutSync(join(memory, 'note'), '')
  const again = async () => createGitFolder(room, await openRepo(project.root), { memory })
  return { without: await again(), again, inside: testProjectAt(top) }
}
