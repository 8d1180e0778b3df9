import { expect, test } from 'vitest'
import type { EffectOf } from '../state/effect.ts'
import { nothingTold } from '../reply/told.ts'
import type { Reply } from '../reply/reply.ts'
import { begun, played, ruled, until, type Moment } from '../../../test/kit/core.ts'

function worksOnOne(maxRetries: number): Moment {
  const rules = (usual: Parameters<ReturnType<typeof ruled>>[0]) => ({ ...usual, gates: [] })
  return until(begun({ rules, tasks: [{ id: 'a', maxRetries }] }), ({ is }) => is === 'working')
}

function settled(from: Moment, summary: string): EffectOf<'settle-task'> | undefined {
  const end = until(played(from, { files: 1, summary }), ({ is }) => is === 'finished')
  const effects = end.rows.flatMap((row) => row.effects)
  return effects.find((effect): effect is EffectOf<'settle-task'> => effect.type === 'settle-task')
}

test('a task that is done is settled with what the agent said of it, for the tasks after it', () => {
  const effect = settled(worksOnOne(0), 'Cookies are signed. <task-done>a</task-done>')
  expect(effect).toMatchObject({ as: 'done', summary: { by: 'claude' } })
  expect(effect?.summary?.text).toContain('Cookies are signed.')
})

test('of one that failed nobody builds on what was said', () => {
  const effect = settled(worksOnOne(0), 'Cannot. <task-failed>a</task-failed>')
  expect([effect?.as, effect?.summary]).toEqual(['failed', undefined])
})

test('why it failed is what the agent was asked for, not what it happened to say last', () => {
  const told = { ...nothingTold(), failed: ['a'], why: 'there is no key' }
  const end = until(
    played(worksOnOne(0), { files: 1, summary: 'See above.', reply: { told } }),
    ({ is }) => is === 'finished',
  )
  expect(end.house.run.outcome?.reason).toContain('a (the agent says that it failed: there is no key)')
})

/** As recovery finds it: the engine died while the agent was at work. */
function cutOff(reply: Partial<Reply>) {
  const turn = { files: 1, reply: { end: 'interrupted' as const, conversation: 'talk', ...reply } }
  const after = until(played(worksOnOne(1), turn), ({ is }) => is === 'finished' || is === 'working')
  const effects = after.rows.flatMap((row) => row.effects)
  return {
    starts: effects.flatMap((effect) => (effect.type === 'run-agent' ? [effect.resume] : [])),
    as: effects.flatMap((effect) => (effect.type === 'settle-task' ? [effect.as] : [])),
  }
}

test.each<[what: string, reply: Partial<Reply>]>([
  ['nothing', { told: nothingTold() }],
  ['that it failed', { told: { ...nothingTold(), failed: ['a'] } }],
  ['about another task', { told: { ...nothingTold(), done: ['b'] } }],
])('one that was cut off and told %s works again, in a new conversation', (_, reply) => {
  expect(cutOff(reply)).toEqual({ starts: [null, null], as: [] })
})

test('that it is done, acknowledged before the engine died, is weighed', () => {
  expect(cutOff({ told: { ...nothingTold(), done: ['a'] } })).toEqual({ starts: [null], as: ['done'] })
})
