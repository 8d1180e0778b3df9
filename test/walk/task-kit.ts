/** A garden with tasks in it, and commands about them. */
import { garden, type Garden, type GardenOptions } from '../garden.ts'
import { hear, type Heard } from '../hear.ts'

/** As `task add --from-json` reads it. */
export interface TaskLine {
  id?: string
  title?: string
  parent?: string
  blockers?: string[]
  feature?: string
  [key: string]: unknown
}

export async function gardenWith(tasks: TaskLine[], options: GardenOptions = {}): Promise<Garden> {
  const made = await garden(options)
  if (tasks.length === 0) return made
  await made.write('plan.jsonl', linesOf(tasks))
  const added = await task(made, 'add', '--from-json', 'plan.jsonl')
  if (added.code !== 0) throw new Error(added.err)
  return made
}

export function linesOf(tasks: TaskLine[]): string {
  return tasks.map((one) => `${JSON.stringify({ title: `Do ${one.id ?? 'it'}`, ...one })}\n`).join('')
}

/** In this very process: none of these starts an engine. */
export function task(made: Garden, ...args: string[]): Promise<Heard> {
  return say(made, 'task', ...args)
}

export function say({ path, env }: Garden, ...args: string[]): Promise<Heard> {
  return hear(args, { cwd: path, env })
}

export async function facts<T>(made: Garden, ...args: string[]): Promise<T> {
  return JSON.parse((await task(made, ...args, '--json')).out) as T
}

/** `id status` of every task, in the order of their priority. */
export async function stand(made: Garden): Promise<string[]> {
  const all = await facts<{ id: string; status: string }[]>(made, 'list')
  return all.map(({ id, status }) => `${id} ${status}`)
}
