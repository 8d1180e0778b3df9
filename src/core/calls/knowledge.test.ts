import { describe, expect, test } from 'vitest'
import { emptyAgentReport, type AgentReport } from '../agent-output/agent-report.ts'
import { narrate } from '../presentation/narrator.ts'
import { foldView, type RunView } from '../presentation/run-view.ts'
import {
  answer,
  requestedEffectTypes,
  openEffectOf,
  afterTurn,
  send,
  until,
  workerAt,
  working,
  type AgentTurn,
} from '../../../test/kit/core.ts'

const TOLD: AgentReport = {
  ...emptyAgentReport(),
  knowledge: [{ title: 'Parser', tags: ['parser'], body: 'Skip empty files no files.' }],
}
const LEARNT: AgentTurn = { files: 1, reply: { told: TOLD } }

describe('what an agent learnt', () => {
  test('is written down after the look, and then the iteration is weighed', () => {
    const moment = until(answer(working(), LEARNT), ({ is }) => is === 'saving-knowledge', LEARNT)
    expect(openEffectOf(moment)).toMatchObject({ type: 'save-knowledge', iteration: 1, said: TOLD.knowledge })
    const { phase } = workerAt(moment)
    // The words are kept once.
    expect(phase.is === 'saving-knowledge' ? phase.reply.told?.knowledge : null).toEqual([])
    expect(requestedEffectTypes(afterTurn(working(), LEARNT)).slice(0, 3)).toEqual([
      'snapshot',
      'save-knowledge',
      'run-agent',
    ])
  })

  test('is told by the narrator, with what was refused', () => {
    const turn = { ...LEARNT, refused: ['"X": a tag is missing'] }
    const moment = until(answer(working(), turn), ({ is }) => is === 'saving-knowledge', turn)
    const after = answer(moment, turn)
    const row = after.rows.find(({ event }) => event.type === 'knowledge-saved')
    const view = after.rows.reduce<RunView | null>(foldView, null)
    expect(row === undefined || view === null ? null : narrate(row, view, String)).toContainEqual(
      expect.objectContaining({
        text: 'saved: Parser; not saved: "X": a tag is missing',
        tone: 'warn',
      }),
    )
  })

  test('is no row more where nothing was told', () => {
    expect(requestedEffectTypes(afterTurn(working(), { files: 1 }))).not.toContain('save-knowledge')
  })

  test.each(['effect-failed', 'effect-lost'] as const)('%s ends no run', (type) => {
    const moment = until(answer(working(), LEARNT), ({ is }) => is === 'saving-knowledge', LEARNT)
    const effect = openEffectOf(moment).id
    const callFailure = { problem: '.ralph/knowledge is a link', hint: null }
    const after = send(
      moment,
      type === 'effect-lost' ? { type, worker: '1', effect } : { type, worker: '1', effect, ...callFailure },
    )
    // What was cut off is asked again; what cannot be done is passed by.
    expect(workerAt(after).phase.is).toBe(type === 'effect-lost' ? 'saving-knowledge' : 'working')
  })

  test('a run that is to stop ends', () => {
    const moment = until(answer(working(), LEARNT), ({ is }) => is === 'saving-knowledge', LEARNT)
    const effect = openEffectOf(moment).id
    const request = { id: null, from: 'test', do: 'stop', now: true } as const
    const stopping = send(moment, { type: 'request-received', request })
    expect(requestedEffectTypes(stopping)).toEqual(['abort'])
    const ended = send(stopping, { type: 'effect-lost', worker: '1', effect })
    expect(workerAt(ended).phase.is).toBe('finished')
  })
})
