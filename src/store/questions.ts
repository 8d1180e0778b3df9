/** Questions of agents and the answers of people. A question blocks nothing: the agent continues with the careful option. */
import type { Instant, RunId } from '../core/ids.ts'
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
}

const COLUMNS = `questions.id, questions.run, questions.iteration, questions.task, questions.agent, questions.at, questions.text,
  questions.answer, questions.answered_at as "answeredAt"`

/** A repeated question replaces the earlier one, unless that has an answer the agent has not received yet. */
export async function saveQuestion(tx: Sql, question: Omit<AgentQuestion, 'answer' | 'answeredAt'>): Promise<void> {
  const { id, run, iteration, task, agent, at, text } = question
  await tx.run('delete from questions where id = ? and (answer is null or told = 1)', id)
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

/** Questions without an answer, newest first. Questions about a finished or deleted task are left out. */
export async function listOpenQuestions(sql: Sql, { limit }: { limit: number }): Promise<AgentQuestion[]> {
  const rows = await sql.all<AgentQuestion>(
    `select ${COLUMNS} from questions left join tasks on tasks.id = questions.task
     where questions.answer is null and coalesce(tasks.status, '') <> 'done' and tasks.archived_at is null
     order by questions.at desc, questions.id limit ?`,
    limit,
  )
  return rows.map((row) => ({ ...row }))
}

export async function listAllQuestions(sql: Sql, { limit }: { limit: number }): Promise<AgentQuestion[]> {
  const rows = await sql.all<AgentQuestion>(`select ${COLUMNS} from questions order by at desc, id limit ?`, limit)
  return rows.map((row) => ({ ...row }))
}

export async function findQuestion(sql: Sql, id: string): Promise<AgentQuestion | null> {
  const row = await sql.get<AgentQuestion>(`select ${COLUMNS} from questions where id = ?`, id)
  return row === null ? null : { ...row }
}

export async function saveAnswer(
  tx: Sql,
  id: string,
  { answer, at, told }: { answer: string; at: Instant; told: boolean },
): Promise<void> {
  await tx.run('update questions set answer = ?, answered_at = ?, told = ? where id = ?', answer, at, Number(told), id)
}

/** Answers to questions from loops in this working tree that no prompt has contained yet, oldest first. */
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
