import { expect, test } from 'vitest'
import type { EffectOf } from '../state/effect.ts'
import { emptyAgentReport } from '../agent-output/agent-report.ts'
import type { Reply } from '../agent-output/reply.ts'
import { startedRun, afterTurn, withRules, until, type RunMoment } from '../../../test/kit/core.ts'

function worksOnOne(maxRetries: number): RunMoment {
  const rules = (usual: Parameters<ReturnType<typeof withRules>>[0]) => ({ ...usual, gates: [] })
  return until(startedRun({ rules, tasks: [{ id: 'a', maxRetries }] }), ({ is }) => is === 'working')
}

function settled(from: RunMoment, summary: string): EffectOf<'finish-task'> | undefined {
  const end = until(afterTurn(from, { files: 1, summary }), ({ is }) => is === 'finished')
  const effects = end.rows.flatMap((row) => row.effects)
  return effects.find((effect): effect is EffectOf<'finish-task'> => effect.type === 'finish-task')
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
  const told = { ...emptyAgentReport(), failed: ['a'], why: 'there is no key' }
  const end = until(
    afterTurn(worksOnOne(0), { files: 1, summary: 'See above.', reply: { told } }),
    ({ is }) => is === 'finished',
  )
  expect(end.state.run.outcome?.reason).toContain('a (the agent gave up: there is no key)')
})

/** As recovery finds it: the engine died while the agent was at work. */
function cutOff(reply: Partial<Reply>) {
  const turn = { files: 1, reply: { end: 'interrupted' as const, conversation: 'talk', ...reply } }
  const after = until(afterTurn(worksOnOne(1), turn), ({ is }) => is === 'finished' || is === 'working')
  const effects = after.rows.flatMap((row) => row.effects)
  return {
    starts: effects.flatMap((effect) => (effect.type === 'run-agent' ? [effect.resume] : [])),
    as: effects.flatMap((effect) => (effect.type === 'finish-task' ? [effect.as] : [])),
  }
}

test.each<[what: string, reply: Partial<Reply>]>([
  ['nothing', { told: emptyAgentReport() }],
  ['that it failed', { told: { ...emptyAgentReport(), failed: ['a'] } }],
  ['about another task', { told: { ...emptyAgentReport(), done: ['b'] } }],
])('one that was cut off and told %s works again, in a new conversation', (_, reply) => {
  expect(cutOff(reply)).toEqual({ starts: [null, null], as: [] })
})

test('that it is done, acknowledged before the engine died, is weighed', () => {
  expect(cutOff({ told: { ...emptyAgentReport(), done: ['a'] } })).toEqual({ starts: [null], as: ['done'] })
})
