import { afterAll, expect, test } from 'vitest'
import { createLinkTo } from '../../system/files/links.ts'
import { controlText, isControlPath, type ControlFileSelector } from './control-tree.ts'
import { openRepo } from '../repo/git.ts'
import { takeSnapshot } from './snapshot.ts'
import { aRepo, removeTestProjects } from '../../../test/kit/workspace.ts'

afterAll(removeTestProjects)

const NAMES: ControlFileSelector = {
  named: ['PLAN.md', '.ralph.toml', '../out'],
  isOwn: (name) => name.startsWith('logs'),
}

test('control files are kept beside the tree of work, ignored or not, byte for byte', async () => {
  const testProject = await aRepo({
    a: 'a',
    '.gitignore': '.ralph\nPLAN.md\n',
    '.gitattributes': '* text eol=lf\n',
  })
  testProject.write({
    'sub/PLAN.md': 'one\r\n',
    'sub/.ralph/PROMPT.md': 'work',
    'sub/.ralph/specs/deep/x.md': 'spec',
    'sub/.ralph/logs/l': 'own',
    'sub/.ralph/.env': 'secret',
    'sub/.ralph/big': 'x'.repeat(1024 * 1024 + 1),
    out: 'not here',
  })
  createLinkTo(testProject.path('a'), testProject.path('sub/.ralph/link'))
  const repo = await openRepo(testProject.path('sub'))
  const without = await takeSnapshot(repo, { ref: null })
  const { control = '', index, ...work } = await takeSnapshot(repo, { ref: null, control: NAMES })
  expect(work).toEqual(without)
  expect(index).toBe((await testProject.git('rev-parse', 'HEAD^{tree}')).trim())
  expect((await testProject.git('ls-tree', '-r', '--name-only', control)).split('\n')).toEqual([
    'sub/.ralph/PROMPT.md',
    'sub/.ralph/specs/deep/x.md',
    'sub/PLAN.md',
    '',
  ])
  expect([await controlText(repo, control, 'sub/PLAN.md'), await controlText(repo, control, 'sub/none')]).toEqual([
    'one\r\n',
    null,
  ])
})

test('of more of them than anybody looks at, all or nothing is told', async () => {
  const testProject = await aRepo({ a: 'a' })
  testProject.write(Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`.ralph/k/${i}.md`, 'x'])))
  const repo = await openRepo(testProject.path('.'))
  const files = async (names: ControlFileSelector): Promise<number> => {
    const { control = '' } = await takeSnapshot(repo, { ref: null, control: names })
    return (await testProject.git('ls-tree', '-r', '--name-only', control)).trim().split('\n').length
  }
  expect([await files(NAMES), await files({ ...NAMES, all: true })]).toEqual([500, 501])
})

test('which paths are meant, whether they are there or not', () => {
  const at = { prefix: 'sub/' }
  const paths = ['sub/PLAN.md', 'sub/.ralph/specs/gone.md', 'sub/.ralph/logs/x', 'PLAN.md', '.ralph/PROMPT.md', 'sub/a']
  expect(paths.filter((path) => isControlPath(path, at, NAMES))).toEqual(paths.slice(0, 2))
})
