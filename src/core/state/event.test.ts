/** Which answer closes which effect: an answer that is not in the table is late, wrong or foreign, and nothing follows from it. */
import { expect, test } from 'vitest'
import type { Effect } from './effect.ts'
import { isEffectAnswer, canAnswerEffect, type EffectEvent, type Event } from './event.ts'

const EFFECTS: Effect['type'][] = [
  'snapshot',
  'admit-call',
  'run-agent',
  'run-gate',
  'resolve-base',
  'classify-changes',
  'run-trial',
  'check-final-tree',
  'commit',
  'wait',
  'abort',
  'end-run',
  'suspend-run',
]

function about(type: EffectEvent['type']): EffectEvent {
  return { type, worker: '1', effect: 'e1' } as EffectEvent
}

test.each<[type: EffectEvent['type'], answers: Effect['type'][]]>([
  ['snapshot-taken', ['snapshot']],
  ['admitted', ['admit-call']],
  ['call-deferred', ['admit-call']],
  ['agent-started', []],
  ['conversation-known', []],
  ['agent-denied', []],
  ['spend-threshold-crossed', []],
  ['agent-ended', ['run-agent']],
  ['gate-ended', ['run-gate']],
  ['base-resolved', ['resolve-base']],
  ['changes-classified', ['classify-changes']],
  ['trial-ended', ['classify-changes', 'run-trial', 'check-final-tree']],
  ['final-tree-checked', ['classify-changes', 'check-final-tree']],
  ['committed', ['commit']],
  ['wait-ended', ['wait']],
  ['aborted', ['abort']],
  ['run-ended', ['end-run']],
  ['run-suspended', ['suspend-run']],
  ['effect-failed', EFFECTS],
  ['effect-lost', EFFECTS],
])('%s answers %j', (type, answers) => {
  const event = about(type)
  expect(EFFECTS.filter((effect) => canAnswerEffect(event, { type: effect } as Effect))).toEqual(answers)
  expect(isEffectAnswer(event)).toBe(answers.length > 0)
})

test.each<Event>([
  { type: 'remark', about: 'x', text: 'y' },
  { type: 'clock-jumped', by: 1 },
  // What a newer version may have written.
  { type: 'agent-sang', worker: '1', effect: 'e1' } as unknown as Event,
])('%j answers nothing', (event) => {
  expect(isEffectAnswer(event)).toBe(false)
})
