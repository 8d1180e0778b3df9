/** `ralph answer`: lists the questions of agents, or answers one. */
import { answerQuestion, listQuestions, readPipedAnswer, type AnswerTarget } from '../../../../app/steer/answer.ts'
import { RalphError } from '../../../../core/error.ts'
import { assertNever } from '../../../../core/assert-never.ts'
import { oneLine } from '../../../../core/text/sanitize.ts'
import { NO_QUESTIONS_TEXT, questionsScreen } from '../../../plain/screens/questions.ts'
import { printResult as say, styleOf } from '../../framework/print-result.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { ANSWER } from '../../command-table/control-commands.ts'
import { storeLocationOf } from '../../framework/project-root.ts'

export const run: CommandHandler<typeof ANSWER> = async (input, io) => {
  const { all, json } = input.flags
  const { id, text } = input.args
  const location = storeLocationOf(io)
  if (id === null) {
    const questions = await listQuestions(location, { all })
    return say(
      questions,
      () => (questions.length === 0 ? NO_QUESTIONS_TEXT : questionsScreen(questions, styleOf(io))),
      { json, io },
    )
  }
  if (all) throw new RalphError('usage', '--all lists questions, and an answer is to one of them')
  const typed = text.join(' ')
  const answered = await answerQuestion(location, { id, text: typed === '-' ? await readPipedAnswer() : typed })
  const { target, instead } = answered
  const before = instead === null || instead === answered.answer ? '' : `Instead of: ${oneLine(instead, 100)}\n`
  return say(answered, () => `${goesWords(target)}\n${before}`, { json, io })
}

function goesWords(target: AnswerTarget): string {
  switch (target.to) {
    case 'task':
      return `Answered. It is told in the next prompt about ${target.task}, and in those that follow.`
    case 'journal':
      return `Answered. Nobody works on ${target.task} any more: the answer is in its log, and in the journal for tasks like it.`
    case 'run':
      return `Answered. It goes into the next prompt of run ${target.run}.`
    case 'next':
      return 'Answered. No loop is going on here: it goes into the first prompt of the next one, or of the one that is taken up.'
    default:
      return assertNever(target)
  }
}
