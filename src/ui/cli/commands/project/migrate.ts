/** `ralph migrate`: moves the oldest layout into `.ralph/`, and takes over the tasks of the Rust tool. */
import { resolve } from 'node:path'
import { findProject } from '../../../../config/paths.ts'
import { migrateProject, type Migrated } from '../../../../desk/project/migrate.ts'
import { takeOverTasks } from '../../../../desk/task/take-over.ts'
import { EXIT } from '../../../../domain/error.ts'
import type { Code } from '../../frame/command.ts'
import type { MIGRATE } from '../../table/plan.ts'
import type { Io } from '../../frame/io.ts'
import { homeOf } from '../../frame/project.ts'
import { paint } from '../../../plain/paint.ts'
import { tookOverPage } from '../../../plain/screens/took-over.ts'

export const run: Code<typeof MIGRATE> = async (input, io) => {
  const { folder } = input.args
  const done = await migrateProject(resolve(io.cwd, folder ?? '.'))
  const root = folder === null ? findProject(io.cwd, { home: homeOf(io) }).root : done.root
  const took = await takeOverTasks({ root, notice: (text) => io.err(`${text}\n`) })
  if (input.flags.json) io.out(`${JSON.stringify({ ...done, tasks: took })}\n`)
  else {
    if (took === null || done.is === 'migrated') io.out(migrationTold(done, io))
    if (took !== null) io.out(tookOverPage(took, paint(io.colour)))
  }
  return EXIT.done
}

export function migrationTold({ root, is, moved, backup, remarks }: Migrated, io: Io): string {
  const p = paint(io.colour)
  if (is === 'already') return `${root} has the new layout already; nothing was moved.\n`
  if (is === 'nothing') return `${root} is no Ralph project of the old layout; nothing was moved.\n`
  return [
    p.bold(`${root} has the new layout now.`),
    ...moved.map(({ from, to }) => `  ${p.good('moved')}  ${from} → ${to}`),
    ...(backup === null ? [] : [`  ${p.dim('copy')}   of everything: ${backup}`]),
    ...remarks.map((remark) => `  ${p.warn('note')}   ${remark}`),
    '',
  ].join('\n')
}
