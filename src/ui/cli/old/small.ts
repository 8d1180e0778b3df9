/** `ralph-setup`, `ralph-migrate` and `ralph-stats`. */
import { join, resolve } from 'node:path'
import { findProject } from '../../../config/paths.ts'
import { shellWord } from '../../../domain/text/shell.ts'
import { migrateProject } from '../../../desk/project/migrate.ts'
import { newProject } from '../../../desk/project/new-project.ts'
import { oldStats } from '../../../desk/old/old-stats.ts'
import { migrationTold } from '../commands/project/migrate.ts'
import { OLD_EXIT, oldProgram } from './program.ts'
import { homeOf } from '../frame/project.ts'

const ONE = { usage: OLD_EXIT.error, error: OLD_EXIT.error }

export const setup = oldProgram({
  usage: `Usage: ralph-setup [NAME]                (in an existing folder: ralph init)

Makes the folder NAME (default: my-project) with a project in it, under git.`,
  flags: {},
  args: 1,
  exits: ONE,
  async run({ args }, io) {
    const name = args[0] ?? 'my-project'
    const done = await newProject(resolve(io.cwd, name), io.env)
    const lines = [
      `Project ${done.project.name} is set up in ${done.root}`,
      ...done.created.map((file) => `  ${file}`),
      ...done.remarks.map((remark) => `Note: ${remark}`),
      `Next: cd ${shellWord(name)}, say what you want in .ralph/PROMPT.md, then: ralph --monitor`,
    ]
    io.out(`${lines.join('\n')}\n`)
    return OLD_EXIT.done
  },
})

export const migrate = oldProgram({
  usage: `Usage: ralph-migrate [FOLDER]            (now: ralph migrate)

Moves the old flat layout into .ralph/. Everything is copied to .ralph_backup_<time> first.`,
  flags: {},
  args: 1,
  exits: ONE,
  async run({ args }, io) {
    io.out(migrationTold(await migrateProject(resolve(io.cwd, args[0] ?? '.')), io))
    return OLD_EXIT.done
  },
})

export const stats = oldProgram({
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
    const found = oldStats(folder)
    if (found === null) {
      io.err('{"error":"No metrics file found. Run ralph first to generate metrics."}\n')
      return OLD_EXIT.error
    }
    io.out(`${JSON.stringify(found, null, 2)}\n`)
    return OLD_EXIT.done
  },
})
