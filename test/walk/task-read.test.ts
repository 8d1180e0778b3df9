/** What `ralph task` shows: tree, lists, one task from near. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestProject } from '../test-project.ts'
import { jsonOf, projectWithTasks, runCommand, taskStatuses, task } from './task-commands.ts'

const SHOP = [
  { id: 'docs', blockers: ['shop'], priority: -1 },
  { id: 'shop', title: 'Build the shop' },
  { id: 'cart', parent: 'shop', feature: 'checkout', checks: ['npm test -- cart'] },
  {
    id: 'pay',
    parent: 'shop',
    feature: 'checkout',
    blockers: ['cart'],
    description: 'With cards.\nAnd vouchers.',
  },
  { id: 'card', parent: 'pay', feature: 'checkout' },
  { id: 'later', not_before: '2999-01-01T08:00:00Z' },
]

test('a project without tasks says how to begin, and no store is made for the question', async () => {
  const made = await projectWithTasks([])
  const tree = await task(made)
  expect([tree.code, tree.out]).toEqual([0, 'There are no tasks yet. Add one: ralph task add "what to do"\n'])
  expect([await jsonOf(made, 'list'), await jsonOf(made), made.has('.git/ralph')]).toEqual([[], [], false])
  const { code, err } = await task(made, 'show', 'x')
  expect([code, err]).toEqual([1, expect.stringContaining('ralph task add "what to do"')])
})

test('alone: the tree with its branches, what is ready, what waits for what', async () => {
  const made = await projectWithTasks(SHOP)
  const { out } = await task(made)
  const zone = /not before .*/
  expect(out.replace(zone, 'not before THEN')).toBe(`4 tasks · 1 ready · 2 blocked · 1 scheduled

docs  [blocked]  Do docs
   waits for shop [pending] Build the shop
shop  [pending 0/2]  Build the shop
├─ cart  [pending]  Do cart
└─ pay  [blocked 0/1]  Do pay
   │  waits for cart [pending] Do cart
   └─ card  [blocked]  Do card
later  [pending]  Do later
   not before THEN

Ready, in this order:
  cart  Do cart
Run them: ralph run
`)
})

test('a part of the tree: of a task, of a feature; a parent above may be what keeps it', async () => {
  const made = await projectWithTasks(SHOP)
  const card = await task(made, 'tree', 'card')
  expect(card.out).toContain('card  [blocked]  Do card\n   waits for cart [pending] Do cart, inherited from pay\n')
  const feature = await jsonOf<{ id: string; depth: number; waits_for: unknown[] }[]>(made, 'tree', 'checkout')
  expect(feature.map(({ id, depth }) => [id, depth])).toEqual([
    ['cart', 0],
    ['pay', 0],
    ['card', 1],
  ])
  expect(feature[2]?.waits_for).toEqual([{ id: 'cart', title: 'Do cart', status: 'pending', through: 'pay' }])
  expect((await task(made, 'tree', 'checkout')).out).toContain('Run them: ralph run checkout\n')
  const few = await task(made, 'tree', 'shop', '--limit', '2')
  expect(few.out).toContain('\n├─ cart  [pending]  Do cart\n… there are more: ralph task list, or ralph task tree TASK')
  expect((await task(made, 'tree', 'chekout')).err).toContain('Did you mean checkout?')
})

test('a list for programs has the keys of the Rust tool in their order, and ours after them', async () => {
  const made = await projectWithTasks(SHOP)
  const [first] = await jsonOf<Record<string, unknown>[]>(made, 'list', '--feature', 'checkout')
  expect(Object.keys(first ?? {}).slice(0, 14)).toEqual([
    'id',
    'title',
    'description',
    'status',
    'parent_id',
    'feature_id',
    'task_type',
    'priority',
    'retry_count',
    'max_retries',
    'verification_status',
    'created_at',
    'updated_at',
    'claimed_by',
  ])
  expect(first).toMatchObject({
    id: 'cart',
    parent_id: 'shop',
    task_type: 'feature',
    feature: 'checkout',
    ready: true,
    checks: ['npm test -- cart'],
    claimed_by: null,
  })
})

describe('filters of the list', () => {
  let made: TestProject
  beforeAll(async () => {
    made = await projectWithTasks(SHOP, { until: 'removed' })
  })
  afterAll(() => made.remove())

  test.each([
    [[], ['docs', 'shop', 'cart', 'pay', 'card', 'later']],
    [['--all'], ['docs', 'shop', 'cart', 'pay', 'card', 'later']],
    [['--ready'], ['cart']],
    [['--ready', '--feature', 'checkout', '--limit', '20'], ['cart']],
    [['--ready', '--under', 'pay'], []],
    [
      ['--status', 'blocked'],
      ['docs', 'pay', 'card'],
    ],
    [
      ['--status', 'blocked', '--status', 'done', '--feature', 'checkout'],
      ['pay', 'card'],
    ],
    [
      ['--parent', 'shop'],
      ['cart', 'pay'],
    ],
    [
      ['--under', 'shop', '--sort', 'title'],
      ['shop', 'card', 'cart', 'pay'],
    ],
    [
      ['--standalone', '--limit', '2'],
      ['docs', 'shop'],
    ],
    [['--search', 'VOUCHERS'], ['pay']],
    [['--sort', 'order', '--limit', '1'], ['docs']],
    [['--archived'], []],
  ])('%j', async (flags, ids) => {
    const listed = await jsonOf<{ id: string }[]>(made, 'list', ...flags)
    expect(listed.map(({ id }) => id)).toEqual(ids)
  })

  test('plain lines are those of the Rust tool', async () => {
    expect((await task(made, 'list', '--feature', 'checkout')).out).toBe(
      '  cart  [pending]  Do cart\n  pay  [blocked]  Do pay\n  card  [blocked]  Do card\n',
    )
    expect((await task(made, 'list', '--status', 'done')).out).toBe('No matching tasks.\n')
  })

  test.each([
    [['--status', 'faild'], 2, 'Did you mean failed?'],
    [['--feature', 'chekout'], 1, 'Did you mean checkout?'],
    [['--parent', 'nobody'], 1, 'there is no task nobody'],
    [['--limit', '0'], 2, '1 or more'],
    [['--sort', 'size'], 2, 'priority, order'],
    [['--feature', 'checkout', '--under', 'shop'], 2, 'Leave out one of the two'],
  ])('what nobody knows is refused: %j', async (flags, code, words) => {
    const heard = await task(made, 'list', ...flags)
    expect([heard.code, heard.err]).toEqual([code, expect.stringContaining(words)])
  })
})

test('one task from near, on a screen and for a program', async () => {
  const made = await projectWithTasks(SHOP)
  const { out } = await task(made, 'show', 'pay')
  expect(out).toContain(
    'pay  [blocked]  Do pay\n  waits for    cart [pending] Do cart\n  parent       shop  Build the shop\n',
  )
  expect(out).toMatch(/feature {6}checkout \(f-[0-9a-z]{5}\)/)
  expect(out).toContain('children     0 of 1 done; see: ralph task tree pay')
  expect(out).toContain('\nDescription\n  With cards.\n  And vouchers.\n\nBlocked by\n  cart  [pending]  Do cart\n')
  expect(await jsonOf(made, 'show', 'cart')).toMatchObject({
    id: 'cart',
    parent: { id: 'shop', title: 'Build the shop' },
    blocked_by: [],
    blocks: [{ id: 'pay', title: 'Do pay', status: 'blocked' }],
    waits_for: [],
    log: [],
  })
})

test('any beginning of an id that only one has is enough; of several all are named', async () => {
  const made = await projectWithTasks([{ id: 't-7abcd' }, { id: 't-7abxy' }, { id: 't-7ab' }, { id: 't-q1111' }])
  const of = async (typed: string): Promise<string> => (await jsonOf<{ id: string }>(made, 'show', typed)).id
  expect([await of('t-q'), await of('q1'), await of('7abx'), await of('7ab'), await of('t-7ab')]).toEqual([
    't-q1111',
    't-q1111',
    't-7abxy',
    't-7ab',
    't-7ab',
  ])
  const { code, err } = await task(made, 'show', '7')
  expect(code).toBe(2)
  expect(err).toContain('"7" matches several tasks')
  expect(err).toContain('t-7abxy  Do t-7abxy')
  expect(JSON.parse((await task(made, 'show', '7', '--json')).out)).toMatchObject({
    error: 'usage',
    tasks: ['t-7ab', 't-7abcd', 't-7abxy'],
  })
})

test('selects the tasks of a run: a feature name before the prefix of an id, and never a guess', async () => {
  const made = await projectWithTasks([{ id: 't-cart1', feature: 'cart' }, { id: 'other' }])
  const unknown = await runCommand(made, 'run', 'crat')
  expect([unknown.code, unknown.err]).toEqual([
    1,
    expect.stringMatching(/there is no feature or task crat\n.*Did you mean cart\?/),
  ])
  const tree = await jsonOf<{ id: string }[]>(made, 'tree', 'cart')
  expect(tree.map(({ id }) => id)).toEqual(['t-cart1'])
})

test('what stands between tasks, and what was said about one', async () => {
  const made = await projectWithTasks(SHOP)
  expect((await task(made, 'deps', 'list', 'cart')).out).toBe('Blocked by nothing\nBlocks\n  pay  [blocked]  Do pay\n')
  expect(await jsonOf(made, 'deps', 'list', 'pay')).toEqual({
    id: 'pay',
    title: 'Do pay',
    blocked_by: [{ id: 'cart', title: 'Do cart', status: 'pending' }],
    blocks: [],
  })
  expect((await task(made, 'log', 'cart')).out).toBe('No log entries yet.\n')
  expect((await task(made, 'log', 'cart', '-m', 'see src/cart.ts')).out).toBe('Saved the note on task cart.\n')
  expect((await task(made, 'log', 'cart')).out).toMatch(/^ {2}\[\d{4}-.*\] {2}see src\/cart\.ts\n$/)
  expect(await jsonOf(made, 'log', 'cart')).toEqual([
    { at: expect.any(String) as string, author: 'human', kind: 'note', text: 'see src/cart.ts' },
  ])
  expect(await taskStatuses(made)).toContain('cart pending')
})

test('completion offers the ids of tasks', async () => {
  const made = await projectWithTasks(SHOP)
  const { out } = await runCommand(made, 'complete', '+ralph', '+task', '+show', '+ca')
  expect(out).toBe('cart\tDo cart\ncard\tDo card\n')
})
