/** The small rules: roll-up, names, what may be said, what is shown, and what goes round. */
import { describe, expect, test } from 'vitest'
import {
  descriptionProblem,
  listProblem,
  numberProblem,
  retriesProblem,
  taskProblem,
  titleProblem,
} from './validate-task.ts'
import { describeCycle, findCycle, type WaitNode } from './cycle.ts'
import { featureNameProblem, idPrefixes, taskIdProblem } from './task-id.ts'
import { featureStatus, rollUpStatus } from './rollup.ts'
import { isReady, newTask, shownStatus } from './task.ts'

test.each([
  [{ all: 2, done: 2, failed: 0, going: 0 }, 'done'],
  [{ all: 3, done: 1, failed: 1, going: 1 }, 'failed'],
  [{ all: 3, done: 1, failed: 0, going: 1 }, 'in_progress'],
  [{ all: 3, done: 1, failed: 0, going: 0 }, 'pending'],
  [{ all: 0, done: 0, failed: 0, going: 0 }, 'pending'],
] as const)('%o is %s', (parts, status) => {
  expect(rollUpStatus(parts)).toBe(status)
})

test.each([
  [{ tasks: 0, done: 0, failed: 0, going: 0 }, 'planned'],
  [{ tasks: 2, done: 1, failed: 0, going: 0 }, 'ready'],
  [{ tasks: 2, done: 1, failed: 0, going: 1 }, 'running'],
  [{ tasks: 2, done: 2, failed: 0, going: 0 }, 'done'],
  [{ tasks: 2, done: 0, failed: 1, going: 0 }, 'failed'],
] as const)('a feature with %o is %s', (counts, status) => {
  expect(featureStatus({ stage: 'planned', ...counts })).toBe(status)
})

test('blocked is what a pending task is called that waits, or lies below one that does', () => {
  const shown = (status: 'pending' | 'done', waits: number, above: number): string =>
    shownStatus({ status, waits, above })
  expect([shown('pending', 0, 0), shown('pending', 1, 0), shown('pending', 0, 1), shown('done', 1, 0)]).toEqual([
    'pending',
    'blocked',
    'blocked',
    'done',
  ])
})

test.each([
  [{}, true],
  [{ status: 'failed' as const }, false],
  [{ children: 1 }, false],
  [{ waits: 1 }, false],
  [{ above: 1 }, false],
  [{ scheduled: true }, false],
  [{ archivedAt: 5 }, false],
])('with %o a pending leaf is ready: %s', (more, ready) => {
  const task = {
    status: 'pending' as const,
    children: 0,
    waits: 0,
    above: 0,
    scheduled: false,
    archivedAt: null,
  }
  expect(isReady({ ...task, ...more })).toBe(ready)
})

describe('names', () => {
  test.each([
    ['t-1a2b3c', null],
    ['login.v2_x', null],
    ['a'.repeat(65), 'an id has at most 64 characters; this one has 65'],
    ['-a', 'an id begins with a letter or a digit and has only letters, digits, ".", "_" and "-"'],
    ['a b', 'an id begins with a letter or a digit and has only letters, digits, ".", "_" and "-"'],
    ['', 'an id begins with a letter or a digit and has only letters, digits, ".", "_" and "-"'],
  ])('id %j', (id, problem) => {
    expect(taskIdProblem(id)).toBe(problem)
  })

  test.each([
    ['login', true],
    ['t-login', false],
    ['f-1', false],
    ['../x', false],
  ])('feature %j', (name, fine) => {
    expect(featureNameProblem(name) === null).toBe(fine)
  })

  test('may be typed without their mark', () => {
    expect([idPrefixes('t-a', 't-'), idPrefixes('a', 't-')]).toEqual([['t-a'], ['a', 't-a']])
  })
})

describe('what may be said of a task', () => {
  test.each([
    [titleProblem('Log in – with ümlauts 🙂'), null],
    [titleProblem('a\nb'), 'the title has a line break (U+000A) as its character 2, which is not allowed'],
    [titleProblem('a\u0085'), 'the title has a control character (U+0085) as its character 2, which is not allowed'],
    [titleProblem('a\ud83d'), 'the title has an unpaired surrogate (U+D83D) as its character 2, which is not allowed'],
    [descriptionProblem('a\n\tb'), null],
    [
      descriptionProblem('a\r'),
      'the description has a carriage return (U+000D) as its character 2, which is not allowed',
    ],
    [descriptionProblem('x'.repeat(65_537)), 'the description has 65537 characters; at most 65536 are allowed'],
    [numberProblem('priority', 1.5), 'priority must be a whole number between -1000000 and 1000000, not 1.5'],
    [retriesProblem(-1), 'max_retries must be a whole number between 0 and 1000000, not -1'],
    [retriesProblem(1_000_000), null],
    [listProblem('checks', ['']), 'checks has an empty entry'],
    [taskProblem(newTask('A', { feature: 't-x' })), `feature: a feature name cannot begin with "t-", because ids do`],
    [
      taskProblem(newTask('A', { id: 'a/b' })),
      'id: an id begins with a letter or a digit and has only letters, digits, ".", "_" and "-"',
    ],
    [taskProblem(newTask('A')), null],
  ])('%s', (problem, expected) => {
    expect(problem).toBe(expected)
  })
})

describe('a cycle', () => {
  /** `a<b` a is a child of b; `a!b` a waits for b. */
  function graph(...links: string[]): WaitNode[] {
    const nodes = new Map<string, WaitNode>()
    const at = (id: string): WaitNode => {
      const known = nodes.get(id) ?? { id, title: id.toUpperCase(), parent: null, children: [], blockers: [] }
      nodes.set(id, known)
      return known
    }
    for (const [from = '', how, to = ''] of links.map((link) => link.split(/(?=[!<])|(?<=[!<])/))) {
      if (how === '!') at(from).blockers.push(at(to))
      else {
        at(from).parent = at(to)
        at(to).children.push(at(from))
      }
    }
    return [...nodes.values()]
  }

  test.each<[string, string[], string | null]>([
    ['a chain and a diamond are none', ['a!b', 'a!c', 'b!d', 'c!d', 'x<a', 'y<a', 'y!x'], null],
    ['two', ['a!b', 'b!a'], 'a "A" → b "B" → a'],
    ['itself', ['a!a'], 'a "A" → a'],
    ['a parent that waits for what lies below it', ['b<a', 'c<b', 'a!c'], 'a "A" → c "C" → a'],
    ['a child that waits for what it lies below', ['b<a', 'c<b', 'c!a'], 'b "B" → c "C" → a "A" → b'],
    ['what an ancestor waits for', ['c<p', 'p!b', 'b!c'], 'c "C" → p "P" → b "B" → c'],
    ['parents of each other', ['a<b', 'b<a'], 'a "A" → b "B" → a'],
  ])('%s', (_, links, words) => {
    const cycle = findCycle(graph(...links))
    expect(cycle === null ? null : describeCycle(cycle)).toBe(words)
  })

  test('that is long is told by both its ends', () => {
    const long = Array.from({ length: 30 }, (_, i) => ({ id: `n${i}`, title: 'T' }))
    expect(describeCycle(long)).toMatch(/^n0 "T" → n1 .* → n4 "T" → … 20 more … → n25 "T" → .* → n29 "T" → n0$/)
  })

  test('a hundred thousand in a row are no depth to fall into', () => {
    const nodes = Array.from({ length: 100_000 }, (_, i): WaitNode => ({
      id: `${i}`,
      title: '',
      parent: null,
      children: [],
      blockers: [],
    }))
    nodes.forEach((one, i) => one.blockers.push(...nodes.slice(i + 1, i + 2)))
    expect(findCycle(nodes)).toBeNull()
    nodes.at(-1)?.blockers.push(...nodes.slice(0, 1))
    expect(findCycle(nodes)?.length).toBe(100_000)
  })
})
