import { expect, test } from 'vitest'
import { parseGithubRepo } from './detect-context.ts'

test.each([
  ['https://github.com/o/n.git', 'o/n'],
  ['https://token@github.com/o/n', 'o/n'],
  ['git@github.com:o/n.name.git', 'o/n.name'],
  ['ssh://git@github.com/o/n.git', 'o/n'],
  ['https://gitlab.com/o/n.git', null],
  ['https://github.com.evil.org/o/n.git', null],
  ['/srv/git/n.git', null],
])('the repository of %s is %s', (origin, repo) => {
  expect(parseGithubRepo(origin)).toBe(repo)
})
