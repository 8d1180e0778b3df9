/** Which tasks somebody means who names a feature, a task, or nothing. */
import { RalphError } from '../../domain/error.ts'
import type { Scope } from '../../domain/task/task.ts'

export async function findScope(_root: string, target: string | null): Promise<Scope> {
  if (target === null) return { is: 'all' }
  await Promise.resolve()
  throw new RalphError('not-found', `there is neither a feature nor a task ${target}`)
}
