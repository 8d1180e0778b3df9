/** Questions of agents, a person's answer, and the prompt text that passes it on. */
import type { TaskId } from '../tasks/task.ts'
import { oneLine } from '../text/sanitize.ts'

/** A question that nobody has answered or dismissed yet: it stays on every screen, across runs. */
export interface OpenQuestion {
  id: string
  text: string
  /** The task it is about; null: an agent in a loop asked it. */
  task: TaskId | null
}

/** As many as a screen has room for. */
export const QUESTIONS_SHOWN = 3

export function answerCommand({ id }: Pick<OpenQuestion, 'id'>): string {
  return `ralph answer ${id} "…"`
}

/** In characters: a longer answer belongs in a file that the answer names. */
export const ANSWER_MAX = 1_000

const QUESTION_SHOWN = 200

/** Repeats the question: the agent that reads it may not be the one that asked. */
export function answerToAgentText(question: string, answer: string): string {
  return `You asked: ${oneLine(question, QUESTION_SHOWN)} — The answer: ${answer}`
}

/** Null: the answer is valid. */
export function answerTextProblem(answer: string): string | null {
  if (answer === '') return 'the answer is empty'
  if (answer.length <= ANSWER_MAX) return null
  return `the answer is too long: ${answer.length} characters, at most ${ANSWER_MAX}`
}
