/** Notes, as people list, search, read and leave them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NoteFacts } from '../../src/app/journal/journal.ts'
import type { TestProject } from '../test-project.ts'
import { projectWithTasks, runCommand } from './task-commands.ts'

const AT = /\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?/g

test('where nothing is kept yet there are no notes, and no store is made for the question', async () => {
  const made = await projectWithTasks([])
  const list = await runCommand(made, 'journal')
  expect([list.code, list.out]).toEqual([0, 'There are no notes yet. Add one: ralph journal add "what to remember"\n'])
  expect((await runCommand(made, 'journal', 'search', 'word', '--json')).out).toBe('[]\n')
  const show = await runCommand(made, 'journal', 'show', '1')
  expect([show.code, show.err]).toEqual([1, expect.stringContaining('there is no note 1')])
  expect(made.has('.git/ralph')).toBe(false)
})

describe('with notes', () => {
  let made: TestProject
  beforeAll(async () => {
    made = await projectWithTasks([{ id: 't-a' }, { id: 't-b' }], { until: 'removed' })
    for (const words of [
      ['add', 'The parser', 'fails on empty files.', '--task', 'a'],
      ['add', '登录页面在空文件上失败'],
      ['add', 'one\ntwo\nthree\nfour\nfive', '--task', 't-b'],
    ])
      expect((await runCommand(made, 'journal', ...words)).err).toBe('')
  })

  afterAll(() => made.remove())

  async function found(...words: string[]): Promise<number[]> {
    const { out } = await runCommand(made, 'journal', ...words, '--json')
    return (JSON.parse(out) as NoteFacts[]).map(({ id }) => id)
  }

  test('list has the newest first, of a long one its beginning', async () => {
    const { out } = await runCommand(made, 'journal', 'list')
    expect(out.replaceAll(AT, 'THEN')).toBe(`#3  THEN · human · task t-b
  one
  two
  three
  … more: ralph journal show 3

#2  THEN · human
  登录页面在空文件上失败

#1  THEN · human · task t-a
  The parser fails on empty files.
`)
    expect(await found('list', '--limit', '1')).toEqual([3])
    expect(await found('list', '--task', 'a')).toEqual([1])
  })

  test('show has all of one, for programs too', async () => {
    expect((await runCommand(made, 'journal', 'show', '3')).out).toMatch(/ {2}four\n {2}five\n$/)
    const one = JSON.parse((await runCommand(made, 'journal', 'show', '#1', '--json')).out) as NoteFacts
    expect(one).toEqual({
      id: 1,
      at: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      author: 'human',
      run: null,
      iteration: null,
      task: 't-a',
      lost: null,
      text: 'The parser fails on empty files.',
    })
  })

  test.each([
    [['search', 'file'], [1]],
    [['search', '空文件'], [2]],
    [
      ['search', 'parser', '登录'],
      [1, 2],
    ],
    [['search', '"NEAR(parser', 'OR', 'text:*'], [1]],
    [['search', 'two', '--task', 'a'], []],
    [['search', 'absent'], []],
  ])('%j finds %j', async (words, ids) => {
    expect((await found(...words)).toSorted((a, b) => a - b)).toEqual(ids)
  })

  test.each([
    [['search', '!!!'], 2, 'the search text has no words'],
    [['search', ''], 2, 'the search text has no words'],
    [['search'], 2, 'needs WORDS'],
    [['show', 'one'], 2, 'found by number'],
    [['show', '99'], 1, 'there is no note 99'],
    [['show', '99999999999999999999'], 2, 'found by number'],
    [['list', '--run', 'zzzz'], 1, 'there is no run "zzzz"'],
    [['list', '--task', 'zzzz'], 1, 'there is no task zzzz'],
    [['add', ' \u200b'], 2, 'the note is empty'],
    [['add', 'bell \u0007'], 2, 'the note'],
    [['add', 'x', '--task', 'zzzz'], 1, 'there is no task zzzz'],
  ])('%j ends with %i', async (words, code, told) => {
    const heard = await runCommand(made, 'journal', ...words)
    expect([heard.code, heard.out]).toEqual([code, ''])
    expect(heard.err).toContain(told)
    expect(await found('list')).toEqual([3, 2, 1])
  })

  test('what is too long is refused, on the line and in a pipe, which may be short', async () => {
    const long = await runCommand(made, 'journal', 'add', 'x'.repeat(65_537))
    expect([long.code, long.err]).toEqual([
      2,
      expect.stringContaining('the note has 65537 characters; at most 65536 are allowed'),
    ])
    const flood = await made.ralph(['journal', 'add', '-'], { stdin: 'y'.repeat(10_000_000) })
    expect([flood.code, flood.stderr]).toEqual([2, expect.stringContaining('is longer than 262144 bytes')])
    const piped = await made.ralph(['journal', 'add', '-', '--json'], { stdin: 'from\r\nthe pipe\n' })
    expect((JSON.parse(piped.stdout) as NoteFacts).text).toBe('from\nthe pipe')
  })

  test('an agent of a run leaves notes by its own words, not by this command', async () => {
    const inside = await runCommand({ ...made, env: { ...made.env, RALPH_INSIDE: 'k7' } }, 'journal', 'add', 'x')
    expect([inside.code, inside.err]).toEqual([1, expect.stringContaining('inside run k7')])
  })
})
