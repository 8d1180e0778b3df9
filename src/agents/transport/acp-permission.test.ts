import { describe, expect, test } from 'vitest'
import { toolRequestOf, decidePermission, permissionOutcome } from './acp-permission.ts'

const run = (command: string) => ({ name: 'Bash', kind: 'execute', command, paths: [] })
const write = { name: 'Write', kind: 'edit', command: undefined, paths: [] }
const look = { name: 'Read', kind: 'read', command: undefined, paths: [] }
const odd = { name: 'deploy', kind: 'other', command: undefined, paths: [] }

describe('what an agent may do when it asks', () => {
  test('everything, when nothing was said', () => {
    expect([run('rm -rf x'), write, look, odd].map((asked) => decidePermission(asked, {}))).toEqual([
      'yes',
      'yes',
      'yes',
      'yes',
    ])
  })

  test('only look, when read-only, whatever the tool list says', () => {
    const permission = { readOnly: true, tools: ['Write', 'Bash'] }
    expect([run('ls'), write, look, odd].map((asked) => decidePermission(asked, permission))).toEqual([
      'no',
      'no',
      'yes',
      'no',
    ])
  })

  test('a command is no look and no thought, whatever the agent calls it', () => {
    const asRead = { ...run('rm -rf x'), kind: 'read' }
    const asThought = { ...run('rm -rf x'), kind: 'think' }
    expect(decidePermission(asRead, { readOnly: true })).toBe('no')
    expect(decidePermission(asThought, { readOnly: true })).toBe('no')
    expect(decidePermission(asThought, { tools: ['Read'] })).toBe('no')
    expect(decidePermission({ ...look, command: 'view' }, { readOnly: true })).toBe('yes')
  })

  test.each([
    [['Write'], write, true],
    [['Edit'], write, true],
    [['edit'], { ...write, name: 'replace' }, true],
    [['Read'], write, false],
    [['deploy'], odd, true],
    [['Bash'], run('rm -rf x'), true],
    [['Bash(git add *)'], run('git add -A'), true],
    [['Bash(git add *)'], run('git push'), false],
    [['Bash(npm test:*)'], run('npm test'), true],
    [['Bash(npm test:*)'], run('npm test -- --run'), true],
    [['Bash(npm test:*)'], run('npm testing'), false],
    [['Bash(a.c)'], run('abc'), false],
    // A command joined to an allowed one is not the allowed one.
    [['Bash(git add *)'], run('git add x && rm -rf /'), false],
    [['Bash(git add *)'], run('git add $(rm -rf /)'), false],
    [['Bash(git add *)'], run('git add x\nrm -rf /'), false],
    [[], run('ls'), false],
  ])('%j allows %j: %s', (tools, asked, allowed) => {
    expect(decidePermission(asked, { tools })).toBe(allowed ? 'yes' : 'no')
  })
})

describe('what a person is asked about', () => {
  const tools = ['Write', 'Bash(git add *)', '!Bash(git push *)', '!deploy']

  test.each([
    [write, 'yes'],
    [run('git add -A'), 'yes'],
    [run('git push'), 'ask'],
    [run('git push origin'), 'no'],
    // One part that is taken away is a no to the whole line; one that nobody named is a question.
    [run('npm test && git push origin'), 'no'],
    [run('git add x && npm test'), 'ask'],
    // What cannot be taken apart is shown as it is.
    [run('git add $(npm test)'), 'ask'],
    [run('echo hi > a.txt'), 'ask'],
    [odd, 'no'],
    [{ ...odd, name: 'publish' }, 'ask'],
    [{ ...odd, kind: 'think' }, 'yes'],
  ] as const)('%j: %s', (asked, ruling) => {
    expect(decidePermission({ ...asked, paths: [] }, { tools, permission: 'ask' })).toBe(ruling)
  })

  test('nothing by whoever may only look', () => {
    const asking = { tools, permission: 'ask', readOnly: true }
    expect([run('npm test'), write, look].map((asked) => decidePermission(asked, asking))).toEqual(['no', 'no', 'yes'])
  })
})

test('a question names its tool by the agent’s own word, else by kind or title', () => {
  const meta = { claudeCode: { toolName: 'Bash' } }
  expect(toolRequestOf({ kind: 'execute', rawInput: { command: 'ls' }, _meta: meta })).toEqual(run('ls'))
  expect(toolRequestOf({ kind: 'execute', title: 'ls -l' })).toEqual({
    name: 'execute',
    kind: 'execute',
    command: 'ls -l',
    paths: [],
  })
  expect(toolRequestOf({ title: 'deploy' })).toEqual(odd)
})

test('a question is about what would be run, whatever its title says, and about what else the tool is given', () => {
  const listed = { kind: 'execute', title: 'ls' }
  expect(toolRequestOf({ ...listed, rawInput: { command: ['rm', '-rf', 'a b'] } }).command).toBe("rm -rf 'a b'")
  expect(toolRequestOf({ ...listed, rawInput: { command: ['/bin/bash', '-lc', 'rm x; ls'] } }).command).toBe('rm x; ls')
  expect(toolRequestOf({ ...listed, rawInput: { command: 'git', args: ['push', 'a b'] } }).command).toBe(
    "git push 'a b'",
  )
  expect(toolRequestOf({ ...listed, rawInput: { cmd: 'rm x' } }).command).toBe('rm x')
  expect(toolRequestOf({ ...listed, rawInput: { command: 'rm x', cwd: '/' } })).toMatchObject({
    command: 'rm x',
    cwd: '/',
  })
  expect(toolRequestOf({ kind: 'fetch', title: 'Fetch it', rawInput: { url: 'http://x' } }).about).toEqual([
    'Fetch it',
    '{"url":"http://x"}',
  ])
})

test('the answer is an option that was offered, the mildest first', () => {
  const options = [
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
    { optionId: 'once', name: 'Once', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ]
  expect(permissionOutcome({ options }, true)).toEqual({ outcome: 'selected', optionId: 'once' })
  expect(permissionOutcome({ options }, false)).toEqual({ outcome: 'selected', optionId: 'no' })
  expect(permissionOutcome({ options: options.slice(0, 1) }, true)).toEqual({
    outcome: 'selected',
    optionId: 'always',
  })
  expect(permissionOutcome({ options: options.slice(0, 2) }, false)).toEqual({ outcome: 'cancelled' })
  expect(permissionOutcome({}, true)).toEqual({ outcome: 'cancelled' })
})
