/** Which answer closes which effect: an answer that is not in the table is late, wrong or foreign, and nothing follows from it. */
import { expect, test } from 'vitest'
import type { Effect } from './effect.ts'
import { isAnswer, mayAnswer, type AboutEffect, type Event } from './event.ts'

const EFFECTS: Effect['type'][] = [
  'survey',
  'admit-iteration',
  'run-agent',
  'run-gate',
  'take-base',
  'sort-changes',
  'try-room',
  'look-again',
  'commit',
  'wait',
  'abort',
  'end-run',
  'leave-run',
]

function about(type: AboutEffect['type']): AboutEffect {
  return { type, worker: '1', effect: 'e1' } as AboutEffect
}

test.each<[type: AboutEffect['type'], answers: Effect['type'][]]>([
  ['surveyed', ['survey']],
  ['admitted', ['admit-iteration']],
  ['held-back', ['admit-iteration']],
  ['agent-began', []],
  ['conversation-known', []],
  ['agent-denied', []],
  ['spend-crossed', []],
  ['agent-ended', ['run-agent']],
  ['gate-ended', ['run-gate']],
  ['base-taken', ['take-base']],
  ['changes-sorted', ['sort-changes']],
  ['room-tried', ['sort-changes', 'try-room', 'look-again']],
  ['looked-again', ['sort-changes', 'look-again']],
  ['committed', ['commit']],
  ['wait-over', ['wait']],
  ['aborted', ['abort']],
  ['run-ended', ['end-run']],
  ['run-left', ['leave-run']],
  ['effect-failed', EFFECTS],
  ['effect-lost', EFFECTS],
])('%s answers %j', (type, answers) => {
  const event = about(type)
  expect(EFFECTS.filter((effect) => mayAnswer(event, { type: effect } as Effect))).toEqual(answers)
  expect(isAnswer(event)).toBe(answers.length > 0)
})

test.each<Event>([
  { type: 'remark', about: 'x', text: 'y' },
  { type: 'clock-jumped', by: 1 },
  // What a newer version may have written.
  { type: 'agent-sang', worker: '1', effect: 'e1' } as unknown as Event,
])('%j answers nothing', (event) => {
  expect(isAnswer(event)).toBe(false)
})
