import { expect, test } from 'vitest'
import type { EffectOf } from '../run/effect.ts'
import { begun, played, ruled, until, type Moment } from '../test-kit.ts'

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
