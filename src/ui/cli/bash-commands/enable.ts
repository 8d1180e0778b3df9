/** `ralph-enable` and `ralph-enable-ci`: set up an existing project, interactively or in CI. */
import { resolve } from 'node:path'
import { initDefaults, initProject, type InitResult, type InitOptions } from '../../../app/project/init.ts'
import {
  AGENT_NOTES_PATH,
  hasLoopFiles,
  OLD_SETTINGS_FILE,
  PLAN_PATH,
  PROMPT_PATH,
} from '../../../app/project/init-files.ts'
import { missingPrdFile, TASK_LABEL, parseTaskSource, type TaskSourceChoice } from '../../../app/import/task-import.ts'
import { EXIT } from '../../../core/error.ts'
import { createTerminalPrompter } from '../asking/terminal-prompts.ts'
import type { Io } from '../framework/io.ts'
import type { FlagValues } from '../framework/command.ts'
import { LEGACY_EXIT_CODES, defineLegacyCommand } from './legacy-command.ts'

const EXITS = { usage: LEGACY_EXIT_CODES.usage, error: LEGACY_EXIT_CODES.error }
const TASK_FLAGS = {
  from: { value: 'SOURCE' },
  prd: { value: 'FILE' },
  label: { value: 'LABEL' },
  limit: { value: 'N' },
} as const
const ALREADY = 'Ralph already enabled. Use --force to override.'

export const enableCommand = defineLegacyCommand({
  usage: `Usage: ralph-enable [OPTIONS]            (now: ralph init)

  --from beads|github|prd   Import tasks from this source
  --prd FILE                Document for --from prd
  --label LABEL             Only issues with this label (default: ${TASK_LABEL})
  --limit N                 Import at most N tasks (default 50; 0: all)
  --force                   Overwrite existing files, and keep copies
  --skip-tasks              Import no tasks
  --non-interactive         Don't prompt
  -h, --help  -v, --version

Exit codes: 0 done, 1 error, 2 already enabled, 3 bad arguments, 4 file missing`,
  flags: { ...TASK_FLAGS, force: {}, 'skip-tasks': {}, 'non-interactive': {} },
  args: 1,
  exits: EXITS,
  async run(said, io) {
    const options = optionsOf(said, io)
    if (hasLoopFiles(options.root) && !options.force) {
      io.out(`${ALREADY}\n`)
      return LEGACY_EXIT_CODES.already
    }
    if (reportMissingFile(options, { json: false }, io)) return LEGACY_EXIT_CODES.noFile
    const asked = io.asks && !said.flags.nonInteractive ? await askAll(options) : options
    if (asked === null) return EXIT.interrupted
    const done = await initProject(asked)
    io.out(summary(done))
    return LEGACY_EXIT_CODES.done
  },
})

export const enableCiCommand = defineLegacyCommand({
  usage: `Usage: ralph-enable-ci [OPTIONS]         (now: ralph init --yes --json)

  --from beads|github|prd|none   Import tasks from this source (default: the first found)
  --prd FILE                     Document for --from prd
  --label LABEL                  Only issues with this label (default: ${TASK_LABEL})
  --limit N                      Import at most N tasks (default 50; 0: all)
  --project-name NAME            Project name instead of the detected one
  --project-type TYPE            Project type instead of the detected one
  --force                        Overwrite existing files, and keep copies
  --json                         Print {success, project_name, project_type, files_created, tasks_imported, message}
  --quiet                        Print errors only
  -h, --help  -v, --version

Exit codes: 0 done, 1 error, 2 already enabled, 3 bad arguments, 4 file missing`,
  flags: {
    ...TASK_FLAGS,
    'project-name': { value: 'NAME' },
    'project-type': { value: 'TYPE' },
    force: {},
    json: {},
    quiet: {},
  },
  args: 1,
  exits: EXITS,
  async run(said, io) {
    const options = optionsOf(said, io)
    const json = said.flags.json
    const say = (text: string): void => {
      if (!said.flags.quiet || json) io.out(text)
    }
    if (hasLoopFiles(options.root) && !options.force) {
      say(
        json
          ? `${JSON.stringify({ success: false, code: LEGACY_EXIT_CODES.already, message: ALREADY })}\n`
          : `${ALREADY}\n`,
      )
      return LEGACY_EXIT_CODES.already
    }
    if (reportMissingFile(options, { json }, io)) return LEGACY_EXIT_CODES.noFile
    const done = await initProject(options)
    say(json ? `${JSON.stringify(facts(done))}\n` : summary(done))
    return LEGACY_EXIT_CODES.done
  },
})

interface Enabling {
  args: string[]
  flags: FlagValues<typeof TASK_FLAGS> & {
    force: boolean
    skipTasks?: boolean
    projectName?: string | null
    projectType?: string | null
  }
}

function optionsOf({ args, flags }: Enabling, io: Io): InitOptions {
  return {
    ...initDefaults(resolve(io.cwd), io.env),
    made: 'bash',
    force: flags.force,
    tasks: flags.skipTasks === true ? { from: 'none' } : tasksOf(flags, args[0] ?? null),
    name: flags.projectName ?? null,
    type: flags.projectType ?? null,
  }
}

/** Bash Ralph documented `--from prd FILE` as well as `--prd FILE`. */
function tasksOf({ prd, from, label, limit }: Enabling['flags'], file: string | null): TaskSourceChoice {
  const document = prd ?? file
  return parseTaskSource({
    from: from ?? (document === null ? 'auto' : 'prd'),
    prd: document,
    label: label ?? TASK_LABEL,
    limit,
  })
}

function reportMissingFile({ root, tasks }: InitOptions, { json }: { json: boolean }, io: Io): boolean {
  const file = missingPrdFile(root, tasks)
  if (file === null) return false
  const error = `PRD file not found: ${file}`
  io.err(json ? `${JSON.stringify({ error, code: LEGACY_EXIT_CODES.noFile })}\n` : `${error}\n`)
  return true
}

async function askAll(options: InitOptions): Promise<InitOptions | null> {
  const { runInitWizard } = await import('../commands/project/init-wizard.ts')
  const asked: InitOptions = options.tasks.from === 'auto' ? { ...options, tasks: { from: 'none' } } : options
  return runInitWizard(asked, await createTerminalPrompter())
}

/** The files reported to scripts; bash Ralph never listed `.gitignore` among them. */
const OLD_FILES = [PROMPT_PATH, PLAN_PATH, AGENT_NOTES_PATH, OLD_SETTINGS_FILE]

function facts(done: InitResult): object {
  return {
    success: true,
    project_name: done.project.name,
    project_type: done.project.type,
    files_created: done.created.filter((name) => OLD_FILES.includes(name)),
    tasks_imported: done.tasks.imported,
    message: 'Ralph enabled successfully',
  }
}

function summary(done: InitResult): string {
  return [
    `Ralph enabled successfully for: ${done.project.name} (${done.project.type})`,
    `Files created: ${done.created.length}`,
    ...done.created.map((name) => `  ${name}`),
    `Tasks imported: ${done.tasks.imported}`,
    ...done.remarks.map((remark) => `Note: ${remark}`),
    '',
  ].join('\n')
}
