import { mkdirSync, rmSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { openRepo } from '../../repo/git.ts'
import { aFolder, aRepo, removeTestProjects, testProjectAt } from '../../../../test/kit/workspace.ts'
import { shareablePathsOf } from './shareable-paths.ts'

afterAll(removeTestProjects)

test('folders of tools, ignored or not, and all else that is ignored can be lent', async () => {
  const testProject = await aRepo({ '.gitignore': 'out\n*.log\n.env\n.venv\n', a: 'a', 'src/b': 'b' })
  testProject.write({
    '.env': '',
    '.venv/bin/x': '',
    'node_modules/x/index.js': '',
    'new/node_modules/y/index.js': '',
    'new/c': '',
    'out/deep/x': '',
    'src/x.log': '',
    '.ralph/logs/x.log': '',
  })
  const inner = testProjectAt(testProject.path('inner'))
  mkdirSync(inner.root)
  await inner.git('init', '-q', '--template=')
  inner.write({ '.gitignore': 'dist', 'dist/x': '', 'node_modules/z.js': '', d: '' })
  const found = await shareablePathsOf(await openRepo(testProject.root))
  expect(found.tools).toEqual(['.venv', 'inner/node_modules', 'new/node_modules', 'node_modules'])
  expect(found.ignored).toEqual(['.env', 'inner/dist', 'out', 'src/x.log'])
})

test('without git there are folders of tools', async () => {
  const testProject = aFolder({ a: 'a', 'node_modules/x': '', 'b/.venv/x': '' })
  expect(await shareablePathsOf(await openRepo(testProject.root))).toEqual({
    tools: ['b/.venv', 'node_modules'],
    ignored: [],
  })
  rmSync(testProject.root, { recursive: true })
})
