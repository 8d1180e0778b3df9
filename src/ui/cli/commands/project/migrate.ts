/** `ralph migrate`: moves the oldest layout into `.ralph/`, and imports the tasks of Rust Ralph. */
import { resolve } from 'node:path'
import { findProject } from '../../../../config/find-project.ts'
import { migrateProject, type MigrateResult } from '../../../../app/project/migrate.ts'
import { importRustTasks } from '../../../../app/task/import-rust-tasks.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { MIGRATE } from '../../command-table/plan-commands.ts'
import type { Io } from '../../framework/io.ts'
import { printResult } from '../../framework/print-result.ts'
import { homeOf } from '../../framework/open-project.ts'
import { createPaint } from '../../../plain/colours.ts'
import { rustImportScreen } from '../../../plain/screens/rust-import.ts'

export const run: CommandHandler<typeof MIGRATE> = async (input, io) => {
  const { folder } = input.args
  const done = await migrateProject(resolve(io.cwd, folder ?? '.'))
  const root = folder === null ? findProject(io.cwd, { home: homeOf(io) }).root : done.root
  const took = await importRustTasks({ root, notice: (text) => io.err(`${text}\n`) })
  const screen = (): string => {
    const moved = took === null || done.is === 'migrated' ? migrationMessage(done, io) : ''
    return took === null ? moved : `${moved}${rustImportScreen(took, createPaint(io.colour))}`
  }
  return printResult({ ...done, tasks: took }, screen, { json: input.flags.json, io })
}

export function migrationMessage({ root, is, moved, backup, remarks }: MigrateResult, io: Io): string {
  const p = createPaint(io.colour)
  if (is === 'already') return `${root} already has the new layout; nothing was moved.\n`
  if (is === 'nothing') return `${root} is not a Ralph project with the old layout; nothing was moved.\n`
  return [
    p.bold(`${root} now has the new layout.`),
    ...moved.map(({ from, to }) => `  ${p.good('moved')}  ${from} → ${to}`),
    ...(backup === null ? [] : [`  ${p.dim('backup')} ${backup}`]),
    ...remarks.map((remark) => `  ${p.warn('note')}   ${remark}`),
    '',
  ].join('\n')
}
