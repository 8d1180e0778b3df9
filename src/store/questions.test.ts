import { expect, test } from 'vitest'
import {
  saveAnswer,
  findQuestion,
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
    { ...ASKED, iteration: 2, at: 2, answer: null, answeredAt: null },
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
  expect(await findQuestion(sql, 'q1')).toMatchObject({ at: 5, answer: null })
})
