import { expect, test } from 'vitest'
import {
  answerQuestion,
  findQuestion,
  keepQuestion,
  markAnswer,
  openQuestions,
  untoldAnswers,
} from './questions.ts'
import { aStore } from '../../test/kit/store.ts'

const ASKED = { id: 'q1', run: 'r1', iteration: 1, task: null, agent: 'claude', at: 1, text: 'Which one?' }

test('the same question is one question, where it was asked last', async () => {
  const { sql } = await aStore()
  await keepQuestion(sql, ASKED)
  await keepQuestion(sql, { ...ASKED, iteration: 2, at: 2 })
  expect(await openQuestions(sql, { limit: 9 })).toEqual([
    { ...ASKED, iteration: 2, at: 2, answer: null, answeredAt: null },
  ])
})

test('an answer that is on its way is kept when it is asked again; one that was told is not enough', async () => {
  const { sql } = await aStore()
  await keepQuestion(sql, ASKED)
  await answerQuestion(sql, 'q1', { answer: 'the first', at: 3, told: false })
  await keepQuestion(sql, { ...ASKED, at: 4 })
  expect(await untoldAnswers(sql, '')).toEqual([{ id: 'q1', text: 'Which one?', answer: 'the first' }])
  await markAnswer(sql, 'q1', { told: true })
  expect(await untoldAnswers(sql, '')).toEqual([])
  await keepQuestion(sql, { ...ASKED, at: 5 })
  expect(await findQuestion(sql, 'q1')).toMatchObject({ at: 5, answer: null })
})
