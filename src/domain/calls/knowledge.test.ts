import { describe, expect, test } from 'vitest'
import { nothingTold, type Told } from '../reply/told.ts'
import { narrate } from '../tell/narrator.ts'
import {
  answer,
  askedTypes,
  openOf,
  played,
  send,
  until,
  workerAt,
  working,
  type Turn,
} from '../../../test/kit/core.ts'

const TOLD: Told = {
  ...nothingTold(),
  knowledge: [{ title: 'Parser', tags: ['parser'], body: 'Empty files are no files.' }],
}
const LEARNT: Turn = { files: 1, reply: { told: TOLD } }

describe('what an agent learnt', () => {
  test('is written down after the look, and then the iteration is weighed', () => {
    const moment = until(answer(working(), LEARNT), ({ is }) => is === 'remembering', LEARNT)
    expect(openOf(moment)).toMatchObject({ type: 'keep-knowledge', iteration: 1, said: TOLD.knowledge })
    const { phase } = workerAt(moment)
    // The words are kept once.
    expect(phase.is === 'remembering' ? phase.reply.told?.knowledge : null).toEqual([])
    expect(askedTypes(played(working(), LEARNT)).slice(0, 3)).toEqual([
      'survey',
      'keep-knowledge',
      'run-agent',
    ])
  })

  test('is told by the narrator, with what was refused', () => {
    const turn = { ...LEARNT, refused: ['"X": there is no tag'] }
    const moment = until(answer(working(), turn), ({ is }) => is === 'remembering', turn)
    const after = answer(moment, turn)
    const row = after.rows.find(({ event }) => event.type === 'knowledge-kept')
    expect(row === undefined ? null : narrate(row)[0]).toEqual({
      text: 'written down: Parser; not written down: "X": there is no tag',
      tone: 'warn',
    })
  })

  test('is no row more where nothing was told', () => {
    expect(askedTypes(played(working(), { files: 1 }))).not.toContain('keep-knowledge')
  })

  test.each(['effect-failed', 'effect-lost'] as const)('%s ends no run', (type) => {
    const moment = until(answer(working(), LEARNT), ({ is }) => is === 'remembering', LEARNT)
    const effect = openOf(moment).id
    const trouble = { problem: '.ralph/knowledge is a link', hint: null }
    const after = send(
      moment,
      type === 'effect-lost' ? { type, worker: '1', effect } : { type, worker: '1', effect, ...trouble },
    )
    // What was cut off is asked again; what cannot be done is passed by.
    expect(workerAt(after).phase.is).toBe(type === 'effect-lost' ? 'remembering' : 'working')
  })

  test('a run that is to stop ends', () => {
    const moment = until(answer(working(), LEARNT), ({ is }) => is === 'remembering', LEARNT)
    const effect = openOf(moment).id
    const request = { id: null, from: 'test', do: 'stop', now: true } as const
    const stopping = send(moment, { type: 'request-received', request })
    expect(askedTypes(stopping)).toEqual(['abort'])
    const ended = send(stopping, { type: 'effect-lost', worker: '1', effect })
    expect(workerAt(ended).phase.is).toBe('finished')
  })
})
