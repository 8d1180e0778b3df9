/** A look before an iteration, one row a rule. */
import { describe, expect, test } from 'vitest'
import { resumable } from '../calls/conversation.ts'
import {
  answer,
  askedTypes,
  begun,
  EVENING,
  openOf,
  played,
  ruled,
  send,
  someRules,
  until,
  workerAt,
  working,
  type Moment,
  type Turn,
} from '../../../test/kit/core.ts'
import { orphansIn, orphansText, shownCommand, withOrphans } from './orphan.ts'
import { seenNow } from './seen.ts'

const SNAPSHOT = { tree: 'tree0', head: 'head0', branch: 'main', ref: null, unstored: [], busy: null }
const BUSY: Turn = { look: { snapshot: { ...SNAPSHOT, busy: 'a rebase is in progress' } } }

function words({ rows }: Moment, what: string): string[] {
  return rows.flatMap(({ decisions }) => decisions).flatMap((one) => (one.what === what ? [one.why] : []))
}

describe('git is busy', () => {
  test('with somebody else’s work: six looks, five seconds apart, then a person', () => {
    let moment = answer(begun(), BUSY)
    expect(openOf(moment)).toMatchObject({ type: 'wait', forMs: 5_000, why: 'a rebase is in progress' })
    expect(workerAt(moment).busy).toBe(1)
    for (let n = 2; n <= 5; n++) {
      moment = answer(answer(moment), BUSY)
      expect([workerAt(moment).phase.is, workerAt(moment).busy]).toEqual(['waiting', n])
    }
    moment = answer(answer(moment), BUSY)
    expect([workerAt(moment).phase, workerAt(moment).busy]).toEqual([
      { is: 'paused', why: 'a rebase is in progress' },
      0,
    ])
    expect(words(moment, 'warn')).toEqual(['waiting for git: a rebase is in progress'])
  })

  test('and then free: it goes on, and counts anew', () => {
    const moment = answer(answer(answer(begun(), BUSY)), {})
    expect([workerAt(moment).busy, workerAt(moment).phase.is]).toEqual([0, 'basing'])
  })

  test('with what the agent left open itself: it is for the agent to finish', () => {
    const open = { ...SNAPSHOT, busy: 'a merge is in progress', open: 'merge' as const }
    const left = played(working({ rules: ruled({ loop: { pauseMs: 1_000 } }) }), {
      files: 1,
      look: { snapshot: open },
    })
    expect(openOf(answer(answer(left), { look: { snapshot: open } })).type).toBe('run-agent')
    const other = { ...SNAPSHOT, busy: 'a rebase is in progress', open: 'rebase' as const }
    expect(openOf(answer(answer(left), { look: { snapshot: other } })).type).toBe('wait')
  })

  test('while the run is to pause: nobody waits for it', () => {
    const pausing = send(begun(), { type: 'request-received', request: { id: 1, from: 'ann', do: 'pause' } })
    expect(workerAt(answer(pausing, BUSY)).phase.is).toBe('paused')
  })
})

describe('what a look tells', () => {
  test('a lock that was removed, settings that were edited, where HEAD went astray', () => {
    const start = working()
    const first = played(start, { files: 1, look: { unlocked: true, edited: ['.ralph.toml'] } })
    expect(words(first, 'note')).toEqual([
      'a lock that a dead git had left on the index was removed',
      expect.stringContaining('.ralph.toml'),
    ])
    expect(workerAt(first).seen?.edited).toEqual(['.ralph.toml'])
    const second = played(first, { files: 1, look: { edited: ['.ralphrc', '.ralph.toml'] } })
    expect(workerAt(second).seen?.edited).toEqual(['.ralph.toml', '.ralphrc'])
    const side = { ...SNAPSHOT, branch: 'side' }
    const astray = played(played(start, { files: 1, look: { snapshot: side } }), {
      files: 1,
      look: { snapshot: side },
    })
    expect(words(astray, 'astray')).toHaveLength(1)
  })

  test('one file of somebody else, or none', () => {
    const waiting = played(working({ rules: ruled({ loop: { pauseMs: 1_000 } }) }), { files: 1 })
    const look = (tree: string, files: number): string[] =>
      words(
        answer(answer(waiting), {
          look: {
            snapshot: { ...SNAPSHOT, tree },
            change: { paths: [], files, added: 0, removed: 0, commits: [] },
          },
        }),
        'note',
      )
    expect(look('other', 1)).toEqual([
      "1 file changed between two iterations: somebody else's work, not counted as the agent's",
    ])
    expect([look('tree1', 1), look('other', 0)]).toEqual([[], []])
  })

  test('a plan that a person edited moves the base, too', () => {
    const waiting = played(working({ rules: ruled({ loop: { pauseMs: 1_000 } }) }), { files: 1 })
    const moment = answer(answer(waiting), { look: { snapshot: { ...SNAPSHOT, tree: 'tree1' }, plan: 'p2' } })
    expect(askedTypes(moment)).toEqual(['take-base'])
    expect(openOf(until(moment, ({ is }) => is === 'working')).type).toBe('run-agent')
  })
})

test('what was seen: files in no commit are counted from the first look', () => {
  const event = (change: object, plan?: string): Parameters<typeof seenNow>[1] => ({
    type: 'surveyed',
    worker: '1',
    effect: 'e1',
    snapshot: { ...SNAPSHOT, ...change },
    change: null,
    boxes: null,
    nextBox: null,
    ...(plan === undefined ? {} : { plan }),
  })
  const first = seenNow(null, event({ uncommitted: 2, uncommittedPaths: ['a', 'b'] }, 'p'))
  expect(first).toEqual({
    tree: 'tree0',
    head: 'head0',
    fresh: true,
    plan: 'p',
    uncommitted: 2,
    uncommittedBefore: 2,
    uncommittedPaths: ['a', 'b'],
  })
  const second = seenNow({ ...first, edited: ['x'], fresh: false }, event({ uncommitted: 5, tree: 't' }))
  expect(second).toEqual({
    tree: 't',
    head: 'head0',
    fresh: true,
    plan: null,
    uncommitted: 5,
    uncommittedBefore: 2,
    edited: ['x'],
  })
  expect(seenNow(first, event({}))).toMatchObject({
    uncommitted: 2,
    uncommittedBefore: 2,
    uncommittedPaths: ['a', 'b'],
  })
  expect(seenNow(null, event({}))).toEqual({ tree: 'tree0', head: 'head0', fresh: true, plan: null })
})

test('a conversation is resumed by its own agent while it is young', () => {
  const talk = { agent: 'claude', id: 'c', usedAt: EVENING, usage: null }
  const { agent: rules } = someRules()
  const max = rules.conversationMaxAgeMs
  expect([
    resumable(talk, rules, 'claude', EVENING + max - 1),
    resumable(talk, rules, 'claude', EVENING + max),
    resumable(talk, rules, 'codex', EVENING),
    resumable(talk, { ...rules, resume: false }, 'claude', EVENING),
    resumable(null, rules, 'claude', EVENING),
  ]).toEqual(['c', null, null, null, null])
})

test('who is left behind: the first five by name, their commands short and without keys', () => {
  const all = Array.from({ length: 7 }, (_, n) => ({ pid: n, startTime: '1', command: `sh ${n}` }))
  expect([withOrphans([]), withOrphans(all.slice(0, 5)), withOrphans(all)]).toEqual([
    {},
    { orphans: { named: all.slice(0, 5), more: 0 } },
    { orphans: { named: all.slice(0, 5), more: 2 } },
  ])
  expect([
    orphansText({ named: all.slice(0, 2), more: 0 }),
    orphansText({ named: all.slice(0, 1), more: 3 }),
  ]).toEqual(['0 sh 0, 1 sh 1', '0 sh 0 and 3 more'])
  expect(shownCommand(`sh -c "${'x'.repeat(300)}"`).length).toBeLessThanOrEqual(100)
  const orphans = { named: all.slice(0, 1), more: 0 }
  expect(orphansIn({ type: 'agent-ended', worker: '1', effect: 'e', orphans } as never)).toEqual(
    orphans.named,
  )
  expect(orphansIn({ type: 'remark', about: 'x', text: 'y' })).toEqual([])
  expect(orphansIn({ type: 'gate-ended', worker: '1', effect: 'e' } as never)).toEqual([])
})
