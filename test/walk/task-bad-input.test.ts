/** Bad input to commands about tasks: told with what and where, and nothing is written. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/db/open-store.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { storeFolder } from '../../src/workspace/repo/find-repo.ts'
import { jsonOf, projectWithTasks, jsonLinesOf, taskStatuses, task } from './task-commands.ts'

describe('a title', () => {
  test.each([
    ['of a megabyte', 'x'.repeat(1_000_000), 'the title has 1000000 characters; at most 500 are allowed'],
    ['with an escape sequence', 'a\u001b[31mb', 'an escape character (U+001B) as its character 2'],
    ['with a line break', 'a\nb', 'a line break (U+000A) as its character 2'],
    ['of nothing', '  ', 'the title is empty'],
  ])('%s is refused', async (_name, title, words) => {
    const made = await projectWithTasks([])
    await made.write('plan.jsonl', jsonLinesOf([{ id: 'a' }, { title }]))
    const typed = await task(made, 'add', title)
    const read = await task(made, 'add', '--from-json', 'plan.jsonl')
    expect([typed.code, typed.err, read.code, read.err]).toEqual([
      2,
      expect.stringContaining(words),
      2,
      expect.stringMatching(/^ralph: line 2: .*\n.*Nothing was added/),
    ])
    expect([typed.err.length < 400, await taskStatuses(made)]).toEqual([true, []])
  })
})

describe('lines of many tasks', () => {
  test('of 10,000 the 9,999th is bad: its number, and nothing is written', async () => {
    const made = await projectWithTasks([{ id: 'before' }])
    const lines = Array.from({ length: 10_000 }, (_, i) => `{"id":"n${i + 1}","title":"number ${i + 1}"}`)
    lines[9_998] = '{"id":"n9999","title":"number 9999","blocked_by":["n1"]}'
    await made.write('many.jsonl', lines.join('\n'))
    const told = await task(made, 'add', '--from-json', 'many.jsonl', '--json')
    expect([told.code, JSON.parse(told.out)]).toEqual([
      2,
      expect.objectContaining({
        error: 'usage',
        line: 9_999,
        message: 'line 9999: unknown key "blocked_by"',
      }),
    ])
    expect(await taskStatuses(made)).toEqual(['before pending'])
  })

  test.each([
    ['no JSON', 'what to do\n', 'line 1: not a JSON object: what to do'],
    ['no title', '\n{"id":"a"}\n', 'line 2: title is missing'],
    ['a wrong kind', '{"title":"a","priority":"high"}\n', 'line 1: priority must be a whole number, not "high"'],
    ['a parent that is nowhere', jsonLinesOf([{ id: 'a', parent: 'p' }]), 'there is no task p (given as its parent)'],
    [
      'the same id twice',
      jsonLinesOf([{ id: 'a' }, { id: 'a' }]),
      'line 2: there are two tasks with the id a; the first is on line 1',
    ],
    ['an id that is there', jsonLinesOf([{ id: 'before' }]), 'line 1: task before already exists'],
    [
      'a cycle',
      jsonLinesOf([
        { id: 'a', blockers: ['b'] },
        { id: 'b', blockers: ['a'] },
      ]),
      'a "Do a" → b "Do b" → a',
    ],
    [
      'a parent that waits for its child',
      jsonLinesOf([
        { id: 'a', blockers: ['b'] },
        { id: 'b', parent: 'a' },
      ]),
      'b "Do b"',
    ],
    [
      'a feature that is nowhere',
      jsonLinesOf([{ id: 'a' }, { id: 'b', feature: 'f-none' }]),
      'line 2: there is no feature f-none',
    ],
    ['an id that is a path', jsonLinesOf([{ id: '../a' }]), 'line 1: id: an id begins with a letter or a digit'],
    ['nothing', '\n\n', 'there is no task in'],
  ])('%s', async (_name, text, words) => {
    const made = await projectWithTasks([{ id: 'before' }])
    await made.write('many.jsonl', text)
    const { code, err } = await task(made, 'add', '--from-json', 'many.jsonl')
    expect([code, err]).toEqual([2, expect.stringContaining(words)])
    expect(await taskStatuses(made)).toEqual(['before pending'])
  })

  test('another encoding, and what only the store can see: the line is data too', async () => {
    const made = await projectWithTasks([{ id: 'before' }])
    await writeFile(join(made.path, 'latin.jsonl'), Buffer.from('{"title":"a"}\n{"title":"\u00fc"}\n', 'latin1'))
    expect(await jsonOf(made, 'add', '--from-json', 'latin.jsonl')).toMatchObject({
      message: expect.stringMatching(/latin\.jsonl, line 2: this is not valid UTF-8$/) as unknown,
      line: 2,
      exit: 2,
    })
    await made.write('twin.jsonl', jsonLinesOf([{ id: 'a' }, { id: 'before' }]))
    expect(await jsonOf(made, 'add', '--from-json', 'twin.jsonl')).toMatchObject({ line: 2, exit: 2 })
    expect(await taskStatuses(made)).toEqual(['before pending'])
  })

  test('a file that is not there, and flags beside it', async () => {
    const made = await projectWithTasks([])
    expect(await task(made, 'add', '--from-json', 'none.jsonl')).toMatchObject({
      code: 1,
      err: expect.stringContaining('none.jsonl') as string,
    })
    expect(await task(made, 'add', '--from-json', '-', '--priority', '1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Leave out --priority') as string,
    })
  })
})

test.each([
  [['add'], 'ralph task add "what to do"'],
  [['add', 'x', '--parent', 'nobody'], 'there is no task nobody'],
  [['add', 'x', '--blocked-by', 't-'], 'matches several tasks'],
  [['add', 'x', '--priority', 'high'], '--priority must be a whole number'],
  [['add', 'x', '--not-before', '2027-03-01'], '--not-before takes'],
  [['add', 'x', '--feature', 'a/b'], 'a feature name begins with'],
  [['list', '--feature', 'none'], 'There are no features yet. Create one'],
  [['add', 'x', '--id', 't-11111'], 'task t-11111 already exists'],
  [['create'], 'ralph task add "what to do"'],
  [['show'], 'needs TASK'],
  [['log', 't-11111', '-m', 'a\u0007b'], 'the note has a control character (U+0007)'],
  [['destroy', 't-11111'], 'there is no command "ralph task destroy"'],
  [['deps', 'add', 't-11111'], 'needs BLOCKER BLOCKED'],
  [['deps'], 'needs'],
])('refused with what to do: %j', async (line, words) => {
  const made = await projectWithTasks([{ id: 't-11111' }, { id: 't-22222' }])
  const { code, err } = await task(made, ...line)
  expect([[1, 2].includes(code), err]).toEqual([true, expect.stringContaining(words)])
  expect(await taskStatuses(made)).toHaveLength(2)
})

test('a store that somebody writes to for long is waited for, with a word', async () => {
  const made = await projectWithTasks([{ id: 'a' }])
  const repo = await openRepo(made.path)
  const store = await openStore(join(storeFolder(repo, made.path), 'ralph.db'), {
    create: false,
    notice: () => {},
  })
  const walk = await store.sql.transaction(async (tx) => {
    await tx.run('update tasks set priority = 1')
    const waiting = made.start(['task', 'done', 'a'])
    await waiting.waitFor('Another Ralph process is writing to the store; waiting for it.')
    return waiting
  })
  await store.close()
  expect((await walk.ended).stdout).toContain('Task a "Do a" is done.')
  expect(await jsonOf(made, 'show', 'a')).toMatchObject({ status: 'done', priority: 1 })
})
