/** Questions of agents: who asked, where and when, the question, and the answer or how to give one. */
import type { QuestionFacts } from '../../../app/steer/answer.ts'
import { stripControl } from '../../../core/text/sanitize.ts'
import { localTimestamp } from '../format-values.ts'
import { wrapTextBlock } from '../wrap.ts'
import type { TerminalStyle } from './task-lines.ts'

export const NO_QUESTIONS_TEXT =
  'There are no open questions. If a draft asks you something, ralph status shows it; answer with: ralph steer "…"\n'

export function questionsScreen(questions: QuestionFacts[], style: TerminalStyle): string {
  return `${questions.map((question) => questionLines(question, style).join('\n')).join('\n\n')}\n`
}

function questionLines(question: QuestionFacts, { p, width }: TerminalStyle): string[] {
  const { id, at, agent, run, iteration, task, text } = question
  const where = [
    localTimestamp(Date.parse(at)),
    stripControl(agent),
    ...(task === null ? [] : [`task ${stripControl(task)}`]),
    `run ${stripControl(run)}, iteration ${iteration}`,
  ]
  return [
    `${p.bold(stripControl(id))}  ${p.dim(where.join(' · '))}`,
    ...wrapTextBlock(text.trim(), width),
    ...statusLines(question, { p, width }),
  ]
}

function statusLines({ id, answer, dismissedAt }: QuestionFacts, { p, width }: TerminalStyle): string[] {
  if (answer !== null) return wrapTextBlock(`answered: ${answer}`.trim(), width)
  if (dismissedAt !== null) return [p.dim(`  dismissed: ${localTimestamp(Date.parse(dismissedAt))}`)]
  const command = `ralph answer ${stripControl(id)}`
  return [p.dim(`  answer: ${command} "…"`), p.dim(`  no answer needed: ${command} --dismiss`)]
}
