import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BASH_RALPH_TOOLS, defaultToolList } from './tool-list.ts'
import { firstWord, isDeniedAsCompound } from './denial.ts'

function limit(command: string, tools: readonly string[] | null, tool = 'Bash'): boolean {
  return isDeniedAsCompound({ tool, command }, tools === null ? null : [...tools])
}

describe("a limit of the agent's matcher: a joined line whose first word is on the list", () => {
  test.each<[command: string, tools: readonly string[]]>([
    ['npm test 2>&1', ['Bash(npm *)']],
    ['npm test 2>&1 | tail -5', ['Bash(npm *)']],
    ['git add -A && git commit -m x', BASH_RALPH_TOOLS],
    ['npm test | grep -v ok; rm -rf x', ['Bash(npm *)']],
    ['npm>log', ['Bash(npm *)']],
    ['  npm\ttest&', ['Bash(npm *)']],
    ['npm run x && y', ['Bash(npm*)']],
    ['npm test && y', ['Bash(npm test:*)']],
    // Every command of a program, as the bash tool takes it.
    ['git reset --hard && npm test', ['Bash(git diff *)']],
    ['make | tee log', ['Bash(*)']],
    ['make | tee log', ['Bash']],
    ['make | tee log', ['*']],
    ['git commit -m "$(date)"', ['Bash(git commit *)']],
    // What follows is the message, not another command.
    ['git commit -m "$(cat <<\'EOF\'\nadds\n\nbody\nEOF\n)"', ['Bash(git commit *)']],
    ['find . -name x | wc -l', defaultToolList([])],
  ])('%j with %j', (command, tools) => {
    expect(limit(command, tools)).toBe(true)
  })
})

describe('a denial that counts', () => {
  test.each<[why: string, command: string, tools: readonly string[] | null]>([
    ['a plain command', 'git reset --hard', ['Bash(git diff *)']],
    ['a first word that is not on the list', 'cd x && npm test', ['Bash(npm *)']],
    ['an entry without a star covers itself alone', 'pytest -q 2>&1', ['Bash(pytest)']],
    ['the beginning of a word is no word', 'npmx test | y', ['Bash(npm *)']],
    ['the beginning of a pattern is no word', 'npm test | y', ['Bash(np*)']],
    ['a word in a pattern is not its first', 'test x | y', ['Bash(npm test *)']],
    ['another tool of that name', 'npm test | y', ['Read(npm *)']],
    ['a variable in front', 'CI=1 npm test | y', ['Bash(npm *)']],
    ['several commands on lines of their own', 'npm ci\nnpm test', ['Bash(npm *)']],
    ['a list nobody knows', 'npm test 2>&1', null],
    ['no list at all', 'npm test 2>&1', []],
    ['taken away', 'find . -exec rm {} + 2>&1', defaultToolList([])],
    ['taken away further on', 'ls | sort -o x', defaultToolList([])],
    ['taken away behind brackets', String.raw`cd a && find . \( -name b \) -delete`, defaultToolList([])],
    ['taken away inside', 'echo $(find . -delete)', defaultToolList([])],
    ['taken away by its name alone', 'npm test && git push', ['Bash(npm *)', '!Bash(git push)']],
    ['taken away by a beginning', 'npm test; git push -f', ['Bash(npm *)', '!Bash(git push:*)']],
    ['taken away altogether', 'npm test 2>&1', ['Bash(npm *)', '!Bash']],
  ])('%s: %j', (_, command, tools) => {
    expect(limit(command, tools)).toBe(false)
  })

  test('of another tool than the shell', () => {
    expect(limit('npm test 2>&1', ['Bash(npm *)'], 'Write')).toBe(false)
    expect(isDeniedAsCompound({ tool: 'Bash' }, ['Bash(*)'])).toBe(false)
  })
})

test('whatever is written, only a joined line with its first word on the list is excused, and none that is taken away', () => {
  const word = fc.constantFrom('npm', 'git', 'find', 'rm', 'cd', 'x')
  const join = fc.constantFrom(' && ', ' | ', '; ', ' 2>&1 | ', '\n', ' ', '&')
  const line = fc
    .array(fc.tuple(word, join), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.map((part) => part.join('')).join(''))
  const list = fc.subarray(['Bash(npm *)', 'Bash(git diff *)', 'Bash(find)', '!Bash(rm *)', '!Bash(rm)'])
  fc.assert(
    fc.property(line, list, (command, tools) => {
      if (!limit(command, tools)) return
      const first = firstWord(command)
      expect(command).toMatch(/[;&|<>\n]/)
      expect(tools.some((tool) => tool.startsWith(`Bash(${first} `))).toBe(true)
      if (tools.includes('!Bash(rm)')) expect(command).not.toMatch(/(?:^|[;&|\n])\s*rm\s*(?:$|[;&|\n])/)
    }),
  )
})
