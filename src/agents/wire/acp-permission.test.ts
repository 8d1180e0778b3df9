import { describe, expect, test } from 'vitest'
import { askedFor, mayUse, outcomeOf } from './acp-permission.ts'

const run = (command: string) => ({ name: 'Bash', kind: 'execute', command })
const write = { name: 'Write', kind: 'edit', command: undefined }
const look = { name: 'Read', kind: 'read', command: undefined }
const odd = { name: 'deploy', kind: 'other', command: undefined }

describe('what an agent may do when it asks', () => {
  test('everything, when nothing was said', () => {
    expect([run('rm -rf x'), write, look, odd].map((asked) => mayUse(asked, {}))).toEqual([
      true,
      true,
      true,
      true,
    ])
  })

  test('only look, when read-only, whatever the tool list says', () => {
    const permission = { readOnly: true, tools: ['Write', 'Bash'] }
    expect([run('ls'), write, look, odd].map((asked) => mayUse(asked, permission))).toEqual([
      false,
      false,
      true,
      false,
    ])
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
    expect(mayUse(asked, { tools })).toBe(allowed)
  })
})

test('a question names its tool by the agent’s own word, else by kind or title', () => {
  const meta = { claudeCode: { toolName: 'Bash' } }
  expect(askedFor({ kind: 'execute', rawInput: { command: 'ls' }, _meta: meta })).toEqual(run('ls'))
  expect(askedFor({ kind: 'execute', title: 'ls -l' })).toEqual({
    name: 'execute',
    kind: 'execute',
    command: 'ls -l',
  })
  expect(askedFor({ title: 'deploy' })).toEqual(odd)
})

test('the answer is an option that was offered, the mildest first', () => {
  const options = [
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
    { optionId: 'once', name: 'Once', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ]
  expect(outcomeOf({ options }, true)).toEqual({ outcome: 'selected', optionId: 'once' })
  expect(outcomeOf({ options }, false)).toEqual({ outcome: 'selected', optionId: 'no' })
  expect(outcomeOf({ options: options.slice(0, 1) }, true)).toEqual({
    outcome: 'selected',
    optionId: 'always',
  })
  expect(outcomeOf({ options: options.slice(0, 2) }, false)).toEqual({ outcome: 'cancelled' })
  expect(outcomeOf({}, true)).toEqual({ outcome: 'cancelled' })
})
