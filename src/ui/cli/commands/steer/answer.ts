/** `ralph answer`: lists the questions of agents, answers one, or dismisses it. */
import {
  answerQuestion,
  dismissOpenQuestion,
  listQuestions,
  readPipedAnswer,
  type AnswerTarget,
} from '../../../../app/steer/answer.ts'
import { RalphError } from '../../../../core/error.ts'
import { assertNever } from '../../../../core/assert-never.ts'
import { oneLine } from '../../../../core/text/sanitize.ts'
import { NO_QUESTIONS_TEXT, questionsScreen } from '../../../plain/screens/questions.ts'
import { printResult as say, styleOf } from '../../framework/print-result.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { ANSWER } from '../../command-table/control-commands.ts'
import { storeLocationOf } from '../../framework/project-root.ts'

export const run: CommandHandler<typeof ANSWER> = async (input, io) => {
  const { all, dismiss, json } = input.flags
  const { id, text } = input.args
  const location = storeLocationOf(io)
  if (id === null) {
    if (dismiss)
      throw new RalphError('usage', '--dismiss needs the ID of a question', { hint: 'List them: ralph answer' })
    const questions = await listQuestions(location, { all })
    return say(
      questions,
      () => (questions.length === 0 ? NO_QUESTIONS_TEXT : questionsScreen(questions, styleOf(io))),
      { json, io },
    )
  }
  if (all) throw new RalphError('usage', '--all lists questions; leave it out to answer one')
  if (dismiss) {
    if (text.length > 0)
      throw new RalphError('usage', '--dismiss takes no answer', { hint: 'Leave out one of the two.' })
    const dismissed = await dismissOpenQuestion(location, id)
    return say(dismissed, () => 'Dismissed. The agent gets no answer.\n', { json, io })
  }
  const typed = text.join(' ')
  const answered = await answerQuestion(location, { id, text: typed === '-' ? await readPipedAnswer() : typed })
  const { target, instead } = answered
  const before = instead === null || instead === answered.answer ? '' : `This replaces: ${oneLine(instead, 100)}\n`
  return say(answered, () => `${goesWords(target)}\n${before}`, { json, io })
}

function goesWords(target: AnswerTarget): string {
  switch (target.to) {
    case 'task':
      return `Saved. It will be in the next prompts for ${target.task}.`
    case 'journal':
      return `${target.task} is finished, so the answer is saved in its log, and in the journal for similar tasks.`
    case 'run':
      return `Saved. It will be in the next prompt of run ${target.run}.`
    case 'next':
      return 'Saved. The next run will pass it to the agent.'
    default:
      return assertNever(target)
  }
}
