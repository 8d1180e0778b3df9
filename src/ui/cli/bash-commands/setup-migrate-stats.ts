/** `ralph-setup`, `ralph-migrate` and `ralph-stats`. */
import { join, resolve } from 'node:path'
import { findProject } from '../../../config/find-project.ts'
import { quoteShellWord } from '../../../core/text/shell.ts'
import { migrateProject } from '../../../app/project/migrate.ts'
import { createProject } from '../../../app/project/new-project.ts'
import { readBashStats } from '../../../app/bash-commands/bash-stats.ts'
import { migrationMessage } from '../commands/project/migrate.ts'
import { LEGACY_EXIT_CODES, defineLegacyCommand } from './legacy-command.ts'
import { homeOf } from '../framework/open-project.ts'

const ONE = { usage: LEGACY_EXIT_CODES.error, error: LEGACY_EXIT_CODES.error }

export const setupCommand = defineLegacyCommand({
  usage: `Usage: ralph-setup [NAME]                (in an existing folder: ralph init)

Creates a new project with a git repository in the folder NAME (default: my-project).`,
  flags: {},
  args: 1,
  exits: ONE,
  async run({ args }, io) {
    const name = args[0] ?? 'my-project'
    const done = await createProject(resolve(io.cwd, name), io.env)
    const lines = [
      `Created project ${done.project.name} in ${done.root}`,
      ...done.created.map((file) => `  ${file}`),
      ...done.remarks.map((remark) => `Note: ${remark}`),
      `Next: cd ${quoteShellWord(name)}, describe what you want in .ralph/PROMPT.md, then: ralph --monitor`,
    ]
    io.out(`${lines.join('\n')}\n`)
    return LEGACY_EXIT_CODES.done
  },
})

export const migrateCommand = defineLegacyCommand({
  usage: `Usage: ralph-migrate [FOLDER]            (now: ralph migrate)

Moves the old flat layout into .ralph/. Saves a copy in .ralph_backup_<time> first.`,
  flags: {},
  args: 1,
  exits: ONE,
  async run({ args }, io) {
    io.out(migrationMessage(await migrateProject(resolve(io.cwd, args[0] ?? '.')), io))
    return LEGACY_EXIT_CODES.done
  },
})

export const statsCommand = defineLegacyCommand({
  usage: `Usage: ralph-stats

Prints {total_loops, successful, avg_duration, total_calls} from .ralph/logs/metrics.jsonl.`,
  flags: {},
  args: 0,
  exits: ONE,
  async run(_, io) {
    const said = io.env['RALPH_DIR']
    const folder =
      said === undefined || said === ''
        ? join(findProject(io.cwd, { home: homeOf(io) }).root, '.ralph')
        : resolve(io.cwd, said)
    const found = readBashStats(folder)
    if (found === null) {
      io.err('{"error":"No metrics file found. Run ralph first to generate metrics."}\n')
      return LEGACY_EXIT_CODES.error
    }
    io.out(`${JSON.stringify(found, null, 2)}\n`)
    return LEGACY_EXIT_CODES.done
  },
})
