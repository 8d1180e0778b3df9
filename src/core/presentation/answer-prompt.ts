/** What a person answers to a question of an agent, and how the agent is told. */
import { oneLine } from '../text/sanitize.ts'

/** In characters: what is longer belongs into a file that the answer names. */
export const ANSWER_MAX = 1_000

const QUESTION_SHOWN = 200

/** Whoever reads it may not be the one who asked, and remembers nothing of it. */
export function answerPrompt(question: string, answer: string): string {
  return `You asked: ${oneLine(question, QUESTION_SHOWN)} — The answer: ${answer}`
}

/** Null: it can be told. */
export function answerTextProblem(answer: string): string | null {
  if (answer === '') return 'there is no answer in it'
  if (answer.length <= ANSWER_MAX) return null
  return `the answer has ${answer.length} characters, and ${ANSWER_MAX} are the most`
}
