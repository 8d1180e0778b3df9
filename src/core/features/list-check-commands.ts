/** What accepting a task file permits: the commands that run as checks, and the tests that may change. */
import { listWithMore } from '../text/format-amounts.ts'
import type { ProjectProgram } from '../trust/trust.ts'
import type { DraftTask } from './task-file.ts'

export interface TaskMention {
  what: string
  /** Keys of the tasks that mention it. */
  by: string[]
}

/** Each command once, in the order of the task file. */
export function listCheckCommands(tasks: DraftTask[]): TaskMention[] {
  return collectMentions(tasks, ({ checks }) => checks)
}

export function listTestGlobs(tasks: DraftTask[]): TaskMention[] {
  return collectMentions(tasks, ({ tests }) => tests)
}

function collectMentions(tasks: DraftTask[], saidBy: (task: DraftTask) => string[]): TaskMention[] {
  const found = new Map<string, string[]>()
  for (const task of tasks)
    for (const what of new Set(saidBy(task))) found.set(what, [...(found.get(what) ?? []), task.key])
  return [...found].map(([what, by]) => ({ what, by }))
}

/** A command is trusted by its text, for every task. `gates`: the project's gates; one with the same command may be trusted already. */
export function listCheckPrograms(
  tasks: DraftTask[],
  { path, gates }: { path: string; gates: { name: string; run: string }[] },
): ProjectProgram[] {
  return listCheckCommands(tasks).map(({ what, by }) => ({
    setting: 'check',
    run: what,
    cwd: '.',
    env: {},
    where: `${path}: ${formatKeyList(by)}`,
    also: gates.filter(({ run }) => run === what).map(({ name }) => ({ setting: `gate ${name}`, run: what })),
    oneOfMany: true,
  }))
}

const KEYS_SHOWN = 6

/** `form, session and 3 more`. */
export function formatKeyList(keys: string[]): string {
  return listWithMore(keys.slice(0, KEYS_SHOWN), keys.length - KEYS_SHOWN)
}
