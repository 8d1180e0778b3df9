/** A person's answer to a question of an agent, and the prompt text that passes it on. */
import { oneLine } from '../text/sanitize.ts'

/** In characters: a longer answer belongs in a file that the answer names. */
export const ANSWER_MAX = 1_000

const QUESTION_SHOWN = 200

/** Repeats the question: the agent that reads it may not be the one that asked. */
export function answerToAgentText(question: string, answer: string): string {
  return `You asked: ${oneLine(question, QUESTION_SHOWN)} — The answer: ${answer}`
}

/** Null: the answer is valid. */
export function answerTextProblem(answer: string): string | null {
  if (answer === '') return 'there is no answer in it'
  if (answer.length <= ANSWER_MAX) return null
  return `the answer has ${answer.length} characters, and ${ANSWER_MAX} are the most`
}
