/** Questions of agents and the answers of people. A question blocks nothing: the agent continues with the careful option. */
import type { Instant, RunId } from '../core/ids.ts'
import { QUESTIONS_SHOWN, type OpenQuestion } from '../core/presentation/answer-to-agent.ts'
import type { TaskId } from '../core/tasks/task.ts'
import type { Sql } from './db/sql.ts'

export interface AgentQuestion {
  id: string
  run: RunId
  iteration: number
  /** The task it is about; null: an agent in a loop asked it. */
  task: TaskId | null
  agent: string
  at: Instant
  text: string
  answer: string | null
  answeredAt: Instant | null
  /** A person decided that it needs no answer. */
  dismissedAt: Instant | null
}

const COLUMNS = `questions.id, questions.run, questions.iteration, questions.task, questions.agent, questions.at, questions.text,
  questions.answer, questions.answered_at as "answeredAt", questions.dismissed_at as "dismissedAt"`

/** A repeated question replaces the earlier one, unless that has an answer the agent has not received yet, or a person dismissed it. */
export async function saveQuestion(
  tx: Sql,
  question: Omit<AgentQuestion, 'answer' | 'answeredAt' | 'dismissedAt'>,
): Promise<void> {
  const { id, run, iteration, task, agent, at, text } = question
  await tx.run('delete from questions where id = ? and dismissed_at is null and (answer is null or told = 1)', id)
  await tx.run(
    `insert into questions (id, run, workspace, iteration, task, agent, at, text)
     values (?, ?, coalesce((select workspace from runs where id = ?), ''), ?, ?, ?, ?, ?)
     on conflict (id) do nothing`,
    id,
    run,
    run,
    iteration,
    task,
    agent,
    at,
    text,
  )
}

/** Neither answered nor dismissed. Nobody needs an answer about a finished or deleted task. */
const OPEN = `questions.answer is null and questions.dismissed_at is null
  and coalesce(tasks.status, '') <> 'done' and tasks.archived_at is null`

/** Open questions that the screens of this working tree show: about tasks, or asked by a loop here, in whichever run. Newest first. */
export async function loadQuestionsShown(sql: Sql, workspace: string): Promise<OpenQuestion[]> {
  const rows = await sql.all<OpenQuestion>(
    `select questions.id, questions.text, questions.task from questions left join tasks on tasks.id = questions.task
     where ${OPEN} and (questions.task is not null or questions.workspace = ?)
     order by questions.at desc, questions.id limit ?`,
    workspace,
    QUESTIONS_SHOWN,
  )
  return rows.map((row) => ({ ...row }))
}

/** Newest first. */
export async function listOpenQuestions(sql: Sql, { limit }: { limit: number }): Promise<AgentQuestion[]> {
  const rows = await sql.all<AgentQuestion>(
    `select ${COLUMNS} from questions left join tasks on tasks.id = questions.task
     where ${OPEN} order by questions.at desc, questions.id limit ?`,
    limit,
  )
  return rows.map((row) => ({ ...row }))
}

export async function listAllQuestions(sql: Sql, { limit }: { limit: number }): Promise<AgentQuestion[]> {
  const rows = await sql.all<AgentQuestion>(
    `select ${COLUMNS} from questions where text <> '' order by at desc, id limit ?`,
    limit,
  )
  return rows.map((row) => ({ ...row }))
}

/** By the id, or by the beginning of one; several if that fits several. */
export async function findQuestions(sql: Sql, idOrPrefix: string): Promise<AgentQuestion[]> {
  const rows = await sql.all<AgentQuestion>(
    `select ${COLUMNS} from questions where substr(id, 1, ?) = ? and text <> '' order by at desc, id`,
    idOrPrefix.length,
    idOrPrefix,
  )
  const exact = rows.filter(({ id }) => id === idOrPrefix)
  return (exact.length > 0 ? exact : rows).map((row) => ({ ...row }))
}

export async function dismissQuestion(tx: Sql, id: string, at: Instant): Promise<void> {
  await tx.run('update questions set dismissed_at = ? where id = ?', at, id)
}

export async function saveAnswer(
  tx: Sql,
  id: string,
  { answer, at, told }: { answer: string; at: Instant; told: boolean },
): Promise<void> {
  await tx.run(
    'update questions set answer = ?, answered_at = ?, told = ?, dismissed_at = null where id = ?',
    answer,
    at,
    Number(told),
    id,
  )
}

/** Guidance of a person between runs: the next loop delivers it like an answer, but to no question. */
export async function saveGuidance(
  tx: Sql,
  { workspace, text, at }: { workspace: string; text: string; at: Instant },
): Promise<void> {
  await tx.run(
    `insert into questions (id, run, workspace, iteration, agent, at, text, answer, answered_at)
     values (?, '', ?, 0, '', ?, '', ?, ?)`,
    `steer-${at}`,
    workspace,
    at,
    text,
    at,
  )
}

/** Answers to questions from loops in this working tree, and guidance, that no prompt has contained yet, oldest first. */
export async function undeliveredAnswers(
  sql: Sql,
  workspace: string,
): Promise<{ id: string; text: string; answer: string }[]> {
  const rows = await sql.all<{ id: string; text: string; answer: string }>(
    `select id, text, answer from questions
     where workspace = ? and task is null and answer is not null and told = 0 order by answered_at, id`,
    workspace,
  )
  return rows.map((row) => ({ ...row }))
}

export async function setAnswerDelivered(tx: Sql, id: string, { told }: { told: boolean }): Promise<void> {
  await tx.run('update questions set told = ? where id = ?', Number(told), id)
}
