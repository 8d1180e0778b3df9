/** A test project with tasks in it, and commands about them. */
import { testProject, type TestProject, type TestProjectOptions } from '../test-project.ts'
import { runInProcess, type CapturedOutput } from '../run-in-process.ts'

/** As `task add --from-json` reads it. */
export interface TaskLine {
  id?: string
  title?: string
  parent?: string
  blockers?: string[]
  feature?: string
  [key: string]: unknown
}

export async function projectWithTasks(tasks: TaskLine[], options: TestProjectOptions = {}): Promise<TestProject> {
  const made = await testProject(options)
  if (tasks.length === 0) return made
  await made.write('plan.jsonl', jsonLinesOf(tasks))
  const added = await task(made, 'add', '--from-json', 'plan.jsonl')
  if (added.code !== 0) throw new Error(added.err)
  return made
}

export function jsonLinesOf(tasks: TaskLine[]): string {
  return tasks.map((one) => `${JSON.stringify({ title: `Do ${one.id ?? 'it'}`, ...one })}\n`).join('')
}

/** In this very process: none of these starts an engine. */
export function task(made: TestProject, ...args: string[]): Promise<CapturedOutput> {
  return runCommand(made, 'task', ...args)
}

export function runCommand({ path, env }: TestProject, ...args: string[]): Promise<CapturedOutput> {
  return runInProcess(args, { cwd: path, env })
}

export async function jsonOf<T>(made: TestProject, ...args: string[]): Promise<T> {
  return JSON.parse((await task(made, ...args, '--json')).out) as T
}

/** `id status` of every task, in the order of their priority. */
export async function taskStatuses(made: TestProject): Promise<string[]> {
  const all = await jsonOf<{ id: string; status: string }[]>(made, 'list')
  return all.map(({ id, status }) => `${id} ${status}`)
}
