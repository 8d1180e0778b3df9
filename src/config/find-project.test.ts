import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProject } from './find-project.ts'
import { withTestFolder } from '../../test/kit/config.ts'

test.each<[string, Record<string, string | null>, string, string, string]>([
  ['.ralph.toml marks a project', { '.ralph.toml': '' }, '.', '.', 'toml'],
  ['.ralph/ marks a project', { '.ralph': null }, '.', '.', 'ralph'],
  ['.ralphrc marks a project', { '.ralphrc': '' }, '.', '.', 'ralphrc'],
  ['.ralph.toml says more than .ralph/', { '.ralph.toml': '', '.ralph': null, '.ralphrc': '' }, '.', '.', 'toml'],
  ['.ralph/ says more than .ralphrc', { '.ralph': null, '.ralphrc': '' }, '.', '.', 'ralph'],
  [
    'the nearest folder upwards is meant',
    { '.ralph.toml': '', 'a/.ralph': null, 'a/b/c': null },
    'a/b/c',
    'a',
    'ralph',
  ],
  ['inside .ralph/ the project is around it', { '.ralph/PROMPT.md': '' }, '.ralph', '.', 'ralph'],
  [
    'the top of the repository is the last folder',
    { '.ralph.toml': '', 'a/.git': null, 'a/b': null },
    'a/b',
    'a/b',
    'none',
  ],
  ['the top of the repository counts itself', { 'a/.git': '', 'a/.ralphrc': '', 'a/b': null }, 'a/b', 'a', 'ralphrc'],
  ['the oldest layout has its files in the root', { '.git': null, 'PROMPT.md': '', src: null }, 'src', '.', 'flat'],
  ['the oldest layout is known by its plan', { '@fix_plan.md': '' }, '.', '.', 'flat'],
  ['the oldest layout is known by its agent file', { '@AGENT.md': '', '.ralphrc': '' }, '.', '.', 'flat'],
  ['.ralph/ is not the oldest layout', { 'PROMPT.md': '', '.ralph': null }, '.', '.', 'ralph'],
  ['nothing is found where nothing is', { 'a/b': null }, 'a/b', 'a/b', 'none'],
  ["the bash tool's ~/.ralph is no project", { '~/.ralph': null, a: null }, 'a', 'a', 'none'],
  ['a file in the home folder makes it a project', { '~/.ralph.toml': '', a: null }, 'a', '..', 'toml'],
])('%s', async (_, files, from, root, kind) => {
  await withTestFolder(files, (folder, home) => {
    expect(findProject(join(folder, from), { home })).toEqual({ root: join(folder, root), kind })
  })
})
