import { expect, test } from 'vitest'
import {
  saveAnswer,
  dismissQuestion,
  findQuestions,
  loadQuestionsShown,
  saveGuidance,
  saveQuestion,
  setAnswerDelivered,
  listOpenQuestions,
  undeliveredAnswers,
} from './questions.ts'
import { makeTestStore } from '../../test/kit/store.ts'

const ASKED = { id: 'q1', run: 'r1', iteration: 1, task: null, agent: 'claude', at: 1, text: 'Which one?' }

test('the same question is one question, where it was asked last', async () => {
  const { sql } = await makeTestStore()
  await saveQuestion(sql, ASKED)
  await saveQuestion(sql, { ...ASKED, iteration: 2, at: 2 })
  expect(await listOpenQuestions(sql, { limit: 9 })).toEqual([
    { ...ASKED, iteration: 2, at: 2, answer: null, answeredAt: null, dismissedAt: null },
  ])
})

test('an answer that is on its way is kept when it is asked again; one that was told is not enough', async () => {
  const { sql } = await makeTestStore()
  await saveQuestion(sql, ASKED)
  await saveAnswer(sql, 'q1', { answer: 'the first', at: 3, told: false })
  await saveQuestion(sql, { ...ASKED, at: 4 })
  expect(await undeliveredAnswers(sql, '')).toEqual([{ id: 'q1', text: 'Which one?', answer: 'the first' }])
  await setAnswerDelivered(sql, 'q1', { told: true })
  expect(await undeliveredAnswers(sql, '')).toEqual([])
  await saveQuestion(sql, { ...ASKED, at: 5 })
  expect(await findQuestions(sql, 'q1')).toMatchObject([{ at: 5, answer: null }])
})

test('an open question stays on the screens of its working tree, whichever run asked it', async () => {
  const { sql } = await makeTestStore()
  await saveQuestion(sql, ASKED)
  await saveQuestion(sql, { ...ASKED, id: 'q2', run: 'r2', at: 2 })
  expect((await loadQuestionsShown(sql, '')).map(({ id }) => id)).toEqual(['q2', 'q1'])
  expect(await loadQuestionsShown(sql, '/another/tree')).toEqual([])
})

test('a dismissed question is closed, and stays closed when it is asked again', async () => {
  const { sql } = await makeTestStore()
  await saveQuestion(sql, ASKED)
  await dismissQuestion(sql, 'q1', 2)
  await saveQuestion(sql, { ...ASKED, at: 3 })
  expect([await listOpenQuestions(sql, { limit: 9 }), await loadQuestionsShown(sql, '')]).toEqual([[], []])
  expect(await findQuestions(sql, 'q1')).toMatchObject([{ at: 1, dismissedAt: 2 }])
})

test('a question is found by the beginning of its id; an exact id wins', async () => {
  const { sql } = await makeTestStore()
  for (const id of ['q1', 'q12', 'q2']) await saveQuestion(sql, { ...ASKED, id })
  const found = async (typed: string): Promise<string[]> => (await findQuestions(sql, typed)).map(({ id }) => id)
  expect([await found('q12'), await found('q1'), await found('q'), await found('x')]).toEqual([
    ['q12'],
    ['q1'],
    ['q1', 'q12', 'q2'],
    [],
  ])
})

test('guidance between runs is delivered like an answer, and is no question', async () => {
  const { sql } = await makeTestStore()
  await saveGuidance(sql, { workspace: '/tree', text: 'use the parser', at: 5 })
  expect(await undeliveredAnswers(sql, '/tree')).toEqual([{ id: 'steer-5', text: '', answer: 'use the parser' }])
  expect([await loadQuestionsShown(sql, '/tree'), await findQuestions(sql, 'steer')]).toEqual([[], []])
})
