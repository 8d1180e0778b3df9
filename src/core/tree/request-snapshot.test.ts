/** A look before an iteration, one row a rule. */
import { describe, expect, test } from 'vitest'
import { conversationToResume } from '../calls/conversation.ts'
import {
  answer,
  requestedEffectTypes,
  startedRun,
  START_TIME,
  openEffectOf,
  afterTurn,
  withRules,
  send,
  someRules,
  until,
  workerAt,
  working,
  type RunMoment,
  type AgentTurn,
} from '../../../test/kit/core.ts'
import { orphansIn, describeOrphans, displayableCommand, orphansField } from './orphan.ts'
import { lastSnapshotFrom } from './last-snapshot.ts'

const SNAPSHOT = { tree: 'tree0', head: 'head0', branch: 'main', ref: null, unstored: [], busy: null }
const BUSY: AgentTurn = { look: { snapshot: { ...SNAPSHOT, busy: 'a rebase is in progress' } } }

function words({ rows }: RunMoment, what: string): string[] {
  return rows.flatMap(({ decisions }) => decisions).flatMap((one) => (one.what === what ? [one.why] : []))
}

describe('git is busy', () => {
  test('with somebody else’s work: six looks, five seconds apart, then a person', () => {
    let moment = answer(startedRun(), BUSY)
    expect(openEffectOf(moment)).toMatchObject({ type: 'wait', forMs: 5_000, why: 'a rebase is in progress' })
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
    const moment = answer(answer(answer(startedRun(), BUSY)), {})
    expect([workerAt(moment).busy, workerAt(moment).phase.is]).toEqual([0, 'resolving-base'])
  })

  test('with what the agent left open itself: it is for the agent to finish', () => {
    const open = { ...SNAPSHOT, busy: 'a merge is in progress', open: 'merge' as const }
    const left = afterTurn(working({ rules: withRules({ loop: { pauseMs: 1_000 } }) }), {
      files: 1,
      look: { snapshot: open },
    })
    expect(openEffectOf(answer(answer(left), { look: { snapshot: open } })).type).toBe('run-agent')
    const other = { ...SNAPSHOT, busy: 'a rebase is in progress', open: 'rebase' as const }
    expect(openEffectOf(answer(answer(left), { look: { snapshot: other } })).type).toBe('wait')
  })

  test('while the run is to pause: nobody waits for it', () => {
    const pausing = send(startedRun(), {
      type: 'request-received',
      request: { id: 1, from: 'ann', do: 'pause' },
    })
    expect(workerAt(answer(pausing, BUSY)).phase.is).toBe('paused')
  })
})

describe('what a look tells', () => {
  test('a lock that was removed, settings that were edited, where HEAD drifted', () => {
    const start = working()
    const first = afterTurn(start, { files: 1, look: { unlocked: true, edited: ['.ralph.toml'] } })
    expect(words(first, 'note')).toEqual([
      'removed a stale lock of the git index',
      expect.stringContaining('.ralph.toml'),
    ])
    expect(workerAt(first).seen?.edited).toEqual(['.ralph.toml'])
    const second = afterTurn(first, { files: 1, look: { edited: ['.ralphrc', '.ralph.toml'] } })
    expect(workerAt(second).seen?.edited).toEqual(['.ralph.toml', '.ralphrc'])
    const side = { ...SNAPSHOT, branch: 'side' }
    const drift = afterTurn(afterTurn(start, { files: 1, look: { snapshot: side } }), {
      files: 1,
      look: { snapshot: side },
    })
    expect(words(drift, 'drift')).toHaveLength(1)
  })

  test('one file of somebody else, or none', () => {
    const waiting = afterTurn(working({ rules: withRules({ loop: { pauseMs: 1_000 } }) }), { files: 1 })
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
    expect(look('other', 1)).toEqual(['1 file changed between iterations (not by the agent)'])
    expect([look('tree1', 1), look('other', 0)]).toEqual([[], []])
  })

  test('a plan that a person edited moves the base, too', () => {
    const waiting = afterTurn(working({ rules: withRules({ loop: { pauseMs: 1_000 } }) }), { files: 1 })
    const moment = answer(answer(waiting), { look: { snapshot: { ...SNAPSHOT, tree: 'tree1' }, plan: 'p2' } })
    expect(requestedEffectTypes(moment)).toEqual(['resolve-base'])
    expect(openEffectOf(until(moment, ({ is }) => is === 'working')).type).toBe('run-agent')
  })
})

test('what was seen: files in no commit are counted from the first look', () => {
  const event = (change: object, plan?: string): Parameters<typeof lastSnapshotFrom>[1] => ({
    type: 'snapshot-taken',
    worker: '1',
    effect: 'e1',
    snapshot: { ...SNAPSHOT, ...change },
    change: null,
    checkboxes: null,
    nextCheckbox: null,
    ...(plan === undefined ? {} : { plan }),
  })
  const first = lastSnapshotFrom(null, event({ uncommitted: 2, uncommittedPaths: ['a', 'b'] }, 'p'))
  expect(first).toEqual({
    tree: 'tree0',
    head: 'head0',
    fresh: true,
    plan: 'p',
    uncommitted: 2,
    uncommittedAtStart: 2,
    uncommittedPaths: ['a', 'b'],
  })
  const second = lastSnapshotFrom({ ...first, edited: ['x'], fresh: false }, event({ uncommitted: 5, tree: 't' }))
  expect(second).toEqual({
    tree: 't',
    head: 'head0',
    fresh: true,
    plan: null,
    uncommitted: 5,
    uncommittedAtStart: 2,
    edited: ['x'],
  })
  expect(lastSnapshotFrom(first, event({}))).toMatchObject({
    uncommitted: 2,
    uncommittedAtStart: 2,
    uncommittedPaths: ['a', 'b'],
  })
  expect(lastSnapshotFrom(null, event({}))).toEqual({ tree: 'tree0', head: 'head0', fresh: true, plan: null })
})

test('a conversation is resumed by its own agent while it is young', () => {
  const talk = { agent: 'claude', id: 'c', usedAt: START_TIME, usage: null }
  const { agent: rules } = someRules()
  const max = rules.conversationMaxAgeMs
  expect([
    conversationToResume(talk, rules, 'claude', START_TIME + max - 1),
    conversationToResume(talk, rules, 'claude', START_TIME + max),
    conversationToResume(talk, rules, 'codex', START_TIME),
    conversationToResume(talk, { ...rules, resume: false }, 'claude', START_TIME),
    conversationToResume(null, rules, 'claude', START_TIME),
  ]).toEqual(['c', null, null, null, null])
})

test('who is left behind: the first five by name, their commands short and without keys', () => {
  const all = Array.from({ length: 7 }, (_, n) => ({ pid: n, startTime: '1', command: `sh ${n}` }))
  expect([orphansField([]), orphansField(all.slice(0, 5)), orphansField(all)]).toEqual([
    {},
    { orphans: { named: all.slice(0, 5), more: 0 } },
    { orphans: { named: all.slice(0, 5), more: 2 } },
  ])
  expect([
    describeOrphans({ named: all.slice(0, 2), more: 0 }),
    describeOrphans({ named: all.slice(0, 1), more: 3 }),
  ]).toEqual(['0 sh 0, 1 sh 1', '0 sh 0 and 3 more'])
  expect(displayableCommand(`sh -c "${'x'.repeat(300)}"`).length).toBeLessThanOrEqual(100)
  const orphans = { named: all.slice(0, 1), more: 0 }
  expect(orphansIn({ type: 'agent-ended', worker: '1', effect: 'e', orphans } as never)).toEqual(orphans.named)
  expect(orphansIn({ type: 'remark', about: 'x', text: 'y' })).toEqual([])
  expect(orphansIn({ type: 'gate-ended', worker: '1', effect: 'e' } as never)).toEqual([])
})
