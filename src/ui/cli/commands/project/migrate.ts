/** `ralph migrate`: moves the oldest layout into `.ralph/`. */
import { resolve } from 'node:path'
import { migrateProject, type Migrated } from '../../../../desk/project/migrate.ts'
import { EXIT } from '../../../../domain/error.ts'
import type { Code } from '../../frame/command.ts'
import type { MIGRATE } from '../../table/plan.ts'
import type { Io } from '../../frame/io.ts'
import { paint } from '../../../plain/paint.ts'

export const run: Code<typeof MIGRATE> = async (input, io) => {
  const done = await migrateProject(resolve(io.cwd, input.args.folder ?? '.'))
  io.out(input.flags.json ? `${JSON.stringify(done)}\n` : migrationTold(done, io))
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
