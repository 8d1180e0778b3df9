/** `ralph answer`: lists agents' questions, and passes an answer to the next prompt of the agent it concerns. */
import { RalphError } from '../../core/error.ts'
import type { Instant } from '../../core/ids.ts'
import { answerTextProblem, answerToAgentText, ANSWER_MAX } from '../../core/presentation/answer-to-agent.ts'
import { suggest } from '../../core/text/suggest.ts'
import type { Sql } from '../../store/db/sql.ts'
import { addNote } from '../../store/journal.ts'
import {
  listAllQuestions,
  saveAnswer,
  findQuestions,
  dismissQuestion,
  listOpenQuestions,
  type AgentQuestion,
} from '../../store/questions.ts'
import { findTask } from '../../store/task/find-task.ts'
import { addTaskLogEntry, retireGuidance } from '../../store/task/task-log.ts'
import { PERSON_AUTHOR } from '../task/change.ts'
import { useStoreIfAny, type StoreLocation } from '../task/task-store.ts'
import { isoTime, systemClock } from '../../system/clock.ts'
import { readFileOrStdin } from '../read-input.ts'
import { sendRequestToRun, findLiveRun } from './engine-requests.ts'

/** `ralph answer --json`. */
export interface QuestionFacts extends Omit<AgentQuestion, 'at' | 'answeredAt' | 'dismissedAt'> {
  at: string
  answeredAt: string | null
  dismissedAt: string | null
}

/** More than anybody answers. */
const LISTED = 100

export async function listQuestions(location: StoreLocation, { all }: { all: boolean }): Promise<QuestionFacts[]> {
  const list = all ? listAllQuestions : listOpenQuestions
  const questions = await useStoreIfAny(location, (sql) => list(sql, { limit: LISTED }))
  return (questions ?? []).map(factsOf)
}

/** Where an answer goes: to the log of its task, to the active run, or to the next one. */
export type AnswerTarget =
  | { to: 'task'; task: string }
  | { to: 'journal'; task: string }
  | { to: 'run'; run: string }
  | { to: 'next' }

/** `instead`: the previous answer, which this one replaces; null: there was none. */
export interface AnswerResult extends QuestionFacts {
  target: AnswerTarget
  instead: string | null
}

export async function answerQuestion(
  location: StoreLocation,
  said: { id: string; text: string },
): Promise<AnswerResult> {
  const text = said.text.trim()
  const problem = answerTextProblem(text)
  if (problem !== null)
    throw new RalphError('usage', problem, {
      hint:
        text === ''
          ? `ralph answer ${said.id} "what you decide"`
          : `Nothing was saved. An answer has at most ${ANSWER_MAX} characters: put a longer one into a file of the project and answer with its path.`,
    })
  const live = await findLiveRun(location.root)
  const run = live?.kind === 'loop' ? live.run : null
  const answered = await useStoreIfAny(location, (sql) => answerIn(sql, { id: said.id, text, run }))
  if (answered === null) throw unknown(said.id, [])
  return answered
}

/** The question disappears from the screens without an answer. `id`: of an open question, or its beginning. */
export async function dismissOpenQuestion(location: StoreLocation, id: string): Promise<QuestionFacts> {
  const dismissed = await useStoreIfAny(location, async (sql) => {
    const question = await requireQuestion(sql, id)
    if (question.answer !== null)
      throw new RalphError('usage', `question ${question.id} already has an answer`, {
        hint: 'See all questions and answers: ralph answer --all',
      })
    const at = systemClock().at()
    await sql.transaction((tx) => dismissQuestion(tx, question.id, at))
    return factsOf({ ...question, dismissedAt: at })
  })
  if (dismissed === null) throw unknown(id, [])
  return dismissed
}

async function requireQuestion(sql: Sql, typed: string): Promise<AgentQuestion> {
  const [question, ...others] = typed === '' ? [] : await findQuestions(sql, typed)
  if (question === undefined) throw unknown(typed, await listOpenQuestions(sql, { limit: LISTED }))
  if (others.length === 0) return question
  const ids = [question, ...others].map(({ id }) => id)
  throw new RalphError('not-found', `"${typed}" matches several questions: ${ids.slice(0, 5).join(', ')}`, {
    hint: 'Type more of its id.',
  })
}

/** Reads stdin, a little more than is allowed, so that the right error reports a text that is too long. */
export function readPipedAnswer(): Promise<string> {
  return readFileOrStdin('-', { max: PIPED_BYTES })
}

const PIPED_BYTES = 64 * 1024

async function answerIn(sql: Sql, said: { id: string; text: string; run: string | null }): Promise<AnswerResult> {
  const { text, run } = said
  const question = await requireQuestion(sql, said.id)
  const { id } = question
  const at = systemClock().at()
  const target = await keep(sql, question, { text, at, run })
  if (target.to === 'run') {
    const words = { text: answerToAgentText(question.text, text), answers: id }
    await sendRequestToRun(sql, target.run, { from: 'ralph answer', do: 'steer', ...words })
  }
  return {
    ...factsOf({ ...question, answer: text, answeredAt: at, dismissedAt: null }),
    target,
    instead: question.answer,
  }
}

/** Saves the answer before it is sent to the run: an agent that gets it twice takes no harm. */
function keep(
  sql: Sql,
  question: AgentQuestion,
  { text, at, run }: { text: string; at: number; run: string | null },
): Promise<AnswerTarget> {
  const { id, task } = question
  return sql.transaction(async (tx) => {
    await saveAnswer(tx, id, { answer: text, at, told: task !== null })
    if (task === null) return run === null ? { to: 'next' } : { to: 'run', run }
    const words = answerToAgentText(question.text, text)
    // Two answers to one question would leave it unclear to an agent which one counts.
    await retireGuidance(tx, task, answerToAgentText(question.text, ''))
    await addTaskLogEntry(tx, { task, at, author: PERSON_AUTHOR, kind: 'guidance', text: words })
    const found = await findTask(tx, task)
    if (found !== null && found.status !== 'done') return { to: 'task', task }
    // The task is done, but the answer may matter to other tasks.
    await addNote(tx, { run: null, iteration: null, task, at, author: PERSON_AUTHOR, text: words })
    return { to: 'journal', task }
  })
}

function unknown(id: string, open: AgentQuestion[]): RalphError {
  const ids = open.map((one) => one.id)
  const near = suggest(id, ids)
  const hint =
    near !== null
      ? `Did you mean ${near}?`
      : ids.length === 0
        ? 'There are no open questions. To give an agent guidance, or to answer a draft (see ralph status): ralph steer "…"'
        : `Open questions: ${ids.slice(0, 5).join(', ')}. Show them: ralph answer`
  return new RalphError('not-found', `there is no question ${id}`, { hint })
}

function factsOf({ at, answeredAt, dismissedAt, ...question }: AgentQuestion): QuestionFacts {
  return { ...question, at: isoTime(at), answeredAt: isoOrNull(answeredAt), dismissedAt: isoOrNull(dismissedAt) }
}

function isoOrNull(at: Instant | null): string | null {
  return at === null ? null : isoTime(at)
}
