import { expect, test } from 'vitest'
import {
  commandPrefixes,
  canWriteFiles,
  toolEntryProblem,
  BASH_RALPH_TOOLS,
  defaultToolList,
  describeTools,
  parseToolEntry,
} from './tool-list.ts'

test.each([
  ['Write', { name: 'Write', pattern: null, never: false }],
  ['Bash(git add *)', { name: 'Bash', pattern: 'git add *', never: false }],
  [' ! Bash(find *-exec*) ', { name: 'Bash', pattern: 'find *-exec*', never: true }],
  ['mcp__a__b', { name: 'mcp__a__b', pattern: null, never: false }],
  ['Bash(echo (x))', { name: 'Bash', pattern: 'echo (x)', never: false }],
])('%j', (entry, tool) => {
  expect(parseToolEntry(entry)).toEqual(tool)
})

test.each<[entry: string, missing: string | null]>([
  ['Write', null],
  ['mcp__a__b', null],
  ['*', null],
  ['!Bash(find *-exec*)', null],
  ['Bash (git *)', null],
  ['Bash(echo (x))', null],
  [String.raw`Bash(find . \( *)`, null],
  ['Bash()', 'something between the brackets, or Bash alone for all of it'],
  ['!Read(  )', 'something between the brackets, or Read alone for all of it'],
  ['Bash(git *', 'a closing bracket'],
  ['Bash(', 'a closing bracket'],
  ['Bash(echo (x)', 'a closing bracket'],
  ['Bash git *)', 'an opening bracket'],
  ['Bash(git *))', 'an opening bracket'],
  ['Bash(git *) x', 'nothing after the closing bracket'],
  ['(git *)', 'the name of a tool in front'],
  ['!', 'the name of a tool in front'],
])('%j lacks %j', (entry, missing) => {
  expect(toolEntryProblem(entry)).toBe(missing)
})

test('no entry of our own lists lacks anything', () => {
  expect(defaultToolList(['cargo', './check.sh --fast']).flatMap((entry) => toolEntryProblem(entry) ?? [])).toEqual([])
})

test('the list of the bash tool, as its manual has it', () => {
  expect(BASH_RALPH_TOOLS.join(',')).toBe(
    'Write,Read,Edit,Bash(git add *),Bash(git commit *),Bash(git diff *),Bash(git log *),Bash(git status),Bash(git status *),Bash(git push *),Bash(git pull *),Bash(git fetch *),Bash(git checkout *),Bash(git branch *),Bash(git stash *),Bash(git merge *),Bash(git tag *),Bash(npm *),Bash(pytest)',
  )
})

test('a project of ours has it whole, its own programs, what looks, and no door to anything', () => {
  const list = defaultToolList(['cargo', 'sh check.sh'])
  expect(BASH_RALPH_TOOLS.filter((entry) => !list.includes(entry))).toEqual(['Bash(git push *)'])
  expect(list).toEqual(
    expect.arrayContaining(['Bash(cargo)', 'Bash(cargo *)', 'Bash(sh check.sh)', 'Bash(ls)', 'Bash(grep *)']),
  )
  expect(list).toEqual(expect.arrayContaining(['Bash(find *)', '!Bash(find *-exec*)', '!Bash(find *-delete*)']))
  const aliases =
    /^Bash(?:$|\((?:\*|rm|sudo|sh|bash|env|xargs|eval|exec|curl|wget|git (?:reset|clean|rebase|restore))\b)/
  expect(
    list.filter((entry) => aliases.test(entry) && entry !== 'Bash(sh check.sh)' && entry !== 'Bash(sh check.sh *)'),
  ).toEqual([])
  expect(new Set(list).size).toBe(list.length)
})

test('in few words', () => {
  const list = [
    'Write',
    'Bash(git add *)',
    'Bash(git log:*)',
    'Bash(ls)',
    'Bash(ls *)',
    'WebFetch(x.org)',
    '!Bash(ls -R)',
  ]
  expect(describeTools(list)).toBe('Write, WebFetch(x.org); commands: git (add log), ls; 1 exception')
  expect(describeTools(['Bash(*)'])).toBe('commands: *')
  expect(describeTools([])).toBe('')
})

test('beginnings, for programs that know no more; what has an exception is left out', () => {
  const list = ['Bash(git add *)', 'Bash(npm:*)', 'Bash(find *)', '!Bash(find *-exec*)', 'Bash(a*b *)', 'Read']
  expect(commandPrefixes(list)).toEqual({ all: false, commands: ['git add', 'npm'] })
  expect(commandPrefixes(['Bash'])).toEqual({ all: true, commands: [] })
  expect(commandPrefixes(['Bash(*)', '!Bash(rm *)'])).toEqual({ all: false, commands: [] })
})

test.each([
  [['Write'], true],
  [['Edit'], true],
  [['Edit(src/**)'], false],
  [['Read', 'Bash'], false],
  [['!Write'], false],
])('%j may write: %s', (tools, may) => {
  expect(canWriteFiles(tools)).toBe(may)
})
