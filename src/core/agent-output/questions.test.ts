import { expect, test } from 'vitest'
import { countQuestions } from './questions.ts'

test.each([
  'Should I go on?',
  'Would you like a test?',
  'Do you want both?',
  'Which approach is better?',
  'Which option?',
  'How should this fail?',
  'What should it print?',
  'Shall I commit?',
  'Do you prefer tabs?',
  'Can you clarify the format?',
  'Could you run it?',
  'What do you think?',
  'Please confirm.',
  'I need clarification here.',
  'I am awaiting further input.',
  'Waiting for your response.',
  'Tell me your preference.',
  'SHOULD I STOP?',
])('%s', (line) => {
  expect(countQuestions(`Some work.\n${line}\nMore work.`)).toBe(1)
})

test.each([
  ['a line counts once, however much it asks', 'Should I, or would you? What do you think?', 1],
  ['lines add up', 'Should I?\nShall I?\n- Could you?', 3],
  ['whole words only', 'It should initialise. You couldyou.', 0],
  ['not in code', '```\nshould I\n```', 0],
  ['not in a quotation', '> Would you like that?', 0],
  ['not in a status block', '---RALPH_STATUS---\nRECOMMENDATION: should I go on?\n---END_RALPH_STATUS---', 0],
  ['nothing asked', 'All is well.', 0],
])('%s', (_what, text, expected) => {
  expect(countQuestions(text)).toBe(expected)
})
